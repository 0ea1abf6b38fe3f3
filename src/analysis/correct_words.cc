// Rows that stand twice or are lost, wrong sharding types and wrong lists of ranks.
#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/byte_columns.h"
#include "analysis/corrections.h"
#include "shardstats/log/missing_tables.h"

namespace shardstats::analysis {
namespace {

constexpr int kOddKernel = 3;   // cells that a sharding type which is seldom or never seen with its kernel counts as
constexpr int kMostMoved = 64;  // shards of a table on one rank that a wrong list may hide
constexpr double kFar = 1000;   // roundings by which a sum may be missed at most

template <class Row>
void add_repeated(const PrintedPlan& printed, ColumnTable<Row> PrintedPlan::*table, Cell Row::*name,
                  Corrections& corrections) {
  const auto& rows = (printed.*table).rows;
  for (std::size_t i = 1; i < rows.size() && (printed.*table).odd.empty(); ++i)
    if (const Cell& cell = rows[i].*name; cell && cell.text == (rows[i - 1].*name).text)
      corrections.add(cell, "the row stands twice", [table, i](PrintedPlan& plan) {
        auto& all = (plan.*table).rows;
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
      });
}

void add_repeated_rows(const PrintedPlan& printed, Corrections& corrections) {
  add_repeated(printed, &PrintedPlan::ranks, &PrintedRank::rank, corrections);
  add_repeated(printed, &PrintedPlan::tables, &PrintedTable::fqn, corrections);
}

// Of one wrong word.
bool may_be_of_words(const ShardDifference& difference) { return !difference.empty() && difference.size() <= 2; }

// Several tables may be the wrong one: which of them do the ranks' cells speak against?
class Witnesses {
 public:
  explicit Witnesses(const Disputed& disputed) : printed_(disputed.printed), plan_(disputed.plan) {}

  // Cells that are left unexplained if the ranks have so many more (or fewer) shards of the table.
  int against(std::size_t t, const std::map<int, int>& counts) {
    if (!plan_.sized) return missed(t, counts);
    int wrong = 0;
    for (const auto& [rank, count] : counts) wrong += unaccounted(t, rank, count);
    return wrong;
  }

 private:
  int unaccounted(std::size_t t, int rank, int count) const {
    const PlanTable* table = plan_.table_of_row(static_cast<std::uint32_t>(t));
    const auto at = static_cast<std::size_t>(rank);
    if (table == nullptr || table->shard_count == 0 || at >= plan_.ranks.size()) return 0;
    const PlanRank& planned = plan_.ranks[at];
    const PrintedRank& row = printed_.ranks.rows[at];
    const ShardSizes& shard = *plan_.shards[table->first_shard].sizes;
    int wrong = 0;
    const auto compare = [&](const std::optional<RealInterval>& printed, RealInterval expected, RealInterval each) {
      const RealInterval moved = each * exactly(std::abs(static_cast<double>(count)));
      if (printed && !printed->overlaps(count < 0 ? expected - moved : expected + moved)) ++wrong;
    };
    for (const ByteColumn& column : kByteColumns) {
      const Expectation& expected = planned.*column.expected;
      const auto printed = expected.known ? column.printed_in(printed_, row) : std::nullopt;
      if (printed) compare(real(*printed), real(expected.bytes), real(shard.*column.shard));
    }
    if (!planned.expected_perf.known || !table->perf.known) return wrong;
    const PlanPerf& perf = planned.expected_perf.expected;
    compare(values_printed_as(row.perf.total.text, printed_.format_of(RoundedNumbers::rank_perf)), perf.total,
            table->shard_perf.total);
    for (std::size_t p = 0; p < row.perf.count; ++p)
      compare(values_printed_as(row.perf.components[p].text, Format::c1), perf.parts[p], table->shard_perf.parts[p]);
    return wrong;
  }

