// The formats that only `timeline` has: a page of drawings, and trace events.
#include "cli/writers.h"
#include "shardstats/report/text.h"
#include "shardstats/report/timeline.h"

namespace shardstats::cli {
namespace {

class TimelinePageWriter : public Writer {
 public:
  void begin_log(const std::string& path) override { path_ = path; }
  void log_error(const Error& error, std::string&) override { sections_.push_back(timeline_error(path_, error)); }
  void block(const BlockResult& result, std::string&) override {
    sections_.push_back(timeline_section(block_name(result.path, result.view), *result.timeline));
  }
  void end(const Totals&, int, std::string& out) override { out += timeline_page(sections_); }

 private:
  std::string path_;
  std::vector<std::string> sections_;
};

class TraceWriter : public Writer {
 public:
  void begin_log(const std::string&) override {}
  void log_error(const Error&, std::string&) override {}  // standard error has it
  void block(const BlockResult& result, std::string&) override {
    next_process_ = add_trace_events(block_name(result.path, result.view), *result.timeline, next_process_, events_);
  }
  void end(const Totals&, int, std::string& out) override { out += trace_document(events_); }

 private:
  Json events_ = Json::array();
  int next_process_ = 1;
};

}  // namespace

std::unique_ptr<Writer> make_timeline_page_writer() { return std::make_unique<TimelinePageWriter>(); }
std::unique_ptr<Writer> make_trace_writer() { return std::make_unique<TraceWriter>(); }

}  // namespace shardstats::cli
