#include "cli/writers.h"
#include "shardstats/report/html.h"

namespace shardstats::cli {
namespace {

class HtmlWriter : public Writer {
 public:
  void begin_log(const std::string& path) override { logs_.push_back({path, {}}); }
  void log_error(const Error& error, std::string&) override { errors_.push_back(html_error(logs_.back().path, error)); }
  void block(const BlockResult& result, std::string&) override {
    blocks_.push_back(*result.page_block);
    blocks_.back()["path"] = logs_.back().path;
    logs_.back().last = result.measures;
  }
  void end(const Totals&, int, std::string& out) override { out += html_page(blocks_, errors_, comparison()); }

 private:
  struct Log {
    std::string path;
    std::optional<Measures> last;
  };

  std::optional<Json> comparison() const {
    if (logs_.size() != 2 || !logs_[0].last || !logs_[1].last) return std::nullopt;
    const Measures &before = *logs_[0].last, &after = *logs_[1].last;
    return html_comparison(
        {logs_[0].path, logs_[1].path, changes(before.tables, after.tables), changes(before.ranks, after.ranks)});
  }

  std::vector<Log> logs_;
  std::vector<Json> blocks_, errors_;
};

}  // namespace

std::unique_ptr<Writer> make_html_writer() { return std::make_unique<HtmlWriter>(); }

}  // namespace shardstats::cli
