#include "infer/evaluate.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace shardstats::infer_detail {
namespace {

constexpr std::int64_t kMostAssignments = 20000;  // tried for one printed sum
constexpr int kRounds = 6;                        // of pruning; each one only ever removes options
constexpr std::array<Quantity, 4> kRankQuantities = {Quantity::hbm, Quantity::ddr, Quantity::input, Quantity::output};
constexpr std::array<Quantity, 5> kKernelQuantities = {Quantity::hbm, Quantity::ddr, Quantity::ssd, Quantity::weights,
                                                       Quantity::optimizer_state};
constexpr std::array<Quantity, 3> kCells = {Quantity::hbm, Quantity::ddr, Quantity::ssd};
constexpr std::int16_t kWhole = -1;

RealInterval real(ByteInterval x) { return {static_cast<double>(x.low), static_cast<double>(x.high)}; }

const std::optional<ByteInterval>& cell_of(const TableInputs& table, Quantity quantity) {
  return quantity == Quantity::hbm ? table.hbm : quantity == Quantity::ddr ? table.ddr : table.ssd;
}
const std::optional<ByteInterval>& column_of(const RankInputs& rank, Quantity quantity) {
  switch (quantity) {
    case Quantity::hbm:
      return rank.hbm;
    case Quantity::ddr:
      return rank.ddr;
    case Quantity::input:
      return rank.input;
    default:
      return rank.output;
  }
}

// Shards of one class of one table in a sum.
struct Entry {
  std::uint32_t table = 0;
  std::int16_t cls = kWhole;
  double count = 1;
};

// The sums of an outcome, with the bounds of every table cached.
class Sums {
 public:
  Sums(const PlanInputs& plan, Outcome& outcome) : plan_(plan), outcome_(outcome) {
    add_rank_sums();
    add_kernel_sums();
    bounds_.resize(outcome_.tables.size());
    for (std::uint32_t t = 0; t < bounds_.size(); ++t) refresh(t);
  }

  // Bounds of S and y that the Input and Output columns leave to a table.
  std::vector<Lookups> narrowed_lookups() const {
    std::vector<Lookups> all(plan_.tables.size());
    for (std::uint32_t t = 0; t < all.size(); ++t)
      if (usable(t)) all[t] = (*outcome_.parts)[t].front().lookups;
    for (const SumLine& line : outcome_.sums) {
      if (!line.is_rank || line.contradicted) continue;
      if (line.quantity != Quantity::input && line.quantity != Quantity::output) continue;
      const RealInterval total = shards(line);
      const std::uint32_t end = line.first + line.count;
      for (std::uint32_t i = line.first; i < end;) {
        std::uint32_t next = i + 1;
        while (next < end && entries_[next].table == entries_[i].table) ++next;
        narrow_by_column(line, total, i, next, all[entries_[i].table]);
        i = next;
      }
    }
    return all;
  }

  // Compares every sum with what is printed; where a table has several options left, removes those that no sum allows.
  void settle() {
    fit_constants();
    for (int round = 0; round < kRounds; ++round) {
      bool changed = false;
      for (SumLine& line : outcome_.sums) changed |= check(line);
      if (!changed) break;
    }
    for (SumLine& line : outcome_.sums)
      if (line.is_rank && line.quantity == Quantity::output) match_output(line);
    for (SumLine& line : outcome_.sums) check(line);
    for (const SumLine& line : outcome_.sums) outcome_.contradictions += line.contradicted;
  }

  // A lower bound of the tables that depart from the plan-wide values though none of them has to by itself: some sum
  // is out of reach of the plan-wide values, and this many of its tables together bring it back.
  std::int64_t departures_of_sums() const {
    std::int64_t most = 0;
    for (const SumLine& line : outcome_.sums)
      if (!line.contradicted) most = std::max(most, departures_of(line));
    return most == 1 && !one_table_departs() ? 2 : most;
  }

 private:
  bool usable(std::uint32_t t) const { return !outcome_.tables[t].options.empty(); }

  void add_line(Quantity quantity, bool is_rank, std::size_t index, const std::optional<ByteInterval>& printed,
                std::size_t first) {
    if (!printed) return;
    SumLine line;
    line.quantity = quantity;
    line.is_rank = is_rank;
    line.index = static_cast<std::uint32_t>(index);
    line.printed = real(*printed);
    line.first = static_cast<std::uint32_t>(first);
    line.count = static_cast<std::uint32_t>(entries_.size() - first);
    outcome_.sums.push_back(line);
  }

