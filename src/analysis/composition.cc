#include "shardstats/analysis/composition.h"

#include <algorithm>
#include <array>
#include <map>

#include "analysis/shares.h"

namespace shardstats {
namespace {

constexpr std::array<const char*, 5> kLargestNames = {"largest table", "2nd largest", "3rd largest", "4th largest",
                                                      "5th largest"};

HbmParts operator+(const HbmParts& a, const HbmParts& b) {
  return {a.weights + b.weights, a.optimizer + b.optimizer, a.cache + b.cache, a.buffers + b.buffers};
}

ByteInterval without_debt(ByteInterval x) {
  return {std::max<std::int64_t>(x.low, 0), std::max<std::int64_t>(x.high, 0)};
}

// Collects bytes by cause and rank.
class Causes {
 public:
  explicit Causes(std::size_t ranks) : ranks_(ranks) {}

  // The cause of that name, made behind all others if it is new.
  RankCause& of(std::string_view name) {
    const auto found = std::ranges::find(causes_, name, &RankCause::name);
    if (found != causes_.end()) return *found;
    return causes_.emplace_back(RankCause{std::string(name), std::vector<ByteInterval>(ranks_), {}});
  }
  void add(std::string_view name, std::size_t rank, ByteInterval bytes) {
    ByteInterval& sum = of(name).bytes[rank];
    sum = sum + bytes;
  }
  std::vector<RankCause> take() {
    const auto empty = [](const RankCause& cause) {
      return std::ranges::all_of(cause.bytes, [](ByteInterval b) { return b.high == 0; });
    };
    std::erase_if(causes_, empty);
    return std::move(causes_);
  }

 private:
  std::size_t ranks_;
  std::vector<RankCause> causes_;
};

struct TableBytes {
  std::uint32_t table = 0;
  ByteInterval bytes;
};

class Composer {
 public:
  Composer(const PrintedPlan& printed, const Plan& plan)
      : printed_(printed),
        plan_(plan),
        parts_(plan.ranks.size()),
        kernels_(plan.ranks.size()),
        tables_(plan.ranks.size()),
        on_rank_(plan.ranks.size()) {
    for (std::size_t r = 0; r < plan.ranks.size(); ++r) index_of_.emplace(plan.ranks[r].rank, r);
  }

  Composition compose() {
    Composition composition;
    composition.planning_hbm = analysis::planning_of_all(printed_, plan_);
    for (std::uint32_t t = 0; t < plan_.tables.size(); ++t) composition.tables.push_back(add_table(t));
    for (std::size_t r = 0; r < on_rank_.size(); ++r) add_largest(r);
    for (std::size_t r = 0; r < on_rank_.size(); ++r) add_rest(r);
    composition.by_part = parts_.take();
    composition.by_kernel = kernels_.take();
    composition.by_table = tables_.take();
    return composition;
  }

 private:
  // Where no bytes are known of some shard of the rank, none of its causes would be complete.
  bool is_rebuilt(std::size_t rank) const { return plan_.sized && plan_.ranks[rank].expected_hbm.known; }

  std::optional<std::size_t> rebuilt_index(std::optional<int> rank) const {
    const auto found = rank ? index_of_.find(*rank) : index_of_.end();
    if (found == index_of_.end() || !is_rebuilt(found->second)) return std::nullopt;
    return found->second;
  }

  HbmParts add_table(std::uint32_t t) {
    const PlanTable& table = plan_.tables[t];
    HbmParts sum;
    for (const PlanShard& shard : plan_.shards_of(table)) {
      const HbmParts parts = hbm_parts(*shard.sizes);
      sum = sum + parts;
      const auto rank = rebuilt_index(shard.rank);
      if (!rank) continue;
      parts_.add("weights", *rank, parts.weights);
      parts_.add("optimizer state", *rank, parts.optimizer);
      parts_.add("cache", *rank, parts.cache);
      parts_.add("input and output", *rank, parts.buffers);
      kernels_.add(printed_.tables.rows[table.row].kernel.text, *rank, shard.sizes->hbm);
    }
    for (const RankBytes& here : hbm_by_rank(plan_, table))
      if (const auto rank = rebuilt_index(here.rank)) on_rank_[*rank].push_back({t, here.bytes});
    const ByteInterval room{0, plan_.total_of(table, &ShardSizes::hbm, table.hbm).high};
    return {narrowed(sum.weights, room), narrowed(sum.optimizer, room), narrowed(sum.cache, room),
            narrowed(sum.buffers, room)};
  }

  void add_largest(std::size_t rank) {
    std::vector<TableBytes>& here = on_rank_[rank];
    const std::size_t shown = std::min(here.size(), kLargestNames.size());
    const auto larger = [](const TableBytes& a, const TableBytes& b) { return a.bytes.high > b.bytes.high; };
    std::ranges::stable_sort(here, larger);
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (i >= shown) {
        tables_.add("other tables", rank, here[i].bytes);
        continue;
      }
      tables_.add(kLargestNames[i], rank, here[i].bytes);
      RankCause& cause = tables_.of(kLargestNames[i]);
      cause.tables.resize(on_rank_.size());
      cause.tables[rank] = here[i].table;
    }
  }

  void add_rest(std::size_t rank) {
    for (Causes* causes : {&parts_, &kernels_, &tables_}) {
      if (!is_rebuilt(rank)) {
        causes->add("not rebuilt", rank, plan_.ranks[rank].hbm);
      } else if (plan_.setting.rules->counts_reservation) {
        causes->add("dense modules", rank, plan_.dense_hbm);
        causes->add("KJT", rank, plan_.kjt_hbm);
      }
    }
  }

  const PrintedPlan& printed_;
  const Plan& plan_;
  Causes parts_, kernels_, tables_;
  std::vector<std::vector<TableBytes>> on_rank_;
  std::map<int, std::size_t> index_of_;  // of a rank in Plan::ranks
};

}  // namespace

HbmParts hbm_parts(const ShardSizes& shard) {
  if (shard.hbm.high == 0) return {};
  HbmParts parts;
  parts.buffers = narrowed(shard.pipeline_io, {0, shard.hbm.high});
  const ByteInterval rest = without_debt(shard.hbm - shard.pipeline_io);
  if (shard.ddr.high == 0) {
    const ByteInterval room{0, rest.high};
    parts.weights = narrowed(shard.tensor, room);
    parts.optimizer = narrowed(shard.optimizer, room);
    parts.cache = narrowed(shard.cache_aux, room);
  } else {
    parts.cache = rest;
  }
  return parts;
}

Composition compose(const PrintedPlan& printed, const Plan& plan) { return Composer(printed, plan).compose(); }

std::vector<RankBytes> hbm_by_rank(const Plan& plan, const PlanTable& table) {
  std::vector<RankBytes> ranks;
  for (const PlanShard& shard : plan.shards_of(table))
    if (shard.rank) ranks.push_back({*shard.rank, shard.sizes->hbm});
  std::ranges::stable_sort(ranks, {}, &RankBytes::rank);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (kept > 0 && ranks[kept - 1].rank == ranks[i].rank)
      ranks[kept - 1].bytes = ranks[kept - 1].bytes + ranks[i].bytes;
    else
      ranks[kept++] = ranks[i];
  }
  ranks.resize(kept);
  return ranks;
}

}  // namespace shardstats
