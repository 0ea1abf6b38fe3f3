#include "cli/run.h"

#include <algorithm>
#include <utility>

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

// An open log; its blocks refer to the bytes of the source.
struct OpenLog {
  std::string path;  // as it is shown
  std::unique_ptr<Source> source;
  std::optional<BlockFinder> finder;
  std::size_t blocks = 0;        // found so far
  std::optional<Error> error;    // nothing of it was read
  std::optional<Error> stopped;  // what follows its blocks was not read
  bool answered = false;         // the target was in one of its blocks
  std::string unknown_target;
};

// A block of a log to look at. A log of which none is wanted has one step without a block.
struct Step {
  std::shared_ptr<OpenLog> log;
  std::optional<Block> block;
  std::size_t index = 0;
  bool first = false, last = false;  // of the log
  Examined examined;
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

// Opens the logs one after the other and hands out their blocks.
class Steps {
 public:
  explicit Steps(const Options& options) : options_(options) {}

  std::optional<Step> next() {
    bool first = false;
    if (log_ == nullptr) {
      if (opened_ == options_.logs.size()) return std::nullopt;
      log_ = open(options_.logs[opened_++]);
      first = true;
      ahead_ = next_wanted();
      if (!ahead_ && !log_->error) log_->error = nothing_found();
    }
    Step step;
    step.log = log_;
    step.first = first;
    if (ahead_) {
      step.index = ahead_->first;
      step.block = std::move(ahead_->second);
      ahead_ = next_wanted();
    }
    step.last = !ahead_;
    if (step.last) log_ = nullptr;
    return step;
  }

 private:
  using Numbered = std::pair<std::size_t, Block>;

  static std::shared_ptr<OpenLog> open(const std::string& path) {
    auto log = std::make_shared<OpenLog>();
    log->path = path == "-" ? "<stdin>" : path;
    OpenResult opened = open_source(path);
    if (auto* error = std::get_if<Error>(&opened)) {
      log->error = std::move(*error);
      return log;
    }
    log->source = std::get<std::unique_ptr<Source>>(std::move(opened));
    log->finder.emplace(*log->source);
    return log;
  }

  std::optional<Numbered> next_found() {
    if (!log_->finder) return std::nullopt;
    std::optional<Block> block = log_->finder->next();
    if (!block && (log_->stopped = log_->finder->problem())) log_->stopped->path = log_->path;
    if (!block) return std::nullopt;
    return Numbered(log_->blocks++, std::move(*block));
  }

  std::optional<Numbered> next_wanted() {
    std::optional<Numbered> found, last;
    while ((found = next_found())) {
      if (options_.block == "all" || parse_integer(options_.block) == static_cast<std::int64_t>(found->first + 1))
        return found;
      if (options_.block == "last") last = std::move(found);
    }
    return last;
  }

  std::optional<Error> nothing_found() const {
    if (log_->stopped) return std::exchange(log_->stopped, std::nullopt);
    if (log_->blocks > 0)
      return Error{log_->path,
                   {},
                   "no block " + options_.block,
                   "the log has " + std::to_string(log_->blocks) + " planner block(s)"};
    if (options_.allow_empty) return std::nullopt;
    return no_block(log_->path, log_->source->bytes());
  }

  const Options& options_;
  std::size_t opened_ = 0;  // logs
  std::shared_ptr<OpenLog> log_;
  std::optional<Numbered> ahead_;
};

class Run {
 public:
  Run(const Options& options, Filter filter)
      : options_(options), filter_(std::move(filter)), outputs_(open_outputs(options)) {}

  int all() {
    Steps steps(options_);
    InOrder<Step>::run(
        options_.threads,
        [&] {
          std::optional<Step> step = steps.next();
          if (step && !std::exchange(prepared_, true) && step->log->source)
            prepare_heap(step->log->source->bytes().size());
          return step;
        },
        [&](Step& step) {
          if (step.block) step.examined = examine(options_, filter_, *step.block, step.index);
        },
        [&](Step& step) { take(step); });
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

  void take(Step& step) {
    OpenLog& log = *step.log;
    if (step.first) {
      ++totals_.logs;
      for (const auto& output : outputs_) output->writer().begin_log(log.path);
      if (log.error) log_error(*log.error);
    }
    if (step.block) {
      step.examined.result.path = log.path;
      if (step.examined.unknown_target.empty())
        log.answered = true;
      else
        log.unknown_target = step.examined.unknown_target;
      take(step.examined);
    }
    if (step.examined.too_large)
      log_error({log.path,
                 {step.examined.result.view.line, 1},
                 "this planner block is too large to be printed",
                 "one of its cells is much longer than the others: cut it"});
    if (step.last && log.stopped) log_error(*log.stopped);
    // A target has to be in one block of the log, not in each.
    if (step.last && !log.answered && !log.unknown_target.empty()) log_error({log.path, {}, log.unknown_target, ""});
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
  bool prepared_ = false;  // the heap
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