  // A rank with a shard of a table that cannot be rebuilt has no sum to compare.
  void add_rank_sums() {
    std::vector<std::vector<Entry>> by_rank(plan_.ranks.size());
    std::vector<bool> known(plan_.ranks.size(), true);
    for (std::uint32_t t = 0; t < plan_.tables.size(); ++t) {
      const TableInputs& table = plan_.tables[t];
      for (std::size_t slot = 0; slot < table.ranks.size(); ++slot) {
        const auto rank = static_cast<std::size_t>(table.ranks[slot]);
        if (rank >= by_rank.size()) continue;
        if (!usable(t)) {
          known[rank] = false;
          continue;
        }
        const auto cls =
            static_cast<std::int16_t>(class_of_slot(outcome_.setting, table, (*outcome_.parts)[t].front(), slot));
        auto& entries = by_rank[rank];
        if (!entries.empty() && entries.back().table == t && entries.back().cls == cls)
          ++entries.back().count;
        else
          entries.push_back({t, cls, 1});
      }
      if (table.ranks.empty() && !usable(t)) std::fill(known.begin(), known.end(), false);
    }
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
      if (!known[rank]) continue;
      const std::size_t first = entries_.size();
      entries_.insert(entries_.end(), by_rank[rank].begin(), by_rank[rank].end());
      for (const Quantity q : kRankQuantities) add_line(q, true, rank, column_of(plan_.ranks[rank], q), first);
    }
  }

  void add_kernel_sums() {
    for (std::size_t k = 0; k < plan_.kernels.size(); ++k) {
      const KernelInputs& kernel = plan_.kernels[k];
      const auto ok = [&](std::uint32_t t) { return usable(t); };
      if (!std::all_of(kernel.tables.begin(), kernel.tables.end(), ok)) continue;
      const std::size_t first = entries_.size();
      for (const std::uint32_t t : kernel.tables) entries_.push_back({t, kWhole, 1});
      for (const Quantity q : kKernelQuantities)
        add_line(q, false, k, kernel.printed[static_cast<std::size_t>(q)], first);
    }
  }

  RealInterval bytes(const Entry& entry, Option option, Quantity quantity) const {
    const Parts& parts = (*outcome_.parts)[entry.table][option.variant];
    const Combo combo = combo_of(option.combo);
    if (entry.cls == kWhole) return table_bytes(outcome_.setting, plan_.tables[entry.table], parts, combo, quantity);
    return class_bytes(outcome_.setting, parts.classes[static_cast<std::size_t>(entry.cls)], combo, quantity) *
           exactly(entry.count);
  }

  RealInterval hull_of(const Entry& entry, Quantity quantity) const {
    const auto& options = outcome_.tables[entry.table].options;
    RealInterval all = bytes(entry, options.front(), quantity);
    for (std::size_t i = 1; i < options.size(); ++i) all = hull(all, bytes(entry, options[i], quantity));
    return all;
  }

  void refresh(std::uint32_t t) {
    if (!usable(t)) return;
    const auto classes = (*outcome_.parts)[t].front().classes.size();
    bounds_[t].assign((classes + 1) * kQuantities, RealInterval{});
    for (std::size_t c = 0; c <= classes; ++c)
      for (int q = 0; q < kQuantities; ++q) {
        const auto quantity = static_cast<Quantity>(q);
        const bool whole = c == classes;
        if (whole ? quantity == Quantity::input || quantity == Quantity::output : quantity >= Quantity::weights)
          continue;
        const Entry entry{t, whole ? kWhole : static_cast<std::int16_t>(c), 1};
        bounds_[t][c * kQuantities + static_cast<std::size_t>(q)] = hull_of(entry, quantity);
      }
    for (const Quantity quantity : kCells) narrow_by_cell(t, quantity);
  }

