#include "cli/writers.h"
#include "shardstats/report/github.h"
#include "shardstats/report/text.h"

namespace shardstats::cli {
namespace {

class GithubWriter : public Writer {
 public:
  void log_error(const Error& error, std::string&) override { annotations_.add(error); }
  void block(const BlockResult& result, std::string&) override {
    if (result.budgets)
      annotations_.add(result.path, *result.budgets);
    else
      annotations_.add(result.path, *result.report);
  }
  void end(const Totals& totals, int status, std::string& out) override {
    for (const std::string& message : totals.errors) annotations_.add(Error{{}, {}, message, {}});
    annotations_.write(out);
    write_verdict(verdict_of(status), totals, {}, out);
  }

 private:
  GithubAnnotations annotations_;
};

}  // namespace

std::unique_ptr<Writer> make_github_writer() { return std::make_unique<GithubWriter>(); }

}  // namespace shardstats::cli
