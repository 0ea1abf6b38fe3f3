#include "cli/writers.h"
#include "shardstats/report/junit.h"

namespace shardstats::cli {
namespace {

class JunitWriter : public Writer {
 public:
  explicit JunitWriter(const Options& options) : fail_on_(options.fail_on) {}

  void begin(std::string& out) override { write_junit_head(out); }
  void log_error(const Error& error, std::string& out) override { write_junit_error(error, suites_++, out); }
  void block(const BlockResult& result, std::string& out) override {
    if (result.budgets)
      write_junit_suite(result.path, result.view, *result.budgets, suites_++, out);
    else
      write_junit_suite(result.path, result.view, *result.report, fail_on_, suites_++, out);
  }
  void end(const Totals& totals, int, std::string& out) override {
    for (const std::string& message : totals.errors) write_junit_error({"shardstats", {}, message, {}}, suites_++, out);
    write_junit_tail(out);
  }

 private:
  Severity fail_on_;
  int suites_ = 0;
};

}  // namespace

std::unique_ptr<Writer> make_junit_writer(const Options& options) { return std::make_unique<JunitWriter>(options); }

}  // namespace shardstats::cli