  // The table's own cell bounds the sum over its shards, and with it each of them.
  void narrow_by_cell(std::uint32_t t, Quantity quantity) {
    const auto& cell = cell_of(plan_.tables[t], quantity);
    if (!cell || outcome_.tables[t].contradicted[static_cast<std::size_t>(quantity)]) return;
    const RealInterval printed = real(*cell);
    const auto& classes = (*outcome_.parts)[t].front().classes;
    const auto bounds = [&](std::size_t c) -> RealInterval& {
      return bounds_[t][c * kQuantities + static_cast<std::size_t>(quantity)];
    };
    bounds(classes.size()) = narrowed(bounds(classes.size()), printed);
    RealInterval total{};
    for (std::size_t c = 0; c < classes.size(); ++c)
      total = total + bounds(c) * exactly(static_cast<double>(classes[c].run.count));
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const double n = equal_shards(outcome_, plan_.tables[t]) ? static_cast<double>(classes[c].run.count) : 1;
      if (n <= 0) continue;
      const RealInterval own = bounds(c);
      const RealInterval left{(printed.low - (total.high - n * own.high)) / n,
                              (printed.high - (total.low - n * own.low)) / n};
      if (left.low <= left.high) bounds(c) = narrowed(own, left);
    }
  }

  RealInterval cached(const Entry& entry, Quantity quantity) const {
    const auto classes = (*outcome_.parts)[entry.table].front().classes.size();
    const std::size_t c = entry.cls == kWhole ? classes : static_cast<std::size_t>(entry.cls);
    return bounds_[entry.table][c * kQuantities + static_cast<std::size_t>(quantity)] * exactly(entry.count);
  }

  RealInterval shards(const SumLine& line) const {
    RealInterval sum{};
    for (std::uint32_t i = line.first; i < line.first + line.count; ++i) sum = sum + cached(entries_[i], line.quantity);
    return sum;
  }

  RealInterval constant_of(const SumLine& line) const {
    if (!line.is_rank || line.quantity > Quantity::ddr) return {};
    return line.quantity == Quantity::hbm ? outcome_.constants.hbm : outcome_.constants.ddr;
  }

  // Dense and KJT: as printed; else what the ranks have in common beyond their shards.
  void fit_constants() {
    Constants& constants = outcome_.constants;
    if (plan_.reservation_printed) {
      // Both are booked to one memory of the device (storage-model.md section 8.1): a printed 0.0 of the other is zero.
      const bool in_hbm = io_in_hbm(outcome_.setting);
      if (in_hbm || plan_.dense_hbm.low + plan_.kjt_hbm.low > 0)
        constants.hbm = real(plan_.dense_hbm) + real(plan_.kjt_hbm);
      if (!in_hbm || plan_.dense_ddr.low + plan_.kjt_ddr.low > 0)
        constants.ddr = real(plan_.dense_ddr) + real(plan_.kjt_ddr);
      return;
    }
    const ReleaseRules& rules = *outcome_.setting.rules;
    if (!rules.counts_reservation || rules.release >= Release::v1_6_0) return;
    const bool in_hbm = io_in_hbm(outcome_.setting);
    RealInterval& hidden = in_hbm ? constants.hbm : constants.ddr;
    hidden = hidden_constant(in_hbm ? Quantity::hbm : Quantity::ddr);
    if (in_hbm && plan_.sparse_gap) hidden = narrowed(hidden, *plan_.sparse_gap);
    constants.hidden = hidden.low > 0;
    outcome_.freedoms += constants.hidden;
  }

  // The amount that most ranks have beyond their shards; zero is preferred if it costs at most one rank more.
  RealInterval hidden_constant(Quantity quantity) const {
    std::vector<RealInterval> rests;
    for (const SumLine& line : outcome_.sums)
      if (line.is_rank && line.quantity == quantity) {
        const RealInterval rest = line.printed - shards(line);
        rests.push_back({std::max(rest.low, 0.0), std::max(rest.high, 0.0)});
      }
    if (rests.empty()) return {};
    const auto common = [&](RealInterval wanted) {
      std::int64_t met = 0;
      RealInterval both = wanted;
      for (const RealInterval rest : rests)
        if (both.overlaps(rest)) both = narrowed(both, rest), ++met;
      return std::pair{met, both};
    };
    auto best = common({0, 0});
    best.second = {0, std::numeric_limits<double>::max()};
    for (const RealInterval rest : rests)
      if (rest.low == 0) best.second = narrowed(best.second, rest);
    const std::int64_t at_zero = best.first;
    for (const RealInterval start : rests) {
      const auto found = common(start);
      if (found.first > best.first && found.first > at_zero + 1) best = found;
    }
    return best.second;
  }

  std::optional<Option> wide_option(std::uint32_t t) const {
    const auto wanted = static_cast<std::uint8_t>(combo_index(plan_wide(plan_.tables[t], outcome_.pair)));
    for (const Option option : outcome_.tables[t].options) {
      const Variant& variant = (*outcome_.parts)[t][option.variant].variant;
      if (option.combo == wanted && variant.passes == 1 && !variant.virtual_table) return option;
    }
    return std::nullopt;
  }

  // Entries of a line come table by table; calls f(first, end) for each table.
  template <class F>
  void each_table(const SumLine& line, F f) const {
    const std::uint32_t end = line.first + line.count;
    for (std::uint32_t i = line.first; i < end;) {
      std::uint32_t next = i + 1;
      while (next < end && entries_[next].table == entries_[i].table) ++next;
      f(i, next);
      i = next;
    }
  }

  RealInterval hull_between(std::uint32_t first, std::uint32_t end, Quantity quantity) const {
    RealInterval own{};
    for (std::uint32_t i = first; i < end; ++i) own = own + cached(entries_[i], quantity);
    return own;
  }
  RealInterval option_between(std::uint32_t first, std::uint32_t end, Option option, Quantity quantity) const {
    RealInterval own{};
    for (std::uint32_t i = first; i < end; ++i) own = own + bytes(entries_[i], option, quantity);
    return own;
  }

  std::int64_t departures_of(const SumLine& line) const {
    RealInterval sum = constant_of(line);
    std::vector<double> up, down;  // how far each table can move the sum away from its plan-wide value
    each_table(line, [&](std::uint32_t first, std::uint32_t end) {
      const std::uint32_t t = entries_[first].table;
      const RealInterval all = hull_between(first, end, line.quantity);
      const auto option = outcome_.tables[t].options.size() > 1 ? wide_option(t) : std::nullopt;
      const RealInterval wide = option ? option_between(first, end, *option, line.quantity) : all;
      sum = sum + wide;
      if (all.high > wide.high) up.push_back(all.high - wide.high);
      if (all.low < wide.low) down.push_back(wide.low - all.low);
    });
    const double missing = std::max(line.printed.low - sum.high, sum.low - line.printed.high);
    if (missing <= 0) return 0;
    if (!line.is_rank) return 0;  // a line over all tables of a kernel does not tell which of them depart
    std::vector<double>& moves = line.printed.low > sum.high ? up : down;
    std::sort(moves.begin(), moves.end(), std::greater<>{});
    double moved = 0;
    std::int64_t tables = 0;
    for (const double move : moves) {
      if (moved >= missing) break;
      moved += move;
      ++tables;
    }
    return std::max<std::int64_t>(tables, 1);
  }

  // The sum with every table at its plan-wide values (where it can have them).
  RealInterval wide_sum(const SumLine& line) const {
    RealInterval sum = constant_of(line);
    each_table(line, [&](std::uint32_t first, std::uint32_t end) {
      const auto option = wide_option(entries_[first].table);
      sum =
          sum + (option ? option_between(first, end, *option, line.quantity) : hull_between(first, end, line.quantity));
    });
    return sum;
  }

  // Is there one table that, departing alone from the plan-wide values, brings all sums to what is printed?
  bool one_table_departs() const {
    std::vector<RealInterval> wide;
    for (const SumLine& line : outcome_.sums) wide.push_back(wide_sum(line));
    for (std::uint32_t t = 0; t < outcome_.tables.size(); ++t) {
      const auto& options = outcome_.tables[t].options;
      const auto plan_wide_option = options.size() > 1 ? wide_option(t) : std::nullopt;
      if (!plan_wide_option) continue;
      for (const Option option : options)
        if (option.combo != plan_wide_option->combo && explains_all(t, *plan_wide_option, option, wide)) return true;
    }
    return false;
  }

  bool explains_all(std::uint32_t t, Option from, Option to, const std::vector<RealInterval>& wide) const {
    for (std::size_t l = 0; l < outcome_.sums.size(); ++l) {
      const SumLine& line = outcome_.sums[l];
      if (line.contradicted) continue;
      RealInterval sum = wide[l];
      each_table(line, [&](std::uint32_t first, std::uint32_t end) {
        if (entries_[first].table != t) return;
        const RealInterval old = option_between(first, end, from, line.quantity);
        const RealInterval now = option_between(first, end, to, line.quantity);
        sum = {sum.low - old.low + now.low, sum.high - old.high + now.high};
      });
      if (!sum.overlaps(line.printed)) return false;
    }
    return true;
  }

  // A table of an output sum with several element sizes left, and what each of them adds.
  struct OpenTable {
    std::uint32_t table = 0;
    std::vector<std::pair<int, RealInterval>> sizes;  // element index, bytes
    std::uint32_t used = 0;                           // bit set: element sizes of some solution
  };

  // The Output column is printed finely, so that bounds of the sum are not enough: looks for the assignments of element
  // sizes that give the printed value. None: the cell is contradicted; else sizes in none of them are removed.
  void match_output(SumLine& line) {
    if (line.contradicted) return;
    RealInterval fixed{};
    std::vector<OpenTable> open;
    each_table(line, [&](std::uint32_t first, std::uint32_t end) {
      OpenTable one{entries_[first].table, {}, 0};
      for (const Option option : outcome_.tables[one.table].options) {
        const int element = combo_of(option.combo).element;
        const auto known = [&](const auto& size) { return size.first == element; };
        if (std::none_of(one.sizes.begin(), one.sizes.end(), known))
          one.sizes.emplace_back(element, option_between(first, end, option, line.quantity));
      }
      if (one.sizes.size() > 1)
        open.push_back(std::move(one));
      else
        fixed = fixed + hull_between(first, end, line.quantity);
    });
    if (open.empty()) return;
    std::sort(open.begin(), open.end(), [](const OpenTable& a, const OpenTable& b) {
      return a.sizes.front().second.high > b.sizes.front().second.high;
    });
    std::int64_t budget = kMostAssignments;
    const bool found = assign(open, 0, fixed, line.printed, budget);
    if (budget <= 0) return;  // too many to tell
    if (!found) {
      line.contradicted = true;
      return;
    }
    for (const OpenTable& one : open) keep_elements(one.table, one.used);
  }

  bool assign(std::vector<OpenTable>& open, std::size_t at, RealInterval sum, RealInterval printed,
              std::int64_t& budget) const {
    if (--budget <= 0) return true;
    RealInterval reach = sum;
    for (std::size_t i = at; i < open.size(); ++i) {
      RealInterval all = open[i].sizes.front().second;
      for (const auto& size : open[i].sizes) all = hull(all, size.second);
      reach = reach + all;
    }
    if (!reach.overlaps(printed)) return false;
    if (at == open.size()) return true;
    bool any = false;
    for (const auto& [element, size] : open[at].sizes)
      if (assign(open, at + 1, sum + size, printed, budget)) {
        open[at].used |= 1u << element;
        any = true;
      }
    return any;
  }

  void keep_elements(std::uint32_t t, std::uint32_t elements) {
    auto& options = outcome_.tables[t].options;
    const std::size_t before = options.size();
    std::erase_if(options, [&](Option o) { return (elements >> combo_of(o.combo).element & 1) == 0; });
    if (options.size() != before) refresh(t);
  }

  // Bounds of one sum; removes options of its tables that cannot be. True if any was removed.
  bool check(SumLine& line) {
    RealInterval total = shards(line) + constant_of(line);
    line.expected = total;
    if (!total.overlaps(line.printed)) {
      line.contradicted = true;
      return false;
    }
    if (line.contradicted) return false;
    bool changed = false;
    const std::uint32_t end = line.first + line.count;
    for (std::uint32_t i = line.first; i < end;) {
      std::uint32_t next = i + 1;
      while (next < end && entries_[next].table == entries_[i].table) ++next;
      changed |= prune(line, total, i, next);
      i = next;
    }
    return changed;
  }

  bool prune(const SumLine& line, RealInterval& total, std::uint32_t first, std::uint32_t end) {
    const std::uint32_t t = entries_[first].table;
    auto& options = outcome_.tables[t].options;
    if (options.size() < 2) return false;
    RealInterval own{};
    for (std::uint32_t i = first; i < end; ++i) own = own + cached(entries_[i], line.quantity);
    const RealInterval others{total.low - own.low, total.high - own.high};
    std::vector<Option> kept;
    for (const Option option : options) {
      RealInterval value = others;
      for (std::uint32_t i = first; i < end; ++i) value = value + bytes(entries_[i], option, line.quantity);
      if (value.overlaps(line.printed)) kept.push_back(option);
    }
    if (kept.empty() || kept.size() == options.size()) return false;
    options = std::move(kept);
    refresh(t);
    RealInterval now{};
    for (std::uint32_t i = first; i < end; ++i) now = now + cached(entries_[i], line.quantity);
    total = {others.low + now.low, others.high + now.high};
    return true;
  }

  // Bytes per id (input) or per pooled output (output) of one shard, over the element sizes left.
  RealInterval bytes_each(const SumLine& line, const TableInputs& table, const ClassParts& c, std::uint32_t t) const {
    const Setting& s = outcome_.setting;
    const double world = table.sharding == Sharding::dp ? 1 : static_cast<double>(s.world_size);
    const bool by_lookups = line.quantity == Quantity::input || table.sequence;
    const double parts = !by_lookups                      ? 1
                         : table.sharding == Sharding::rw ? static_cast<double>(s.world_size)
                         : table.sharding == Sharding::twrw || table.sharding == Sharding::gs
                             ? static_cast<double>(s.column_group_size)
                             : 1;
    const RealInterval times = exactly(world / parts);
    if (line.quantity == Quantity::input) return times * exactly(kIndexBytes);
    RealInterval element{4, 1};
    for (const Option option : outcome_.tables[t].options) {
      const double size = kElementSizes[static_cast<std::size_t>(combo_of(option.combo).element)];
      element = {std::min(element.low, size), std::max(element.high, size)};
    }
    return times * c.cols * element;
  }

  void narrow_by_column(const SumLine& line, RealInterval total, std::uint32_t first, std::uint32_t end,
                        Lookups& lookups) const {
    constexpr double kRounding = 1e-12;  // relative; far above the roundings of the products inverted here
    const std::uint32_t t = entries_[first].table;
    const TableInputs& table = plan_.tables[t];
    const auto& classes = (*outcome_.parts)[t].front().classes;
    RealInterval own{};
    double shards_with = 0;
    const ClassParts* filled = nullptr;
    for (std::uint32_t i = first; i < end; ++i) {
      own = own + cached(entries_[i], line.quantity);
      const ClassParts& c = classes[static_cast<std::size_t>(entries_[i].cls)];
      if (c.empty == Emptiness::unknown) return;
      if (c.empty == Emptiness::yes) continue;
      shards_with += entries_[i].count;
      filled = &c;
    }
    if (filled == nullptr) return;
    const RealInterval left{line.printed.low - (total.high - own.high), line.printed.high - (total.low - own.low)};
    const RealInterval each = bytes_each(line, table, *filled, t);
    const RealInterval bounds{std::max((left.low / shards_with - 1) / each.high * (1 - kRounding), 0.0),
                              std::max(left.high / shards_with / each.low * (1 + kRounding), 0.0)};
    RealInterval& value = line.quantity == Quantity::input || table.sequence ? lookups.lookups : lookups.pooled;
    value = narrowed(value, bounds);
  }

  const PlanInputs& plan_;
  Outcome& outcome_;
  std::vector<Entry> entries_;
  std::vector<std::vector<RealInterval>> bounds_;  // by table: class x quantity, the whole table last
};

