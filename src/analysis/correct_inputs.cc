// Sizes and pooling factors of tables: the value that the other cells of the row ask for.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "analysis/checks.h"
#include "analysis/corrections.h"
#include "shardstats/limits.h"
#include "shardstats/numbers/most_shared.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::analysis {
namespace {

constexpr std::size_t kMostRows = 3;            // with findings: more of them have another cause
constexpr int kRounds = 3;                      // of the approximation
constexpr std::size_t kMostUnfit = 1;           // cells of a row that its right input may leave unexplained
constexpr double kLargest = 1e15;               // number that is looked for
constexpr std::int64_t kMostColumns = 1 << 20;  // of a shard

struct InputCell {
  Cell PrintedTable::*cell;
  int decimals;
};
constexpr InputCell kInputCells[] = {{&PrintedTable::emb_dim, 0},        {&PrintedTable::hash_size, 0},
                                     {&PrintedTable::pooling_factor, 3}, {&PrintedTable::num_poolings, 3},
                                     {&PrintedTable::num_indices, 3},    {&PrintedTable::cache_load_factor, 3}};

std::optional<double> amount_in(std::string_view text) {
  const auto value = parse_real(text);
  return value && *value > 0 && *value < kLargest ? value : std::nullopt;
}

std::string text_of(double value, int decimals) {
  return decimals == 0 ? std::to_string(static_cast<std::int64_t>(std::round(value))) : format(value, Format::r3);
}

// With one digit of the text changed.
std::optional<std::string> one_digit_off(std::string_view printed, RealInterval values) {
  for (std::size_t i = 0; i < printed.size(); ++i) {
    if (printed[i] < '0' || printed[i] > '9') continue;
    std::string text(printed);
    for (char digit = i == 0 ? '1' : '0'; digit <= '9'; ++digit) {
      text[i] = digit;
      const auto value = amount_in(text);
      if (digit != printed[i] && value && values.contains(*value)) return text;
    }
  }
  return std::nullopt;
}

// The multiple of the largest power of two or of ten.
std::optional<double> roundest(RealInterval values, int decimals) {
  std::optional<double> best;
  double best_step = 0;
  for (const double base : {10.0, 2.0})
    for (double step = base == 10 ? std::pow(10, -decimals) : 1; step <= values.high; step *= base) {
      const double multiple = std::ceil(values.low / step) * step;
      if (multiple > values.high || multiple <= 0) break;
      if (step > best_step) best = multiple, best_step = step;
    }
  return best;
}

struct Guess {
  std::string text;
  bool one_digit = false;  // differs from what is printed
};

Guess likeliest(RealInterval values, std::string_view printed, int decimals) {
  if (auto text = one_digit_off(printed, values)) return {*std::move(text), true};
  return {text_of(roundest(values, decimals).value_or(middle(values)), decimals)};
}

// A printed cell of a row with what the formulas give for it.
struct ComparedCell {
  RealInterval printed, expected;
};

// Rows whose tables show the setting and the speeds of the whole plan: half of them like the given one.
std::vector<std::uint32_t> companions_of(const Disputed& disputed, std::uint32_t row) {
  constexpr std::size_t kEach = 6;
  const auto& rows = disputed.printed.tables.rows;
  std::vector<bool> out(rows.size(), false);
  out[row] = true;
  for (const Finding& finding : disputed.report.findings)
    if (finding.table) out[*finding.table] = true;
  std::vector<std::uint32_t> alike, other;
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    if (out[r]) continue;
    const bool same = rows[r].kernel.text == rows[row].kernel.text && rows[r].sharding.text == rows[row].sharding.text;
    auto& list = same ? alike : other;
    if (list.size() < kEach) list.push_back(r);
  }
  alike.insert(alike.end(), other.begin(), other.end());
  return alike;
}

bool is_grouped_row(const PrintedTable& row) {
  const auto sharding = parse_name<Sharding>(row.sharding.text, kShardingNames);
  return sharding && is_grouped(*sharding);
}

