#include "cli/diff.h"

#include <array>
#include <cmath>

#include "cli/examine.h"
#include "cli/output.h"
#include "cli/parallel.h"
#include "cli/steps.h"
#include "cli/terminal.h"
#include "cli/writers.h"
#include "report/words.h"
#include "shardstats/report/diff.h"

namespace shardstats::cli {
namespace {

constexpr std::size_t kTopInText = 10;  // rows of a list that are shown unless --top says another number

struct Side {
  Step step;
  Examined examined;
};
using Sides = std::vector<Side>;

// Both logs at once where there are threads for it.
Sides read_logs(const Options& options, const Filter& filter) {
  Steps steps(options);
  Sides sides;
  InOrder<Side>::run(
      options.threads,
      [&]() -> std::optional<Side> {
        std::optional<Step> step = steps.next();
        if (!step) return std::nullopt;
        return Side{std::move(*step), {}};
      },
      [&](Side& side) {
        if (side.step.block) side.examined = examine(options, filter, *side.step.block, side.step.index);
      },
      [&](Side& side) { sides.push_back(std::move(side)); });
  return sides;
}

// Why a log cannot be compared, and what of it was not read. True if there is a block.
bool report_problems(const Options& options, const Side& side) {
  const OpenLog& log = *side.step.log;
  if (log.error) fail(error_text(*log.error));
  if (log.stopped) fail(error_text(*log.stopped));
  if (!log.error && !side.step.block) fail(log.path + ": no planner block to compare");
  if (side.examined.findings.error > 0 && !options.quiet)
    warn(log.path + ": block " + std::to_string(side.step.index + 1) + ": `shardstats verify` reports " +
         std::to_string(side.examined.findings.error) + " error(s) here");
  return side.step.block.has_value();
}

// How the largest rank's HBM keeps --fail-on-increase.
struct Verdict {
  bool exceeded = false, checked = true;
  std::string line;  // for text and Markdown; empty if no limit was asked for
};

Verdict judge(const Options& options, const PlanDiff& diff) {
  if (!options.fail_on_increase) return {};
  const NumberDiff& hbm = diff.largest.hbm;
  if (!hbm.before || !hbm.after) {
    fail("--fail-on-increase: the logs do not give the HBM of all ranks, so that no limit can be checked");
    return {false, false, {}};
  }
  const IncreaseLimit& limit = *options.fail_on_increase;
  const auto most = [&](double base) { return limit.percent ? base * limit.amount / 100 : limit.amount; };
  Verdict verdict;
  verdict.exceeded = hbm.change.low > most(hbm.before->high);
  // Values that print alike may differ all the same, unless nothing at all changed.
  const double highest = hbm.changed ? hbm.change.high : diff.changed() ? hbm.after->high - hbm.before->low : 0;
  const bool possible = highest > most(hbm.before->low);
  if (possible && !verdict.exceeded)
    warn("the largest rank's HBM may have increased by more than " + limit.text +
         "; what the logs print does not decide it");
  verdict.line =
      "largest rank HBM increased by " + std::string(verdict.exceeded ? "more" : "no more") + " than " + limit.text;
  return verdict;
}

std::string title_of(const Side& side) {
  const OpenLog& log = *side.step.log;
  return log.path + (side.step.index > 0 ? ", block " + std::to_string(side.step.index + 1) : "");
}

Json document(const Sides& sides, const Json& diff, int status) {
  std::vector<LogJson> logs;
  Totals totals;
  for (const Side& side : sides) {
    LogJson& log = logs.emplace_back(LogJson{side.step.log->path, {}, side.step.log->error});
    ++totals.logs;
    if (!side.step.block) continue;
    ++totals.blocks;
    log.blocks.push_back(block_json(side.examined.result.view));
  }
  Json json = document_json("diff", logs, totals, kVerdicts[status]);
  json["diff"] = diff;
  return json;
}

std::string text_of(const Output& output, const Options& options, const Sides& sides, const PlanDiff& diff,
                    const Verdict& verdict) {
  const std::string base = title_of(sides[0]), next = title_of(sides[1]);
  const DiffTitle title{base, next};
  const std::size_t top = options.top.value_or(kTopInText);
  if (output.format() == OutputFormat::markdown)
    return diff_markdown(title, diff, options.top.value_or(0)) +
           (verdict.line.empty() ? "" : "\n" + verdict.line + "\n");
  std::string text;
  write_diff(title, diff, top, output.style(), text);
  if (!verdict.line.empty())
    text += painted(verdict.exceeded ? "findings" : "clean", verdict.exceeded ? kBad : kGood, output.style()) + ": " +
            verdict.line + "\n";
  return text;
}

}  // namespace

int run_diff(const Options& options, const Filter& filter) {
  const auto outputs = open_outputs(options);
  const Sides sides = read_logs(options, filter);
  int status = kClean;
  for (const Side& side : sides)
    if (!report_problems(options, side)) status = kFailed;
  std::optional<PlanDiff> diff;
  Verdict verdict;
  if (status == kClean) {
    const auto side = [&](std::size_t i) { return DiffSide{*sides[i].examined.printed, *sides[i].examined.plan}; };
    diff = diff_plans(side(0), side(1), filter);
    verdict = judge(options, *diff);
    if (verdict.exceeded) status = kFindings;
    if (!verdict.checked) status = kFailed;
  }
  int result = status == kFindings && options.exit_zero ? kClean : status;
  for (const auto& output : outputs) {
    const bool machine = output->format() == OutputFormat::json || output->format() == OutputFormat::ndjson;
    if (machine)
      output->write(dumped(document(sides, diff ? diff_json(*diff, options.top.value_or(0)) : Json(), status)) + "\n");
    else if (diff)
      output->write(text_of(*output, options, sides, *diff, verdict));
    if (!output->finish()) result = kFailed;
  }
  return result;
}

}  // namespace shardstats::cli