// Which printed storage cells of the table an option contradicts.
std::array<bool, 3> contradicted_cells(const Setting& setting, const TableInputs& table, const Parts& parts,
                                       Combo combo) {
  std::array<bool, 3> wrong{};
  for (const Quantity q : kCells) {
    const auto& printed = cell_of(table, q);
    wrong[static_cast<std::size_t>(q)] =
        printed && !table_bytes(setting, table, parts, combo, q).overlaps(real(*printed));
  }
  return wrong;
}
std::int64_t count(const std::array<bool, 3>& cells) { return std::count(cells.begin(), cells.end(), true); }

std::vector<Variant> variants_of(const Setting& setting, const TableInputs& table, Freedom freedom) {
  const bool cached = is_cached(*table.kernel, setting.rules->release);
  const bool hidden_inputs =
      !table.poolings_known || (table.block == 0 && table.ranks.size() > 1 &&
                                (table.sharding == Sharding::cw || table.sharding == Sharding::twcw));
  Variant base;
  base.free_ratio = is_ratio_hidden(setting, table);
  base.free_inputs = hidden_inputs && freedom >= Freedom::inputs;
  const bool passes = cached && setting.pipeline == Pipeline::train_prefetch_sparse_dist &&
                      !(setting.inference && setting.rules->inference);
  std::vector<Variant> variants;
  for (int p = 1; p <= (passes ? kManyPasses : 1); ++p) {
    base.passes = p;
    variants.push_back(base);
  }
  return variants;
}

