#include "cli/run.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/terminal.h"
#include "cli/writer.h"
#include "shardstats/input/blocks.h"
#include "shardstats/log/render.h"
#include "shardstats/report/text.h"

namespace shardstats::cli {
namespace {

constexpr std::size_t kShownLine = 100;  // characters of the nearest line in a message

// One place that output goes to, in one format. Text that is ready is written at once.
class Output {
 public:
  Output(std::string path, OutputFormat format, const Options& options)
      : path_(std::move(path)) {
    const bool to_terminal = path_ == "-" && isatty(STDOUT_FILENO) != 0;
    file_ = path_ == "-" ? stdout : std::fopen(path_.c_str(), "wb");
    if (file_ == nullptr) {
      fail(path_ + ": cannot write: " + std::strerror(errno));
      failed_ = true;
    }
    const bool file_in_auto = path_ != "-" && options.color == "auto";
    writer_ = make_writer(format, options, text_style(file_in_auto ? "never" : options.color, options.ascii, to_terminal));
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() {
    if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  }

  Writer& writer() { return *writer_; }
  void write(const std::string& text) {
    if (file_ == nullptr || text.empty()) return;
    if (std::fwrite(text.data(), 1, text.size(), file_) == text.size()) return;
    if (!failed_) fail(path_ + ": cannot write: " + std::strerror(errno));
    failed_ = true;
  }
  bool finish() {
    if (file_ != nullptr && std::fflush(file_) != 0 && !failed_) {
      fail(path_ + ": cannot write: " + std::strerror(errno));
      failed_ = true;
    }
    return !failed_;
  }

 private:
  std::string path_;
  std::FILE* file_ = nullptr;
  std::unique_ptr<Writer> writer_;
  bool failed_ = false;
};

OutputFormat format_of(const std::string& path, const Options& options) {
  constexpr std::pair<std::string_view, OutputFormat> kExtensions[] = {{".json", OutputFormat::json},
                                                                       {".ndjson", OutputFormat::ndjson},
                                                                       {".jsonl", OutputFormat::ndjson},
                                                                       {".txt", OutputFormat::text}};
  const auto formats = command_of(options.command).formats;
  for (const auto& [extension, format] : kExtensions)
    if (path.ends_with(extension) && std::ranges::find(formats, format) != formats.end()) return format;
  return options.format;
}

class Run {
 public:
  explicit Run(const Options& options) : options_(options), command_(command_of(options.command)) {}

  int all() {
    if (const auto wrong = filter_.set(options_.filter)) {
      fail(*wrong);
      return kFailed;
    }
    open_outputs();
    for (const std::string& path : options_.logs) {
      ++totals_.logs;
      read_log(path);
    }
    const int verdict = status_;
    for (auto& output : outputs_) {
      std::string text;
      output->writer().end(totals_, verdict, text);
      output->write(text);
      if (!output->finish()) status_ = kFailed;
    }
    return options_.exit_zero && status_ == kFindings ? kClean : status_;
  }

 private:
  void open_outputs() {
    std::vector<std::string> paths = options_.outputs;
    if (paths.empty()) paths.emplace_back("-");
    for (const std::string& path : paths)
      outputs_.push_back(std::make_unique<Output>(path, format_of(path, options_), options_));
  }

  void raise(int status) { status_ = std::max(status_, status); }

  void log_error(const Error& error) {
    fail(error_text(error));
    for (auto& output : outputs_) output->writer().log_error(error);
    raise(kFailed);
  }

  void read_log(const std::string& path) {
    const std::string shown = path == "-" ? "<stdin>" : path;
    for (auto& output : outputs_) output->writer().begin_log(shown);
    OpenResult opened = open_source(path);
    if (const auto* error = std::get_if<Error>(&opened)) {
      log_error(*error);
      return;
    }
    const std::string_view bytes = std::get<std::unique_ptr<Source>>(opened)->bytes();
    const std::vector<Block> blocks = find_blocks(bytes);
    if (blocks.empty()) {
      if (!options_.allow_empty) log_error(no_block(shown, bytes));
      return;
    }
    const std::size_t before = errors_of_target_.size();
    bool any = false;
    for (std::size_t i = 0; i < blocks.size(); ++i)
      if (wanted(i, blocks.size())) {
        any = true;
        read_block(shown, blocks[i], i);
      }
    if (!any)
      log_error({shown, {}, "--block " + options_.block + ": the log has only " + std::to_string(blocks.size()) + " planner block(s)", ""});
    // A target has to be in one block of the log, not in each.
    if (errors_of_target_.size() > before && errors_of_target_.size() - before == blocks_asked_)
      log_error({shown, {}, errors_of_target_.back(), ""});
    blocks_asked_ = 0;
    errors_of_target_.clear();
  }

