#include "cli/run.h"

#include <algorithm>
#include <utility>

#include "cli/examine.h"
#include "cli/heap.h"
#include "cli/output.h"
#include "cli/parallel.h"
#include "cli/progress.h"
#include "cli/survey.h"
#include "cli/terminal.h"
#include "cli/walk.h"
#include "shardstats/input/source.h"
#include "shardstats/report/text.h"

namespace shardstats::cli {
namespace {

constexpr std::size_t kShownLine = 100;                             // characters of the nearest line in a message
constexpr std::size_t kSearchedForNearest = std::size_t{32} << 20;  // bytes: they are all in memory then

// An open log; its blocks refer to the bytes of the source.
struct OpenLog {
  std::string path;  // as it is shown
  bool named = true;
  std::unique_ptr<Source> source;
  std::optional<BlockFinder> finder;
  std::size_t blocks = 0;        // found so far
  std::optional<Error> error;    // nothing of it was read
  std::optional<Error> stopped;  // what follows its blocks was not read
  bool passed_over = false;      // a walk came by it, and there is no block in it
  LogSurvey survey;
  bool answered = false;  // the target was in one of its blocks
  std::string unknown_target;
};

// A block of a log to look at. A log of which none is wanted has one step without a block.
struct Step {
  std::shared_ptr<OpenLog> log;
  std::optional<Block> block;
  std::size_t index = 0;
  bool first = false, last = false;  // of the log
  double fraction = 0;               // of all logs, once this step is done
  Examined examined;
};

Error no_block(const std::string& path, std::string_view bytes) {
  Error error{
      path, {}, "no planner block found", "looked for a line with '--- Planner Statistics ---' in a box of '#'"};
  const BoxLine nearest = nearest_line(bytes.substr(0, kSearchedForNearest));
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
  explicit Steps(const Options& options) : options_(options), walk_(options.logs, options.command == CommandId::scan) {}

  std::optional<Step> next() {
    bool first = false;
    if (log_ == nullptr) {
      std::optional<Found> found = walk_.next();
      if (!found) return std::nullopt;
      log_ = open(std::move(*found));
      first = true;
      ahead_ = next_wanted();
      if (!ahead_ && !log_->error) nothing_found();
    }
    Step step;
    step.log = log_;
    step.first = first;
    if (ahead_) {
      step.index = ahead_->first;
      step.block = std::move(ahead_->second);
      ahead_ = next_wanted();
    }
    step.fraction = walk_.fraction(ahead_ ? read_before(ahead_->second) : 1);
    step.last = !ahead_;
    if (step.last) log_ = nullptr;
    return step;
  }

 private:
  using Numbered = std::pair<std::size_t, Block>;

  static std::shared_ptr<OpenLog> open(Found found) {
    auto log = std::make_shared<OpenLog>();
    log->path = log->survey.path = found.path == "-" ? "<stdin>" : found.path;
    log->named = found.named;
    log->error = std::move(found.error);
    if (log->error) return log;
    OpenResult opened = open_source(found.path);
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

  void nothing_found() {
    if (log_->stopped) {
      log_->error = std::exchange(log_->stopped, std::nullopt);
      return;
    }
    log_->passed_over = !log_->named;
    if (log_->passed_over) return;
    if (log_->blocks > 0)
      log_->error = Error{log_->path,
                          {},
                          "no block " + options_.block,
                          "the log has " + std::to_string(log_->blocks) + " planner block(s)"};
    else if (!options_.allow_empty)
      log_->error = no_block(log_->path, log_->source->bytes());
    if (log_->error && options_.command == CommandId::scan)
      log_->error->hint += "; files that a directory or a quoted glob leads to are passed over instead";
  }

  // How far in its log a block begins, 0 to 1; 0 if its lines are not the log's own.
  double read_before(const Block& block) const {
    if (block.transcript != nullptr) return 0;
    const std::string_view bytes = log_->source->bytes();
    return static_cast<double>(block.lines.front().text.data() - bytes.data()) / static_cast<double>(bytes.size());
  }

  const Options& options_;
  Walk walk_;
  std::shared_ptr<OpenLog> log_;
  std::optional<Numbered> ahead_;
};

class Run {
 public:
  Run(const Options& options, Filter filter)
      : options_(options), filter_(std::move(filter)), outputs_(open_outputs(options)) {
    if (options.command != CommandId::scan) return;
    totals_.survey.emplace();
    if (!options.quiet) progress_ = progress_on_terminal();
    if (progress_.is_on())
      for (const auto& output : outputs_) output->hold();
  }

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
    interrupt_progress();
    if (totals_.survey) nothing_in_all();
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

  template <class What>
  void write(const What& what) {
    for (const auto& output : outputs_) {
      std::string text;
      what(output->writer(), text);
      output->write(text);
    }
  }

  void release_outputs() {
    for (const auto& output : outputs_) output->release();
  }

  // So that something else can be written to the terminal.
  void interrupt_progress() {
    progress_.erase();
    release_outputs();
  }

  void log_error(const Error& error) {
    interrupt_progress();
    fail(error_text(error));
    write([&](Writer& writer, std::string& text) { writer.log_error(error, text); });
    raise(kFailed);
  }

  // A scan that came by no planner block at all has not done its job; of named files it was said one by one.
  void nothing_in_all() {
    const std::int64_t files = totals_.survey->without_block;
    if (totals_.blocks > 0 || options_.allow_empty || (files == 0 && status_ == kFailed)) return;
    fail(files == 0 ? "no file found; hidden files and linked directories are not scanned unless they are named"
                    : "no planner block found in " + std::to_string(files) +
                          " file(s); `shardstats verify FILE` says what is nearest to one");
    raise(kFailed);
  }

  void take(Step& step) {
    OpenLog& log = *step.log;
    if (step.first && !log.passed_over) {
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
      if (totals_.survey) add_block(step.examined.result, log.survey, *totals_.survey);
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
    if (step.last && totals_.survey) end_log(log);
    show_progress(step.fraction);
  }

  void end_log(const OpenLog& log) {
    const bool failed = log.error || log.stopped;
    add_log(log.survey, failed, *totals_.survey);
    if (!failed) write([&](Writer& writer, std::string& text) { writer.end_log(log.survey, text); });
  }

  void show_progress(double fraction) {
    if (!progress_.is_on()) return;
    const Survey& survey = *totals_.survey;
    progress_.update({fraction, totals_.logs + survey.without_block, totals_.blocks, survey.with_findings},
                     [&] { release_outputs(); });
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
    write([&](Writer& writer, std::string& text) { writer.block(result, text); });
  }

  const Options& options_;
  Filter filter_;
  std::vector<std::unique_ptr<Output>> outputs_;
  Totals totals_;
  Progress progress_{0, nullptr};
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