// Options of one table in the free tier; `virtual_too`: it may be a virtual table even if nothing asks for that.
// Returns how many printed cells even the best of them contradicts.
std::int64_t free_options(const Setting& setting, const TableInputs& table, Freedom freedom, bool virtual_too,
                          TableParts& parts, TableState& state) {
  const std::uint64_t possible = possible_combos(setting, table, true);
  const auto add = [&](const Variant& variant) {
    parts.push_back(make_parts(setting, table, variant, freedom == Freedom::rows));
    const std::uint64_t fits = fitting_combos(setting, table, parts.back(), possible);
    for (int i = 0; i < kCombos; ++i)
      if ((fits >> i & 1) != 0)
        state.options.push_back({static_cast<std::uint8_t>(parts.size() - 1), static_cast<std::uint8_t>(i)});
  };
  for (const Variant& variant : variants_of(setting, table, freedom)) add(variant);
  const bool may_be_virtual = setting.rules->virtual_flag && !table.kernel->key_value;
  if ((state.options.empty() || virtual_too) && may_be_virtual) {
    Variant variant;
    variant.virtual_table = true;
    variant.free_ratio = is_ratio_hidden(setting, table);
    add(variant);
  }
  if (!state.options.empty()) return 0;
  std::int64_t fewest = 4;
  for (std::uint8_t v = 0; v < parts.size(); ++v)
    for (int i = 0; i < kCombos; ++i) {
      if ((possible >> i & 1) == 0 || parts[v].variant.virtual_table) continue;
      const auto wrong = contradicted_cells(setting, table, parts[v], combo_of(i));
      if (count(wrong) < fewest) {
        fewest = count(wrong);
        state.options.clear();
        state.contradicted = wrong;
      }
      if (count(wrong) == fewest && wrong == state.contradicted)
        state.options.push_back({v, static_cast<std::uint8_t>(i)});
    }
  return fewest;
}

