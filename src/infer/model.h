// One hypothesis at work: what every table would take under a setting, for each way to fill in its hidden inputs.
//
// A table has variants (hidden inputs that need another evaluation: passes, caching ratio, virtual flag) and, in each
// variant, combos of element size, output element size and optimizer. A pair (variant, combo) is an Option; inference
// removes options until only those remain that printed numbers allow. Private to src/infer.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "infer/bounds.h"
#include "infer/inputs.h"
#include "infer/pool.h"

namespace shardstats::infer_detail {

inline constexpr std::array<double, 3> kElementSizes = {4, 2, 1};
constexpr int element_index(double size) {
  return static_cast<int>(std::ranges::find(kElementSizes, size) - kElementSizes.begin());
}
constexpr double element_bytes(int index) { return kElementSizes[static_cast<std::size_t>(index)]; }
inline constexpr std::array<double, 5> kOutputSizes = {4, 2, 1, 0.5, 0.25};
static_assert(std::equal(kElementSizes.begin(), kElementSizes.end(), kOutputSizes.begin()));  // one index for both
inline constexpr std::array<Optimizer, 4> kOptimizers = {Optimizer::none, Optimizer::rowwise_adagrad, Optimizer::other,
                                                         Optimizer::adam};
inline constexpr int kPairs = 12;   // element size x optimizer
inline constexpr int kCombos = 60;  // element size x output element size x optimizer

inline RealInterval real(std::int64_t x) { return exactly(static_cast<double>(x)); }

inline RealInterval at_least_zero(RealInterval x) { return {std::max(x.low, 0.0), std::max(x.high, 0.0)}; }

struct Combo {
  int element, output, optimizer;  // indices into the arrays above
};
constexpr int combo_index(Combo c) { return (c.element * 5 + c.output) * 4 + c.optimizer; }
inline constexpr auto kComboTable = [] {
  std::array<Combo, kCombos> combos{};
  for (int i = 0; i < kCombos; ++i) combos[static_cast<std::size_t>(i)] = {i / 20, i / 4 % 5, i % 4};
  return combos;
}();
constexpr Combo combo_of(int index) { return kComboTable[static_cast<std::size_t>(index)]; }
constexpr int pair_of(Combo c) { return c.element * 4 + c.optimizer; }
constexpr int element_of_pair(int pair) { return pair / 4; }

struct Variant {
  int passes = 1;           // multipass prefetch; kManyPasses: that many or more
  bool free_ratio = false;  // the caching ratio is hidden: anything in `ratio`
  RealInterval ratio{0, 1};
  bool virtual_table = false;
  bool free_poolings = false;  // numbers of poolings that old releases do not print
  bool free_columns = false;   // column widths, likewise
  friend bool operator==(const Variant&, const Variant&) = default;
};
inline constexpr int kManyPasses = 13;

struct Amounts {
  RealInterval hbm{}, ddr{}, ssd{};
};

// How row-wise tables are split.
enum class SplitRows : std::uint8_t {
  evenly,              // storage-model.md section 3.1
  by_equal_memory,     // in proportion to capacities that devices are said to have of their own, but all the same one
                       // (3.3)
  by_virtual_buckets,  // virtual tables by buckets that leave no rank without rows, in releases that know these (3.4);
                       // all others evenly. How many rows a shard has beyond that says nothing of its memory (4.5).
  by_memory,           // in proportion to capacities that differ
  by_buckets,          // each table in its own way, in releases that know buckets (3.4)
  by_few_buckets,      // the same, and some table has fewer buckets than there are ranks, which v1.8.0 refuses
};
using RowsByTable = std::vector<std::vector<RealInterval>>;  // bounds, by table and part
struct RowSplit {
  SplitRows how = SplitRows::evenly;
  // By memory: bounds of what part k of every row-wise table has of its rows, also of one that whatif makes row-wise;
  // null: nothing is known.
  std::shared_ptr<const std::vector<RealInterval>> shares;
  // By buckets, or by either: bounds of the rows of part k of each table, by TableInputs::row; null: nothing is known.
  std::shared_ptr<const RowsByTable> by_table;
  bool hidden() const { return how >= SplitRows::by_memory; }
  bool by_part() const { return shares != nullptr || by_table != nullptr; }
};
// The likeliest width of so many blocks of columns where it is not printed (before v0.5.0): the default minimum, or an
// even split (storage-model.md section 3.2). None where neither makes as many.
std::optional<std::int64_t> usual_block(std::int64_t cols, std::int64_t count);
// Whole rows of each part of a table, as `shares` bounds them (3.3).
std::vector<RealInterval> rows_of_parts(std::int64_t rows, const std::vector<RealInterval>& shares);
// Is no part of an uneven split of so many rows taken to be empty?
bool has_no_empty_part(std::int64_t rows, std::size_t parts, SplitRows how);

// Where a class keeps the sizes that some combos need, by what each kind of size depends on: most tables are asked for
// few of them.
struct SizePlaces {
  std::array<std::uint8_t, kPairs> pairs{};                 // by pair_of()
  std::array<std::uint8_t, kOutputSizes.size()> outputs{};  // by output element size
  std::array<std::uint8_t, kElementSizes.size()> elements{};
  std::uint8_t end = 0;
};

// What all combos have in common of one shard of a run of equal shards; bounds in bytes.
struct ClassShape {
  ShapeRun run;
  RealInterval rows{}, cols{};
  RealInterval input{};  // of the storage estimator
  RealInterval column_input{};
  SizePlaces places;
  Emptiness empty = Emptiness::no;
};

// With the sizes for the combos that make_parts() was asked for and no others.
struct ClassParts : ClassShape {
  std::vector<RealInterval, PoolAllocator<RealInterval>> sizes;  // those that `places` names

