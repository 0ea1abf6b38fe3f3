#include <nlohmann/json.hpp>

#include "cli/writers.h"
#include "shardstats/report/text.h"
#include "shardstats/report/timeline.h"

namespace shardstats::cli {
namespace {

class TraceWriter : public Writer {
 public:
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

std::unique_ptr<Writer> make_trace_writer() { return std::make_unique<TraceWriter>(); }

}  // namespace shardstats::cli
