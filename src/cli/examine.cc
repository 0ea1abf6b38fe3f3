#include "cli/examine.h"

#include <nlohmann/json.hpp>

#include "cli/examine_changes.h"
#include "cli/terminal.h"
#include "report/words.h"
#include "shardstats/analysis/budgets.h"
#include "shardstats/analysis/culprits.h"
#include "shardstats/analysis/explain.h"
#include "shardstats/analysis/table_names.h"
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

// What one dtype and the default bandwidths say of a log.
struct UniformLook {
  std::unique_ptr<Plan> plan;
  Report report;
  bool settled = false;  // a longer search would say the same, or explain away a wrong word or number
};

// Where nothing uniform explains a log, most of the look is in vain, unless a wrong word or row is behind it.
UniformLook look_uniformly(const PrintedPlan& printed, InferOptions options) {
  options.effort = Effort::uniform;
  options.perf_anyhow = false;
  UniformLook look{std::make_unique<Plan>(infer(printed, options)), {}, false};
  if (look.plan->perf_left_out) {
    if (!may_have_wrong_structure(printed, *look.plan, options)) return look;
    options.perf_anyhow = true;
    options.first_look = look.plan->first_look;
    look.plan = std::make_unique<Plan>(infer(printed, options));
  }
  look.report = verify(printed, *look.plan);
  const bool all = find_culprits(printed, *look.plan, options, look.report, look.plan->gave_up);
  look.settled = !look.plan->gave_up || all;
  return look;
}

// A share may always be that of a device of its own.
bool disputes_shares(const Report& report) {
  return std::ranges::any_of(report.findings, [](const Finding& finding) {
    return finding.severity == Severity::error && finding.rule->id.ends_with("_percent");
  });
}

// Takes the plan with the bounds of all that explains the log instead, if its count of errors is wanted. Returns
// whether it did.
template <class IsWanted>
bool replace_by_alternatives(InferOptions assumed, Examined& examined, Report& report, const IsWanted& is_wanted) {
  assumed.alternatives = true;
  auto plan = std::make_unique<Plan>(infer(*examined.printed, assumed));
  Report other = verify(*examined.printed, *plan);
  if (!is_wanted(count(other.findings).error)) return false;
  examined.plan = std::move(plan);
  report = std::move(other);
  return true;
}

// What the likeliest hypothesis leaves as an error, an equally good one may explain. Returns whether it replaced the
// plan.
bool take_alternative(const InferOptions& assumed, Examined& examined, Report& report) {
  constexpr std::int64_t kFew = 10;  // more errors than that have another cause
  const std::int64_t errors = count(report.findings).error;
  if (assumed.alternatives || errors == 0 || errors > kFew || disputes_shares(report)) return false;
  return replace_by_alternatives(assumed, examined, report, [=](std::int64_t others) { return others < errors; });
}

// The critical path is no part of inference: alone it may deny a default bandwidth that all cells agree with. Other
// errors that one dtype and the defaults leave are wrong numbers.
bool only_critical_path_is_wrong(const Report& report) {
  return std::ranges::all_of(report.findings, [](const Finding& finding) {
    return finding.severity != Severity::error || finding.rule->id.starts_with("critical_path.");
  });
}

// Which outputs are scaled may rest on one number, and a wrong one decides it, too.
bool rests_on_one_number(const Plan& plan) {
  return std::ranges::any_of(plan.assumptions, [](const Assumption& assumption) {
    return assumption.name == "output_scaling" && assumption.origin == Origin::inferred && assumption.support == 1;
  });
}

// Then the bounds of all that explains the log, which are narrower than those of one hypothesis, have to agree as well.
// Returns whether they deny the plan and replaced it.
bool deny_by_bounds(const InferOptions& assumed, Examined& examined, Report& report) {
  if (assumed.alternatives || count(report.findings).error > 0 || !rests_on_one_number(*examined.plan)) return false;
  return replace_by_alternatives(assumed, examined, report, [](std::int64_t errors) { return errors > 0; });
}

// By what an earlier block with the same tables found out, if that leaves no error; says which block that was.
std::optional<BlockPlace> verify_like_earlier(Precedents::Turn& turn, const InferOptions& assumed, Examined& examined,
                                              Report& report) {
  const PrintedPlan& printed = *examined.printed;
  const auto earlier = turn.enter(printed);
  auto plan = earlier ? infer_like(*earlier->precedent, printed, assumed) : std::nullopt;
  if (!plan) return std::nullopt;
  report = verify(printed, *plan);
  if (count(report.findings).error > 0) return std::nullopt;
  examined.plan = std::make_unique<Plan>(*std::move(plan));
  return earlier->place;
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

}  // namespace