  // Without input and output.
  Amounts specific(int pair) const {
    const RealInterval* const first = &sizes[places.pairs[static_cast<std::size_t>(pair)]];
    return {first[0], first[1], first[2]};
  }
  void set_specific(int pair, const Amounts& amounts) {
    RealInterval* const first = &sizes[places.pairs[static_cast<std::size_t>(pair)]];
    first[0] = amounts.hbm, first[1] = amounts.ddr, first[2] = amounts.ssd;
  }
  // By output_of().
  RealInterval output(std::size_t o) const { return sizes[places.outputs[o]]; }
  RealInterval pipeline(std::size_t o) const { return sizes[places.outputs[o] + 1u]; }
  // By element size.
  RealInterval column_output(int element) const { return sizes[places.elements[static_cast<std::size_t>(element)]]; }
};

// A kind of printed sum that shards add up to.
enum class Quantity : std::uint8_t { hbm, ddr, ssd, input, output, weights, optimizer_state };
inline constexpr int kQuantities = 7;
constexpr std::size_t at(Quantity quantity) { return static_cast<std::size_t>(quantity); }
inline constexpr std::uint32_t bit(Quantity quantity) { return 1u << static_cast<unsigned>(quantity); }
// Of a rank's row.
inline constexpr std::array<Quantity, 4> kRankQuantities = {Quantity::hbm, Quantity::ddr, Quantity::input,
                                                            Quantity::output};

using Classes = std::vector<ClassParts, PoolAllocator<ClassParts>>;

struct Parts {
  Variant variant;
  Lookups lookups;
  Classes classes;     // in shard order
  Classes same_total;  // where the split is hidden: another one that adds up to as much
};

inline constexpr std::int64_t kRoundings = 4;  // whole bytes by which the parts of a shard can differ in rounding

struct Option {
  std::uint8_t variant = 0;
  std::uint8_t combo = 0;
  int element() const { return combo_of(combo).element; }
  friend bool operator==(Option, Option) = default;
};

// Shards of the table on ranks: slot i is the i-th entry of the printed ranks.
int class_of_slot(const Setting& setting, const TableInputs& table, const Parts& parts, std::size_t slot);
// Calls f(first, end, class) for shards of one class that follow each other, in the order of the printed ranks (in
// shard order for an empty plan).
template <class F>
void each_run(const Setting& setting, const TableInputs& table, const Parts& parts, F f) {
  if (table.sharding == Sharding::gs) {
    for (std::size_t slot = 0; slot < table.ranks.size(); ++slot)
      f(slot, slot + 1, static_cast<std::size_t>(class_of_slot(setting, table, parts, slot)));
    if (!table.ranks.empty()) return;
  }
  // The last class takes the slots beyond all.
  const std::size_t slots = table.ranks.size(), classes = parts.classes.size();
  std::size_t first = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    const auto all = first + static_cast<std::size_t>(parts.classes[c].run.count);
    const bool is_last = c + 1 == classes;
    const std::size_t end = slots == 0 ? all : is_last ? slots : std::min(all, slots);
    if (first == end) continue;
    f(first, end, c);
    first = end;
  }
}

