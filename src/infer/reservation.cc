#include <algorithm>
#include <limits>

#include "infer/assume.h"
#include "infer/sum_constants.h"

namespace shardstats::infer_detail {
namespace {

constexpr double kTrainingKjt = kjt_multiplier(Policy::heuristical), kInferenceKjt = kjt_multiplier(Policy::inference);

// A device whose memory the planner does not count (tpu) has no KJT storage either.
bool kjt_fits(const PlanInputs& plan, RealInterval lookups, double multiplier, bool counted) {
  const ByteInterval printed = plan.kjt_hbm + plan.kjt_ddr;
  return (counted ? kjt_bytes(multiplier, lookups) : RealInterval{}).overlaps(real(printed));
}

struct PolicyRange {
  Policy policy;
  Release since;
  bool dense_zero;  // prints no dense storage
};
constexpr std::array<PolicyRange, 5> kPolicies = {{
    {Policy::heuristical, Release::v0_1_0, false},
    {Policy::fixed_percentage, Release::v0_1_0, true},
    {Policy::inference, Release::v0_3_0, false},
    {Policy::fixed_absolute, Release::v1_7_0, true},
    {Policy::sku_aware, Release::main_branch, false},
}};

// What the ranks take besides their shards has to be what the policy adds.
bool fits_ranks(const PlanInputs& plan, const PolicyRange& range, Release release, const Constants& constants,
                const std::optional<RealInterval>& lookups, bool counted) {
  if (plan.ranks.empty() || !rules_of(release).counts_reservation) return true;
  RealInterval added{};
  if (adds_kjt(range.policy, release)) {
    if (!lookups) return true;
    if (counted) added = kjt_bytes(kjt_multiplier(range.policy), *lookups);
    if (!range.dense_zero) added.high = std::numeric_limits<double>::infinity();
    if (may_add_no_kjt(range.policy, release)) added.low = 0;
  }
  return added.overlaps(constants.hbm + constants.ddr);
}

bool policy_fits(const PlanInputs& plan, const PolicyRange& range, Release release, const Constants& constants,
                 const std::optional<RealInterval>& lookups, bool counted) {
  if (release < range.since) return false;
  if (plan.reservation_lost) return fits_ranks(plan, range, release, constants, lookups, counted);
  const bool debug = plan.printed->tables.printed || plan.printed->find(LineId::planning_heading) != nullptr;
  if (!debug) return true;  // nothing about the reservation is printed
  const auto since = reservation_printed_since(range.policy);
  const bool prints = since && release >= *since;
  if (plan.reservation_printed) {
    if (!prints) return false;
    if (range.dense_zero && plan.dense_hbm.low + plan.dense_ddr.low > 0) return false;
    return !lookups || kjt_fits(plan, *lookups, kjt_multiplier(range.policy), counted);
  }
  if (range.policy == Policy::inference) return !prints;
  const bool may_be_silent = !prints || range.policy == Policy::sku_aware;  // that before its statistics existed
  return may_be_silent && !constants.hidden;
}

// The KJT formula leaves less than the printed KJT storage that the ranks were summed with.
void narrow_ranks(bool in_hbm, Plan& result) {
  if (!result.setting.rules->counts_reservation) return;
  const ByteInterval constants = in_hbm ? result.dense_hbm + result.kjt_hbm : result.dense_ddr + result.kjt_ddr;
  for (PlanRank& rank : result.ranks) {
    const Expectation& expected = in_hbm ? rank.expected_hbm : rank.expected_ddr;
    if (!expected.known || expected.contradicted) continue;
    ByteInterval& all = in_hbm ? rank.hbm : rank.ddr;
    all = narrowed(all, (in_hbm ? rank.sparse_hbm : rank.sparse_ddr) + constants);
  }
}

}  // namespace

std::optional<RealInterval> kjt_lookups(const PlanInputs& plan) {
  if (!plan.printed->tables.printed || plan.lacks_rows) return std::nullopt;
  RealInterval sum{};
  for (const TableInputs& table : plan.tables) {
    if (!table.sized) return std::nullopt;
    sum = sum + table.pooling_sum * table.batch;
  }
  const auto terms = static_cast<double>(plan.tables.size() + 1);
  return RealInterval{sum.low * (1 - terms * 4e-16), sum.high * (1 + terms * 4e-16)};
}

namespace {

// All that fit one of the releases, the likeliest first.
void find_policies(const PlanInputs& plan, const std::optional<RealInterval>& lookups, const Constants& constants,
                   bool counted, Plan& result) {
  for (const PolicyRange& range : kPolicies) {
    const auto fits = [&](Release r) { return policy_fits(plan, range, r, constants, lookups, counted); };
    if (std::any_of(result.releases.begin(), result.releases.end(), fits)) result.policies.push_back(range.policy);
  }
  // A dense block of zeros is what the fixed policies print; a model without dense parameters is the rarer reason.
  if (plan.reservation_printed && plan.dense_hbm.low + plan.dense_ddr.low == 0)
    std::stable_partition(result.policies.begin(), result.policies.end(),
                          [](Policy p) { return p == Policy::fixed_percentage || p == Policy::fixed_absolute; });
  result.policy = result.policies.empty() ? Policy::other : result.policies.front();
  if (result.policies.empty()) result.policies.push_back(Policy::other);
}

void copy_printed(const PlanInputs& plan, Plan& result) {
  result.dense_hbm = plan.dense_hbm;
  result.dense_ddr = plan.dense_ddr;
  result.kjt_hbm = plan.kjt_hbm;
  result.kjt_ddr = plan.kjt_ddr;
}

// Compares the printed KJT storage with its formula, which may leave less than is printed.
void check_kjt(const PlanInputs& plan, const SearchResult& found, RealInterval lookups, bool counted, Plan& result) {
  const bool training = kjt_fits(plan, lookups, kTrainingKjt, counted);
  const bool inference = kjt_fits(plan, lookups, kInferenceKjt, counted);
  const RealInterval expected =
      !counted ? RealInterval{} : kjt_bytes(training || !inference ? kTrainingKjt : kInferenceKjt, lookups);
  result.kjt = {whole_bytes(expected), true, !training && !inference};
  const ByteInterval kjt = plan.kjt_hbm.high > plan.kjt_ddr.high || plan.kjt_ddr.low == 0 ? plan.kjt_hbm : plan.kjt_ddr;
  const ByteInterval bounds = training && inference
                                  ? hull(whole_bytes(expected), whole_bytes(kjt_bytes(kInferenceKjt, lookups)))
                                  : whole_bytes(expected);
  const bool is_told = kjt.high > 0 && (kjt.low > 0 || plan.kjt_ddr.high == plan.kjt_hbm.high);
  if (!is_told || result.kjt.contradicted) return;
  const bool in_hbm = found.survivors.empty() || io_in_hbm(found.survivors.front().outcome.setting);
  (in_hbm ? result.kjt_hbm : result.kjt_ddr) = narrowed(in_hbm ? plan.kjt_hbm : plan.kjt_ddr, bounds);
  narrow_ranks(in_hbm, result);
}

// Not printed: what the ranks leave open, KJT by the formula at most, that of inference where no line is lost. Without
// ranks anything that fits.
void bound_hidden(const PlanInputs& plan, const std::optional<RealInterval>& lookups, const Constants& constants,
                  Plan& result) {
  ByteInterval hbm = whole_bytes(constants.hbm), ddr = whole_bytes(constants.ddr);
  if (plan.ranks.empty()) {
    const auto planned = [&](std::size_t slot) {
      return plan.printed->bytes_in(LineId::planning_memory, slot).value_or(ByteInterval{}).high;
    };
    hbm.high = planned(0);
    ddr.high = planned(1);
  }
  const double multiplier = plan.reservation_lost ? kTrainingKjt : kInferenceKjt;
  const std::int64_t most = lookups ? whole_bytes(kjt_bytes(multiplier, *lookups)).high : INT64_MAX;
  if (may_be_any(hbm) || may_be_any(ddr))
    for (PlanRank& rank : result.ranks) rank.known = false;
  result.dense_hbm = {0, hbm.high};
  result.dense_ddr = {0, ddr.high};
  result.kjt_hbm = {0, std::min(hbm.high, most)};
  result.kjt_ddr = {0, std::min(ddr.high, most)};
}

}  // namespace

void infer_reservation(const PlanInputs& plan, const SearchResult& found, Plan& result) {
  const auto lookups = kjt_lookups(plan);
  const Constants constants = constants_of(found);
  const bool counted = found.survivors.empty() || found.survivors.front().outcome.setting.device != Device::tpu;
  find_policies(plan, lookups, constants, counted, result);
  if (!plan.reservation_printed) return bound_hidden(plan, lookups, constants, result);
  copy_printed(plan, result);
  if (lookups) check_kjt(plan, found, *lookups, counted, result);
}

}  // namespace shardstats::infer_detail
