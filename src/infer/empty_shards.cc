#include "infer/empty_shards.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "infer/rebuild.h"

namespace shardstats::infer_detail {
namespace {

constexpr std::size_t kMostOpen = 12;           // shards of a rank that may be empty
constexpr std::int64_t kMostChoices = 1 << 20;  // looked at over all ranks

// Bytes of the two columns.
struct ColumnBytes {
  RealInterval input{}, output{};
};
ColumnBytes operator+(const ColumnBytes& a, const ColumnBytes& b) { return {a.input + b.input, a.output + b.output}; }
ColumnBytes hull(const ColumnBytes& a, const ColumnBytes& b) {
  return {shardstats::hull(a.input, b.input), shardstats::hull(a.output, b.output)};
}

// What the shards of a rank have of the columns.
struct RankShards {
  ColumnBytes sure;               // those that have rows, or surely none
  std::vector<ColumnBytes> open;  // of each other one, if it has rows
};

// Of one shard of a class, over all options that are left of the table.
ColumnBytes shard_bytes(const Outcome& outcome, const TableInputs& table, std::uint32_t t, std::size_t cls) {
  const TableParts& variants = (*outcome.parts)[t];
  std::optional<ColumnBytes> all;
  for (const Option option : outcome.tables[t].options) {
    const Parts& parts = variants[option.variant];
    const Combo combo = combo_of(option.combo);
    ClassParts c = parts.classes[cls];
    if (c.empty == Emptiness::unknown)
      c = row_ends(outcome.setting, table, parts, std::uint64_t{1} << option.combo).all;
    hull_into(all, ColumnBytes{c.column_input, class_output(c, combo)});
  }
  return all.value_or(ColumnBytes{});
}

// By rank.
std::vector<RankShards> shards_of_ranks(const PlanInputs& plan, const Outcome& outcome) {
  std::vector<RankShards> ranks(plan.ranks.size());
  for (std::uint32_t t = 0; t < plan.tables.size(); ++t) {
    const TableInputs& table = plan.tables[t];
    if (outcome.tables[t].options.empty()) continue;
    const Parts& parts = (*outcome.parts)[t].front();
    each_run(outcome.setting, table, parts, [&](std::size_t first, std::size_t end, std::size_t cls) {
      const ColumnBytes bytes = shard_bytes(outcome, table, t, cls);
      for (std::size_t slot = first; slot < std::min<std::size_t>(end, table.ranks.size()); ++slot) {
        const auto rank = static_cast<std::size_t>(table.ranks[slot]);
        if (rank >= ranks.size()) continue;
        if (parts.classes[cls].empty == Emptiness::unknown)
          ranks[rank].open.push_back(bytes);
        else
          ranks[rank].sure = ranks[rank].sure + bytes;
      }
    });
  }
  return ranks;
}

// The sum of some choice that comes nearest to a printed cell.
class Nearest {
 public:
  explicit Nearest(RealInterval printed) : printed_(printed) {}
  bool look_at(RealInterval sum) {
    const double distance = apart(sum, printed_);
    if (distance < distance_) {
      distance_ = distance;
      sum_ = sum;
    }
    return distance == 0;
  }
  bool is_given() const { return distance_ == 0; }
  RealInterval sum() const { return sum_; }