// Values of its own that the table needs: one for departing from the plan-wide ones, another for the hidden size of the
// key-value cache of a virtual table.
int departures(const TableInputs& table, const TableState& state, const TableParts& parts, int pair) {
  const auto wanted = static_cast<std::uint8_t>(combo_index(plan_wide(table, pair)));
  const auto is_plan_wide = [&](Option option) {
    const Variant& variant = parts[option.variant].variant;
    return option.combo == wanted && variant.passes == 1 && !variant.virtual_table;
  };
  const auto is_virtual = [&](Option option) { return parts[option.variant].variant.virtual_table; };
  if (state.options.empty() || std::any_of(state.options.begin(), state.options.end(), is_plan_wide)) return 0;
  return std::all_of(state.options.begin(), state.options.end(), is_virtual) ? 2 : 1;
}

std::optional<Outcome> evaluate_tables(const PlanInputs& plan, const Setting& setting, int pair, Freedom freedom,
                                       bool virtual_too, std::int64_t limit) {
  const bool uneven = freedom == Freedom::rows;
  Outcome outcome;
  outcome.setting = setting;
  outcome.uniform = false;
  outcome.uneven = uneven;
  outcome.pair = pair;
  outcome.tables.resize(plan.tables.size());
  auto parts = std::make_shared<std::vector<TableParts>>(plan.tables.size());
  std::int64_t forced = 0;
  for (std::size_t t = 0; t < plan.tables.size(); ++t) {
    const TableInputs& table = plan.tables[t];
    if (!table.sized || table.kernel == nullptr) continue;
    outcome.contradictions += free_options(setting, table, freedom, virtual_too, (*parts)[t], outcome.tables[t]);
    forced += departures(table, outcome.tables[t], (*parts)[t], pair);
    if (outcome.cost() + forced > limit) return std::nullopt;
  }
  outcome.parts = parts;
  Sums sums(plan, outcome);
  sums.settle();
  outcome.freedoms += sums.departures_of_sums();
  for (std::size_t t = 0; t < plan.tables.size(); ++t) {
    if ((*parts)[t].empty()) continue;
    outcome.freedoms += departures(plan.tables[t], outcome.tables[t], (*parts)[t], pair);
  }
  if (outcome.cost() > limit) return std::nullopt;
  return outcome;
}

}  // namespace

