#include <nlohmann/json.hpp>

#include "cli/writers.h"
#include "shardstats/report/budgets_json.h"
#include "shardstats/report/diff.h"
#include "shardstats/report/explain_json.h"
#include "shardstats/report/stash.h"
#include "shardstats/report/timeline.h"
#include "shardstats/report/what_if.h"

namespace shardstats::cli {
namespace {

void add_what_if(const WhatIfResult& result, const Options& options, Json& block) {
  block["changes"] = result.changes;
  if (result.diff) {
    block["placed"] = result.placed;
    block["diff"] = diff_json(*result.diff, options.top);
  }
  if (result.sweep) block["sweep"] = sweep_json(*result.sweep);
  if (result.largest) block["largest"] = largest_json(*result.largest);
}

Json block_document(const BlockResult& result, const Options& options) {
  const bool one_by_one = result.reconstruction || result.explained || result.what_if;
  Json block = block_json(one_by_one ? result.detailed : result.view);
  if (result.summary) add_summary(*result.summary, block);
  if (result.report) add_report(*result.report, block);
  if (result.budgets) block["checks"] = budgets_json(*result.budgets);
  if (result.reconstruction) add_reconstruction(*result.reconstruction, block);
  if (result.what_if) add_what_if(*result.what_if, options, block);
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
  explicit JsonWriter(const Options& options) : options_(options), command_(command_of(options.command).name) {}

  void begin_log(const std::string& path) override { logs_.push_back({path, {}, {}}); }
  // A log has one place for an error: the first is where to look.
  void log_error(const Error& error, std::string&) override {
    std::optional<Error>& first = logs_.back().error;
    if (!first) first = error;
  }
  void block(const BlockResult& result, std::string&) override { logs_.back().add(block_document(result, options_)); }
  void end(const Totals& totals, int status, std::string& out) override {
    out += document_text(command_, logs_, totals, verdict_of(status)) + "\n";
  }

 private:
  const Options& options_;
  std::string_view command_;
  std::vector<LogJson> logs_;
};

// One document a line, each with one log and one block; the last line is the total.
class NdjsonWriter : public Writer {
 public:
  explicit NdjsonWriter(const Options& options) : options_(options), command_(command_of(options.command).name) {}

  void log_error(const Error& error, std::string& out) override {
    out += document_text(command_, {{error.path, {}, error}}, {1, 0, {}}, Verdict::failed) + "\n";
  }
  void block(const BlockResult& result, std::string& out) override {
    Totals totals{1, 1, result.findings()};
    if (result.budgets) totals.budgets = result.budgets->counts();
    out += document_text(command_, {{std::string(result.path), dumped(block_document(result, options_)), {}}}, totals,
                         verdict_of(result.status)) +
           "\n";
  }
  void end(const Totals& totals, int status, std::string& out) override {
    Json last = {{"summary", summary_json(totals)}, {"verdict", name(verdict_of(status))}};
    if (!totals.errors.empty()) last["errors"] = totals.errors;
    out += dumped(last) + "\n";
  }

 private:
  const Options& options_;
  std::string_view command_;
};

}  // namespace

std::unique_ptr<Writer> make_json_writer(const Options& options) { return std::make_unique<JsonWriter>(options); }
std::unique_ptr<Writer> make_ndjson_writer(const Options& options) { return std::make_unique<NdjsonWriter>(options); }

}  // namespace shardstats::cli