  static Error no_block(const std::string& path, std::string_view bytes) {
    Error error{path, {}, "no planner block found", "looked for a line with '--- Planner Statistics ---' in a box of '#'"};
    const BoxLine nearest = nearest_line(bytes);
    if (nearest.place.line > 0) {
      error.place.line = nearest.place.line;
      error.hint += "; the nearest line is: " + std::string(nearest.text.substr(0, kShownLine));
    } else if (bytes.empty()) {
      error.hint = "the file is empty";
    }
    return error;
  }

  bool wanted(std::size_t index, std::size_t count) const {
    if (options_.block == "all") return true;
    if (options_.block == "last") return index + 1 == count;
    return parse_integer(options_.block) == static_cast<std::int64_t>(index + 1);
  }

  void read_block(const std::string& path, const Block& block, std::size_t index) {
    const PrintedPlan printed = parse(block);
    const bool details = options_.command == CommandId::reconstruct || options_.command == CommandId::explain;
    const Plan plan = infer(printed, {options_.assume, details});
    Report report = verify(printed, plan);
    apply(filter_, printed, report);
    BlockResult result;
    result.path = path;
    result.view = view_block(printed, plan, index, details);
    const FindingCounts found = count(report.findings);
    const bool fails = found.at_least(options_.fail_on) > 0;
    ++totals_.blocks;
    ++blocks_asked_;
    if (command_.finds) {
      totals_.findings.error += found.error;
      totals_.findings.warning += found.warning;
      totals_.findings.note += found.note;
      result.status = fails ? kFindings : kClean;
      raise(result.status);
      result.report = std::move(report);
    } else if (found.error > 0) {
      warn(path + ": block " + std::to_string(index + 1) + ": `shardstats verify` reports " +
           std::to_string(found.error) + " error(s) here");
    }
    if (!answer(printed, plan, result)) return;
    for (auto& output : outputs_) {
      std::string text;
      output->writer().block(result, text);
      output->write(text);
    }
  }

  // What the command asks for; false: the target is not in this block.
  bool answer(const PrintedPlan& printed, const Plan& plan, BlockResult& result) {
    if (options_.command == CommandId::render) render(printed, result.rendered);
    if (options_.command == CommandId::reconstruct)
      result.reconstruction = reconstruct(printed, plan, filter_, options_.reconstruct);
    if (options_.command != CommandId::explain) return true;
    auto explained = explain(printed, plan, options_.target);
    if (const auto* unknown = std::get_if<UnknownTarget>(&explained)) {
      std::string message = unknown->message;
      for (std::size_t i = 0; i < unknown->nearest.size(); ++i)
        message += (i == 0 ? "; did you mean " : " or ") + unknown->nearest[i];
      errors_of_target_.push_back(message + (unknown->nearest.empty() ? "" : "?"));
      return false;
    }
    result.explained = std::get<std::vector<Explained>>(std::move(explained));
    return true;
  }

  const Options& options_;
  const Command& command_;
  Filter filter_;
  std::vector<std::unique_ptr<Output>> outputs_;
  Totals totals_;
  std::vector<std::string> errors_of_target_;
  std::size_t blocks_asked_ = 0;
  int status_ = kClean;
};

int run_rules(const Options& options) {
  const std::vector<const Rule*> rules = rules_matching(options.target);
  if (rules.empty()) {
    fail("no rule begins with '" + options.target + "'; `shardstats rules` lists them");
    return kFailed;
  }
  std::vector<std::string> paths = options.outputs;
  if (paths.empty()) paths.emplace_back("-");
  bool good = true;
  for (const std::string& path : paths) {
    Output output(path, format_of(path, options), options);
    std::string text;
    if (format_of(path, options) == OutputFormat::json) {
      Json json = {{"schema_version", 1}, {"command", "rules"}, {"rules", Json::array()}};
      for (const Rule* rule : rules) json["rules"].push_back(rule_json(*rule));
      text = json.dump() + "\n";
    } else {
      const bool to_terminal = path == "-" && isatty(STDOUT_FILENO) != 0;
      write_rules(rules, !options.target.empty(), text_style(options.color, options.ascii, to_terminal), text);
    }
    output.write(text);
    good &= output.finish();
  }
  return good ? kClean : kFailed;
}

}  // namespace

int run(const Options& options) {
  return options.command == CommandId::rules ? run_rules(options) : Run(options).all();
}

}  // namespace shardstats::cli