// Calls f(rank, class) for each shard that is on one of so many ranks.
template <class F>
void each_shard(const Setting& setting, const TableInputs& table, const Parts& parts, std::size_t ranks, F f) {
  each_run(setting, table, parts, [&](std::size_t first, std::size_t end, std::size_t c) {
    for (std::size_t slot = first; slot < std::min(end, table.ranks.size()); ++slot)
      if (const auto rank = static_cast<std::size_t>(table.ranks[slot]); rank < ranks) f(rank, c);
  });
}

RealInterval ratio_of(const Setting& setting, const TableInputs& table, const Variant& variant);
inline double multiplier_of(const Setting& setting, const TableInputs& table, int optimizer) {
  return optimizer_multiplier(*setting.rules, kOptimizers[static_cast<std::size_t>(optimizer)], table.sharding,
                              *table.kernel, static_cast<double>(table.cols));
}
TableFacts<RealInterval> facts_of(const Setting& setting, const TableInputs& table, const Variant& variant,
                                  const Lookups& lookups, Combo combo);
// The sizes that some combos need: bit sets, by what each kind depends on.
struct WantedSizes {
  std::uint64_t combos = 0, pairs = 0, elements = 0, outputs = 0;
  std::uint64_t shown = 0;  // element sizes with which columns show what the estimator counts with an output size
  SizePlaces places;
};
// Makes the parts of tables under one setting. `pool`: where the classes are kept.
class PartsMaker {
 public:
  PartsMaker(const Setting& setting, const RowSplit& rows, Pool* pool = nullptr)
      : setting_(setting), rows_(rows), pool_(pool) {}

  // Sets the parts, with the sizes for the combos in `combos` (a bit each).
  void make(const TableInputs& table, const Variant& variant, std::uint64_t combos, const Lookups* lookups,
            Parts& parts);
  // Sets parts that differ from these, which make() made last, in the passes alone.
  void make_with_passes(const TableInputs& table, int passes, const Parts& others, Parts& parts);

 private:
  Setting setting_;
  RowSplit rows_;
  Pool* pool_;
  WantedSizes wanted_;  // of the last table: most are asked for the same combos
};
inline Parts make_parts(const Setting& setting, const TableInputs& table, const Variant& variant, const RowSplit& rows,
                        std::uint64_t combos, const Lookups* lookups = nullptr) {
  Parts parts;
  PartsMaker(setting, rows).make(table, variant, combos, lookups, parts);
  return parts;
}
// Of a row-wise table: a shard without rows, and one that has them all.
struct RowEnds {
  ClassParts none, all;
};
RowEnds row_ends(const Setting& setting, const TableInputs& table, const Parts& parts, std::uint64_t combos);

// Which of the outputs and pipeline sizes of a class counts.
inline std::size_t output_of(const Setting& setting, Combo combo) {
  return static_cast<std::size_t>(setting.rules->output_dtype ? combo.output : combo.element);
}
inline RealInterval class_hbm(const Setting& setting, const ClassParts& c, Combo combo) {
  return hbm_bytes(setting, c.specific(pair_of(combo)).hbm, c.pipeline(output_of(setting, combo)));
}
inline RealInterval class_ddr(const Setting& setting, const ClassParts& c, Combo combo) {
  return ddr_bytes(setting, c.specific(pair_of(combo)).ddr,
                   ShardIo<RealInterval>{c.input, c.output(output_of(setting, combo))});
}
inline RealInterval class_ssd(const ClassParts& c, Combo combo) { return c.specific(pair_of(combo)).ssd; }
inline RealInterval class_output(const ClassParts& c, Combo combo) { return c.column_output(combo.element); }
// Bytes of one shard of class `c` (none of weights and optimizer_state, which are those of whole tables).
inline RealInterval class_bytes(const Setting& setting, const ClassParts& c, Combo combo, Quantity quantity) {
  switch (quantity) {
    case Quantity::hbm:
      return class_hbm(setting, c, combo);
    case Quantity::ddr:
      return class_ddr(setting, c, combo);
    case Quantity::ssd:
      return class_ssd(c, combo);
    case Quantity::input:
      return c.column_input;
    case Quantity::output:
      return class_output(c, combo);
    case Quantity::weights:
    case Quantity::optimizer_state:
      break;
  }
  return {};
}
// All that single shards have, by Quantity: those before weights.
inline constexpr auto kShardQuantities = static_cast<std::size_t>(Quantity::weights);
inline std::array<RealInterval, kShardQuantities> shard_bytes(const Setting& setting, const ClassParts& c,
                                                              Combo combo) {
  return {class_hbm(setting, c, combo), class_ddr(setting, c, combo), class_ssd(c, combo), c.column_input,
          class_output(c, combo)};
}
// Of a whole table.
struct TableWeights {
  RealInterval weights{}, state{};  // the optimizer's
};
TableWeights table_weights(const Setting& setting, const TableInputs& table, Combo combo);
// The same summed over all shards.
RealInterval table_bytes(const Setting& setting, const TableInputs& table, const Parts& parts, Combo combo,
                         Quantity quantity);