Examined examine(const Options& options, const Filter& filter, const Block& block, const BlockPlace& place,
                 Precedents::Turn& turn) {
  const bool for_page = options.command == CommandId::report;
  const bool locates = verifies(options.command) || for_page;  // findings are shown with their suspects
  const bool details = options.command == CommandId::reconstruct || options.command == CommandId::explain || for_page;
  Examined examined;
  examined.printed = std::make_unique<PrintedPlan>(parse(block));
  if (options.command == CommandId::whatif || !options.changes.empty()) {
    examine_changes(options, filter, place.index, examined);
    return examined;
  }
  // Bounds that are shown, or that budgets are held against, hold for all that explains the log.
  InferOptions assumed{options.assume, !verifies(options.command)};
  assumed.shard_parts = details || options.command == CommandId::summary || options.command == CommandId::timeline ||
                        options.command == CommandId::stash;
  Report report;
  std::optional<BlockPlace> precedent;
  if (verifies(options.command)) precedent = verify_like_earlier(turn, assumed, examined, report);
  bool denied = false;
  const auto end_look = [&] {
    denied = deny_by_bounds(assumed, examined, report);
    if (turn.is_first() && count(report.findings).error == 0) turn.leave(std::move(examined.plan->precedent), place);
  };
  const auto look_exhaustively = [&] {
    InferOptions look = assumed;
    look.keep_precedent = turn.is_first();
    if (examined.plan) look.first_look = examined.plan->first_look;
    examined.plan = std::make_unique<Plan>(infer(*examined.printed, look));
    report = verify(*examined.printed, *examined.plan);
    end_look();
  };
  if (!locates) assumed.effort = effort_of_verify(*examined.printed, assumed);
  std::optional<WhatIf> what_if;
  if (precedent) {
    // Nothing is left to look for.
  } else if (options.command == CommandId::summary) {
    what_if.emplace(*examined.printed, assumed);  // some changes are tried
    examined.plan = std::make_unique<Plan>(what_if->base());
    report = verify(*examined.printed, *examined.plan);
  } else if (!locates) {
    look_exhaustively();
  } else {
    InferOptions first = assumed;
    first.keep_precedent = turn.is_first();
    UniformLook look = look_uniformly(*examined.printed, first);
    examined.plan = std::move(look.plan);
    report = std::move(look.report);
    const bool settled = look.settled;
    settled ? end_look() : look_exhaustively();
    const bool may_replace = !denied && (!settled || only_critical_path_is_wrong(report));
    const bool replaced = may_replace && take_alternative(assumed, examined, report);
    if (!settled || replaced || denied) find_culprits(*examined.printed, *examined.plan, assumed, report);
  }
  apply(filter, *examined.printed, report);
  examined.findings = count(report.findings);
  examined.is_newer = has_unknown_layout(report);
  BlockResult& result = examined.result;
  result.view = view_block(*examined.printed, *examined.plan, place.index, false);
  result.view.precedent = std::move(precedent);
  const bool rests_on_plan = options.command != CommandId::render && options.command != CommandId::anonymize;
  if (rests_on_plan) examined.refused = wrong_assumptions(options, *examined.printed, *examined.plan);
  if (!examined.refused.empty()) return examined;
  if (details && !for_page) result.detailed = view_block(*examined.printed, *examined.plan, place.index, true);
  switch (options.command) {
    case CommandId::summary:
      result.summary = summarize(*examined.printed, *examined.plan, {options.top_tables}, &*what_if);
      break;
    case CommandId::verify:
    case CommandId::scan:
      result.status = examined.findings.at_least(options.fail_on) > 0 ? kFindings : kClean;
      result.report = std::move(report);
      break;
    case CommandId::check:
      result.budgets = check_budgets(*examined.printed, *examined.plan, options.budgets);
      result.status = result.findings().error > 0 ? kFindings : kClean;
      break;
    case CommandId::explain:
      explain_target(options, assumed, examined);
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
      make_page_block(assumed, report, examined);
      break;
    case CommandId::render:
      examined.too_large = !render(*examined.printed, result.rendered);
      break;
    case CommandId::whatif:     // see above
    case CommandId::diff:       // of two blocks, see diff.cc
    case CommandId::anonymize:  // of all blocks, see anonymize.cc
    case CommandId::rules:
    case CommandId::completion:
    case CommandId::man:
      break;
  }
  return examined;
}

Effort effort_of_verify(const PrintedPlan& printed, InferOptions assumed) {
  assumed.alternatives = assumed.shard_parts = false;
  const UniformLook look = look_uniformly(printed, assumed);
  return look.settled && look.plan->gave_up ? Effort::uniform : Effort::exhaustive;
}

std::string wrong_assumptions(const Options& options, const PrintedPlan& printed, const Plan& plan) {
  if (options.assume.empty() || plan.sized || can_hold(options.assume, printed)) return {};
  return "no release with this log's layout can have printed it with what --assume says";
}

std::string message_of(const UnknownTarget& unknown) { return unknown.message + did_you_mean(unknown.nearest); }

void warn_of_errors(const Options& options, const std::string& path, const Examined& examined) {
  if (options.quiet || (examined.findings.error == 0 && !examined.is_newer)) return;
  warn(path + ": block " + std::to_string(examined.result.view.index + 1) +
       (examined.findings.error > 0
            ? ": `shardstats verify` reports errors here"
            : ": this layout is of no known release; `shardstats verify` says what is not read"));
}

}  // namespace shardstats::cli