  // Without the sizes of tables: by how many roundings the printed cells of the tables, in equal shares, miss the
  // difference of two ranks between which a shard moves. What is the same on all ranks does not count.
  int missed(std::size_t t, const std::map<int, int>& counts) {
    if (counts.size() != 2 || counts.begin()->second + counts.rbegin()->second != 0) return 0;
    read_sums();
    const PrintedTable& row = printed_.tables.rows[t];
    const auto from = static_cast<std::size_t>(counts.begin()->first);
    const auto to = static_cast<std::size_t>(counts.rbegin()->first);
    if (from >= sums_.size() || to >= sums_.size()) return 0;
    const double moved = counts.begin()->second;
    const Format gigabytes = printed_.format_of(RoundedNumbers::rank_memory);
    double distance = 0;
    const auto compare = [&](const Cell& one, const Cell& other, Format format, RealInterval Shares::*sum,
                             RealInterval share) {
      const auto a = values_printed_as(one.text, format), b = values_printed_as(other.text, format);
      if (!a || !b) return;
      const RealInterval rest = (*a - sums_[from].*sum) - (*b - sums_[to].*sum) - share * exactly(2 * moved);
      const double miss = std::max({rest.low, -rest.high, 0.0});
      const double rounding = a->width();
      distance += miss == 0 ? 0 : rounding > 0 ? std::min(miss / rounding, kFar) : kFar;
    };
    const Shares own = shares_of(row, shard_count(row));
    const PrintedRank &one = printed_.ranks.rows[from], &other = printed_.ranks.rows[to];
    compare(one.hbm, other.hbm, gigabytes, &Shares::hbm, own.hbm);
    compare(one.ddr, other.ddr, gigabytes, &Shares::ddr, own.ddr);
    compare(one.perf.total, other.perf.total, printed_.format_of(RoundedNumbers::rank_perf), &Shares::perf, own.perf);
    return static_cast<int>(std::ceil(distance));
  }

  struct Shares {
    RealInterval hbm{}, ddr{}, perf{};  // as printed: GB and ms
  };

  static double shard_count(const PrintedTable& row) {
    std::vector<int> ranks;
    return parse_ranks(row.ranks.text, ranks) && !ranks.empty() ? static_cast<double>(ranks.size()) : 1;
  }
  Shares shares_of(const PrintedTable& row, double shards) const {
    const auto share = [&](const Cell& cell, RoundedNumbers column) {
      return values_printed_as(cell.text, printed_.format_of(column)).value_or(RealInterval{}) * exactly(1 / shards);
    };
    return {share(row.hbm, RoundedNumbers::table_storage), share(row.ddr, RoundedNumbers::table_storage),
            share(row.perf.total, RoundedNumbers::table_perf)};
  }
  void read_sums() {
    if (!sums_.empty()) return;
    sums_.resize(printed_.ranks.rows.size());
    std::vector<int> ranks;
    for (const PrintedTable& row : printed_.tables.rows) {
      ranks.clear();
      if (!parse_ranks(row.ranks.text, ranks) || ranks.empty()) continue;
      const Shares each = shares_of(row, static_cast<double>(ranks.size()));
      for (const int rank : ranks) {
        if (static_cast<std::size_t>(rank) >= sums_.size()) continue;
        Shares& sum = sums_[static_cast<std::size_t>(rank)];
        sum = {sum.hbm + each.hbm, sum.ddr + each.ddr, sum.perf + each.perf};
      }
    }
  }

