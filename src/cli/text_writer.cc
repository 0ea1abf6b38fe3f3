#include <utility>

#include "cli/writers.h"
#include "shardstats/report/budgets_text.h"
#include "shardstats/report/diff.h"
#include "shardstats/report/explain_text.h"
#include "shardstats/report/stash.h"
#include "shardstats/report/summary_text.h"
#include "shardstats/report/text.h"
#include "shardstats/report/timeline.h"
#include "shardstats/report/what_if.h"

namespace shardstats::cli {
namespace {

class TextWriter : public Writer {
 public:
  TextWriter(const Options& options, const TextStyle& style) : options_(options), style_(style) {}

  void log_error(const Error&, std::string&) override {}  // standard error has it

  void block(const BlockResult& result, std::string& out) override {
    switch (options_.command) {
      case CommandId::summary:
        write_summary(result.path, result.view, *result.summary, options_.quiet, style_, out);
        return;
      case CommandId::verify:
        write_findings(result.path, *result.report, options_.verbose, options_.top_in_text, style_, out);
        if (!options_.quiet) write_block(result.path, result.view, &*result.report, style_, out);
        return;
      case CommandId::scan:  // a line for each log, see end_log()
        return;
      case CommandId::check:
        write_budgets(result.path, *result.budgets, !options_.quiet, style_, out);
        if (!options_.quiet) write_block(result.path, result.view, nullptr, style_, out);
        return;
      case CommandId::explain:
        write_place(result, out);
        write_explained(*result.explained, style_, out);
        return;
      case CommandId::reconstruct:
        if (!options_.quiet) write_block(result.path, result.view, nullptr, style_, out);
        write_reconstruction(*result.reconstruction, style_, out);
        return;
      case CommandId::whatif:
        if (!options_.render_changed) write_place(result, out);
        what_if(result, out);
        return;
      case CommandId::timeline:
        with_assumed(result, out, [&] { write_timeline(*result.timeline, options_.top_in_text, style_, out); });
        return;
      case CommandId::stash:
        with_assumed(result, out, [&] { write_stash(*result.stash, options_.top_in_text, style_, out); });
        return;
      case CommandId::report:  // has no text
        return;
      case CommandId::diff:  // has no writer, see diff.cc
      case CommandId::anonymize:
      case CommandId::render:
      case CommandId::rules:
      case CommandId::completion:
      case CommandId::man:
        out += result.rendered;
    }
  }

  void end_log(const LogSurvey& log, std::string& out) override {
    if (options_.command != CommandId::scan) return;
    if (log.blocks == 0 ? options_.verbose : !(log.clean && options_.quiet)) write_log_line(log, style_, out);
  }

  void end(const Totals& totals, int status, std::string& out) override {
    if (totals.survey && !options_.quiet) write_survey(totals, options_.top_in_text, style_, out);
    if (!command_of(options_.command).finds || (totals.blocks == 0 && status == kFailed)) return;
    write_verdict(verdict_of(status), totals, style_, out);
  }

 private:
  // The answer comes first, what it assumes below it.
  template <class Write>
  void with_assumed(const BlockResult& result, std::string& out, Write write) const {
    if (!options_.quiet) write_block_head(result.path, result.view, style_, out);
    write();
    if (!options_.quiet) write_assumed(result.path, result.view, 0, style_, out);
  }

  // Which of several blocks the answer is about.
  void write_place(const BlockResult& result, std::string& out) {
    if (result.only) return;
    if (std::exchange(any_, true)) out += '\n';
    out += wrapped(block_place(result.path, result.view), style_.width, 2) + "\n";
  }

  void what_if(const BlockResult& result, std::string& out) const {
    const WhatIfResult& answer = *result.what_if;
    out += result.rendered;
    if (options_.render_changed) return;
    write_changes(answer, style_, out);
    const DiffTitle title{result.path, "changed", true};
    if (answer.diff) write_diff(title, *answer.diff, options_.top_in_text, style_, out);
    if (answer.sweep) write_sweep(*answer.sweep, style_, out);
    if (answer.largest) write_largest(*answer.largest, style_, out);
  }

  const Options& options_;
  TextStyle style_;
  bool any_ = false;  // places were written
};

}  // namespace

std::unique_ptr<Writer> make_text_writer(const Options& options, const TextStyle& style) {
  return std::make_unique<TextWriter>(options, style);
}

}  // namespace shardstats::cli
