#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/writers.h"
#include "shardstats/report/sarif.h"

namespace shardstats::cli {
namespace {

// Code scanning knows files by their path from where it runs.
std::string from_here(std::string_view path) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  const std::filesystem::path log = std::filesystem::path(path).lexically_normal();
  if (error || !log.is_absolute()) return log.string();
  const std::filesystem::path relative = log.lexically_relative(here);
  return relative.empty() || *relative.begin() == ".." ? log.string() : relative.string();
}

class SarifWriter : public Writer {
 public:
  explicit SarifWriter(const Options& options) : options_(options) {}

  void begin(std::string& out) override {
    run_.begin(options_.command == CommandId::check ? SarifRun::Rules::budgets : SarifRun::Rules::findings, out);
  }
  void log_error(const Error& error, std::string&) override { run_.add(from_here(error.path), error); }
  void block(const BlockResult& result, std::string& out) override {
    const std::string path = from_here(result.path);
    if (result.budgets)
      run_.add(path, result.lines, result.view, *result.budgets, out);
    else
      run_.add(path, result.lines, result.view, *result.report, out);
  }
  void end(const Totals& totals, int status, std::string& out) override {
    for (const std::string& message : totals.errors) run_.add({}, Error{{}, {}, message, {}});
    run_.end(options_.exit_zero && status == kFindings ? kClean : status, out);
  }

 private:
  const Options& options_;
  SarifRun run_;
};

}  // namespace

std::unique_ptr<Writer> make_sarif_writer(const Options& options) { return std::make_unique<SarifWriter>(options); }

}  // namespace shardstats::cli
