#include "cli/run.h"

#include <algorithm>
#include <utility>

#include "cli/anonymize.h"
#include "cli/diff.h"
#include "cli/examine_all.h"
#include "cli/output.h"
#include "cli/overwrite.h"
#include "cli/progress.h"
#include "cli/survey.h"
#include "cli/terminal.h"
#include "report/words.h"
#include "shardstats/report/csv.h"
#include "shardstats/report/text.h"

namespace shardstats::cli {
namespace {

// The blocks of one log taken together.
struct Seen {
  LogSurvey survey;
  bool failed = false;    // of one of its blocks there is no answer
  bool answered = false;  // the target was in one of its blocks
  std::string unknown_target;
};

// The lines of the log, from the first of the block on.
LogLines lines_of(const OpenLog& log, const Block& block) {
  const std::string_view bytes = log.source->bytes();
  if (block.transcript != nullptr) return LogLines(bytes);
  const BoxLine& first = block.lines.front();
  const auto offset = static_cast<std::size_t>(first.text.data() - bytes.data());
  return LogLines(bytes, offset - (first.place.column - 1), first.place.line);
}

class Run {
 public:
  Run(const Options& options, Filter filter)
      : options_(options), filter_(std::move(filter)), outputs_(open_outputs(options)) {
    if (options.command == CommandId::check) totals_.budgets.emplace();
    if (options.command != CommandId::scan) return;
    totals_.survey.emplace();
    if (!options.quiet) progress_ = progress_on_terminal();
    if (progress_.is_on())
      for (const auto& output : outputs_) output->hold();
  }