// A plan of one table among a few others.
class LoneTable {
 public:
  LoneTable(const Disputed& disputed, std::uint32_t row, const Choice& choice)
      : row_(disputed.printed.tables.rows[row]), options_(with_setting_of(disputed.plan, disputed.options)) {
    const PrintedPlan& whole = disputed.printed;
    printed_.width = whole.width;
    printed_.releases = whole.releases;
    printed_.newer_forms = whole.newer_forms;
    printed_.slots = whole.slots;
    std::ranges::copy_if(whole.lines, std::back_inserter(printed_.lines), [](const PrintedLine& line) {
      return line.id == LineId::batch_size || line.id == LineId::world_size;
    });
    printed_.ranks = whole.ranks;
    for (PrintedRank& rank : printed_.ranks.rows) rank = number_alone(rank);
    printed_.tables = whole.tables;
    printed_.tables.rows = {row_};
    for (const std::uint32_t other : companions_of(disputed, row))
      printed_.tables.rows.push_back(whole.tables.rows[other]);
    const auto add = [&](const char* key, std::string_view table, std::string value) {
      options_.overrides.push_back({key, std::string(table), std::move(value)});
    };
    const std::string_view fqn = row_.fqn.text;
    if (std::ranges::any_of(printed_.tables.rows, is_grouped_row))
      add("local_world_size", "", std::to_string(disputed.plan.setting.group_size));
    add("element_size", fqn, format(choice.element_size, Format::g3));
    add("output_element_size", fqn, format(choice.output_element_size, Format::g3));
    add("optimizer", fqn, std::string(name(choice.optimizer)));
    options_.effort = Effort::likely;
    options_.alternatives = options_.shard_parts = false;
  }

  struct Found {
    Guess right;
    std::size_t unfit = 0;  // cells of the row that it leaves unexplained
  };
  // The text with which the formulas give what the other cells print; nullopt if there is none.
  std::optional<Found> right_text(const InputCell& input) {
    const Cell& cell = row_.*input.cell;
    const auto printed = amount_in(cell.text);
    if (!printed) return std::nullopt;
    double from = *printed, to = 2 * *printed;
    auto at_from = unchanged(), at_to = with(input, text_of(to, input.decimals));
    const auto disputed = unfit(at_from);
    std::optional<Found> best;
    for (int round = 0; round < kRounds && at_from.size() == at_to.size(); ++round) {
      const auto values = asked_for(disputed, from, at_from, to, at_to);
      if (values.empty()) break;
      const RealInterval most = most_shared(values, {0, kLargest}, *printed, 0);
      Guess right = likeliest(most, cell.text, input.decimals);
      const auto value = amount_in(right.text);
      if (!value || right.text == cell.text) break;
      const bool same = *value == to;
      auto at_value = same ? at_to : with(input, right.text);
      const std::size_t left = unfit(at_value).size();
      if (left <= kMostUnfit && left < disputed.size() && (!best || left <= best->unfit))
        best = Found{std::move(right), left};
      if (same || left == 0) break;
      from = to;
      at_from = std::move(at_to);
      to = *value;
      at_to = std::move(at_value);
    }
    return best;
  }

 private:
  static PrintedRank number_alone(const PrintedRank& rank) {
    PrintedRank alone;
    alone.rank = rank.rank;
    return alone;
  }

