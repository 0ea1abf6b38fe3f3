#include "infer/rebuild.h"

#include <algorithm>
#include <span>
#include <type_traits>

#include "infer/choose.h"
#include "infer/shard_sums.h"
#include "infer/shards_by_ranks.h"
#include "infer/sum_bounds.h"

namespace shardstats::infer_detail {
namespace {

// ShardSizes before they are rounded to whole bytes.
struct RealSizes {
  RealInterval rows{}, cols{}, hbm{}, ddr{}, ssd{}, input{}, output{};
  RealInterval tensor{}, optimizer{}, cache_aux{}, pipeline_io{};  // if asked for
};

constexpr ByteInterval ShardSizes::*kFields[] = {
    &ShardSizes::rows,      &ShardSizes::cols,      &ShardSizes::hbm,        &ShardSizes::ddr,
    &ShardSizes::ssd,       &ShardSizes::input,     &ShardSizes::output,     &ShardSizes::tensor,
    &ShardSizes::optimizer, &ShardSizes::cache_aux, &ShardSizes::pipeline_io};

// Calls f(field, size) for all that is reported of one shard with one option.
template <class F>
void each_size(const Setting& setting, const TableInputs& table, const Parts& parts, const ClassParts& c, Combo combo,
               bool shard_parts, F f) {
  f(&RealSizes::rows, c.rows);
  f(&RealSizes::cols, c.cols);
  f(&RealSizes::hbm, class_hbm(setting, c, combo));
  f(&RealSizes::ddr, class_ddr(setting, c, combo));
  f(&RealSizes::ssd, setting.device == Device::tpu ? RealInterval{} : class_ssd(c, combo));  // none counts (7.1)
  f(&RealSizes::input, c.column_input);
  f(&RealSizes::output, class_output(c, combo));
  if (!shard_parts) return;
  const auto facts = facts_of(setting, table, parts.variant, parts.lookups, combo);
  const auto specific = specific_bytes(setting, facts, ShardFacts<RealInterval>{c.rows, c.cols, c.empty});
  f(&RealSizes::tensor, specific.tensor_hbm + specific.tensor_ddr + specific.key_value);
  f(&RealSizes::optimizer, specific.optimizer_hbm + specific.optimizer_ddr);
  f(&RealSizes::cache_aux, specific.cache_aux);
  f(&RealSizes::pipeline_io, c.pipeline(output_of(setting, combo)));
}

// Bounds over the options left of a table.
struct LeftOfTable {
  std::vector<RealSizes> classes;  // of one shard of each class
  CellBytes cells{};               // of all shards
};

CellBytes cells_of(const RealSizes& sizes, const ClassParts& c) {
  const RealInterval count = real(c.run.count);
  return {sizes.hbm * count, sizes.ddr * count, sizes.ssd * count};
}

// Sets what one shard of class `c` takes.
void find_class_sizes(const Setting& setting, const TableInputs& table, const TableParts& parts, const Options& options,
                      std::size_t c, bool shard_parts, RealSizes& all) {
  const Option* option = options.begin();
  const Option* const end = options.end();
  const auto each = [&](auto take) {
    const Parts& own = parts[option->variant];
    each_size(setting, table, own, own.classes[c], combo_of(option->combo), shard_parts, take);
  };
  each([&](RealInterval RealSizes::*field, RealInterval size) { all.*field = size; });
  while (++option != end)
    each([&](RealInterval RealSizes::*field, RealInterval size) { all.*field = hull(all.*field, size); });
}

// Of a table that is more than so many times one shard.
CellBytes cells_of(const Setting& setting, const TableParts& parts, const Options& options) {
  std::optional<CellBytes> all;
  for (const Option option : options)
    hull_into(all, cell_bytes(setting, parts[option.variant], combo_of(option.combo)));
  return *all;
}

// Before the printed cells narrow them. `sizes` is filled anew; its memory is that of the table before.
void find_sizes(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t, bool shard_parts, LeftOfTable& sizes) {
  const Setting& setting = outcome.setting;
  const TableParts& parts = (*outcome.parts)[t];
  const Options& options = outcome.tables[t].options;
  const auto& classes = parts.front().classes;
  sizes.classes.resize(classes.size());
  for (std::size_t c = 0; c < classes.size(); ++c)
    find_class_sizes(setting, plan.tables[t], parts, options, c, shard_parts, sizes.classes[c]);
  const bool is_sum = is_one_class(parts) && setting.device != Device::tpu;
  sizes.cells = is_sum ? cells_of(sizes.classes.front(), classes.front()) : cells_of(setting, parts, options);
}

// A printed cell is the sum over all shards: what it leaves for one shard of each class.
void narrow_by_cell(const Classes& classes, bool equal_shards, RealInterval cell, RealInterval RealSizes::*field,
                    std::vector<RealSizes>& sizes) {
  RealInterval total{};
  for (std::size_t c = 0; c < sizes.size(); ++c)
    total = total + sizes[c].*field * exactly(static_cast<double>(classes[c].run.count));
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    // Shards of a class are equal, so they share what is left of the sum; shards with unknown rows are not.
    const double n = equal_shards ? static_cast<double>(classes[c].run.count) : 1;
    const RealInterval own = sizes[c].*field;
    if (own.exact()) continue;
    const RealInterval left = left_for_each(n, cell, total, own);
    const RealInterval whole{up(left.low), -up(-left.high)};  // bytes
    if (whole.low <= whole.high) sizes[c].*field = narrowed(own, whole);
  }
}

void narrow_by_cells(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t, std::vector<RealSizes>& sizes) {
  const TableInputs& table = plan.tables[t];
  const auto& classes = (*outcome.parts)[t].front().classes;
  const auto narrow = [&](Quantity q, RealInterval RealSizes::*field) {
    const auto& cell = table.cells[at(q)];
    if (!cell || outcome.tables[t].contradicted[at(q)]) return;
    if (std::ranges::all_of(sizes, [&](const RealSizes& own) { return (own.*field).exact(); })) return;
    narrow_by_cell(classes, equal_shards(outcome, table), real(*cell), field, sizes);
  };
  narrow(Quantity::hbm, &RealSizes::hbm);
  narrow(Quantity::ddr, &RealSizes::ddr);
  narrow(Quantity::ssd, &RealSizes::ssd);
}

ShardSizes whole_sizes(const RealSizes& sizes, bool shard_parts) {
  const auto part = [&](RealInterval size) { return shard_parts ? whole_bytes(size) : ByteInterval{}; };
  return {.rows = whole_bytes(sizes.rows),
          .cols = whole_bytes(sizes.cols),
          .hbm = whole_bytes(sizes.hbm),
          .ddr = whole_bytes(sizes.ddr),
          .ssd = whole_bytes(sizes.ssd),
          .input = whole_bytes(sizes.input),
          .output = whole_bytes(sizes.output),
          .tensor = part(sizes.tensor),
          .optimizer = part(sizes.optimizer),
          .cache_aux = part(sizes.cache_aux),
          .pipeline_io = part(sizes.pipeline_io)};
}

ShardSizes hull(const ShardSizes& a, const ShardSizes& b) {
  ShardSizes all;
  for (const auto field : kFields) all.*field = shardstats::hull(a.*field, b.*field);
  return all;
}

// The shards of a plan as they are rebuilt.
class Shards {
 public:
  Shards(std::vector<PlanShard>& shards, bool shard_parts) : shards_(shards), shard_parts_(shard_parts) {}