  int all() {
    write([](Writer& writer, std::string& text) { writer.begin(text); });
    const auto wrong = examine_all(options_, filter_, [this](Work& work) { take(work); });
    interrupt_progress();
    for (const std::string& message : wrong) run_error(message);
    if (totals_.survey) nothing_in_all();
    compare_kept();
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

  void run_error(const std::string& message) {
    fail(message);
    totals_.errors.push_back(message);
    raise(kFailed);
  }

  // A scan that came by no planner block at all has not done its job; of named files it was said one by one.
  void nothing_in_all() {
    const std::int64_t files = totals_.survey->without_block;
    if (totals_.blocks > 0 || options_.allow_empty || (files == 0 && status_ == kFailed)) return;
    run_error(files == 0 ? "no file found; hidden files and linked directories are not scanned unless they are named"
                         : "no planner block found in " + plural(files, "file") +
                               "; `shardstats verify FILE` says what is nearest to one");
  }

  void take(Work& work) {
    const Step& step = work.step;
    if (step.first) begin_log(*step.log);
    if (step.block) take_block(step, work.examined);
    say_what_failed(step, work.examined);
    const std::optional<Error> not_read = step.last ? step.log->not_read() : std::nullopt;
    if (not_read) log_error(*not_read);
    // A target has to be in one block of the log, not in each.
    if (step.last && !seen_.answered && !seen_.unknown_target.empty())
      log_error({step.log->path, {}, seen_.unknown_target, ""});
    if (step.last && totals_.survey) end_log(seen_.failed || step.log->error || not_read);
    show_progress(step.fraction);
    if (options_.command == CommandId::report && options_.logs.size() == 2 && step.block) keep(std::move(work));
  }

  void begin_log(const OpenLog& log) {
    seen_ = {};
    seen_.survey.path = log.path;
    if (log.passed_over) return;
    ++totals_.logs;
    for (const auto& output : outputs_) output->writer().begin_log(log.path);
    if (log.error) log_error(*log.error);
  }

  void take_block(const Step& step, Examined& examined) {
    examined.result.path = step.log->path;
    examined.result.only = step.first && step.last && options_.logs.size() == 1;
    examined.result.lines = lines_of(*step.log, *step.block);
    if (examined.unknown_target.empty())
      seen_.answered = true;
    else
      seen_.unknown_target = examined.unknown_target;
    if (totals_.survey && examined.result.report)
      add_block(examined.result, seen_.survey, *totals_.survey);  // not refused
    write_block(examined);
  }

  void say_what_failed(const Step& step, const Examined& examined) {
    const Place block{examined.result.view.line, 1};
    seen_.failed |= !examined.refused.empty() || examined.too_large;
    if (!examined.refused.empty()) log_error({step.log->path, block, examined.refused, ""});
    if (examined.too_large) log_error(too_large(step.log->path, block));
  }

  // The last block of each log.
  void keep(Work work) {
    if (kept_.empty() || kept_.back().step.log != work.step.log) kept_.emplace_back();
    kept_.back() = std::move(work);
  }

  void compare_kept() {
    if (kept_.size() != 2) return;
    const auto side = [&](std::size_t i) { return DiffSide{*kept_[i].examined.printed, *kept_[i].examined.plan}; };
    const PlanDiff diff = diff_plans(side(0), side(1), filter_);
    for (const auto& output : outputs_)
      output->writer().compared(kept_[0].step.log->path, kept_[1].step.log->path, diff);
  }

  void end_log(bool failed) {
    add_log(seen_.survey, failed, *totals_.survey);
    if (!failed) write([&](Writer& writer, std::string& text) { writer.end_log(seen_.survey, text); });
  }

  void show_progress(double fraction) {
    if (!progress_.is_on()) return;
    const Survey& survey = *totals_.survey;
    progress_.update({fraction, totals_.logs + survey.without_block, totals_.blocks, survey.with_findings},
                     [&] { release_outputs(); });
  }

  void write_block(const Examined& examined) {
    const BlockResult& result = examined.result;
    const FindingCounts findings = result.findings();
    totals_.findings.error += findings.error;
    totals_.findings.warning += findings.warning;
    totals_.findings.note += findings.note;
    raise(result.status);
    if (result.budgets) totals_.budgets->add(result.budgets->counts());
    if (!result.report) warn_of_errors(options_, std::string(result.path), examined);
    if (!examined.unknown_target.empty() || !examined.refused.empty()) return;
    ++totals_.blocks;
    write([&](Writer& writer, std::string& text) { writer.block(result, text); });
  }

  const Options& options_;
  Filter filter_;
  std::vector<std::unique_ptr<Output>> outputs_;
  Totals totals_;
  Seen seen_;               // of the log that steps are taken of
  std::vector<Work> kept_;  // report of two logs
  Progress progress_{0, nullptr};
  int status_ = kClean;
};

int run_rules(const Options& options) {
  const std::vector<const Rule*> rules = rules_matching(options.target);
  if (rules.empty()) {
    fail(no_rule_begins_with(options.target));
    return kFailed;
  }
  bool good = true;
  for (const auto& output : open_outputs(options)) {
    std::string text;
    if (output->format() == OutputFormat::json)
      text = rules_text(rules) + "\n";
    else if (output->format() == OutputFormat::csv)
      write_rules_csv(rules, text);
    else
      write_rules(rules, !options.target.empty(), output->style(), text);
    output->write(text);
    good &= output->finish();
  }
  return good ? kClean : kFailed;
}

}  // namespace

int run(const Options& options) {
  if (const auto wrong = doubled_output(options)) {
    fail(*wrong);
    return kFailed;
  }
  if (options.command == CommandId::rules) return run_rules(options);
  if (const auto wrong = overwritten_log(options)) {
    fail(*wrong);
    return kFailed;
  }
  Filter filter;
  if (const auto wrong = filter.set(options.filter)) {
    fail(*wrong);
    return kFailed;
  }
  if (options.command == CommandId::diff) return run_diff(options, filter);
  if (options.command == CommandId::anonymize) return run_anonymize(options, filter);
  return Run(options, std::move(filter)).all();
}

}  // namespace shardstats::cli