 private:
  RealInterval printed_, sum_{};
  double distance_ = std::numeric_limits<double>::max();
};

// Calls f(sums) for every choice of empty shards.
template <class F>
void each_choice(const RankShards& rank, F f) {
  for (std::size_t filled = 0; filled < std::size_t{1} << rank.open.size(); ++filled) {
    ColumnBytes sums = rank.sure;
    for (std::size_t i = 0; i < rank.open.size(); ++i)
      if ((filled >> i & 1) != 0) sums = sums + rank.open[i];
    f(sums);
  }
}

// Cells of a rank: printed ones, or the nearest sums of those that no choice gives.
struct ColumnCells {
  std::optional<RealInterval> input, output;
};

// `survivors`: the same rank under each of them.
ColumnCells cells_denied(const ColumnCells& printed, const std::vector<const RankShards*>& survivors) {
  if (!printed.output) return {};
  Nearest output(*printed.output), input(printed.input.value_or(RealInterval{}));
  for (const RankShards* shards : survivors)
    each_choice(*shards, [&](const ColumnBytes& sums) {
      if (output.look_at(sums.output)) input.look_at(sums.input);
    });
  if (!output.is_given()) return {{}, output.sum()};
  if (printed.input && !input.is_given())
    return {input.sum(), {}};  // the output, the larger number, shows which are empty
  return {};
}

// Calls f(rank, what no choice gives of it) for ranks with shards that may be empty. `columns_of`: by rank.
template <class C, class F>
void each_denied(const PlanInputs& plan, const std::vector<std::vector<RankShards>>& by_survivor, C columns_of, F f) {
  std::int64_t choices = 0;
  for (std::size_t r = 0; r < plan.ranks.size(); ++r) {
    std::vector<const RankShards*> survivors;
    std::size_t open = 0;
    for (const auto& ranks : by_survivor) {
      survivors.push_back(&ranks[r]);
      open = std::max(open, ranks[r].open.size());
    }
    if (open == 0 || open > kMostOpen) continue;
    choices += std::ssize(survivors) << open;
    if (choices > kMostChoices) return;
    f(r, cells_denied(columns_of(r), survivors));
  }
}

void contradict_cell(const std::optional<RealInterval>& sum, Expectation& cell) {
  if (!sum) return;
  cell.bytes = whole_bytes(*sum);
  cell.contradicted = true;
}

}  // namespace

void contradict_by_empty_shards(const PlanInputs& plan, Outcome& outcome) {
  if (!outcome.rows.hidden()) return;
  struct Lines {
    SumLine *input = nullptr, *output = nullptr;
  };
  std::vector<Lines> lines(plan.ranks.size());
  for (SumLine& line : outcome.sums) {
    if (line.contradicted) continue;
    if (line.is_of_rank(Quantity::input)) lines[line.index].input = &line;
    if (line.is_of_rank(Quantity::output)) lines[line.index].output = &line;
  }
  const auto printed = [](const SumLine* line) { return line ? std::optional(line->printed) : std::nullopt; };
  std::vector<std::pair<SumLine*, RealInterval>> denied;
  const auto deny = [&](const std::optional<RealInterval>& sum, SumLine* line) {
    if (sum) denied.emplace_back(line, *sum);
  };
  each_denied(
      plan, {shards_of_ranks(plan, outcome)},
      [&](std::size_t r) {
        return ColumnCells{printed(lines[r].input), printed(lines[r].output)};
      },
      [&](std::size_t r, const ColumnCells& wrong) {
        deny(wrong.input, lines[r].input);
        deny(wrong.output, lines[r].output);
      });
  if (outcome.contradictions > 0 && std::ssize(denied) >= kManyContradictions) return;
  for (const auto& [line, sum] : denied) {
    line->expected = sum;
    line->contradicted = true;
  }
  outcome.contradictions += std::ssize(denied);
}

void check_empty_shards(const PlanInputs& plan, const SearchResult& found, Plan& result) {
  const auto hides_rows = [](const Survivor& survivor) { return survivor.outcome.rows.hidden(); };
  if (found.survivors.empty() || !std::ranges::all_of(found.survivors, hides_rows)) return;
  std::vector<std::vector<RankShards>> by_survivor;
  for (const Survivor& survivor : found.survivors) by_survivor.push_back(shards_of_ranks(plan, survivor.outcome));
  const auto checked = [&](std::size_t r, Quantity q, const Expectation& expected) {
    const auto& cell = plan.ranks[r][at(q)];
    return cell && expected.known && !expected.contradicted ? std::optional(real(*cell)) : std::nullopt;
  };
  each_denied(
      plan, by_survivor,
      [&](std::size_t r) {
        return ColumnCells{checked(r, Quantity::input, result.ranks[r].expected_input),
                           checked(r, Quantity::output, result.ranks[r].expected_output)};
      },
      [&](std::size_t r, const ColumnCells& wrong) {
        contradict_cell(wrong.input, result.ranks[r].expected_input);
        contradict_cell(wrong.output, result.ranks[r].expected_output);
      });
}

}  // namespace shardstats::infer_detail
