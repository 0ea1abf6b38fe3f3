// Checks of the rank percentages against the planning (usable) memory (log-format.md section 6.2).
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "analysis/shares.h"

namespace shardstats::analysis {
namespace {

// How far the printed share is from what the capacity gives; a neighbouring percentage may be a device of its own size.
constexpr double kOtherDevice = 0.01;

// Would one device be so much smaller or larger than device 0 as none of one job is? Those of data centres have 16 to
// 141 GB.
bool is_implausible(RealInterval capacity, RealInterval planning) {
  constexpr double kMostTimes = 10;
  return capacity.high * kMostTimes < planning.low || planning.high * kMostTimes < capacity.low;
}

// In GB. A share of 0 % leaves any larger device.
std::string capacity_text(RealInterval capacity) {
  const std::int64_t least = capped(std::ceil(capacity.low));
  if (capacity.high == std::numeric_limits<double>::max())
    return "at least " + expected_bytes({least, least}, Format::r3, kGiB).text;
  return expected_bytes({least, capped(std::floor(capacity.high))}, Format::r3, kGiB).text;
}

// What else the share may say, where devices can have capacities of their own. `planning`: that of device 0.
std::string other_device_text(const Share& share, RealInterval planning) {
  const RealInterval capacity = share.capacity();
  if (share.rank == 0 || share.impossible() || is_implausible(capacity, planning)) return {};
  return ", unless this device alone has " + capacity_text(capacity) + " GB for the planner";
}

void add_share(Checks& checks, const MemoryKind& kind, RealInterval planning, const Share& share, bool one_capacity) {
  const Cell& cell = share.row->*kind.percent;
  Finding& finding = checks.add_rank(kind.rule, cell, share.rank);
  if (apart(share.printed, share.expected) < kOtherDevice && share.rank != 0 && !one_capacity)
    finding.severity = Severity::warning;
  const std::string rank = share.rank < 0 ? "a rank" : "rank " + std::to_string(share.rank);
  set_expected(finding, std::string(kind.column.what) + " share of " + rank, expected_percent(share.expected));
  if (!one_capacity) finding.message += other_device_text(share, planning);
  finding.suspects.push_back({share.row->*kind.column.cell, "the memory that the share is of"});
}

void add_capacity(Checks& checks, const MemoryKind& kind, const Cell& cell, RealInterval common) {
  Finding& finding = checks.add(RuleId::reservation_capacity, cell);
  const ByteInterval bytes{capped(common.low), capped(std::min(common.high, 9e18))};
  Expected expected = expected_bytes(bytes, Format::r3, kGiB);
  expected.text = capacity_text(common);
  set_expected(finding, "planning " + std::string(kind.column.what), std::move(expected));
  finding.message += ", since the shares of all ranks agree on that";
}

// The memory that row-wise tables are split by (storage-model.md section 3.3).
bool splits_rows(const Checks& checks, const MemoryKind& kind) {
  return (checks.plan.setting.device == Device::cpu) == (kind.slot == kDdr.slot);
}

// Are rows split unevenly, as by capacities of this memory? They may be where cells are lost that would show it.
bool has_uneven_rows(const Checks& checks, const MemoryKind& kind) {
  if (!splits_rows(checks, kind)) return false;
  const auto may_hide = [](const PlanTable& t) { return !t.sized || t.may_follow_capacities(); };
  const auto is_nameless = [](const PrintedRank& row) { return rank_number(row) < 0; };
  return checks.plan.missing || std::ranges::any_of(checks.plan.tables, may_hide) ||
         std::ranges::any_of(checks.printed.ranks.rows, is_nameless);
}

// So many ranks that speak for one capacity outweigh another one: more of them where rows are split by capacities of
// this memory, and one where not even the memory that decides about rows speaks for devices of different capacities.
std::ptrdiff_t enough_ranks(const Checks& checks, const MemoryKind& kind) {
  if (!splits_rows(checks, kind)) return kind.slot == kDdr.slot && hbm_shares(checks).one_capacity() ? 1 : 2;
  return has_uneven_rows(checks, kind) ? 5 : 2;
}

// What a rank has of the rows of the largest table, relative to rank 0, where capacities split these; else nothing.
std::optional<RealInterval> rows_like_rank_0(const Checks& checks, int rank) {
  const auto& tables = checks.plan.tables;
  const auto rows = [](const PlanTable& t) { return t.row_split == RowSplitKind::by_memory ? t.rows : 0; };
  const auto largest = std::ranges::max_element(tables, {}, rows);
  if (largest == tables.end() || rows(*largest) == 0) return std::nullopt;
  const auto shards = checks.plan.shards_of(*largest);
  const auto cut = static_cast<double>(shards.size());  // rows that a part can differ from its share
  if (static_cast<std::size_t>(rank) >= shards.size()) return std::nullopt;
  const RealInterval first = real(shards.front().sizes->rows),
                     own = real(shards[static_cast<std::size_t>(rank)].sizes->rows);
  if (first.low <= cut) return std::nullopt;
  return RealInterval{std::max(own.low - cut, 0.0) / (first.high + cut), (own.high + cut) / (first.low - cut)};
}

// Is the only share that the printed capacity does not give wrong, rather than that of a device of its own? Yes where
// nothing else speaks for such a device (`alone`: no other number is wrong), and where the other ranks speak for one
// capacity: enough of them agree with the printed one, which is that of rank 0, and rule out what would explain this
// one.
bool is_outlier(const Checks& checks, const MemoryKind& kind, RealInterval planning, const std::vector<Share>& shares,
                const Share& outlier, bool alone) {
  if (outlier.one_step_off()) return false;
  const RealInterval capacity = outlier.capacity();
  const auto rows = splits_rows(checks, kind) ? rows_like_rank_0(checks, outlier.rank) : std::nullopt;
  if (rows && planning.low > 0) return !rows->overlaps({capacity.low / planning.high, capacity.high / planning.low});
  if (is_implausible(capacity, planning)) return true;
  if (alone && !has_uneven_rows(checks, kind)) return true;  // one device more is no simpler than one wrong cell
  const auto against = std::ranges::count_if(shares, [&](const Share& s) {
    const RealInterval own = s.rank == 0 ? narrowed(s.capacity(), planning) : s.capacity();
    return s.agrees() && !own.overlaps(capacity);
  });
  return against >= enough_ranks(checks, kind);
}

// Devices can have capacities of their own since v0.8.0 (storage-model.md section 3.3).
bool capacities_may_differ(const Checks& checks) {
  return std::ranges::any_of(checks.plan.releases, [](Release release) { return rules_of(release).uneven_rows; });
}

// What lies on each rank besides shards of other than row-wise tables: dense, KJT and its parts of row-wise tables.
std::vector<RealInterval> row_wise_parts(const Checks& checks, const MemoryKind& kind,
                                         const std::vector<Share>& shares) {
  std::vector<RealInterval> parts;
  std::multimap<int, std::size_t> of_rank;
  for (const Share& share : shares) {
    of_rank.emplace(share.rank, parts.size());
    parts.push_back(share.used);
  }
  for (const PlanTable& table : checks.plan.tables) {
    if (table.sharding == Sharding::rw) continue;
    for (const PlanShard& shard : checks.plan.shards_of(table)) {
      if (!shard.rank) continue;
      const auto [first, end] = of_rank.equal_range(*shard.rank);
      for (auto part = first; part != end; ++part)
        parts[part->second] = parts[part->second] - real(shard.sizes->*kind.column.shard);
    }
  }
  return parts;
}

// Does that memory hold all rows? Of a cached or key-value table it takes as much on each rank as the rules say.
bool holds_rows(const PlanTable& table, const MemoryKind& kind) {
  if (kind.slot == kDdr.slot) return true;  // rows are split by that memory on devices without any other
  const KernelSpeed speed = table.kernel != nullptr ? table.kernel->speed : KernelSpeed::unknown;
  return speed >= KernelSpeed::dense && speed <= KernelSpeed::fused && !table.choice.virtual_table;
}

// The least that the rows of all row-wise tables take of that memory, bytes.
double row_wise_weights(const Checks& checks, const MemoryKind& kind) {
  double weights = 0;
  for (const PlanTable& table : checks.plan.tables)
    if (table.sharding == Sharding::rw && table.explained && holds_rows(table, kind))
      weights += std::min(static_cast<double>(table.rows) * static_cast<double>(table.cols) * table.choice.element_size,
                          real((table.*kind.table).bytes).low);
  return weights;
}

// With capacities of their own devices get parts of row-wise tables in proportion to them. Is the part of each rank
// with a wrong share too close to that of all others for its capacity?
bool split_evenly(const Checks& checks, const MemoryKind& kind, const std::vector<Share>& shares) {
  if (!splits_rows(checks, kind) || shares.size() != checks.plan.ranks.size()) return false;
  // A table of few buckets may be split evenly whatever the capacities; not likely all of several tables.
  constexpr std::ptrdiff_t kManyTables = 2;
  const auto is_row_wise = [](const PlanTable& table) { return table.sharding == Sharding::rw; };
  if (std::ranges::any_of(checks.plan.releases, [](Release release) { return rules_of(release).buckets; }) &&
      std::ranges::count_if(checks.plan.tables, is_row_wise) < kManyTables)
    return false;
  const double weights = row_wise_weights(checks, kind), even = 1 / static_cast<double>(shares.size());
  const std::vector<RealInterval> parts = row_wise_parts(checks, kind, shares);
  RealInterval sum{};
  for (const RealInterval part : parts) sum = sum + part;
  const RealInterval mean = sum * exactly(even);
  const auto is_even = [&](std::size_t outlier) {
    RealInterval others{};
    for (const Share& share : shares)
      if (share.rank != shares[outlier].rank) others = others + share.capacity();
    const RealInterval own = shares[outlier].capacity(), from_mean = parts[outlier] - mean;
    const double least = own.low / (own.low + others.high), most = own.high / (own.high + others.low);
    const double from_even = apart({least, most}, exactly(even)) * weights;
    return from_even > std::max(from_mean.high, -from_mean.low);
  };
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (!shares[i].agrees() && !is_even(i)) return false;
  return true;
}

void add_own_capacities(Checks& checks, const MemoryKind& kind, const Share& share) {
  const Cell& cell = share.row->*kind.percent;
  Finding& finding = checks.add_rank(kind.rule, cell, share.rank);
  finding.severity = Severity::note;
  finding.message = std::string(kind.column.what) + " shares of the ranks do not fit one capacity (rank " +
                    std::to_string(share.rank) + ": " + std::string(cell.text) + "% instead of " +
                    expected_percent(share.expected).text + "%), so every device is taken to have its own";
}

// What the printed shares say of the capacities of the devices.
enum class Capacities : std::uint8_t {
  not_told,    // no capacity is printed, or no share can be read
  as_printed,  // shares that differ are wrong
  misprinted,  // all shares are of one capacity, and another one is printed
  own,         // every device may have its own
};
struct Judgement {
  Capacities capacities{};
  std::vector<const Share*> wrong{};     // that the printed capacity does not give
  std::optional<RealInterval> common{};  // misprinted: the capacity of all shares
  bool can_differ = true;                // does nothing rule out that devices have their own?
};

// `alone`: besides the shares no number of the block is wrong.
Judgement judge_shares(const Checks& checks, const MemoryKind& kind, const MemoryShares& of, bool alone) {
  const auto& [counted, capacity, shares] = of;
  if (!capacity || shares.empty()) return {};
  Judgement judged{Capacities::as_printed, of.wrong()};
  const std::vector<const Share*>& wrong = judged.wrong;
  if (wrong.empty()) return judged;
  // The printed capacity is that of device 0 (section 7, Q28), so rank 0 has to agree in any case.
  const bool first_wrong = wrong.front()->rank == 0;
  const bool may_agree = counted && first_wrong && wrong.size() > 1;
  judged.common = may_agree ? common_capacity(shares) : std::nullopt;
  if (judged.common) {
    judged.capacities = Capacities::misprinted;
    return judged;
  }
  judged.can_differ = capacities_may_differ(checks) && !split_evenly(checks, kind, shares);
  const bool are_wrong =
      !counted || !judged.can_differ ||
      (wrong.size() == 1 && (first_wrong || wrong.front()->impossible() ||
                             is_outlier(checks, kind, uncut(*capacity), shares, *wrong.front(), alone)));
  if (!are_wrong) judged.capacities = Capacities::own;
  return judged;
}

// Adds what is wrong. Returns whether the shares were compared with the printed capacity.
bool check_kind(Checks& checks, const MemoryKind& kind, const MemoryShares& of, bool alone) {
  const Judgement judged = judge_shares(checks, kind, of, alone);
  const auto add_wrong = [&](const Share& share) {
    add_share(checks, kind, uncut(*of.planning), share, !judged.can_differ);
  };
  switch (judged.capacities) {
    case Capacities::not_told:
      return false;
    case Capacities::as_printed:
      for (const Share* share : judged.wrong) add_wrong(*share);
      return true;
    case Capacities::misprinted:
      add_capacity(checks, kind, checks.printed.slot(LineId::planning_memory, kind.slot), *judged.common);
      return true;
    case Capacities::own:
      if (judged.wrong.front()->rank == 0) add_wrong(*judged.wrong.front());
      add_own_capacities(checks, kind, *judged.wrong.back());
      return false;
  }
  return false;
}

// Is nothing wrong but shares of one memory? A device of its own may leave other numbers wrong as well where rows were
// split evenly, or both of its shares.
bool are_alone(const Checks& checks, const MemoryShares& hbm, const MemoryShares& ddr) {
  const auto only_wrong_row = [](const MemoryShares& of) {
    const std::vector<const Share*> wrong = of.wrong();
    return wrong.size() == 1 ? wrong.front()->row : nullptr;
  };
  const PrintedRank* row = only_wrong_row(hbm);
  const bool both = row != nullptr && row == only_wrong_row(ddr);
  return !both && std::ranges::none_of(checks.findings, disputes_number);
}

}  // namespace

void check_percentages(Checks& checks) {
  const MemoryShares hbm = hbm_shares(checks), ddr = ddr_shares(checks);
  const bool alone = are_alone(checks, hbm, ddr);
  checks.compared.hbm_percent = hbm_may_be_counted(checks) && check_kind(checks, kHbm, hbm, alone);
  checks.compared.ddr_percent = check_kind(checks, kDdr, ddr, alone);
  checks.compared.planning_hbm = checks.compared.hbm_percent && hbm.counted;
}

bool capacities_differ(const PrintedPlan& printed, const Plan& plan) {
  std::vector<Finding> none;
  const Checks checks{printed, plan, none};
  const MemoryShares shares = hbm_shares(checks);
  if (!shares.counted || common_capacity(shares.ranks)) return false;
  const Judgement judged = judge_shares(checks, kHbm, shares, are_alone(checks, shares, ddr_shares(checks)));
  return judged.capacities == Capacities::own || judged.capacities == Capacities::not_told;
}

}  // namespace shardstats::analysis
