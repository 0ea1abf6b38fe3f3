#include "cli/writers.h"
#include "shardstats/report/budgets_json.h"
#include "shardstats/report/explain_json.h"
#include "shardstats/report/stash.h"
#include "shardstats/report/timeline.h"

namespace shardstats::cli {
namespace {

Json block_document(const BlockResult& result) {
  const bool one_by_one = result.reconstruction || result.explained;
  Json block = block_json(one_by_one ? result.detailed : result.view);
  if (result.summary) add_summary(*result.summary, block);
  if (result.report) add_report(*result.report, block);
  if (result.budgets) block["checks"] = budgets_json(*result.budgets);
  if (result.reconstruction) add_reconstruction(*result.reconstruction, block);
  if (result.timeline) add_timeline(*result.timeline, block);
  if (result.stash) add_stash(*result.stash, block);
  if (result.explained) {
    Json& all = block["explained"] = Json::array();
    for (const Explained& one : *result.explained) all.push_back(explained_json(one));
  }
  return block;
}

class JsonWriter : public Writer {
 public:
  explicit JsonWriter(const Options& options) : command_(command_of(options.command).name) {}

  void begin_log(const std::string& path) override { logs_.push_back({path, {}, {}}); }
  void log_error(const Error& error, std::string&) override { logs_.back().error = error; }
  void block(const BlockResult& result, std::string&) override {
    logs_.back().blocks.push_back(block_document(result));
  }
  void end(const Totals& totals, int status, std::string& out) override {
    out += dumped(document_json(command_, logs_, totals, kVerdicts[status])) + "\n";
  }

 private:
  std::string_view command_;
  std::vector<LogJson> logs_;
};

// One document a line, each with one log and one block; the last line is the total.
class NdjsonWriter : public Writer {
 public:
  explicit NdjsonWriter(const Options& options) : command_(command_of(options.command).name) {}

  void begin_log(const std::string& path) override { path_ = path; }
  void log_error(const Error& error, std::string& out) override {
    out += dumped(document_json(command_, {{path_, {}, error}}, {1, 0, {}}, kVerdicts[kFailed])) + "\n";
  }
  void block(const BlockResult& result, std::string& out) override {
    Totals totals{1, 1, result.findings()};
    if (result.budgets) totals.budgets = result.budgets->counts();
    out += dumped(document_json(command_, {{path_, {block_document(result)}, {}}}, totals, kVerdicts[result.status])) +
           "\n";
  }
  void end(const Totals& totals, int status, std::string& out) override {
    out += dumped({{"summary", summary_json(totals)}, {"verdict", kVerdicts[status]}}) + "\n";
  }

 private:
  std::string_view command_;
  std::string path_;
};

}  // namespace

std::unique_ptr<Writer> make_json_writer(const Options& options) { return std::make_unique<JsonWriter>(options); }
std::unique_ptr<Writer> make_ndjson_writer(const Options& options) { return std::make_unique<NdjsonWriter>(options); }

}  // namespace shardstats::cli
