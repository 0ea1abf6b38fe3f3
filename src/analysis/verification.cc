#include "shardstats/analysis/verification.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "analysis/byte_columns.h"
#include "shardstats/analysis/culprits.h"

namespace shardstats {
namespace {

// Does the printed maximum of HBM lie in the rounding of the largest printed rank? Else one of the two is wrong.
bool maximum_agrees_with_ranks(const PrintedPlan& printed) {
  const auto maximum = printed.bytes_in(LineId::peak_memory_pressure);
  const auto form = printed.format_of(RoundedNumbers::rank_memory);
  ByteInterval ranks{};
  for (const PrintedRank& row : printed.ranks.rows) {
    const auto bytes = bytes_printed_as(row.hbm.text, form, kGiB);
    if (!bytes) return false;
    ranks = {std::max(ranks.low, bytes->low), std::max(ranks.high, bytes->high)};
  }
  return maximum && maximum->overlaps(ranks);
}

std::int64_t disputed_numbers(const Report& report) { return std::ranges::count_if(report.findings, disputes_number); }

// Errors by what inference makes of them. `hbm_maximum`: one that the ranks agree with.
struct Wrong {
  bool critical_path = false, perf_imbalance = false, hbm_maximum = false, share = false, other = false;
};
Wrong wrong_in(const PrintedPlan& printed, const Report& report) {
  Wrong wrong;
  for (const Finding& finding : report.findings) {
    if (!disputes_number(finding)) continue;
    const std::string_view rule = finding.rule->id;
    if (rule.starts_with("critical_path."))
      wrong.critical_path = true;
    else if (rule == "imbalance.perf")
      wrong.perf_imbalance = true;
    else if (rule == "maxima.hbm" && maximum_agrees_with_ranks(printed))
      wrong.hbm_maximum = true;
    else if (rule.ends_with("_percent"))
      wrong.share = true;
    else
      wrong.other = true;
  }
  return wrong;
}

// Where a share speaks for a device of its own, bounds leave open how rows are split, which would explain any share;
// not where the maximum tells of the rank's memory as well.
bool disputes_shares(const Wrong& wrong) { return wrong.share && !wrong.hbm_maximum; }

// The critical path is no part of inference: alone it may deny a default bandwidth that all cells agree with, and the
// imbalance of perf with it. Nor is the maximum of HBM, which has more decimals than the ranks up to v0.7.0. Other
// errors that one dtype and the defaults leave are wrong numbers.
bool may_deny_the_likeliest(const Wrong& wrong) {
  if (wrong.other || disputes_shares(wrong)) return false;
  return wrong.critical_path || wrong.hbm_maximum || !wrong.perf_imbalance;
}

// The cell of a rank that is furthest from what the formulas give, as a part of what is printed.
Place furthest_off(const PrintedPlan& printed, const Plan& plan) {
  Place worst;
  double furthest = 0;
  for (std::size_t r = 0; r < std::min(plan.ranks.size(), printed.ranks.rows.size()); ++r)
    for (const analysis::ByteColumn& column : analysis::kByteColumns) {
      const Expectation& expected = plan.ranks[r].*column.expected;
      const auto bytes = column.printed_in(printed, printed.ranks.rows[r]);
      if (!bytes || !expected.known || !expected.contradicted) continue;
      const double off =
          apart(real(*bytes), real(expected.bytes)) / static_cast<double>(std::max<std::int64_t>(bytes->high, 1));
      if (off <= furthest) continue;
      furthest = off;
      worst = (printed.ranks.rows[r].*column.cell).place;
    }
  return worst;
}

// Which outputs are scaled may rest on one number, and a wrong one decides it, too.
bool rests_on_one_number(const Plan& plan) {
  return std::ranges::any_of(plan.assumptions, [](const Assumption& assumption) {
    return assumption.name == "output_scaling" && assumption.origin == Origin::inferred && assumption.support == 1;
  });
}

}  // namespace

InferOptions likeliest_only(const std::vector<Override>& assumed) {
  InferOptions options{assumed, false};
  options.shard_parts = false;
  return options;
}

// Where nothing uniform explains a log, most of the look is in vain, unless a wrong word or row is behind it.
Verification::Verification(const PrintedPlan& printed, const std::vector<Override>& assumed, bool keep_precedent)
    : printed_(printed), assumed_(likeliest_only(assumed)), keep_precedent_(keep_precedent) {
  InferOptions look = assumed_;
  look.keep_precedent = keep_precedent_;
  look.effort = Effort::uniform;
  look.perf_anyhow = false;
  plan = std::make_unique<Plan>(infer(printed, look));
  if (plan->perf_left_out) {
    if (!may_have_wrong_structure(printed, *plan, look)) return;
    look.perf_anyhow = true;
    look.first_look = plan->first_look;
    plan = std::make_unique<Plan>(infer(printed, look));
  }
  report = verify(printed, *plan);
  look.keep_precedent = false;
  const bool all = find_culprits(printed, *plan, look, report, plan->gave_up).explain_all;
  settled_ = !plan->gave_up || all;
  if (settled_ && plan->gave_up) effort_ = Effort::uniform;
}

void Verification::finish() {
  if (!settled_) look_exhaustively();
  if (deny_by_bounds()) {
    blame_one_cell();
    has_suspects_ = true;
    return;
  }
  const bool may_replace = !settled_ || may_deny_the_likeliest(wrong_in(printed_, report));
  const bool replaced = may_replace && take_alternative();
  has_suspects_ = settled_ && !replaced;
}

void Verification::find_suspects() {
  if (!has_suspects_) find_culprits(printed_, *plan, assumed_, report);
}

// What single tables have of their own explains nothing if it leaves as many errors as one dtype for all, where that
// was compared with all numbers.
void Verification::look_exhaustively() {
  InferOptions look = assumed_;
  look.keep_precedent = keep_precedent_;
  look.first_look = plan->first_look;
  const bool is_compared = !plan->perf_left_out;
  const std::int64_t errors = disputed_numbers(report);
  if (!replace_by(look, [=](std::int64_t others) { return !is_compared || others < errors; }))
    effort_ = Effort::uniform;
}

// What the likeliest hypothesis leaves as an error, an equally good one may explain. Returns whether it replaced the
// plan.
bool Verification::take_alternative() {
  constexpr std::int64_t kFew = 10;  // more errors than that have another cause
  const std::int64_t errors = disputed_numbers(report);
  if (errors == 0 || errors > kFew || disputes_shares(wrong_in(printed_, report))) return false;
  return replace_by_alternatives([=](std::int64_t others) { return others < errors; });
}

// The bounds of all that explains the log, which are narrower than those of one hypothesis, have to agree as well.
// Returns whether they deny the plan and replaced it.
bool Verification::deny_by_bounds() {
  if (disputed_numbers(report) > 0 || (plan->columns_agree && !rests_on_one_number(*plan))) return false;
  return replace_by_alternatives([](std::int64_t errors) { return errors > 0; });
}

// One wrong number narrows the bounds of many others, which are right: where all agree without it, it alone is
// reported.
void Verification::blame_one_cell() {
  const InferOptions look = with_alternatives();
  const std::vector<std::string> remarks = report.remarks;
  const auto corrected = find_culprits(printed_, *plan, look, report).corrected;
  const bool has_same_rows = corrected && corrected->ranks.rows.size() == printed_.ranks.rows.size() &&
                             corrected->tables.rows.size() == printed_.tables.rows.size();
  if (has_same_rows) {
    auto other = std::make_unique<Plan>(infer(*corrected, look));
    expect_what_shards_give(*corrected, *other);
    Report of_culprit = verify(printed_, *other);
    if (disputed_numbers(of_culprit) > 0) {
      plan = std::move(other);
      report = std::move(of_culprit);
      return;
    }
  }
  const Place worst = furthest_off(printed_, *plan);
  const auto is_worst = [&](const Finding& f) { return disputes_number(f) && f.where.place == worst; };
  if (std::ranges::none_of(report.findings, is_worst)) return;
  const auto others =
      std::erase_if(report.findings, [&](const Finding& f) { return disputes_number(f) && !is_worst(f); });
  report.remarks = remarks;
  if (others > 0)
    report.remarks.push_back("This number and others of ranks (" + std::to_string(others) +
                             ") cannot all be right together; it is the one furthest from what they leave.");
}

// In the cells of ranks that were taken out of the corrected block.
void Verification::expect_what_shards_give(const PrintedPlan& corrected, Plan& of_corrected) const {
  for (std::size_t r = 0; r < std::min(of_corrected.ranks.size(), printed_.ranks.rows.size()); ++r)
    for (const analysis::ByteColumn& column : analysis::kByteColumns) {
      const auto printed = column.printed_in(printed_, printed_.ranks.rows[r]);
      if (!printed || corrected.ranks.rows[r].*column.cell) continue;
      const ByteInterval bytes = of_corrected.ranks[r].*column.bytes;
      of_corrected.ranks[r].*column.expected = {bytes, true, !bytes.overlaps(*printed)};
    }
}

InferOptions Verification::with_alternatives() const {
  InferOptions look = assumed_;
  look.alternatives = true;
  return look;
}

// With the bounds of all that explains the log.
template <class IsWanted>
bool Verification::replace_by_alternatives(const IsWanted& is_wanted) {
  return replace_by(with_alternatives(), is_wanted);
}

// Takes the plan that is inferred like that instead, if its count of errors is wanted. Returns whether it did.
template <class IsWanted>
bool Verification::replace_by(const InferOptions& look, const IsWanted& is_wanted) {
  auto other = std::make_unique<Plan>(infer(printed_, look));
  Report report_of_other = verify(printed_, *other);
  if (!is_wanted(disputed_numbers(report_of_other))) return false;
  effort_ = Effort::exhaustive;
  plan = std::move(other);
  report = std::move(report_of_other);
  return true;
}

}  // namespace shardstats