bool equal_shards(const Outcome& outcome, const TableInputs& table) {
  const bool by_columns = table.sharding == Sharding::cw || table.sharding == Sharding::twcw;
  return !(outcome.uneven && table.sharding == Sharding::rw) && !(by_columns && table.block == 0);
}

namespace {

// How many printed storage cells each plan-wide pair contradicts. A pair far behind the best is not followed further.
class PairCounts {
 public:
  explicit PairCounts(std::uint32_t allowed, std::int64_t far_behind = kFarBehind)
      : live_(allowed), far_behind_(far_behind) {}

  void add(const PlanInputs& plan, const Setting& setting, std::size_t t, const Parts& parts) {
    for (int p = 0; p < kPairs; ++p)
      if ((live_ >> p & 1) != 0)
        wrong_[at(p)] += count(contradicted_cells(setting, plan.tables[t], parts, plan_wide(plan.tables[t], p)));
    const std::int64_t fewest = least();
    for (int p = 0; p < kPairs; ++p)
      if ((live_ >> p & 1) != 0 && wrong_[at(p)] > fewest + far_behind_) {
        live_ &= ~(1u << p);
        fewest_dropped_ = std::min(fewest_dropped_, wrong_[at(p)]);
      }
  }
  std::int64_t least() const {
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    for (int p = 0; p < kPairs; ++p)
      if ((live_ >> p & 1) != 0) fewest = std::min(fewest, wrong_[at(p)]);
    return fewest;
  }
  // Did a dropped pair possibly end up better than those that were followed?
  bool dropped_too_early() const { return fewest_dropped_ <= least(); }