  // Adds the shards of a table, from `start` on, or widens what is there of a hypothesis before. `sizes`: by class.
  void add_or_widen(const TableInputs& table, const Outcome& outcome, const Parts& parts,
                    const std::vector<RealSizes>& sizes, std::size_t start) {
    const std::span<const int> ranks(table.ranks.begin(), table.ranks.size());
    each_run(outcome.setting, table, parts, [&](std::size_t i, std::size_t end, std::size_t c) {
      const ShardSizes* const own = keep(sizes[c]);
      const std::size_t before = std::clamp(shards_.size() - start, i, end);
      widen(start + i, start + before, *own);
      const std::size_t ranked = std::clamp(ranks.size(), before, end);
      for (i = before; i < ranked; ++i) shards_.push_back({static_cast<int>(i), ranks[i], own});
      for (; i < end; ++i) shards_.push_back({static_cast<int>(i), std::nullopt, own});
    });
  }

  // Widens the rows of a virtual table's shards to those of any number of buckets.
  void hide_rows(const PlanTable& table) {
    const ShardSizes *before = nullptr, *wider = nullptr;
    for (std::uint32_t k = 0; k < table.shard_count; ++k) {
      PlanShard& shard = shards_[table.first_shard + k];
      const ByteInterval rows =
          shardstats::hull(shard.sizes->rows, rows_in_any_buckets(table.rows, table.shard_count, k));
      if (shard.sizes != before || wider->rows != rows) {
        before = shard.sizes;
        ShardSizes sizes = *before;
        sizes.rows = rows;
        wider = ::new (memory()) ShardSizes(sizes);
      }
      shard.sizes = wider;
    }
  }

  const ShardSizes* keep(const ShardSizes& sizes) { return ::new (memory()) ShardSizes(sizes); }
  std::size_t size() const { return shards_.size(); }
  // What they refer to.
  std::shared_ptr<const void> sizes() const { return sizes_; }

