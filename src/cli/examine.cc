#include "cli/examine.h"

#include <nlohmann/json.hpp>

#include "cli/examine_changes.h"
#include "cli/terminal.h"
#include "report/words.h"
#include "shardstats/analysis/budgets.h"
#include "shardstats/analysis/explain.h"
#include "shardstats/analysis/nearest.h"
#include "shardstats/analysis/verify.h"
#include "shardstats/infer/overrides.h"
#include "shardstats/log/render.h"
#include "shardstats/report/html.h"

namespace shardstats::cli {
namespace {

void explain_target(const Options& options, const InferOptions& assumed, Examined& examined) {
  auto explained = explain(*examined.printed, *examined.plan, options.target, assumed);
  if (const auto* unknown = std::get_if<UnknownTarget>(&explained))
    examined.unknown_target = message_of(*unknown);
  else
    examined.result.explained = std::get<std::vector<Explained>>(std::move(explained));
}

struct Verified {
  std::unique_ptr<Plan> plan;
  Report report;
  std::optional<BlockPlace> precedent;  // of the plan
};

// By what an earlier block with the same tables found out, if that leaves no error.
std::optional<Verified> verified_like_earlier(const Options& options, const PrintedPlan& printed,
                                              Precedents::Turn& turn) {
  const auto earlier = turn.enter(printed);
  auto plan = earlier ? infer_like(*earlier->precedent, printed, likeliest_only(options.assume)) : std::nullopt;
  if (!plan) return std::nullopt;
  Report report = verify(printed, *plan);
  if (count(report.findings).error > 0) return std::nullopt;
  return Verified{std::make_unique<Plan>(*std::move(plan)), std::move(report), earlier->place};
}

Verified verified(const Options& options, const PrintedPlan& printed, const BlockPlace& place, Precedents::Turn& turn) {
  if (auto like_earlier = verified_like_earlier(options, printed, turn)) return *std::move(like_earlier);
  Verification verification(printed, options.assume, turn.is_first());
  verification.finish();
  if (count(verification.report.findings).error == 0) turn.leave(std::move(verification.plan->precedent), place);
  verification.find_suspects();
  return {std::move(verification.plan), std::move(verification.report), std::nullopt};
}

constexpr std::size_t kExplainedInPage = 50;  // tables; the trees of all would be most of the page

void make_page_block(const InferOptions& assumed, const Report& report, Examined& examined) {
  const PrintedPlan& printed = *examined.printed;
  const Plan& plan = *examined.plan;
  BlockResult& result = examined.result;
  const Reconstruction rows = reconstruct(printed, plan, Filter(), {});
  const Composition composition = compose(printed, plan);
  const auto largest = explain_largest(printed, plan, kExplainedInPage, assumed);
  result.page_block = std::make_shared<const Json>(html_block({plan, result.view, report, rows, composition, largest}));
}

// What the answer of a command rests on, besides the plan.
struct Grounds {
  InferOptions assumed{};
  std::unique_ptr<WhatIf> what_if{};  // summary, which tries some changes
  Report report{};                    // verify, scan and report
  std::optional<BlockPlace> precedent{};
};

// For a command whose answer is what `verify` finds.
Grounds look_as_verify(const Options& options, const Filter& filter, const BlockPlace& place, Precedents::Turn& turn,
                       Examined& examined) {
  Verified found = verified(options, *examined.printed, place, turn);
  examined.plan = std::move(found.plan);
  apply(filter, *examined.printed, found.report);
  examined.findings = count(found.report.findings);
  return {.assumed = {options.assume}, .report = std::move(found.report), .precedent = std::move(found.precedent)};
}

bool shows_details(CommandId command) {
  return command == CommandId::reconstruct || command == CommandId::explain || command == CommandId::report;
}

// For any other, whose bounds are over all that explains the log.
Grounds look_at_all_explanations(const Options& options, const Filter& filter, Examined& examined) {
  const CommandId command = options.command;
  Verification of_verify = errors_of_verify(options, examined);
  Grounds grounds{.assumed = {options.assume}};
  grounds.assumed.effort = of_verify.effort();
  grounds.assumed.shard_parts = shows_details(command) || command == CommandId::summary ||
                                command == CommandId::timeline || command == CommandId::stash;
  auto& what_if = grounds.what_if;
  if (command == CommandId::summary) what_if = std::make_unique<WhatIf>(*examined.printed, grounds.assumed);
  examined.plan = std::make_unique<Plan>(what_if ? what_if->base() : infer(*examined.printed, grounds.assumed));
  compare_with_bounds(options, *examined.plan, examined);
  if (command == CommandId::report) {
    of_verify.find_suspects();
    grounds.report = std::move(of_verify.report);
    apply(filter, *examined.printed, grounds.report);
  }
  return grounds;
}

void answer(const Options& options, const Filter& filter, Grounds grounds, Examined& examined) {
  BlockResult& result = examined.result;
  switch (options.command) {
    case CommandId::summary:
      result.summary = summarize(*examined.printed, *examined.plan, {options.top}, grounds.what_if.get());
      break;
    case CommandId::verify:
    case CommandId::scan:
      result.status = examined.findings.at_least(options.fail_on) > 0 ? kFindings : kClean;
      result.report = std::move(grounds.report);
      break;
    case CommandId::check:
      result.budgets = check_budgets(*examined.printed, *examined.plan, options.budgets);
      result.status = result.findings().error > 0 ? kFindings : kClean;
      break;
    case CommandId::explain:
      explain_target(options, grounds.assumed, examined);
      break;
    case CommandId::reconstruct:
      result.reconstruction = reconstruct(*examined.printed, *examined.plan, filter, options.reconstruct);
      break;
    case CommandId::timeline:
      result.timeline = timeline_of(*examined.plan, filter, options.timeline);
      break;
    case CommandId::stash:
      result.stash = stash_of(*examined.printed, *examined.plan, filter, options.timeline, options.stash);
      break;
    case CommandId::report:
      make_page_block(grounds.assumed, grounds.report, examined);
      break;
    case CommandId::render:
      examined.too_large = !render(*examined.printed, result.rendered);
      break;
    case CommandId::whatif:     // see examine_changes()
    case CommandId::diff:       // of two blocks, see diff.cc
    case CommandId::anonymize:  // of all blocks, see anonymize.cc
    case CommandId::rules:
    case CommandId::completion:
    case CommandId::man:
      break;
  }
}

// Why there are no such hosts; empty: there may be, or the log is to tell how large they are.
std::string wrong_hosts(std::int64_t ranks_per_host, const PrintedPlan& printed) {
  if (ranks_per_host == 0 || may_be_on_hosts(printed, ranks_per_host)) return {};
  return "world_size " + std::to_string(printed.ranks.rows.size()) + " is not a multiple of --ranks-per-host " +
         std::to_string(ranks_per_host);
}

}  // namespace

Examined examine(const Options& options, const Filter& filter, const Block& block, const BlockPlace& place,
                 Precedents::Turn& turn) {
  Examined examined;
  examined.printed = std::make_unique<PrintedPlan>(parse(block));
  if (options.command == CommandId::whatif || !options.changes.empty()) {
    examine_changes(options, filter, place.index, examined);
    return examined;
  }
  Grounds grounds = verifies(options.command) ? look_as_verify(options, filter, place, turn, examined)
                                              : look_at_all_explanations(options, filter, examined);
  BlockResult& result = examined.result;
  result.view = view_block(*examined.printed, *examined.plan, place.index, false);
  result.view.precedent = std::move(grounds.precedent);
  const bool rests_on_plan = options.command != CommandId::render && options.command != CommandId::anonymize;
  if (rests_on_plan) examined.refused = wrong_assumptions(options, *examined.printed, *examined.plan);
  if (options.command == CommandId::stash && examined.refused.empty())
    examined.refused = wrong_hosts(options.stash.ranks_per_host, *examined.printed);
  if (!examined.refused.empty()) return examined;
  if (shows_details(options.command) && options.command != CommandId::report)
    result.detailed = view_block(*examined.printed, *examined.plan, place.index, true);
  answer(options, filter, std::move(grounds), examined);
  return examined;
}

Verification errors_of_verify(const Options& options, Examined& examined) {
  Verification of_verify(*examined.printed, options.assume);
  if (options.quiet && options.command != CommandId::report) return of_verify;
  of_verify.finish();
  examined.findings = count(of_verify.report.findings);
  examined.is_newer = has_unknown_layout(of_verify.report);
  return of_verify;
}

void compare_with_bounds(const Options& options, const Plan& plan, Examined& examined) {
  if (options.quiet || examined.findings.error > 0) return;  // then it is not told
  for (const Finding& finding : verify(*examined.printed, plan).findings) {
    if (finding.severity != Severity::error) continue;
    if (examined.beyond_bounds++ == 0) examined.first_beyond = finding.where.place;
  }
}

std::string wrong_assumptions(const Options& options, const PrintedPlan& printed, const Plan& plan) {
  if (options.assume.empty() || plan.sized || can_hold(options.assume, printed)) return {};
  return "no release with this log's layout can have printed it with what --assume says";
}

Error too_large(const std::string& path, const Place& block) {
  return {path, block, "this planner block is too large to be printed",
          "one of its cells is much longer than the others: cut it"};
}

std::string message_of(const UnknownTarget& unknown) { return unknown.message + did_you_mean(unknown.nearest); }

void warn_of_errors(const Options& options, const std::string& path, const Examined& examined) {
  if (options.quiet) return;
  const auto warn_of = [&](const std::string& what) {
    warn(path + ": block " + std::to_string(examined.result.view.index + 1) + ": " + what);
  };
  if (const auto& stash = examined.result.stash; stash && stash->shown_ranks_per_host)
    warn_of("--ranks-per-host " + std::to_string(stash->options.ranks_per_host) + ", but the log shows " +
            std::to_string(*stash->shown_ranks_per_host) + " ranks a host");
  if (examined.findings.error > 0) return warn_of("`shardstats verify` reports errors here");
  if (const auto beyond = examined.beyond_bounds; beyond > 0) {
    const auto [line, column] = examined.first_beyond;
    warn_of(plural(beyond, "number") + " beyond the bounds here, first at " + std::to_string(line) + ":" +
            std::to_string(column) + ", though `shardstats verify` reports no error: a printed number may be wrong");
  }
  if (examined.is_newer) warn_of("this layout is of no known release; `shardstats verify` says what is not read");
}

}  // namespace shardstats::cli
