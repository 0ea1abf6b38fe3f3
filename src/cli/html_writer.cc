#include <nlohmann/json.hpp>

#include "cli/writers.h"
#include "shardstats/report/html.h"

namespace shardstats::cli {
namespace {

class HtmlWriter : public Writer {
 public:
  void log_error(const Error& error, std::string&) override { errors_.push_back(html_error(error)); }
  void block(const BlockResult& result, std::string&) override {
    blocks_.push_back(*result.page_block);
    blocks_.back()["path"] = std::string(result.path);
  }
  void compared(const std::string& before, const std::string& after, const PlanDiff& diff) override {
    comparison_ = html_comparison({before, after, diff});
  }
  void end(const Totals&, int, std::string& out) override { out += html_page(blocks_, errors_, comparison_); }

 private:
  std::vector<Json> blocks_, errors_;
  std::optional<Json> comparison_;
};

}  // namespace

std::unique_ptr<Writer> make_html_writer() { return std::make_unique<HtmlWriter>(); }

}  // namespace shardstats::cli
