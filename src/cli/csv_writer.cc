#include "cli/writers.h"
#include "shardstats/report/csv.h"

namespace shardstats::cli {
namespace {

// Rows of findings (verify, scan), of budgets (check) or of shards (reconstruct).
class CsvWriter : public Writer {
 public:
  explicit CsvWriter(const Options& options) : command_(options.command) {}

  void begin(std::string& out) override {
    if (command_ == CommandId::reconstruct)
      write_shards_csv_header(out);
    else if (command_ == CommandId::check)
      write_budgets_csv_header(out);
    else
      write_findings_csv_header(out);
  }
  void begin_log(const std::string& path) override { path_ = path; }
  void log_error(const Error& error, std::string& out) override {
    if (command_ == CommandId::check)
      write_failed_budgets_csv(path_, error, out);
    else if (command_ != CommandId::reconstruct)
      write_error_csv(path_, error, out);
  }
  void block(const BlockResult& result, std::string& out) override {
    if (result.reconstruction) write_shards_csv(result.path, result.view, *result.reconstruction, out);
    if (result.budgets) write_budgets_csv(result.path, result.view, *result.budgets, out);
    if (result.report) write_findings_csv(result.path, result.view, *result.report, out);
  }
  void end(const Totals&, int, std::string&) override {}

 private:
  CommandId command_;
  std::string path_;
};

}  // namespace

std::unique_ptr<Writer> make_csv_writer(const Options& options) { return std::make_unique<CsvWriter>(options); }

}  // namespace shardstats::cli
