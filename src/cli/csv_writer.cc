#include <utility>

#include "cli/writers.h"
#include "shardstats/report/csv.h"

namespace shardstats::cli {
namespace {

// Rows of findings (verify, scan) or of shards (reconstruct).
class CsvWriter : public Writer {
 public:
  explicit CsvWriter(const Options& options) : of_shards_(options.command == CommandId::reconstruct) {}

  void begin_log(const std::string& path) override { path_ = path; }
  void log_error(const Error& error, std::string& out) override {
    begin(out);
    if (!of_shards_) write_error_csv(path_, error, out);
  }
  void block(const BlockResult& result, std::string& out) override {
    begin(out);
    if (of_shards_)
      write_shards_csv(result.path, result.view, *result.reconstruction, out);
    else
      write_findings_csv(result.path, result.view, *result.report, out);
  }
  void end(const Totals&, int, std::string& out) override { begin(out); }

 private:
  void begin(std::string& out) {
    if (std::exchange(begun_, true)) return;
    if (of_shards_)
      write_shards_csv_header(out);
    else
      write_findings_csv_header(out);
  }

  bool of_shards_, begun_ = false;
  std::string path_;
};

}  // namespace

std::unique_ptr<Writer> make_csv_writer(const Options& options) { return std::make_unique<CsvWriter>(options); }

}  // namespace shardstats::cli