  // The pairs that were followed, best first.
  std::vector<std::pair<std::int64_t, int>> ranking() const {
    std::vector<std::pair<std::int64_t, int>> pairs;
    for (int p = 0; p < kPairs; ++p)
      if ((live_ >> p & 1) != 0) pairs.emplace_back(wrong_[at(p)], p);
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

 private:
  static constexpr std::int64_t kFarBehind = 24;
  static std::size_t at(int p) { return static_cast<std::size_t>(p); }
  std::array<std::int64_t, kPairs> wrong_{};
  std::uint32_t live_;
  std::int64_t far_behind_;
  std::int64_t fewest_dropped_ = std::numeric_limits<std::int64_t>::max();
};

Outcome uniform_outcome(const PlanInputs& plan, const Setting& setting, int pair, std::int64_t wrong,
                        const std::shared_ptr<const std::vector<TableParts>>& parts) {
  Outcome outcome;
  outcome.setting = setting;
  outcome.pair = pair;
  outcome.parts = parts;
  outcome.tables.resize(plan.tables.size());
  outcome.contradictions = wrong;
  for (std::size_t t = 0; t < plan.tables.size(); ++t) {
    if ((*parts)[t].empty()) continue;
    const Combo combo = plan_wide(plan.tables[t], pair);
    outcome.tables[t].options.push_back({0, static_cast<std::uint8_t>(combo_index(combo))});
    outcome.tables[t].contradicted = contradicted_cells(setting, plan.tables[t], (*parts)[t].front(), combo);
  }
  Sums(plan, outcome).settle();
  return outcome;
}

}  // namespace

std::vector<Outcome> evaluate_uniform(const PlanInputs& plan, const Setting& setting, std::uint32_t allowed_pairs,
                                      std::int64_t limit, std::int64_t& least) {
  PairCounts counts(allowed_pairs);
  auto parts = std::make_shared<std::vector<TableParts>>(plan.tables.size());
  for (std::size_t t = 0; t < plan.tables.size(); ++t) {
    const TableInputs& table = plan.tables[t];
    if (!table.sized || table.kernel == nullptr) continue;
    Variant variant;
    variant.free_ratio = is_ratio_hidden(setting, table);
    (*parts)[t].push_back(make_parts(setting, table, variant, false));
    counts.add(plan, setting, t, (*parts)[t].front());
    least = counts.least();
    if (least > limit) return {};
  }
  if (counts.dropped_too_early()) {
    counts = PairCounts(allowed_pairs, std::numeric_limits<std::int64_t>::max() / 2);
    for (std::size_t t = 0; t < plan.tables.size(); ++t)
      if (!(*parts)[t].empty()) counts.add(plan, setting, t, (*parts)[t].front());
  }
  least = std::numeric_limits<std::int64_t>::max();
  std::vector<Outcome> outcomes;
  for (const auto& [wrong, pair] : counts.ranking()) {
    if (wrong > limit) break;
    Outcome outcome = uniform_outcome(plan, setting, pair, wrong, parts);
    least = std::min(least, outcome.cost());
    if (outcome.cost() > limit) continue;
    if (outcome.cost() < limit) outcomes.clear();
    limit = outcome.cost();
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

std::optional<Outcome> evaluate_free(const PlanInputs& plan, const Setting& setting, int pair, Freedom freedom,
                                     std::int64_t limit) {
  auto outcome = evaluate_tables(plan, setting, pair, freedom, false, limit);
  const auto is_virtual = [&](const TableParts& parts) { return !parts.empty() && parts.back().variant.virtual_table; };
  if (!outcome || std::none_of(outcome->parts->begin(), outcome->parts->end(), is_virtual)) return outcome;
  // Where one table has to be virtual, any other may be too without its cells saying so.
  return evaluate_tables(plan, setting, pair, freedom, true, limit);
}

std::vector<Lookups> lookups_by_columns(const PlanInputs& plan, Outcome& outcome) {
  std::vector<SumLine> sums = std::move(outcome.sums);
  outcome.sums.clear();
  Sums again(plan, outcome);
  outcome.sums = std::move(sums);  // the same lines in the same order, with what was found out about them
  return again.narrowed_lookups();
}

RealInterval remaining(const PlanInputs& plan, const Outcome& outcome, std::uint32_t table, int cls,
                       Quantity quantity) {
  std::optional<RealInterval> all;
  for (const Option option : outcome.tables[table].options) {
    const Parts& parts = (*outcome.parts)[table][option.variant];
    const Combo combo = combo_of(option.combo);
    const RealInterval one =
        cls < 0 ? table_bytes(outcome.setting, plan.tables[table], parts, combo, quantity)
                : class_bytes(outcome.setting, parts.classes[static_cast<std::size_t>(cls)], combo, quantity);
    all = all ? hull(*all, one) : one;
  }
  return all.value_or(RealInterval{});
}

}  // namespace shardstats::infer_detail
