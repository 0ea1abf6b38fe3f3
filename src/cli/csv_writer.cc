#include "cli/examine_changes.h"
#include "cli/writers.h"
#include "shardstats/report/csv.h"

namespace shardstats::cli {
namespace {

// Rows of findings (verify, scan), of budgets (check), of shards (reconstruct) or of changes and points (whatif).
class CsvWriter : public Writer {
 public:
  explicit CsvWriter(const Options& options) : options_(options), command_(options.command) {}

  void begin(std::string& out) override {
    if (command_ == CommandId::reconstruct)
      write_shards_csv_header(out);
    else if (command_ == CommandId::check)
      write_budgets_csv_header(out);
    else if (command_ == CommandId::whatif)
      write_what_if_csv_header(swept_keys(options_), out);
    else
      write_findings_csv_header(out);
  }
  void log_error(const Error& error, std::string& out) override {
    if (command_ == CommandId::check)
      write_failed_budgets_csv(error, out);
    else if (command_ != CommandId::reconstruct && command_ != CommandId::whatif)
      write_error_csv(error, out);
  }
  void block(const BlockResult& result, std::string& out) override {
    if (result.what_if)  // has a reconstruction as well, which is for JSON
      write_what_if_csv(result.path, result.view, *result.what_if, options_.top, out);
    else if (result.reconstruction)
      write_shards_csv(result.path, result.view, *result.reconstruction, out);
    if (result.budgets) write_budgets_csv(result.path, result.view, *result.budgets, out);
    if (result.report) write_findings_csv(result.path, result.view, *result.report, out);
  }
  void end(const Totals& totals, int, std::string& out) override {
    for (const std::string& message : totals.errors) log_error({{}, {}, message, {}}, out);
  }

 private:
  const Options& options_;
  CommandId command_;
};

}  // namespace

std::unique_ptr<Writer> make_csv_writer(const Options& options) { return std::make_unique<CsvWriter>(options); }

}  // namespace shardstats::cli