 private:
  void* memory() {
    static_assert(std::is_trivially_destructible_v<ShardSizes>);
    return sizes_->allocate(sizeof(ShardSizes), alignof(ShardSizes));
  }
  const ShardSizes* keep(const RealSizes& sizes) { return keep(whole_sizes(sizes, shard_parts_)); }
  void widen(std::size_t first, std::size_t end, const ShardSizes& other) {
    while (first < end) {
      const ShardSizes* const before = shards_[first].sizes;
      const ShardSizes* const all = ::new (memory()) ShardSizes(hull(*before, other));
      for (; first < end && shards_[first].sizes == before; ++first) shards_[first].sizes = all;
    }
  }

  std::vector<PlanShard>& shards_;
  bool shard_parts_;
  std::shared_ptr<Pool> sizes_ = std::make_shared<Pool>();
};

// What its printed cells alone say.
PlanTable& add_plain_table(const PlanInputs& plan, const TableInputs& inputs, Plan& result) {
  PlanTable& table = result.tables.emplace_back();
  table.row = inputs.row;
  table.sharding = inputs.sharding;
  table.kernel = inputs.kernel;
  table.rows = inputs.rows;
  table.cols = inputs.cols;
  table.features = inputs.features;
  table.sequence = inputs.sequence;
  table.pooling_sum = inputs.pooling_sum;
  table.on_every_rank = is_everywhere(inputs, plan.ranks.size());
  return table;
}

// The shards of a table and what all of them may take; where a printed cell is wrong for all, what the best hypothesis
// says. `sizes`: memory to use.
void rebuild_shards(const PlanInputs& plan, const SearchResult& found, std::uint32_t t, bool shard_parts,
                    LeftOfTable& sizes, Shards& shards, PlanTable& table) {
  const std::size_t start = shards.size();
  const TableInputs& inputs = plan.tables[t];
  const WrongCells& wrong = found.survivors.front().outcome.tables[t].contradicted;
  CellBytes all{};
  for (const Survivor& survivor : found.survivors) {
    const bool first = &survivor == &found.survivors.front();
    find_sizes(plan, survivor.outcome, t, shard_parts, sizes);
    if (first) all = sizes.cells;
    for (std::size_t q = 0; q < all.size() && !first; ++q)
      if (!wrong[q]) all[q] = hull(all[q], sizes.cells[q]);
    narrow_by_cells(plan, survivor.outcome, t, sizes.classes);
    shards.add_or_widen(inputs, survivor.outcome, (*survivor.outcome.parts)[t].front(), sizes.classes, start);
  }
  table.first_shard = static_cast<std::uint32_t>(start);
  table.shard_count = static_cast<std::uint32_t>(shards.size() - start);
  Expectation* const cells[] = {&table.hbm, &table.ddr, &table.ssd};
  for (std::size_t c = 0; c < all.size(); ++c) *cells[c] = {whole_bytes(all[c]), inputs.cells[c].has_value(), wrong[c]};
}

RowSplitKind row_split_of(const PlanInputs& plan, std::uint32_t t, const SearchResult& found) {
  const TableInputs& table = plan.tables[t];
  const bool has_order = !(*found.survivors.front().outcome.parts)[t].front().same_total.empty();
  if (table.order_open && has_order) return RowSplitKind::in_any_order;
  if (table.sharding != Sharding::rw) return RowSplitKind::evenly;
  const auto shows_shares = [](const Survivor& s) { return s.outcome.rows.shares != nullptr; };
  const auto may_have_buckets = [](const Survivor& s) { return knows_buckets(s.members); };
  switch (found.survivors.front().outcome.rows.how) {
    case SplitRows::evenly:
    case SplitRows::by_virtual_buckets:
      if (has_virtual_kernel(table) && std::ranges::any_of(found.survivors, may_have_buckets))
        return RowSplitKind::in_buckets;
      break;
    case SplitRows::by_equal_memory:
      return RowSplitKind::by_equal_memory;
    case SplitRows::by_memory:
    case SplitRows::by_buckets:
    case SplitRows::by_few_buckets:
      return std::ranges::all_of(found.survivors, shows_shares) ? RowSplitKind::by_memory : RowSplitKind::hidden;
  }
  return RowSplitKind::evenly;
}

void rebuild_table(const PlanInputs& plan, const SearchResult& found, std::uint32_t t, const InferOptions& options,
                   LeftOfTable& sizes, Shards& shards, PlanTable& table) {
  const auto usable = [&](const Survivor& s) { return !s.outcome.tables[t].options.empty(); };
  if (!std::all_of(found.survivors.begin(), found.survivors.end(), usable)) return;
  const Outcome& best = found.survivors.front().outcome;
  choose(plan, found, t, options, table);
  table.sized = true;
  table.row_split = row_split_of(plan, t, found);
  table.lookups = (*best.parts)[t].front().lookups.lookups;
  table.pooled = (*best.parts)[t].front().lookups.pooled;
  rebuild_shards(plan, found, t, options.shard_parts, sizes, shards, table);
  const bool has_buckets = table.row_split == RowSplitKind::in_buckets && table.rows >= table.shard_count;
  if (options.alternatives && has_buckets) shards.hide_rows(table);
  table.explained = !table.hbm.contradicted && !table.ddr.contradicted && !table.ssd.contradicted;
}

Expectation& expectation_of(const SumLine& line, Plan& plan) {
  const auto of = [&](const std::array<Expectation*, kQuantities>& by_quantity) -> Expectation& {
    return *by_quantity[at(line.quantity)];
  };
  if (line.of == SumOf::rank) {
    PlanRank& rank = plan.ranks[line.index];
    return of({&rank.expected_hbm, &rank.expected_ddr, nullptr, &rank.expected_input, &rank.expected_output});
  }
  if (line.of == SumOf::kernel) {
    PlanKernel& k = plan.kernels[line.index];
    return of({&k.hbm, &k.ddr, &k.ssd, nullptr, nullptr, &k.weights, &k.optimizer_state});
  }
  PlanTotals& all = plan.all_ranks;
  return of({&all.hbm, &all.ddr, nullptr, &all.input, &all.output});
}

// `all`: the hull over all survivors, but for what the likeliest one contradicts.
void fill_sums(const SearchResult& found, bool all, Plan& result) {
  for (const SumLine& line : found.survivors.front().outcome.sums)
    expectation_of(line, result) = {whole_bytes(line.expected), true, line.contradicted};
  for (std::size_t s = 1; s < found.survivors.size() && all; ++s)
    for (const SumLine& line : found.survivors[s].outcome.sums)
      if (Expectation& sum = expectation_of(line, result); sum.known && !sum.contradicted)
        sum.bytes = hull(sum.bytes, whole_bytes(line.expected));
}

// Rows may be split among ranks as only the lost row would show: where the memory of another rank is not that of its
// shards, what a lost rank holds is not known either.
void doubt_lost_ranks(const PrintedPlan& printed, Plan& result) {
  const auto is_wrong = [](const PlanRank& rank) {
    return rank.expected_hbm.contradicted || rank.expected_ddr.contradicted;
  };
  if (!printed.has_lost_ranks() || std::ranges::none_of(result.ranks, is_wrong)) return;
  for (std::size_t r = 0; r < result.ranks.size(); ++r)
    if (printed.ranks.rows[r].lost) result.ranks[r].known = false;
}

}  // namespace

