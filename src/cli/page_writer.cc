#include "cli/writers.h"
#include "report/page.h"
#include "shardstats/report/text.h"
#include "shardstats/report/timeline.h"
#include "shardstats/report/what_if.h"

namespace shardstats::cli {
namespace {

// timeline and whatif: a section for each block.
class PageWriter : public Writer {
 public:
  explicit PageWriter(const Options& options) : command_(command_of(options.command).name), top_(options.top) {}

  void log_error(const Error& error, std::string&) override { sections_.push_back(page::error_section(error)); }
  void block(const BlockResult& result, std::string&) override {
    const std::string name = block_name(result.path, result.view);
    if (result.timeline) sections_.push_back(timeline_section(name, *result.timeline));
    if (result.what_if) sections_.push_back(what_if_section(name, *result.what_if, top_));
  }
  void end(const Totals&, int, std::string& out) override { out += page::document(command_, sections_); }

 private:
  std::string_view command_;
  std::size_t top_;  // rows of each list of changes; 0: all
  std::vector<std::string> sections_;
};

}  // namespace

std::unique_ptr<Writer> make_page_writer(const Options& options) { return std::make_unique<PageWriter>(options); }

}  // namespace shardstats::cli
