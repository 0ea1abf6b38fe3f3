#include "cli/what_if.h"

#include <algorithm>
#include <memory>

#include "cli/examine.h"
#include "cli/output.h"
#include "cli/steps.h"
#include "cli/terminal.h"
#include "shardstats/analysis/block.h"
#include "shardstats/analysis/diff.h"
#include "shardstats/analysis/reconstruct.h"
#include "shardstats/infer/what_if.h"
#include "shardstats/log/render.h"
#include "shardstats/report/diff.h"
#include "shardstats/report/json.h"

namespace shardstats::cli {
namespace {

// One planner block and what was asked of it.
struct Answer {
  std::size_t index = 0;
  std::unique_ptr<PrintedPlan> printed;
  std::unique_ptr<WhatIf> what_if;
  std::optional<ChangedPlan> changed;
  std::vector<std::string> changes;  // as understood
  std::string refused;
};

Answer answer(const Options& options, const Step& step) {
  Answer result;
  result.index = step.index;
  result.printed = std::make_unique<PrintedPlan>(parse(*step.block));
  InferOptions assumed;
  assumed.overrides = options.assume;
  result.what_if = std::make_unique<WhatIf>(*result.printed, assumed);
  const std::vector<std::size_t> first(options.changes.size(), 0);
  auto changes = resolve(options.changes, first, *result.printed);
  if (auto* wrong = std::get_if<std::string>(&changes)) {
    result.refused = std::move(*wrong);
    return result;
  }
  const auto& list = std::get<std::vector<Change>>(changes);
  for (const Change& change : list) result.changes.push_back(change.text);
  auto changed = result.what_if->with(list);
  if (auto* refusal = std::get_if<Refusal>(&changed))
    result.refused = std::move(refusal->message);
  else
    result.changed = std::get<ChangedPlan>(std::move(changed));
  return result;
}

Json block_of(const Answer& answer, const Filter& filter) {
  const ChangedPlan& changed = *answer.changed;
  Json block = block_json(view_block(changed.skeleton, changed.plan, answer.index, true));
  block["changes"] = answer.changes;
  add_reconstruction(reconstruct(changed.skeleton, changed.plan, filter, {}), block);
  return block;
}

}  // namespace

int run_what_if(const Options& options, const Filter& filter) {
  const auto outputs = open_outputs(options);
  Steps steps(options);
  int status = kClean;
  std::vector<LogJson> logs;
  Totals totals;
  while (const auto step = steps.next()) {
    if (step->first) {
      logs.push_back({step->log->path, {}, {}});
      ++totals.logs;
      if (step->log->error) {
        fail(error_text(*step->log->error));
        logs.back().error = step->log->error;
        status = kFailed;
      }
    }
    if (!step->block) continue;
    const Answer one = answer(options, *step);
    if (!one.refused.empty()) {
      const Error error{step->log->path, {one.printed->line, 1}, one.refused, ""};
      fail(error_text(error));
      logs.back().error = error;
      status = kFailed;
      continue;
    }
    ++totals.blocks;
    logs.back().blocks.push_back(block_of(one, filter));
  }
  for (const auto& output : outputs) {
    if (output->format() == OutputFormat::json)
      output->write(dumped(document_json("whatif", logs, totals, status == kFailed ? "failed" : "clean")) + "\n");
    if (!output->finish()) status = kFailed;
  }
  return status;
}

}  // namespace shardstats::cli
