#include "cli/writer.h"

#include "shardstats/report/explain_json.h"
#include "shardstats/report/explain_text.h"
#include "shardstats/report/html.h"
#include "shardstats/report/text.h"

namespace shardstats::cli {
namespace {

constexpr std::string_view kVerdicts[] = {"clean", "findings", "failed"};  // by exit status

class TextWriter : public Writer {
 public:
  TextWriter(const Options& options, const TextStyle& style) : options_(options), style_(style) {}

  void begin_log(const std::string&) override {}
  void log_error(const Error&, std::string&) override {}  // standard error has it

  void block(const BlockResult& result, std::string& out) override {
    switch (options_.command) {
      case CommandId::verify:
        write_findings(result.path, *result.report, options_.verbose, options_.top_findings, style_, out);
        if (!options_.quiet) write_block(result.path, result.view, &*result.report, style_, out);
        return;
      case CommandId::scan:  // a line for each log, see end_log()
        return;
      case CommandId::explain:
        write_explained(*result.explained, style_, out);
        return;
      case CommandId::reconstruct:
        if (!options_.quiet) write_block(result.path, result.view, nullptr, style_, out);
        write_reconstruction(*result.reconstruction, style_, out);
        return;
      case CommandId::report:  // has no text
        return;
      case CommandId::render:
      case CommandId::rules:
        out += result.rendered;
    }
  }

  void end_log(const LogSurvey& log, std::string& out) override {
    if (options_.command != CommandId::scan) return;
    if (log.blocks == 0 ? options_.verbose : !(log.clean && options_.quiet)) write_log_line(log, style_, out);
  }

  void end(const Totals& totals, int status, std::string& out) override {
    if (totals.survey && !options_.quiet) write_survey(totals, options_.top_rules, style_, out);
    if (!command_of(options_.command).finds || (totals.blocks == 0 && status == kFailed)) return;
    write_verdict(kVerdicts[status], totals.findings, totals.blocks, totals.logs, style_, out);
  }

 private:
  const Options& options_;
  TextStyle style_;
};

Json block_document(const BlockResult& result) {
  const bool one_by_one = result.reconstruction || result.explained;
  Json block = block_json(one_by_one ? result.detailed : result.view);
  if (result.report) add_report(*result.report, block);
  if (result.reconstruction) add_reconstruction(*result.reconstruction, block);
  if (result.explained) {
    Json& all = block["explained"] = Json::array();
    for (const Explained& one : *result.explained) all.push_back(explained_json(one));
  }
  return block;
}

// Bytes of the log that are no UTF-8 become U+FFFD, so that the document is valid JSON.
std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

class JsonWriter : public Writer {
 public:
  explicit JsonWriter(const Options& options) : command_(command_of(options.command).name) {}

  void begin_log(const std::string& path) override { logs_.push_back({path, {}, {}}); }
  void log_error(const Error& error, std::string&) override { logs_.back().error = error; }
  void block(const BlockResult& result, std::string&) override {
    logs_.back().blocks.push_back(block_document(result));
  }
  void end(const Totals& totals, int status, std::string& out) override {
    out += dumped(document_json(command_, logs_, totals, kVerdicts[status]));
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
    out += dumped(document_json(command_, {{path_, {}, error}}, {1, 0, {}}, kVerdicts[kFailed]));
  }
  void block(const BlockResult& result, std::string& out) override {
    Totals totals{1, 1, result.report ? count(result.report->findings) : FindingCounts{}};
    out += dumped(document_json(command_, {{path_, {block_document(result)}, {}}}, totals, kVerdicts[result.status]));
  }
  void end(const Totals& totals, int status, std::string& out) override {
    out += dumped({{"summary", summary_json(totals)}, {"verdict", kVerdicts[status]}});
  }

 private:
  std::string_view command_;
  std::string path_;
};

// One page with all blocks. Exactly two logs are compared, the last block of each.
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

std::unique_ptr<Writer> make_writer(OutputFormat format, const Options& options, const TextStyle& style) {
  switch (format) {
    case OutputFormat::json:
      return std::make_unique<JsonWriter>(options);
    case OutputFormat::ndjson:
      return std::make_unique<NdjsonWriter>(options);
    case OutputFormat::html:
      return std::make_unique<HtmlWriter>();
    case OutputFormat::text:
      break;
  }
  return std::make_unique<TextWriter>(options, style);
}

}  // namespace shardstats::cli
