#include "cli/diff.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/examine_all.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/writers.h"
#include "report/diff_words.h"
#include "shardstats/report/csv.h"
#include "shardstats/report/diff.h"
#include "shardstats/report/github.h"
#include "shardstats/report/markdown.h"

namespace shardstats::cli {
namespace {

constexpr std::string_view kNothingToCompare = "no planner block to compare";

// Was nothing found where that is allowed?
bool is_allowed_empty(const Options& options, const Work& side) {
  return options.allow_empty && !side.step.log->error && !side.step.block;
}

// What was not read of a log.
std::vector<Error> errors_of(const Options& options, const Work& side) {
  const OpenLog& log = *side.step.log;
  std::vector<Error> errors;
  if (log.error) errors.push_back(*log.error);
  if (!log.error && !side.step.block && !is_allowed_empty(options, side))
    errors.push_back({log.path, {}, std::string(kNothingToCompare), ""});
  if (!side.examined.refused.empty())
    errors.push_back({log.path, {side.examined.result.view.line, 1}, side.examined.refused, ""});
  if (auto why = log.not_read()) errors.push_back(*std::move(why));
  return errors;
}

std::string title_of(const Work& side) {
  const OpenLog& log = *side.step.log;
  return log.path + (side.step.index > 0 ? ", block " + std::to_string(side.step.index + 1) : "");
}

// What came of comparing the two logs.
struct Comparison {
  std::vector<Work> sides;  // the one before and the one after
  std::vector<Error> errors;
  std::vector<std::string> wrong_options;
  std::optional<PlanDiff> diff;  // none if a log has no block
  int status = kClean;
};

Comparison compare(const Options& options, const Filter& filter) {
  Comparison result;
  // Both logs at once where there are threads for it.
  result.wrong_options = examine_all(options, filter, [&](Work& side) { result.sides.push_back(std::move(side)); });
  for (const Work& side : result.sides) std::ranges::move(errors_of(options, side), std::back_inserter(result.errors));
  if (!result.errors.empty() || !result.wrong_options.empty()) result.status = kFailed;
  const auto is_comparable = [](const Work& side) { return side.step.block && side.examined.refused.empty(); };
  if (!std::ranges::all_of(result.sides, is_comparable)) return result;
  const auto side = [&](const Work& one) { return DiffSide{*one.examined.printed, *one.examined.plan}; };
  PlanDiff& diff = result.diff.emplace(diff_plans(side(result.sides[0]), side(result.sides[1]), filter));
  if (!options.fail_on_increase) return result;
  const LimitStatus limit = hold_against(diff, *options.fail_on_increase);
  diff.limit = {*options.fail_on_increase, limit};
  const int status = limit == LimitStatus::unknown ? kFailed : limit == LimitStatus::exceeded ? kFindings : kClean;
  result.status = std::max(result.status, status);
  return result;
}

void report_problems(const Options& options, const Comparison& comparison) {
  for (const Error& error : comparison.errors) fail(error_text(error));
  for (const Work& side : comparison.sides) {
    if (side.step.block) warn_of_errors(options, side.step.log->path, side.examined);
    if (!options.quiet && is_allowed_empty(options, side))
      warn(side.step.log->path + ": " + std::string(kNothingToCompare));
  }
  for (const std::string& wrong : comparison.wrong_options) fail(wrong);
  if (!comparison.diff || !comparison.diff->limit) return;
  const LimitResult& limit = *comparison.diff->limit;
  if (limit.status == LimitStatus::unknown) fail("--fail-on-increase: " + diff_words::limit_text(limit));
  if (limit.status == LimitStatus::undecided) warn(diff_words::limit_text(limit));
}

std::string json_of(const Options& options, const Comparison& comparison) {
  std::vector<LogJson> logs;
  Totals totals;
  totals.errors = comparison.wrong_options;
  for (const Work& side : comparison.sides) {
    const std::vector<Error> errors = errors_of(options, side);
    LogJson& log = logs.emplace_back(LogJson{side.step.log->path, {}, {}});
    if (!errors.empty()) log.error = errors.front();
    ++totals.logs;
    if (!side.step.block || !side.examined.refused.empty()) continue;
    ++totals.blocks;
    log.add(block_json(side.examined.result.view));
  }
  const Json diff = comparison.diff ? diff_json(*comparison.diff, options.top) : Json();
  return document_text("diff", logs, totals, verdict_of(comparison.status), {{"diff", diff}}) + "\n";
}

std::string markdown_of(const Options& options, const Comparison& comparison, const DiffTitle& title) {
  MarkdownParts problems;
  for (const Error& error : comparison.errors) problems.add(error);
  std::string text;
  problems.write(text);
  if (comparison.diff) text += diff_markdown(title, *comparison.diff, options.top);
  return text;
}

std::string github_of(const Comparison& comparison) {
  GithubAnnotations annotations;
  for (const std::string& wrong : comparison.wrong_options) annotations.add(Error{{}, {}, wrong, {}});
  for (const Error& error : comparison.errors) annotations.add(error);
  if (comparison.diff) annotations.add(comparison.sides[1].step.log->path, *comparison.diff);
  std::string text;
  annotations.write(text);
  if (comparison.diff && comparison.diff->limit) write_limit(*comparison.diff->limit, {}, text);
  return text;
}

std::string answer(const Output& output, const Options& options, const Comparison& comparison) {
  const std::string base = title_of(comparison.sides[0]), next = title_of(comparison.sides[1]);
  const DiffTitle title{base, next};
  std::string text;
  switch (output.format()) {
    case OutputFormat::json:
    case OutputFormat::ndjson:
      return json_of(options, comparison);
    case OutputFormat::markdown:
      return markdown_of(options, comparison, title);
    case OutputFormat::github:
      return github_of(comparison);
    case OutputFormat::csv:
      write_diff_csv_header(text);
      if (comparison.diff) write_diff_csv(*comparison.diff, options.top, text);
      return text;
    default:
      if (comparison.diff) write_diff(title, *comparison.diff, options.top_in_text, output.style(), text);
      return text;
  }
}

}  // namespace

int run_diff(const Options& options, const Filter& filter) {
  const auto outputs = open_outputs(options);
  const Comparison comparison = compare(options, filter);
  report_problems(options, comparison);
  int status = comparison.status == kFindings && options.exit_zero ? kClean : comparison.status;
  for (const auto& output : outputs) {
    output->write(answer(*output, options, comparison));
    if (!output->finish()) status = kFailed;
  }
  return status;
}

}  // namespace shardstats::cli
