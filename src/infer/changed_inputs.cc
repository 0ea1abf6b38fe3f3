#include "infer/changed_inputs.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "infer/read_plan.h"
#include "infer/words.h"
#include "shardstats/limits.h"

namespace shardstats::infer_detail {
namespace {

using Reason = std::optional<std::string>;

bool is_by_columns(Sharding sharding) { return sharding == Sharding::cw || sharding == Sharding::twcw; }

std::string text_of(std::int64_t number) { return std::to_string(number); }

std::vector<int> ranks_from(std::int64_t first, std::int64_t count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), static_cast<int>(first));
  return ranks;
}

class Application {
 public:
  Application(const Inference& base, const std::vector<std::int64_t>& local_sizes, Texts& texts, ChangedInputs& changed)
      : base_(base), log_(*base.inputs.printed), local_sizes_(local_sizes), texts_(texts), out_(changed) {}

  Reason apply(std::span<const Change> changes) {
    out_.requests.resize(base_.inputs.tables.size());
    out_.now_at.resize(base_.inputs.tables.size());
    for (const Change& change : changes)
      if (auto why = add_request(change, out_.run, out_.requests)) return change.text + ": " + *why;
    if (auto why = copy_run()) return why;
    for (std::uint32_t t = 0; t < base_.inputs.tables.size(); ++t)
      if (!out_.requests[t].drop) copy_table(t);
    if (out_.inputs.tables.empty()) return "no table would be left";
    for (std::uint32_t t = 0; t < out_.inputs.tables.size(); ++t)
      if (auto why = change_table(t)) return std::string(out_.printed.tables.rows[t].fqn.text) + ": " + *why;
    return split_groups();
  }

 private:
  // ---- the run -----------------------------------------------------------------------------------------------------

  // Of the changed plan: whose rules it follows, and the oldest one that prints it like that.
  Release planning_release() const { return out_.run.release.value_or(base_.plan.setting.rules->release); }
  Release printing_release() const { return out_.run.release.value_or(log_.releases.front()); }

  Reason copy_run() {
    const PlanInputs& from = base_.inputs;
    PlanInputs& to = out_.inputs;
    out_.printed = log_;
    restore_lost_ranks();
    out_.printed.tables.rows.clear();
    out_.printed.tables.odd.clear();
    to.printed = &out_.printed;
    to.world_size = out_.run.world_size.value_or(from.world_size);
    to.batch_size = out_.run.batch_size ? static_cast<double>(*out_.run.batch_size) : from.batch_size;
    to.sized = true;
    to.reservation_printed = from.reservation_printed;
    if (out_.run.release) out_.printed.releases = {*out_.run.release};
    if (to.world_size < 1 || to.world_size > static_cast<std::int64_t>(kMostRanks)) return "no such world size";
    if (out_.run.local_world_size && to.world_size % *out_.run.local_world_size != 0)
      return "world_size " + text_of(to.world_size) + " is not a multiple of local_world_size " +
             text_of(*out_.run.local_world_size);
    if (auto why = check_release()) return why;
    if (out_.run.batch_size) set_slot(LineId::batch_size, text_of(*out_.run.batch_size));
    set_ranks();
    return {};
  }

  Reason check_release() const {
    const RunRequest& run = out_.run;
    const Release from = log_.releases.front(), release = planning_release();
    if (run.release && std::min(from, release) < Release::v0_4_0)
      return "only releases from v0.4.0 on print enough to be changed into one another";
    const PipelineRule rule = rules_of(release).pipeline;
    if (run.pipeline && rule == PipelineRule::sum)
      return std::string(name(release)) + " counts the same for every pipeline; its estimator does not know them";
    if (run.ephemeral && rule != PipelineRule::ephemeral)
      return std::string(name(release)) + " does not know count_ephemeral";
    const PerfRules& perf = perf_rules_of(release);
    if (run.backward && !perf.multiplier) return std::string(name(release)) + " does not know bwd_compute_multiplier";
    if (run.weighted_backward && !perf.weighted_multiplier)
      return std::string(name(release)) + " does not know weighted_feature_bwd_compute_multiplier";
    return {};
  }

  void set_slot(LineId id, std::string text) {
    if (const PrintedLine* line = out_.printed.find(id); line != nullptr && line->slot_count > 0)
      out_.printed.slots[line->first_slot].text = texts_.add(std::move(text));
  }

