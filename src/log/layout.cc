#include "shardstats/log/layout.h"

#include <algorithm>
#include <array>

namespace shardstats {
namespace {

using enum Release;
using C = ColumnId;
using L = LineId;
using S = Section;
using F = Frame;

// log-format.md sections 4.1 and 4.2.
constexpr std::array<ColumnForm, 34> kColumns = {{
    {C::rank, true, "Rank", 6, v0_1_0},
    {C::hbm, true, "HBM (GB)", 10, v0_1_0},
    {C::ddr, true, "DDR (GB)", 10, v0_1_0},
    {C::perf, true, "Perf", 6, v0_1_0, v0_1_0},
    {C::perf, true, "Perf (ms)", 11, v0_1_1},
    {C::input, true, "Input", 7, v0_1_0, v0_1_0},
    {C::input, true, "Input (MB)", 12, v0_1_1},
    {C::output_size, true, "Output", 8, v0_1_0, v0_1_0},
    {C::output_size, true, "Output (MB)", 13, v0_1_1},
    {C::shards, true, "Shards", 8, v0_1_0},
    {C::fqn, false, "FQN", 5, v0_1_1},
    {C::sharding, false, "Sharding", 10, v0_1_1},
    {C::compute_kernel, false, "Compute Kernel", 16, v0_1_1},
    {C::table_perf, false, "Perf (ms)", 11, v0_1_1},
    {C::storage, false, "Storage (HBM, DDR)", 20, v0_6_0, v1_5_0},
    {C::storage, false, "Storage (HBM, DDR, SSD)", 25, v1_6_0},
    {C::cache_load_factor, false, "Cache Load Factor", 19, v0_6_0},
    {C::pooling_factor, false, "Pooling Factor", 16, v0_2_0, v1_0_0},
    {C::pooling_factor, false, "Sum Pooling Factor", 20, v1_1_0},
    {C::num_poolings, false, "Number of Poolings", 20, v0_4_0, v0_4_0},
    {C::num_poolings, false, "Num Poolings", 14, v0_5_0, v1_0_0},
    {C::num_poolings, false, "Sum Num Poolings", 18, v1_1_0},
    {C::num_indices, false, "Num Indices", 13, v1_1_0},
    {C::output, false, "Output", 8, v0_2_0},
    {C::weighted, false, "Weighing", 10, v0_5_0, v1_0_0},
    {C::weighted, false, "Weighted", 10, v1_1_0},
    {C::sharder, false, "Sharder", 9, v0_5_0},
    {C::features, false, "Features", 10, v0_2_0},
    {C::emb_dim, false, "Emb Dim", 8, v0_3_0, v0_4_0},
    {C::emb_dim, false, "Emb Dim (CW Dim)", 18, v0_5_0},
    {C::hash_size, false, "Hash Size", 11, v0_3_0},
    {C::ranks, false, "Ranks", 7, v0_1_1},
    {C::batch_sizes, false, "Batch Sizes", 13, v0_5_0},
    {C::unknown, false, "", 0, v0_1_0},
}};

// log-format.md section 4.1, "Perf (ms)".
constexpr PerfForm kPerfForms[] = {{0, v0_1_0, v0_4_0}, {4, v0_5_0, v0_6_0}, {5, v0_7_0}};

// log-format.md section 3. Within a section the first form that matches is taken, so headings stand before names.
constexpr LineForm kLines[] = {
    {L::border, F::border, S::none, S::none, "", v0_1_0},
    {L::blank, F::blank, S::none, S::none, "", v0_1_0},
    {L::rank_table, F::table, S::none, S::none, "", v0_1_0},
    {L::parameter_table, F::table, S::none, S::none, "", v0_1_1},
    {L::divider, F::centred, S::none, S::none, "", v0_1_0},
    {L::title, F::centred, S::none, S::none, "--- Planner Statistics ---", v0_1_0},
    {L::summary, F::centred, S::none, S::none,
     "--- Evalulated {int} proposal(s), found {int} possible plan(s), ran for {f2}s ---", v0_2_0, v0_3_0},
    {L::summary, F::centred, S::none, S::none, "--- Evalulated {int} proposal(s), found {int} possible plan(s) ---",
     v0_1_0, v0_1_1},
    {L::summary, F::centred, S::none, S::none,
     "--- Evaluated {int} proposal(s), found {int} possible plan(s), ran for {f2}s ---", v0_3_2},
    {L::perf_legend, F::plain, S::none, S::none,
     "Perf: Total perf (Forward compute, Forward comms, Backward compute, Backward comms, Prefetch compute)", v0_7_0},
    {L::perf_legend, F::plain, S::none, S::none,
     "Perf: Total perf (Forward compute, Forward comms, Backward compute, Backward comms)", v0_5_0, v0_6_0},
    {L::io_legend, F::plain, S::none, S::none, "Input: MB/iteration, Output: MB/iteration, Shards: number of tables",
     v0_1_1},
    {L::io_legend, F::plain, S::none, S::none,
     "Input: pooling factor, Output: embedding dimension, Shards: number of tables", v0_1_0, v0_1_0},
    {L::hbm_legend, F::plain, S::none, S::none,
     "HBM: estimated peak memory usage for shards, dense tensors, and features (KJT)", v0_2_0},
    {L::hbm_legend, F::plain, S::none, S::none,
     "HBM: est. peak memory usage for shards - parameter, comms, optimizer, and gradients", v0_1_1, v0_1_1},
    {L::parameter_info, F::plain, S::none, S::none, "Parameter Info:", v0_1_1},
    {L::batch_size, F::plain, S::none, S::none, "Batch Size: {int}", v0_2_0},
    {L::world_size, F::plain, S::none, S::none, "World Size: {int}", v0_6_0},

    {L::kernel_count_heading, F::plain, S::none, S::kernel_count, "Compute Kernels Count:", v0_8_0},
    {L::kernel_count_heading, F::plain, S::none, S::kernel_count, "Compute Kernels:", v0_1_0, v0_7_0},
    {L::kernel_count, F::nested, S::kernel_count, S::none, "{text}: {int}", v0_1_0},
    {L::kernel_weights_heading, F::plain, S::none, S::kernel_weights, "Compute Kernels Embedding Weights:", v1_8_0},
    {L::kernel_weights, F::nested, S::kernel_weights, S::none, "{text}: {r3} GB", v1_8_0},
    {L::kernel_optimizer_heading, F::plain, S::none, S::kernel_optimizer, "Compute Kernels Optimizer State:", v1_8_0},
    {L::kernel_optimizer, F::nested, S::kernel_optimizer, S::none, "{text}: {r3} GB", v1_8_0},
    {L::kernel_storage_heading, F::plain, S::none, S::kernel_storage, "Compute Kernels Storage:", v0_8_0, v1_7_0},
    {L::kernel_storage_heading, F::plain, S::none, S::kernel_storage,
     "Compute Kernels Total Estimated Memory (weights + optimizer + IO + pipeline):", v1_8_0},
    {L::kernel_storage, F::nested, S::kernel_storage, S::none, "{text}: HBM: {r3} GB, DDR: {r3} GB, SSD: {r3} GB",
     v1_6_0},
    {L::kernel_storage, F::nested, S::kernel_storage, S::none, "{text}: HBM: {r3} GB, DDR: {r3} GB", v0_8_0, v1_5_0},
    {L::kernel_constraints_heading, F::plain, S::none, S::kernel_constraints, "Compute Kernel Constraints:", v1_6_0},
    {L::kernel_constraints, F::nested, S::kernel_constraints, S::none, "Hardcoded: {int}, Auto-selected: {int}",
     v1_6_0},
    {L::kernel_constraint, F::nested, S::kernel_constraints, S::none, "Hardcoded {text}: {int}", v1_6_0},

    {L::perf_imbalance_heading, F::plain, S::none, S::perf_imbalance, "Total Perf Imbalance Statistics", v0_8_0},
    {L::hbm_imbalance_heading, F::plain, S::none, S::hbm_imbalance, "HBM Imbalance Statistics", v0_8_0},
    {L::ddr_imbalance_heading, F::plain, S::none, S::ddr_imbalance, "DDR Imbalance Statistics", v0_8_0},
    {L::total_variation, F::plain, S::perf_imbalance, S::none, "Total Variation: {f3}", v0_8_0},
    {L::total_distance, F::plain, S::perf_imbalance, S::none, "Total Distance: {f3}", v0_8_0},
    {L::chi_divergence, F::plain, S::perf_imbalance, S::none, "Chi Divergence: {f3}", v0_8_0},
    {L::kl_divergence, F::plain, S::perf_imbalance, S::none, "KL Divergence: {f3}", v0_8_0},
    {L::range_total_variation, F::plain, S::none, S::none,
     "Total Variation: higher means more imbalanced (ranges 0 to 1)", v0_8_0, v1_0_0},
    {L::range_total_distance, F::plain, S::none, S::none,
     "Total Distance: higher means more imbalanced (ranges 0 to 1)", v0_8_0, v1_0_0},
    {L::range_chi_divergence, F::plain, S::none, S::none,
     "Chi Divergence: higher means more imbalanced (ranges 0 to {f3})", v0_8_0, v1_0_0},
    {L::range_kl_divergence, F::plain, S::none, S::none,
     "KL Divergence: higher means more imbalanced (ranges 0 to {f3})", v0_8_0, v1_0_0},
    {L::range_legend, F::plain, S::none, S::none, "Imbalance stats range 0-1, higher means more imbalanced", v1_1_0},

    {L::max_total_perf, F::plain, S::none, S::none, "Maximum of Total Perf: {r3} ms on {ranks} {L1}", v1_2_0},
    {L::max_total_perf, F::plain, S::none, S::none,
     "Longest Critical Path (Maximum of Total Perf): {r3} ms on {ranks} {L1}", v0_5_0, v1_1_0},
    {L::max_total_perf, F::plain, S::none, S::none, "Longest Critical Path: {r3} ms on {ranks} {L1}", v0_2_0, v0_4_0},
    {L::mean_total_perf, F::plain, S::none, S::none, "Mean Total Perf: {r3} ms", v1_1_0},
    {L::max_total_perf_percent, F::plain, S::none, S::none, "Max Total Perf is {g3}% greater than the mean", v1_1_0},
    {L::max_fwd_compute, F::plain, S::none, S::none, "Maximum of Forward Compute: {r3} ms on {ranks} {L1}", v0_5_0},
    {L::max_fwd_comms, F::plain, S::none, S::none, "Maximum of Forward Comms: {r3} ms on {ranks} {L1}", v0_5_0},
    {L::max_bwd_compute, F::plain, S::none, S::none, "Maximum of Backward Compute: {r3} ms on {ranks} {L1}", v0_5_0},
    {L::max_bwd_comms, F::plain, S::none, S::none, "Maximum of Backward Comms: {r3} ms on {ranks} {L1}", v0_5_0},
    {L::max_prefetch_compute, F::plain, S::none, S::none, "Maximum of Prefetch Compute: {r3} ms on {ranks} {L1}",
     v0_7_0},
    {L::sum_of_maxima, F::plain, S::none, S::none, "Sum of Maxima: {r3} ms", v0_5_0},
    {L::peak_memory_pressure, F::plain, S::none, S::none, "Peak Memory Pressure: {r3} GB on {ranks} {L1}", v0_2_0,
     v0_7_0},

    {L::distribution_heading, F::wide, S::none, S::none, "Estimated Sharding Distribution", v0_8_0},
    {L::sparse_max_hbm, F::plain, S::none, S::none, "Sparse only Max HBM: {r3} GB on {ranks} {L2}", v1_4_0},
    {L::sparse_min_hbm, F::plain, S::none, S::none, "Sparse only Min HBM: {r3} GB on {ranks} {L2}", v1_4_0},
    {L::max_hbm, F::plain, S::none, S::none, "Max HBM: {r3} GB on {ranks} {L2}", v0_8_0},
    {L::min_hbm, F::plain, S::none, S::none, "Min HBM: {r3} GB on {ranks} {L2}", v0_8_0},
    {L::mean_hbm, F::plain, S::none, S::none, "Mean HBM: {r3} GB on {ranks} {L2}", v0_8_0},
    {L::low_median_hbm, F::plain, S::none, S::none, "Low Median HBM: {r3} GB on {ranks} {L2}", v0_8_0},
    {L::high_median_hbm, F::plain, S::none, S::none, "High Median HBM: {r3} GB on {ranks} {L2}", v0_8_0},
    {L::critical_path_comms, F::plain, S::none, S::none, "Critical Path (comms): {r3}", v1_2_0},
    {L::critical_path_compute, F::plain, S::none, S::none, "Critical Path (compute): {r3}", v1_2_0},
    {L::critical_path_sum, F::plain, S::none, S::none, "Critical Path (comms + compute): {r3}", v1_2_0},
    {L::max_hbm_percent, F::plain, S::none, S::none, "Max HBM is {g3}% greater than the mean", v1_1_0},
    {L::top_hbm, F::plain, S::none, S::none, "Top HBM Memory Usage Estimation: {r3} GB", v0_8_0},
    {L::tier, F::plain, S::none, S::none, "Top Tier #{int} Estimated Peak HBM Pressure: {r3} GB on {ranks} {L1}",
     v0_8_0},

    {L::reserved_heading, F::plain, S::none, S::reserved, "Reserved Memory:", v0_8_0},
    {L::reserved_hbm, F::nested, S::reserved, S::none, "HBM: {r3} GB", v0_8_0},
    {L::reserved_percent, F::nested, S::reserved, S::none, "Percent of Total HBM: {p0}%", v0_8_0},
    {L::planning_heading, F::plain, S::none, S::planning, "Planning Memory:", v0_8_0},
    {L::planning_heading, F::plain, S::none, S::planning, "Usable Memory:", v0_2_0, v0_7_0},
    {L::planning_memory, F::nested, S::planning, S::none, "HBM: {r3} GB, DDR: {r3} GB", v0_2_0},
    {L::planning_percent, F::nested, S::planning, S::none, "Percent of Total HBM: {p0}%", v0_4_0},
    {L::planning_percent, F::nested, S::planning, S::none, "Percent of Total: {p0}%", v0_2_0, v0_3_2},
    {L::dense_heading, F::plain, S::none, S::dense, "Dense Storage (per rank):", v0_2_0},
    {L::dense_storage, F::nested, S::dense, S::none, "HBM: {r3} GB, DDR: {r3} GB", v0_2_0},
    {L::kjt_heading, F::plain, S::none, S::kjt, "KJT Storage (per rank):", v0_2_0},
    {L::kjt_storage, F::nested, S::kjt, S::none, "HBM: {r3} GB, DDR: {r3} GB", v0_2_0},

    {L::top_perf_heading, F::plain, S::none, S::top_perf, "Top 5 Tables Causing Max Perf:", v0_6_0},
    {L::top_hbm_heading, F::plain, S::none, S::top_hbm, "Top 5 Tables Causing Max HBM:", v0_6_0},
    {L::top_perf_table, F::nested, S::top_perf, S::none, "{text}", v0_6_0},
    {L::top_hbm_table, F::nested, S::top_hbm, S::none, "{text}: {r3} GB on {ranks} {L2}", v0_8_0},
    {L::top_hbm_table, F::nested, S::top_hbm, S::none, "{text}", v0_6_0, v0_7_0},

    {L::unknown_centred, F::centred, S::none, S::none, "{text}", v0_1_0},
    {L::unknown_plain, F::plain, S::none, S::none, "{text}", v0_1_0},
    {L::unknown_nested, F::nested, S::none, S::none, "{text}", v0_1_0},
};

// log-format.md section 1.5.
constexpr OrderedLine kOrder[] = {
    {L::title, When::always, Part::head},
    {L::summary, When::always, Part::head},
    {L::divider, When::always, Part::head},
    {L::rank_table, When::plan, Part::head},
    {L::perf_legend, When::plan, Part::legends},
    {L::io_legend, When::plan, Part::legends},
    {L::hbm_legend, When::plan, Part::legends},
    {L::parameter_info, When::debug, Part::tables},
    {L::parameter_table, When::debug, Part::tables},
    {L::batch_size, When::always, Part::batch_size},
    {L::world_size, When::no_plan, Part::world_size},
    {L::kernel_count_heading, When::always, Part::kernel_count},
    {L::kernel_weights_heading, When::always, Part::kernel_weights},
    {L::kernel_optimizer_heading, When::always, Part::kernel_optimizer},
    {L::kernel_storage_heading, When::always, Part::kernel_storage},
    {L::kernel_constraints_heading, When::always, Part::kernel_constraints},
    {L::kernel_constraints, When::always, Part::kernel_constraints},
    {L::perf_imbalance_heading, When::perf, Part::perf_imbalance},
    {L::hbm_imbalance_heading, When::hbm, Part::hbm_imbalance},
    {L::ddr_imbalance_heading, When::ddr, Part::ddr_imbalance},
    {L::range_total_variation, When::imbalance, Part::ranges},
    {L::range_total_distance, When::imbalance, Part::ranges},
    {L::range_chi_divergence, When::imbalance, Part::ranges},
    {L::range_kl_divergence, When::imbalance, Part::ranges},
    {L::range_legend, When::imbalance, Part::ranges},
    {L::max_total_perf, When::debug_plan, Part::maxima},
    {L::mean_total_perf, When::debug_plan, Part::maxima},
    {L::max_total_perf_percent, When::debug_plan, Part::maxima},
    {L::max_fwd_compute, When::debug_plan, Part::maxima},
    {L::max_fwd_comms, When::debug_plan, Part::maxima},
    {L::max_bwd_compute, When::debug_plan, Part::maxima},
    {L::max_bwd_comms, When::debug_plan, Part::maxima},
    {L::max_prefetch_compute, When::debug_plan, Part::maxima},
    {L::sum_of_maxima, When::debug_plan, Part::maxima},
    {L::peak_memory_pressure, When::debug_plan, Part::pressure},
    {L::distribution_heading, When::debug_plan, Part::distribution},
    {L::sparse_max_hbm, When::debug_plan, Part::distribution},
    {L::sparse_min_hbm, When::debug_plan, Part::distribution},
    {L::max_hbm, When::debug_plan, Part::distribution},
    {L::min_hbm, When::debug_plan, Part::distribution},
    {L::mean_hbm, When::debug_plan, Part::distribution},
    {L::low_median_hbm, When::debug_plan, Part::distribution},
    {L::high_median_hbm, When::debug_plan, Part::distribution},
    {L::critical_path_comms, When::debug_plan, Part::distribution},
    {L::critical_path_compute, When::debug_plan, Part::distribution},
    {L::critical_path_sum, When::debug_plan, Part::distribution},
    {L::max_hbm_percent, When::debug_plan, Part::distribution},
    {L::top_hbm, When::debug_plan, Part::tiers},
    {L::reserved_heading, When::debug, Part::reservation},
    {L::reserved_hbm, When::debug, Part::reservation},
    {L::reserved_percent, When::debug, Part::reservation},
    {L::planning_heading, When::debug, Part::reservation},
    {L::planning_memory, When::debug, Part::reservation},
    {L::planning_percent, When::debug, Part::reservation},
    {L::dense_heading, When::reservation, Part::dense},
    {L::dense_storage, When::reservation, Part::dense},
    {L::kjt_heading, When::reservation, Part::kjt},
    {L::kjt_storage, When::reservation, Part::kjt},
    {L::top_perf_heading, When::debug_plan, Part::top_tables},
    {L::top_hbm_heading, When::debug_plan, Part::top_tables},
};

// Also the known ones without their blank.
constexpr NewerUnit kNewerUnits[] = {
    {" GB", " GiB", true},  {" GB", "GB", true},    {" MB", " MiB", true},      {" ms", "ms", true},
    {" GB", " MiB", false}, {" GB", " MB", false},  {" GB", " TiB", false},     {" GB", " TB", false},
    {" GB", " KiB", false}, {" GB", " KB", false},  {" GB", " bytes", false},   {" GB", " B", false},
    {" ms", " s", false},   {" ms", "s", false},    {" ms", " us", false},      {" ms", " \xc2\xb5s", false},
    {" ms", " ns", false},  {" ms", " sec", false}, {" ms", " seconds", false},
};

}  // namespace

std::span<const NewerUnit> newer_units() { return kNewerUnits; }
std::string in_unit(std::string_view pattern, const NewerUnit& unit) {
  std::string changed;
  for (std::size_t at = pattern.find(unit.known); at != std::string_view::npos; at = pattern.find(unit.known)) {
    changed.append(pattern.substr(0, at)).append(unit.newer);
    pattern.remove_prefix(at + unit.known.size());
  }
  return changed.empty() ? changed : changed.append(pattern);
}

std::span<const ColumnForm> column_forms() { return kColumns; }
std::span<const ColumnForm> column_forms(bool rank_table) {
  static constexpr auto kTables = std::ranges::find(kColumns, false, &ColumnForm::rank_table);
  return rank_table ? std::span(kColumns.begin(), kTables) : std::span(kTables, kColumns.end());
}
std::span<const PerfForm> perf_forms() { return kPerfForms; }
std::span<const LineForm> line_forms() { return kLines; }
std::optional<std::uint16_t> form_in(Release release, LineId id) {
  for (std::size_t i = 0; i < std::size(kLines); ++i)
    if (kLines[i].id == id && kLines[i].since <= release && release <= kLines[i].until)
      return static_cast<std::uint16_t>(i);
  return std::nullopt;
}
std::uint16_t slots_in(std::string_view pattern) {
  std::uint16_t slots = 0;
  each_slot(pattern, [&](std::size_t /*slot*/, std::string_view /*kind*/) { ++slots; });
  return slots;
}
std::span<const OrderedLine> line_order() { return kOrder; }
int nested_indent(Release release) { return release <= Release::v0_1_1 ? 3 : 4; }

}  // namespace shardstats