ByteInterval clamped_bytes(RealInterval x) {
  const double low = std::clamp(x.low, 0.0, kMostBytes), high = std::clamp(x.high, 0.0, kMostBytes);
  const std::int64_t below = capped(high);  // the conversion cuts off what is behind the point
  return {capped(low), below + (static_cast<double>(below) < high)};
}

void rebuild(const PlanInputs& plan, const SearchResult& found, const InferOptions& options, Plan& result) {
  result.tables.clear();
  result.tables.reserve(plan.tables.size());
  if (found.survivors.empty()) {
    for (const TableInputs& inputs : plan.tables) add_plain_table(plan, inputs, result);
    return;
  }
  result.shards.clear();
  std::size_t count = 0;
  for (const TableInputs& table : plan.tables) count += table.ranks.size();
  result.shards.reserve(count);
  Shards shards(result.shards, options.shard_parts);
  ShardSums sums(plan);
  LeftOfTable sizes;
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    PlanTable& table = add_plain_table(plan, plan.tables[t], result);
    rebuild_table(plan, found, t, options, sizes, shards, table);
    if (table.sized)
      sums.add(table, result.shards_of(table));
    else
      sums.add_unknown(plan.tables[t]);
  }
  result.sizes = shards.sizes();
  const std::vector<ShardSums::Rank> totals = sums.sums();
  rebuild_ranks(plan, found, sums, totals, result);
  fill_sums(found, options.alternatives, result);
  bound_by_shards(plan, found, sums, totals, result);
  if (options.alternatives && options.shards_by_ranks)
    narrow_by_ranks(
        plan, found, sums, totals, [&](const ShardSizes& left) { return shards.keep(left); }, result);
  doubt_lost_ranks(*plan.printed, result);
  result.setting = found.survivors.front().outcome.setting;
  result.contradictions = found.survivors.front().outcome.contradictions;
}

}  // namespace shardstats::infer_detail