  // The planner would print all.
  void restore_lost_ranks() {
    auto& rows = out_.printed.ranks.rows;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (!rows[r].lost) continue;
      rows[r].lost = false;
      rows[r].rank.text = texts_.add(std::to_string(r));
    }
    if (log_.has_lost_ranks())
      std::erase_if(out_.printed.diagnostics, [](const Diagnostic& d) { return d.rule == "log.rank_rows"; });
  }

  void set_ranks() {
    auto& rows = out_.printed.ranks.rows;
    const auto ranks = static_cast<std::size_t>(out_.inputs.world_size);
    out_.printed.ranks.odd.clear();
    for (std::size_t r = rows.size(); r < ranks; ++r) rows.emplace_back().rank.text = texts_.add(std::to_string(r));
    rows.resize(ranks);
    PrintedSums any;
    for (const Quantity q : kRankQuantities) any[at(q)] = kAnyBytes;
    out_.inputs.ranks.assign(ranks, any);
  }

  // ---- tables ------------------------------------------------------------------------------------------------------

  void copy_table(std::uint32_t t) {
    TableInputs& table = out_.inputs.tables.emplace_back(base_.inputs.tables[t]);
    table.row = static_cast<std::uint32_t>(out_.printed.tables.rows.size());
    out_.printed.tables.rows.push_back(log_.tables.rows[t]);
    out_.now_at[t] = static_cast<std::uint32_t>(out_.base_rows.size());
    out_.base_rows.push_back(t);
    out_.unplaced.push_back(false);
  }

  void set(Cell& cell, std::string text) { cell.text = texts_.add(std::move(text)); }

  Reason change_table(std::uint32_t t) {
    TableInputs& table = out_.inputs.tables[t];
    PrintedTable& row = out_.printed.tables.rows[t];
    const TableRequest& asked = out_.requests[out_.base_rows[t]];
    const Sharding before = table.sharding;
    if (asked.rows) table.rows = *asked.rows, set(row.hash_size, text_of(*asked.rows));
    if (asked.kernel != nullptr) set_kernel(*asked.kernel, table, row);
    if (asked.cache_load_factor) {
      table.printed_ratio = *asked.cache_load_factor;
      set(row.cache_load_factor, format(*asked.cache_load_factor, Format::python_float));
    }
    if ((asked.cache_load_factor || asked.kernel != nullptr || out_.run.release) && row.cache_load_factor &&
        printing_release() >= Release::v1_1_0 && table.kernel->name != name(Kernel::fused_uvm_caching))
      set(row.cache_load_factor, "None");  // other kernels' factors are no longer printed, but still count
    set_lookups(asked, table, row);
    if (asked.sharding) table.sharding = *asked.sharding, set(row.sharding, std::string(name(*asked.sharding)));
    table.order_open = table.order_open && table.sharding == Sharding::twrw;
    if (auto why = check_kernel(table, asked, before)) return why;
    if (auto why = set_ranks(asked, before, t)) return why;
    if (asked.dim) table.cols = *asked.dim, set(row.emb_dim, text_of(*asked.dim));
    if (table.rows < 1 || table.cols < 1) return "rows and dim must be above 0";
    if (static_cast<double>(table.rows) * static_cast<double>(table.cols) >= static_cast<double>(kLargestTable))
      return "the table is larger than shardstats reads";
    if (table.sharding != Sharding::gs && (asked.dim || asked.sharding || !asked.ranks.empty())) {
      const auto shards = static_cast<std::int64_t>(table.ranks.size());
      return set_blocks(is_by_columns(table.sharding) ? shards : 0, table, row);
    }
    return {};
  }

  void set_kernel(const KernelTraits& kernel, TableInputs& table, PrintedTable& row) {
    table.kernel = &kernel;
    table.quant = is_quant(&kernel, row.sharder.text);
    set(row.kernel, std::string(kernel.name));
  }

  static constexpr bool is_fused(const KernelTraits& kernel) { return kernel.speed != KernelSpeed::dense; }

  Reason check_kernel(const TableInputs& table, const TableRequest& asked, Sharding before) const {
    const Release release = planning_release();
    const KernelTraits& kernel = *table.kernel;
    const bool changed = asked.kernel != nullptr || out_.run.release;
    if (changed && (release < kernel.since || kernel.until < release))
      return "compute kernel " + std::string(kernel.name) + " is not known to " + std::string(name(release));
    if (asked.kernel != nullptr && kernel.speed == KernelSpeed::unknown)
      return "no release says how fast compute kernel " + std::string(kernel.name) + " is";
    if (table.sharding == Sharding::dp && is_fused(kernel) && (asked.sharding || asked.kernel != nullptr))
      return "DP replicates dense parameters and has no compute kernel " + std::string(kernel.name) +
             "; add kernel=dense";
    if (before == Sharding::dp && table.sharding != Sharding::dp && !is_fused(kernel))
      return "a table that is no longer DP needs another compute kernel than dense; add kernel=fused";
    if (asked.sharding == Sharding::gs && !rules_of(release).grid)
      return "GS is not known to " + std::string(name(release));
    return {};
  }

  void set_lookups(const TableRequest& asked, TableInputs& table, PrintedTable& row) {
    const RealInterval pooling_before = table.pooling_sum, poolings_before = table.poolings;
    if (asked.pooling_factor) {
      table.pooling_sum = exactly(*asked.pooling_factor);
      set(row.pooling_factor, format(*asked.pooling_factor, Format::r3));
    }
    if (asked.num_poolings) {
      table.poolings = exactly(*asked.num_poolings);
      table.poolings_known = true;
      table.poolings_are_one = *asked.num_poolings == static_cast<double>(table.features);
      if (row.num_poolings) set(row.num_poolings, format(*asked.num_poolings, Format::r3));
    }
    if (asked.pooling_factor || asked.num_poolings) {
      if (table.features == 1 || table.poolings_are_one) {
        table.indices = table.features == 1 ? table.pooling_sum * table.poolings : table.pooling_sum;
      } else {  // each feature's share stays as it is
        const auto scaled = [](RealInterval x, RealInterval from, RealInterval to) {
          return from.low > 0 ? x * (to / from) : RealInterval{0, x.high > 0 ? kManyIndices : 0};
        };
        table.indices = scaled(table.indices, pooling_before, table.pooling_sum);
        table.indices = scaled(table.indices, poolings_before, table.poolings);
      }
      table.indices_known = true;
    }
    if (!out_.run.batch_size) return;
    table.batch = exactly(out_.inputs.batch_size);
    table.uniform_batch = true;
    table.batch_total = *out_.run.batch_size * table.features;
    if (row.batch_sizes && row.batch_sizes.text != "n/a")
      set(row.batch_sizes,
          text_of(*out_.run.batch_size) + (table.features > 1 ? "*" + text_of(table.features) : std::string()));
  }
  static constexpr double kManyIndices = 1e12;

  // ---- shards ------------------------------------------------------------------------------------------------------

  Reason set_ranks(const TableRequest& asked, Sharding before, std::uint32_t t) {
    TableInputs& table = out_.inputs.tables[t];
    const std::int64_t world = out_.inputs.world_size;
    const bool on_all = table.sharding == Sharding::rw || table.sharding == Sharding::dp;
    std::vector<int> ranks(table.ranks.begin(), table.ranks.end());
    if (!asked.ranks.empty()) {
      ranks = asked.ranks;
    } else if (on_all) {
      ranks = ranks_from(0, world);
    } else if (table.sharding != before || ranks.back() >= world) {
      if (auto why = provisional_ranks(table, before, ranks)) return why;
      out_.unplaced[t] = true;
    }
    if (auto why = check_ranks(table.sharding, ranks, world)) return why;
    place(std::move(ranks), t, texts_, out_);
    return {};
  }

  // As many as the table needs; which ones is decided when the sizes are known.
  Reason provisional_ranks(const TableInputs& table, Sharding before, std::vector<int>& ranks) const {
    std::int64_t count = std::ssize(ranks);
    if (table.sharding == Sharding::tw)
      count = 1;
    else if (table.sharding != before || is_grouped(table.sharding))
      return std::string(name(table.sharding)) + " needs ranks here; add ranks=...";
    if (count > out_.inputs.world_size) return "there are fewer ranks than shards";
    ranks = ranks_from(0, count);
    return {};
  }

  static Reason check_ranks(Sharding sharding, const std::vector<int>& ranks, std::int64_t world) {
    if (ranks.back() >= world || ranks.front() < 0)
      return "rank " + std::to_string(ranks.back()) + " is beyond the last one, " + text_of(world - 1);
    const auto next_to = [](int a, int b) { return b != a + 1; };
    const bool neighbours = std::ranges::adjacent_find(ranks, next_to) == ranks.end();
    const auto count = static_cast<std::int64_t>(ranks.size());
    if (sharding == Sharding::tw && count != 1) return "TW has one shard, but ranks names " + text_of(count);
    if ((sharding == Sharding::rw || sharding == Sharding::dp) && (!neighbours || count != world))
      return std::string(name(sharding)) + " has a shard on each of the " + text_of(world) + " ranks";
    if (sharding == Sharding::twrw && !neighbours) return "TWRW has its shards on neighbouring ranks of one host";
    return {};
  }

  // blocks 0: not split by columns.
  Reason set_blocks(std::int64_t blocks, TableInputs& table, PrintedTable& row) {
    table.block = 0;
    row.cw_dim = {};
    if (blocks == 0) return {};
    if (table.cols % blocks != 0) return text_of(blocks) + " column blocks do not divide dim " + text_of(table.cols);
    table.block = table.cols / blocks;
    const Release since = table.sharding == Sharding::gs ? Release::v1_1_0 : Release::v0_5_0;
    if (printing_release() >= since) set(row.cw_dim, text_of(table.block));
    return {};
  }

  // Ranks of a host: what the tables split over hosts say, or the request.
  Reason split_groups() {
    std::vector<std::int64_t> sizes = local_sizes_;
    if (any_grouped(base_.inputs.tables)) sizes = {base_.plan.setting.group_size};
    if (out_.run.local_world_size) sizes = {*out_.run.local_world_size};
    const bool new_hosts = out_.run.local_world_size && *out_.run.local_world_size != base_.plan.setting.group_size;
    bool grouped = false;
    for (std::uint32_t t = 0; t < out_.inputs.tables.size(); ++t) {
      const TableInputs& table = out_.inputs.tables[t];
      if (!is_grouped(table.sharding)) continue;
      grouped = true;
      if (!out_.requests[out_.base_rows[t]].ranks.empty())
        std::erase_if(sizes, [&](std::int64_t size) { return !fits_groups(table, size); });
      else if (auto why = new_hosts ? regroup(t, *out_.run.local_world_size) : std::nullopt)
        return why;
    }
    if (!grouped) return {};
    if (sizes.empty()) return "the ranks given for TWRW or GS fit no size of a host that the log allows";
    if (sizes.size() > 1) {
      std::string all;
      for (const std::int64_t size : sizes) all += (all.empty() ? "" : ", ") + text_of(size);
      return "the ranks given fit several sizes of a host (" + all + "); add local_world_size=N";
    }
    out_.group_size = sizes.front();
    for (std::uint32_t t = 0; t < out_.inputs.tables.size(); ++t) {
      TableInputs& table = out_.inputs.tables[t];
      const TableRequest& asked = out_.requests[out_.base_rows[t]];
      if (table.sharding != Sharding::gs || (!asked.dim && !asked.sharding && asked.ranks.empty())) continue;
      const auto shards = static_cast<std::int64_t>(table.ranks.size());
      if (auto why = set_blocks(shards / out_.group_size, table, out_.printed.tables.rows[t])) return why;
    }
    return {};
  }

  // Does the table lie on whole hosts of that size? GS: as often on a host as it has column blocks there.
  static bool fits_groups(const TableInputs& table, std::int64_t size) {
    const auto count = static_cast<std::int64_t>(table.ranks.size());
    if (table.sharding == Sharding::twrw) return count == size && table.ranks.front() % size == 0;
    if (count % size != 0 || table.cols % (count / size) != 0) return false;
    const auto shards_on = [&](std::int64_t rank) { return std::ranges::count(table.ranks, static_cast<int>(rank)); };
    return std::ranges::all_of(table.ranks, [&](int rank) {
      const std::int64_t first = rank / size * size;
      for (std::int64_t other = first; other < first + size; ++other)
        if (shards_on(other) != shards_on(rank)) return false;
      return true;
    });
  }

  // A TWRW table moves to the host of its first rank.
  Reason regroup(std::uint32_t t, std::int64_t size) {
    const TableInputs& table = out_.inputs.tables[t];
    if (table.sharding != Sharding::twrw) return "GS tables need ranks where hosts change";
    std::vector<int> ranks = ranks_from(table.ranks.front() / size * size, size);
    if (ranks.back() >= out_.inputs.world_size) return "TWRW tables need ranks where hosts change";
    place(std::move(ranks), t, texts_, out_);
    return {};
  }

  const Inference& base_;
  const PrintedPlan& log_;
  const std::vector<std::int64_t>& local_sizes_;
  Texts& texts_;
  ChangedInputs& out_;
};

