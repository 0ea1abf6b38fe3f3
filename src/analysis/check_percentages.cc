// Checks of the rank percentages against the planning (usable) memory (log-format.md section 6.2).
#include <algorithm>
#include <limits>

#include "analysis/checks.h"

namespace shardstats::analysis {
namespace {

struct Kind {
  RuleId rule;
  std::string_view what;
  Cell PrintedRank::*used;
  Cell PrintedRank::*percent;
  ByteInterval PlanRank::*bytes;
  Expectation PlanRank::*expected;
  std::size_t slot;  // of the planning memory line
};
constexpr Kind kHbm{RuleId::rank_hbm_percent, "HBM", &PrintedRank::hbm, &PrintedRank::hbm_percent, &PlanRank::hbm,
                    &PlanRank::expected_hbm, 0};
constexpr Kind kDdr{RuleId::rank_ddr_percent, "DDR", &PrintedRank::ddr, &PrintedRank::ddr_percent, &PlanRank::ddr,
                    &PlanRank::expected_ddr, 1};

// One rank's share: what is printed, and what the printed capacity makes of it.
struct Share {
  const PrintedRank* row = nullptr;
  int rank = 0;
  RealInterval used{}, printed{}, expected{};
  bool agrees() const { return printed.overlaps(expected); }
  // Capacities that give the printed share.
  RealInterval capacity() const {
    const double high = printed.low > 0 ? used.high / printed.low : std::numeric_limits<double>::max();
    return {printed.high > 0 ? used.low / printed.high : 0, high};
  }
};

Format memory_format(const Checks& checks) {
  const Release release = checks.printed.releases.front();
  return release >= Release::v0_8_0 ? Format::r3 : release == Release::v0_1_0 ? Format::f1 : Format::r1;
}

RealInterval real(ByteInterval x) { return {static_cast<double>(x.low), static_cast<double>(x.high)}; }

bool has_hbm_share(const Checks& checks) {
  const Setting& setting = checks.plan.setting;
  return setting.device == Device::cuda || (setting.device == Device::mtia && setting.rules->mtia_percent);
}

// The planner divides by the capacity before it was cut to whole bytes.
RealInterval divisor(ByteInterval capacity) {
  return {static_cast<double>(capacity.low), static_cast<double>(capacity.high) + 1};
}

std::vector<Share> shares_of(const Checks& checks, const Kind& kind, ByteInterval capacity, bool counted) {
  std::vector<Share> shares;
  for (const PrintedRank& row : checks.printed.ranks.rows) {
    const auto used = bytes_printed_as((row.*kind.used).text, memory_format(checks), kGiB);
    const auto percent = values_printed_as((row.*kind.percent).text, Format::p0);
    if (!used || !percent) continue;
    Share share{&row, rank_number(row), real(*used), *percent, {}};
    const PlanRank* plan = checks.plan_rank(share.rank);
    if (plan != nullptr && (plan->*kind.expected).known && !(plan->*kind.expected).contradicted)
      share.used = real(plan->*kind.bytes);
    if (counted && capacity.high > 0) {
      const RealInterval by = divisor(capacity);
      share.expected = {share.used.low / by.high, share.used.high / std::max(by.low, 1.0)};
    }
    shares.push_back(share);
  }
  return shares;
}

std::string percent_text(RealInterval share) {
  std::string low = format(share.low, Format::p0), high = format(share.high, Format::p0);
  return low == high ? low : low + ".." + high;
}

void add_share(Checks& checks, const Kind& kind, const Share& share) {
  const Cell& cell = share.row->*kind.percent;
  Finding& finding = checks.add_rank(kind.rule, cell, share.rank);
  finding.expected = Expected{RealInterval{share.expected.low * 100, share.expected.high * 100}, "percent",
                              percent_text(share.expected)};
  finding.message = differs(std::string(kind.what) + " share of rank " + std::to_string(share.rank), cell.text, "%",
                            finding.expected->text);
  finding.suspects.push_back({share.row->*kind.used, "the memory that the share is of"});
}

// Do all ranks agree on one capacity that is not the printed one?
bool agree_on_another(const std::vector<Share>& shares, RealInterval& common) {
  common = {0, std::numeric_limits<double>::max()};
  for (const Share& share : shares) {
    const auto both = intersection(common, share.capacity());
    if (!both) return false;
    common = *both;
  }
  return shares.size() > 1;
}

void add_capacity(Checks& checks, const Kind& kind, const Cell& cell, RealInterval common) {
  Finding& finding = checks.add(RuleId::reservation_capacity, cell);
  const ByteInterval bytes{static_cast<std::int64_t>(common.low), static_cast<std::int64_t>(std::min(common.high, 9e18))};
  finding.expected = expected_bytes(bytes, Format::r3, kGiB);
  finding.message = differs(std::string("planning ") + std::string(kind.what), cell.text, " GB",
                            finding.expected->text) + ", since the shares of all ranks agree on that";
}

// True: the shares were compared. False: every device may have its own capacity, or no capacity is printed.
bool check_kind(Checks& checks, const Kind& kind, bool counted) {
  const Cell cell = checks.printed.slot(LineId::planning_memory, kind.slot);
  const auto capacity = bytes_printed_as(cell.text, Format::r3, kGiB);
  if (!capacity || checks.printed.ranks.rows.empty()) return false;
  const std::vector<Share> shares = shares_of(checks, kind, *capacity, counted);
  const auto wrong = static_cast<std::size_t>(std::ranges::count_if(shares, [](const Share& s) { return !s.agrees(); }));
  if (wrong == 0) return true;
  RealInterval common{};
  if (counted && wrong > 1 && agree_on_another(shares, common)) {
    add_capacity(checks, kind, cell, common);
    return true;
  }
  // Only device 0 has the printed capacity; a majority that agrees with it speaks against capacities of their own.
  const bool first_wrong = !shares.empty() && !shares.front().agrees();
  if (wrong * 2 >= shares.size() && shares.size() > 2) return false;
  if (shares.size() == 2 && !first_wrong) return false;
  for (const Share& share : shares)
    if (!share.agrees()) add_share(checks, kind, share);
  return true;
}

}  // namespace

void check_percentages(Checks& checks) {
  const bool known_device = checks.plan.sized;
  const auto zero = [](const PrintedRank& row) { return row.hbm_percent.text == "0"; };
  const bool all_zero = std::ranges::all_of(checks.printed.ranks.rows, zero);
  // Without tables the device is not known; shares of zero may be those of a device whose HBM is not counted.
  const bool hbm_known = known_device || !all_zero;
  const bool counted = known_device ? has_hbm_share(checks) : true;
  checks.compared.hbm_percent = hbm_known && check_kind(checks, kHbm, counted);
  checks.compared.ddr_percent = check_kind(checks, kDdr, true);
  checks.compared.planning_hbm = checks.compared.hbm_percent && counted;
  checks.compared.planning_ddr = checks.compared.ddr_percent;
}

}  // namespace shardstats::analysis