  static std::vector<std::size_t> unfit(const std::vector<ComparedCell>& cells) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (!cells[i].printed.overlaps(cells[i].expected)) found.push_back(i);
    return found;
  }

  // The values that each of these cells asks for, if it moves in proportion.
  static std::vector<RealInterval> asked_for(const std::vector<std::size_t>& cells, double from,
                                             const std::vector<ComparedCell>& at_from, double to,
                                             const std::vector<ComparedCell>& at_to) {
    constexpr double kUnmoved = 1e-9;  // relative
    std::vector<RealInterval> values;
    for (const std::size_t i : cells) {
      const double low = middle(at_from[i].expected), high = middle(at_to[i].expected);
      const double slope = (high - low) / (to - from);
      if (!(std::fabs(high - low) > kUnmoved * std::max(low, high))) continue;
      const RealInterval off = at_from[i].printed - at_from[i].expected;
      const double a = from + off.low / slope, b = from + off.high / slope;
      if (std::max(a, b) > 0) values.push_back({std::max(std::min(a, b), 0.0), std::max(a, b)});
    }
    return values;
  }

  std::vector<ComparedCell> with(const InputCell& input, std::string_view text) const {
    PrintedPlan changed = printed_;
    (changed.tables.rows.front().*input.cell).text = text;
    return compared(changed);
  }

  // Every input starts from it.
  const std::vector<ComparedCell>& unchanged() {
    return unchanged_ ? *unchanged_ : unchanged_.emplace(compared(printed_));
  }

  std::vector<ComparedCell> compared(const PrintedPlan& printed_plan) const {
    const Plan plan = infer(printed_plan, options_);
    std::vector<ComparedCell> cells;
    const PlanTable* table = plan.table_of_row(0);
    if (table == nullptr || !table->sized) return cells;
    const auto bytes = [&](const Cell& cell, const Expectation& expected) {
      const auto printed = bytes_printed_as(cell.text, printed_.format_of(RoundedNumbers::table_storage), kGiB);
      if (printed && expected.known) cells.push_back({real(*printed), real(expected.bytes)});
    };
    bytes(row_.hbm, table->hbm);
    bytes(row_.ddr, table->ddr);
    bytes(row_.ssd, table->ssd);
    if (!table->perf.known) return cells;
    const auto time = [&](const Cell& cell, Format form, RealInterval expected) {
      if (const auto printed = values_printed_as(cell.text, form)) cells.push_back({*printed, expected});
    };
    time(row_.perf.total, printed_.format_of(RoundedNumbers::table_perf), table->perf.expected.total);
    for (std::size_t c = 0; c < row_.perf.count; ++c)
      time(row_.perf.components[c], Format::c1, table->perf.expected.parts[c]);
    return cells;
  }

  const PrintedTable& row_;
  PrintedPlan printed_;
  InferOptions options_;
  std::optional<std::vector<ComparedCell>> unchanged_;
};

// The choice that most tables have.
Choice usual_choice(const Plan& plan) {
  std::map<std::tuple<double, double, Optimizer>, int> tables_with;
  const Choice* usual = nullptr;
  int most = 0;
  for (const PlanTable& table : plan.tables) {
    const Choice& c = table.choice;
    const int tables = ++tables_with[{c.element_size, c.output_element_size, c.optimizer}];
    if (tables <= most) continue;
    most = tables;
    usual = &c;
  }
  return usual == nullptr ? Choice{} : *usual;
}

// A table split by columns has as many shards as columns of their width.
std::optional<std::string> dim_by_shards(const PrintedTable& row) {
  std::vector<int> ranks;
  const auto cols = row.sharding.text.ends_with("CW") ? parse_integer(row.cw_dim.text, kMostColumns) : std::nullopt;
  if (!cols || !parse_ranks(row.ranks.text, ranks) || ranks.empty()) return std::nullopt;
  std::string text = std::to_string(*cols * static_cast<std::int64_t>(ranks.size()));
  return text == row.emb_dim.text ? std::nullopt : std::optional(std::move(text));
}

// The rows with the most findings on their cells.
std::vector<std::uint32_t> disputed_rows(const Report& report) {
  std::map<std::uint32_t, std::int64_t> findings;
  for (const Finding& finding : report.findings)
    if (finding.severity == Severity::error && finding.table) ++findings[*finding.table];
  std::vector<std::uint32_t> rows;
  for (const auto& [row, count] : findings) rows.push_back(row);
  std::ranges::stable_sort(rows, std::ranges::greater{}, [&](std::uint32_t row) { return findings[row]; });
  return rows;
}

}  // namespace

void add_table_inputs(const Disputed& disputed, Corrections& corrections) {
  if (!disputed.plan.sized) return;
  const auto rows = disputed_rows(disputed.report);
  if (rows.size() > kMostRows) return;
  const Choice usual = usual_choice(disputed.plan);
  for (const std::uint32_t row : rows) {
    const PrintedTable& printed = disputed.printed.tables.rows[row];
    if (auto dim = dim_by_shards(printed))
      corrections.add_text(printed.emb_dim, *std::move(dim), &PrintedPlan::tables, row, &PrintedTable::emb_dim);
    LoneTable table(disputed, row, usual);
    for (const InputCell& input : kInputCells) {
      const Cell& cell = printed.*input.cell;
      const auto found = cell ? table.right_text(input) : std::nullopt;
      if (!found) continue;
      Correction& correction = corrections.add_text(cell, found->right.text, &PrintedPlan::tables, row, input.cell);
      correction.against = 2 * static_cast<int>(found->unfit) + (found->right.one_digit ? 0 : 1);
    }
  }
  std::ranges::stable_sort(corrections.all(), {}, &Correction::against);
}

}  // namespace shardstats::analysis
