#include "cli/run.h"

#include <algorithm>

#include "cli/examine.h"
#include "cli/heap.h"
#include "cli/output.h"
#include "cli/parallel.h"
#include "cli/terminal.h"
#include "shardstats/input/source.h"
#include "shardstats/report/text.h"

namespace shardstats::cli {
namespace {

constexpr std::size_t kShownLine = 100;  // characters of the nearest line in a message

// A log that was opened and searched; blocks refer to the bytes of the source.
struct LoadedLog {
  std::string path;  // as it is shown
  std::unique_ptr<Source> source;
  std::vector<Block> blocks;
  std::optional<Error> error;
};

Error no_block(const std::string& path, std::string_view bytes) {
  Error error{
      path, {}, "no planner block found", "looked for a line with '--- Planner Statistics ---' in a box of '#'"};
  const BoxLine nearest = nearest_line(bytes);
  if (nearest.place.line > 0) {
    error.place.line = nearest.place.line;
    error.hint += "; the nearest line is: " + std::string(nearest.text.substr(0, kShownLine));
  } else if (bytes.empty()) {
    error.hint = "the file is empty";
  }
  return error;
}

LoadedLog load(const std::string& path, bool allow_empty) {
  LoadedLog log;
  log.path = path == "-" ? "<stdin>" : path;
  OpenResult opened = open_source(path);
  if (auto* error = std::get_if<Error>(&opened)) {
    log.error = std::move(*error);
    return log;
  }
  log.source = std::get<std::unique_ptr<Source>>(std::move(opened));
  log.blocks = find_blocks(log.source->bytes());
  if (log.source->is_recoded())
    for (Block& block : log.blocks) note_mending(block, Mending::encoding, {1, 1});
  if (log.blocks.empty() && !allow_empty) log.error = no_block(log.path, log.source->bytes());
  return log;
}

class Run {
 public:
  Run(const Options& options, Filter filter)
      : options_(options), filter_(std::move(filter)), outputs_(open_outputs(options)) {}

  int all() {
    const std::size_t window = options_.threads;  // logs in memory at once
    for (std::size_t first = 0; first < options_.logs.size(); first += window) {
      std::vector<LoadedLog> logs(std::min(window, options_.logs.size() - first));
      for_each_index(logs.size(), options_.threads,
                     [&](std::size_t i) { logs[i] = load(options_.logs[first + i], options_.allow_empty); });
      if (first == 0) prepare_heap(logs.front().source ? logs.front().source->bytes().size() : 0);
      for (const LoadedLog& log : logs) read_log(log);
    }
    const int verdict = status_;
    for (const auto& output : outputs_) {
      std::string text;
      output->writer().end(totals_, verdict, text);
      output->write(text);
      if (!output->finish()) raise(kFailed);
    }
    return options_.exit_zero && status_ == kFindings ? kClean : status_;
  }

 private:
  void raise(int status) { status_ = std::max(status_, status); }

  void log_error(const Error& error) {
    fail(error_text(error));
    for (const auto& output : outputs_) output->writer().log_error(error);
    raise(kFailed);
  }

  bool wanted(std::size_t index, std::size_t count) const {
    if (options_.block == "all") return true;
    if (options_.block == "last") return index + 1 == count;
    return parse_integer(options_.block) == static_cast<std::int64_t>(index + 1);
  }

  void read_log(const LoadedLog& log) {
    ++totals_.logs;
    for (const auto& output : outputs_) output->writer().begin_log(log.path);
    if (log.error) return log_error(*log.error);
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < log.blocks.size(); ++i)
      if (wanted(i, log.blocks.size())) chosen.push_back(i);
    if (chosen.empty() && !log.blocks.empty())
      return log_error({log.path,
                        {},
                        "no block " + options_.block,
                        "the log has " + std::to_string(log.blocks.size()) + " planner block(s)"});
    read_blocks(log, chosen);
  }

  // Some blocks at a time on all threads, so that a log of thousands of blocks does not fill the memory.
  void read_blocks(const LoadedLog& log, const std::vector<std::size_t>& chosen) {
    const std::size_t window = 4 * options_.threads;
    bool answered = chosen.empty();
    std::string unknown_target;
    for (std::size_t first = 0; first < chosen.size(); first += window) {
      std::vector<Examined> examined(std::min(window, chosen.size() - first));
      for_each_index(examined.size(), options_.threads, [&](std::size_t i) {
        const std::size_t index = chosen[first + i];
        examined[i] = examine(options_, filter_, log.blocks[index], index);
      });
      for (Examined& one : examined) {
        one.result.path = log.path;
        if (one.unknown_target.empty())
          answered = true;
        else
          unknown_target = one.unknown_target;
        take(one);
      }
    }
    // A target has to be in one block of the log, not in each.
    if (!answered) log_error({log.path, {}, unknown_target, ""});
  }

  void take(const Examined& examined) {
    const BlockResult& result = examined.result;
    if (result.report) {
      totals_.findings.error += examined.findings.error;
      totals_.findings.warning += examined.findings.warning;
      totals_.findings.note += examined.findings.note;
      raise(result.status);
    } else if (examined.findings.error > 0 && !options_.quiet) {
      warn(std::string(result.path) + ": block " + std::to_string(result.view.index + 1) +
           ": `shardstats verify` reports " + std::to_string(examined.findings.error) + " error(s) here");
    }
    if (!examined.unknown_target.empty()) return;
    ++totals_.blocks;
    for (const auto& output : outputs_) {
      std::string text;
      output->writer().block(result, text);
      output->write(text);
    }
  }

  const Options& options_;
  Filter filter_;
  std::vector<std::unique_ptr<Output>> outputs_;
  Totals totals_;
  int status_ = kClean;
};

int run_rules(const Options& options) {
  const std::vector<const Rule*> rules = rules_matching(options.target);
  if (rules.empty()) {
    fail("no rule begins with '" + options.target + "'; `shardstats rules` lists them");
    return kFailed;
  }
  bool good = true;
  for (const auto& output : open_outputs(options)) {
    std::string text;
    if (output->format() == OutputFormat::json)
      text = rules_json(rules).dump() + "\n";
    else
      write_rules(rules, !options.target.empty(), output->style(), text);
    output->write(text);
    good &= output->finish();
  }
  return good ? kClean : kFailed;
}

}  // namespace

int run(const Options& options) {
  if (options.command == CommandId::rules) return run_rules(options);
  Filter filter;
  if (const auto wrong = filter.set(options.filter)) {
    fail(*wrong);
    return kFailed;
  }
  return Run(options, std::move(filter)).all();
}

}  // namespace shardstats::cli