  const PrintedPlan& printed_;
  const Plan& plan_;
  std::vector<Shares> sums_;  // by rank; made when needed
};

// One type has too few shards on exactly the table's ranks, the printed one as many too many.
void add_sharding(const PrintedPlan& plan, std::size_t t, const std::vector<int>& ranks,
                  const ShardDifference& difference, Corrections& corrections) {
  const PrintedTable& row = plan.tables.rows[t];
  std::map<int, int> own;
  for (const int rank : ranks) ++own[rank];
  const auto too_many = difference.find(row.sharding.text);
  if (too_many == difference.end()) return;
  const auto& other = too_many == difference.begin() ? *std::next(difference.begin()) : *difference.begin();
  const auto count_at = [](const std::map<int, int>& counts, int rank) {
    const auto found = counts.find(rank);
    return found == counts.end() ? 0 : found->second;
  };
  for (const auto& [rank, count] : own)
    if (count_at(too_many->second, rank) != -count || count_at(other.second, rank) != count) return;
  Correction& correction =
      corrections.add_text(row.sharding, std::string(other.first), &PrintedPlan::tables, t, &PrintedTable::sharding);
  if ((other.first == "DP") != row.kernel.text.ends_with("dense")) correction.against = kOddKernel;
}

// Shards of the table's type are missing on some ranks and too many on others.
void add_ranks(const PrintedPlan& plan, std::size_t t, std::vector<int> ranks, const std::map<int, int>& counts,
               Witnesses& witnesses, Corrections& corrections) {
  const PrintedTable& row = plan.tables.rows[t];
  // Several shards more or fewer on one rank alone: its own count is wrong.
  if (counts.size() == 1 && std::abs(counts.begin()->second) > 1) return;
  if (ranks.size() * counts.size() > kMostPairs) return;
  for (const auto& [rank, count] : counts) {
    if (std::abs(count) > kMostMoved) return;
    for (int i = 0; i < count; ++i) ranks.push_back(rank);
    for (int i = 0; i > count; --i) {
      const auto found = std::ranges::find(ranks, rank);
      if (found == ranks.end()) return;
      ranks.erase(found);
    }
  }
  if (ranks.empty()) return;
  std::ranges::sort(ranks);
  const bool on_all = is_on_all_ranks(row.sharding.text);
  if (on_all && (ranks.size() != plan.ranks.rows.size() || std::ranges::adjacent_find(ranks) != ranks.end())) return;
  Correction& correction =
      corrections.add_text(row.ranks, ranks_text(ranks), &PrintedPlan::tables, t, &PrintedTable::ranks);
  correction.against = witnesses.against(t, counts);
}

}  // namespace

bool may_have_wrong_rows(const PrintedPlan& printed) {
  Corrections repeated;
  add_repeated_rows(printed, repeated);
  return !repeated.all().empty() || may_be_of_words(shard_difference(printed));
}

void add_repeated_rows(const Disputed& disputed, Corrections& corrections) {
  add_repeated_rows(disputed.printed, corrections);
}

void add_lost_rank(const Disputed& disputed, Corrections& corrections) {
  constexpr std::int64_t kMany = 8;  // errors: all that depends on the number of ranks is wrong
  const auto& rows = disputed.printed.ranks.rows;
  if (rows.empty() || disputed.printed.has_lost_ranks() || count(disputed.report.findings).error < kMany) return;
  // The list of a table that is split over all ranks would name it.
  if (std::ranges::any_of(disputed.plan.tables, &PlanTable::on_every_rank)) return;
  corrections.add(rows.back().rank, "the row of a rank without shards is missing after this one",
                  [](PrintedPlan& plan) { plan.ranks.rows.emplace_back().lost = true; });
}

void add_wrong_words(const Disputed& disputed, Corrections& corrections) {
  const PrintedPlan& printed = disputed.printed;
  const ShardDifference difference = shard_difference(printed);
  if (!may_be_of_words(difference)) return;
  Witnesses witnesses(disputed);
  for (std::size_t t = 0; t < printed.tables.rows.size(); ++t) {
    std::vector<int> ranks;
    const PrintedTable& row = printed.tables.rows[t];
    if (!parse_ranks(row.ranks.text, ranks) || ranks.empty()) continue;
    if (difference.size() == 2)
      add_sharding(printed, t, ranks, difference, corrections);
    else if (difference.size() == 1 && row.sharding.text == difference.begin()->first)
      add_ranks(printed, t, std::move(ranks), difference.begin()->second, witnesses, corrections);
  }
  std::map<std::uint32_t, int> findings_at;  // by line: those on the row itself speak for its being wrong
  for (const Finding& finding : disputed.report.findings) ++findings_at[finding.where.place.line];
  std::ranges::stable_sort(corrections.all(), {}, [&](const Correction& c) {
    return std::pair(c.against, -findings_at[c.culprit.place.line]);
  });
}

}  // namespace shardstats::analysis