// The quantities that a table has printed cells of, all at once; by Quantity.
inline constexpr std::array<Quantity, 3> kCells = {Quantity::hbm, Quantity::ddr, Quantity::ssd};
using CellBytes = std::array<RealInterval, kCells.size()>;
CellBytes cell_bytes(const Setting& setting, const Parts& parts, Combo combo);
// Which printed cells of the table those bytes contradict.
using WrongCells = std::array<bool, kCells.size()>;
inline std::int64_t count(const WrongCells& cells) { return std::count(cells.begin(), cells.end(), true); }
WrongCells contradicted_cells(const Setting& setting, const TableInputs& table, const Parts& parts, Combo combo);
// The same for one combo after the other.
class CellTest {
 public:
  CellTest(const Setting& setting, const TableInputs& table, const Parts& parts) : setting_(setting), parts_(parts) {
    std::ranges::transform(table.cells, printed_.begin(), bounds_of);
    if (parts.classes.size() != 1 || !parts.same_total.empty()) return;
    only_ = &parts.classes.front();
    count_ = real(only_->run.count);
  }

  WrongCells operator()(Combo combo) const {
    if (only_ == nullptr) return contradicted_by(cell_bytes(setting_, parts_, combo));
    return contradicted_by({class_hbm(setting_, *only_, combo) * count_, class_ddr(setting_, *only_, combo) * count_,
                            class_ssd(*only_, combo) * count_});
  }

 private:
  static RealInterval bounds_of(const std::optional<ByteInterval>& cell) {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    return cell ? real(*cell) : RealInterval{-kAny, kAny};
  }
  WrongCells contradicted_by(const CellBytes& bytes) const {
    return {!bytes[0].overlaps(printed_[0]), !bytes[1].overlaps(printed_[1]), !bytes[2].overlaps(printed_[2])};
  }

  const Setting& setting_;
  const Parts& parts_;
  CellBytes printed_;                 // anything where no cell is
  const ClassParts* only_ = nullptr;  // all of the table is so many times this shard
  RealInterval count_{};
};

// Calls f(index) for each bit of a set.
template <class F>
void each_bit(std::uint64_t bits, F f) {
  for (; bits != 0; bits &= bits - 1) f(std::countr_zero(bits));
}

// The plan-wide values of a pair for this table: quantized weights have no optimizer, --assume may fix some.
inline Combo plan_wide(const TableInputs& table, int pair) {
  Combo combo{element_of_pair(pair), element_of_pair(pair), table.quant ? 0 : pair % 4};
  if (table.fixed_element) combo.element = combo.output = *table.fixed_element;
  if (table.fixed_output) combo.output = *table.fixed_output;
  if (table.fixed_optimizer) combo.optimizer = *table.fixed_optimizer;
  return combo;
}

// Which combos are possible at all for this table (kernel, release), as a bit mask; `free_output`: e_o may differ from
// e.
std::uint64_t possible_combos(const Setting& setting, const TableInputs& table, bool free_output);
// The subset that the printed storage cells allow.
std::uint64_t fitting_combos(const Setting& setting, const TableInputs& table, const Parts& parts,
                             std::uint64_t possible);

bool is_ratio_hidden(const Setting& setting, const TableInputs& table);

}  // namespace shardstats::infer_detail