// Kernels of the changed plan, with sums that may be anything.
void list_kernels(ChangedInputs& changed) {
  auto& kernels = changed.inputs.kernels;
  for (std::uint32_t t = 0; t < changed.inputs.tables.size(); ++t) {
    const std::string_view kernel = changed.printed.tables.rows[t].kernel.text;
    auto found = std::ranges::find(kernels, kernel, &KernelInputs::name);
    if (found == kernels.end()) {
      found = kernels.insert(kernels.end(), KernelInputs{kernel, {}, {}});
      found->printed.fill(kAnyBytes);
    }
    found->tables.push_back(t);
  }
  std::ranges::sort(kernels, {}, &KernelInputs::name);
}

}  // namespace

std::optional<std::string> change_inputs(const Inference& base, std::span<const Change> changes,
                                         const std::vector<std::int64_t>& local_sizes, Texts& texts,
                                         ChangedInputs& changed) {
  if (auto why = Application(base, local_sizes, texts, changed).apply(changes)) return why;
  list_kernels(changed);
  return {};
}

void place(std::vector<int> ranks, std::uint32_t table, Texts& texts, ChangedInputs& changed) {
  TableInputs& inputs = changed.inputs.tables[table];
  std::ranges::sort(ranks);
  if (std::ranges::equal(ranks, inputs.ranks)) return;
  inputs.ranks.assign(ranks);
  changed.printed.tables.rows[table].ranks.text = texts.add(ranks_text(ranks));
}

}  // namespace shardstats::infer_detail
