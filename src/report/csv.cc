#include "shardstats/report/csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "report/clean.h"
#include "report/what_if_words.h"
#include "report/words.h"
#include "shardstats/report/budgets_text.h"
#include "shardstats/report/units.h"
#include "shardstats/report/verdict.h"

namespace shardstats {
namespace {

constexpr std::array<std::string_view, 17> kFindingColumns = {
    "log",          "block",         "line", "column",   "severity",    "rule",    "table", "rank",   "text",
    "expected_low", "expected_high", "unit", "expected", "known_issue", "message", "hint",  "suspect"};

// Bounds of a shard: each is two columns, *_low and *_high.
struct ByteColumn {
  std::string_view name;
  ByteInterval ShardSizes::*bounds;
};
constexpr std::array<ByteColumn, 11> kByteColumns = {{{"shard_rows", &ShardSizes::rows},
                                                      {"shard_cols", &ShardSizes::cols},
                                                      {"hbm", &ShardSizes::hbm},
                                                      {"ddr", &ShardSizes::ddr},
                                                      {"ssd", &ShardSizes::ssd},
                                                      {"tensor", &ShardSizes::tensor},
                                                      {"optimizer_state", &ShardSizes::optimizer},
                                                      {"cache_aux", &ShardSizes::cache_aux},
                                                      {"input", &ShardSizes::input},
                                                      {"output", &ShardSizes::output},
                                                      {"pipeline_io", &ShardSizes::pipeline_io}}};
constexpr std::array<std::string_view, 11> kTableColumns = {
    "log", "block", "table", "sharding", "kernel", "rows", "cols", "element_size", "optimizer", "shard", "rank"};
constexpr std::array<std::string_view, 14> kBudgetColumns = {"log",     "block", "line",   "status",    "budget",
                                                             "pattern", "table", "rank",   "value_low", "value_high",
                                                             "unit",    "limit", "others", "message"};
constexpr std::array<std::string_view, 9> kDiffColumns = {
    "what", "name", "field", "before_low", "before_high", "after_low", "after_high", "change_low", "change_high"};
constexpr std::array<std::string_view, 9> kPeakColumns = {
    "hbm_low", "hbm_high", "rank", "headroom_low", "headroom_high", "perf_low", "perf_high", "slowest_rank", "refused"};
constexpr std::array<std::string_view, 9> kRuleColumns = {"id",    "severity", "title",     "compares", "formula",
                                                          "since", "until",    "reference", "hint"};

// One line; fields are added from left to right.
class Row {
 public:
  explicit Row(std::string& out) : out_(out) {}
  ~Row() { out_ += "\r\n"; }
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  Row& text(std::string_view text) {
    const std::string cleaned = clean(text);
    const bool needs_quotes = cleaned.find_first_of(",\"") != std::string::npos || may_be_formula(cleaned);
    return needs_quotes ? raw(quoted(cleaned)) : raw(cleaned);
  }
  Row& number(std::int64_t value) { return raw(std::to_string(value)); }
  Row& number(double value) { return std::isfinite(value) ? raw(shortest(value)) : empty(); }
  Row& place(std::uint32_t value) { return value > 0 ? number(std::int64_t{value}) : empty(); }
  Row& block(const BlockView& block) { return number(static_cast<std::int64_t>(block.index + 1)); }
  Row& rank(const std::optional<int>& rank) { return rank ? number(std::int64_t{*rank}) : empty(); }
  template <class Bounds>
  Row& bounds(const Bounds& bounds) {
    return number(bounds.low).number(bounds.high);
  }
  Row& empty(int fields = 1) {
    for (int i = 0; i < fields; ++i) raw({});
    return *this;
  }

 private:
  // Quotes change nothing for programs, and a spreadsheet can be told to take what is quoted for text.
  static bool may_be_formula(std::string_view text) {
    return !text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos;
  }
  static std::string quoted(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
  }
  Row& raw(std::string_view field) {
    if (!std::exchange(first_, false)) out_ += ',';
    out_ += field;
    return *this;
  }

  std::string& out_;
  bool first_ = true;
};

void write_header(std::span<const std::string_view> names, std::string& out) {
  Row row(out);
  for (const std::string_view name : names) row.text(name);
}

// Bytes and counts are whole numbers.
void add_amount(double x, bool whole, Row& row) {
  if (whole && std::isfinite(x))
    row.number(capped(std::round(x)));
  else
    row.number(x);
}

void add_amounts(const std::optional<RealInterval>& bounds, bool whole, Row& row) {
  if (!bounds) {
    row.empty(2);
    return;
  }
  add_amount(bounds->low, whole, row);
  add_amount(bounds->high, whole, row);
}

void add_expected(const std::optional<Expected>& expected, Row& row) {
  if (!expected) {
    row.empty(4);
    return;
  }
  if (const auto* bytes = std::get_if<ByteInterval>(&expected->bounds))
    row.bounds(*bytes);
  else if (const auto* reals = std::get_if<RealInterval>(&expected->bounds))
    row.bounds(*reals);
  else
    row.empty(2);
  row.text(expected->unit).text(expected->text);
}

template <class Part>
void add_if_certain(const PlanTable& table, Part Choice::*part, const auto& add, Row& row) {
  const auto same = [&](const Choice& other) { return other.*part == table.choice.*part; };
  if (table.explained && std::ranges::all_of(table.alternatives, same))
    add(table.choice.*part);
  else
    row.empty();
}

void add_table(const TableRow& row, Row& line) {
  const PrintedTable& printed = *row.printed;
  const PlanTable& table = *row.table;
  line.text(printed.fqn.text).text(printed.sharding.text).text(printed.kernel.text);
  for (const std::int64_t size : {table.rows, table.cols})
    if (size > 0)
      line.number(size);
    else
      line.empty();
  add_if_certain(
      table, &Choice::element_size, [&](double size) { line.number(size); }, line);
  add_if_certain(
      table, &Choice::optimizer, [&](Optimizer optimizer) { line.text(name(optimizer)); }, line);
}

void add_perf(const PlanTable& table, Row& line) {
  if (!table.perf.known) {
    line.empty(2 * (kPerfParts + 1));
    return;
  }
  for (const RealInterval& part : table.shard_perf.parts) line.bounds(part);
  line.bounds(table.shard_perf.total);
}

}  // namespace

void write_findings_csv_header(std::string& out) { write_header(kFindingColumns, out); }

void write_findings_csv(std::string_view path, const BlockView& block, const Report& report, std::string& out) {
  for (const Finding& finding : report.findings) {
    Row row(out);
    row.text(path).block(block).place(finding.where.place.line).place(finding.where.place.column);
    row.text(name(finding.severity)).text(finding.rule->id).text(finding.fqn).rank(finding.rank);
    row.text(finding.where.text);
    add_expected(finding.expected, row);
    row.text(finding.known_issue).text(finding.message).text(finding.rule->hint).text(suspect_text(finding));
  }
}

void write_error_csv(const Error& error, std::string& out) {
  Row row(out);
  row.text(error.path).empty().place(error.place.line).place(error.place.column).text(name(Verdict::failed));
  row.empty(9).text(error.message).text(error.hint).empty();
}

void write_budgets_csv_header(std::string& out) { write_header(kBudgetColumns, out); }

void write_budgets_csv(std::string_view path, const BlockView& block, const BudgetReport& report, std::string& out) {
  for (const BudgetResult& result : report.results) {
    const BudgetForm& form = form_of(result.budget->id);
    const bool whole = form.unit == BudgetUnit::bytes || form.unit == BudgetUnit::count;
    Row row(out);
    row.text(path).block(block).place(result.where.line).text(name(result.status)).text(form.name);
    row.text(result.pattern).text(result.table).rank(result.rank);
    if (form.unit == BudgetUnit::word)
      row.text(result.word).text(result.word).text(name(form.unit)).text(listed(result.budget->allowed, "or"));
    else {
      add_amounts(result.value, whole, row);
      row.text(name(form.unit));
      add_amount(result.budget->limit, whole, row);
    }
    row.number(result.others).text(message_of(result));
  }
}

void write_failed_budgets_csv(const Error& error, std::string& out) {
  Row row(out);
  row.text(error.path).empty().place(error.place.line).text(name(Verdict::failed)).empty(9);
  row.text(message_and_hint(error));
}

namespace {

// Fields in front of those of a row.
using Lead = std::function<void(Row&)>;

void write_change(std::string_view what, std::string_view name, Presence presence, const NumberDiff& number,
                  const Lead& lead, std::string& out) {
  const bool one_sided = presence != Presence::both && (number.before || number.after);
  const bool is_open = number.is_open();
  if (!number.changed && !is_open && !one_sided) return;
  const bool whole = number.unit != DiffUnit::ms;
  Row row(out);
  lead(row);
  row.text(what).text(name).text(number.name);
  add_amounts(number.before, whole, row);
  add_amounts(number.after, whole, row);
  add_amounts(number.changed || is_open ? std::optional(number.change) : std::nullopt, whole, row);
}

void write_diff_rows(const PlanDiff& diff, std::size_t top, const Lead& lead, std::string& out) {
  const auto write_plan = [&](const NumberDiff& number) {
    write_change("plan", "", Presence::both, number, lead, out);
  };
  write_plan(diff.largest.hbm);
  write_plan(diff.headroom);
  for (const NumberDiff& number : diff.numbers) write_plan(number);
  for (const TableDiff& table : shown(diff.tables, top))
    for (const NumberDiff* number : {&table.shards, &table.hbm, &table.ddr, &table.ssd, &table.perf})
      write_change("table", table.fqn, table.presence, *number, lead, out);
  for (const RankDiff& rank : shown(diff.ranks, top))
    for (const NumberDiff* number : {&rank.hbm, &rank.ddr, &rank.input, &rank.output, &rank.perf})
      write_change("rank", std::to_string(rank.rank), rank.presence, *number, lead, out);
  for (const KernelDiff& kernel : shown(diff.kernels, top))
    for (const NumberDiff* number : {&kernel.tables, &kernel.hbm, &kernel.ddr, &kernel.ssd})
      write_change("kernel", kernel.name, Presence::both, *number, lead, out);
}

void write_peak(const PlanPeak& peak, Row& row) {
  const auto whole = [](RealInterval x) { return real(outward(x)); };
  add_amounts(whole(peak.hbm), true, row);
  row.rank(peak.fullest);
  add_amounts(peak.headroom ? std::optional(whole(*peak.headroom)) : std::nullopt, true, row);
  add_amounts(peak.perf, false, row);
  row.rank(peak.perf ? std::optional(peak.slowest) : std::nullopt).empty();
}

void write_point(const SweepPoint& point, const Lead& lead, std::string& out) {
  Row row(out);
  lead(row);
  for (const std::string& value : point.values) row.text(value);
  if (!point.peak) {
    row.empty(kPeakColumns.size() - 1).text(point.refused);
    return;
  }
  write_peak(*point.peak, row);
}

// The plan as logged, as the other formats have it.
void write_base(const Sweep& sweep, const Lead& lead, std::string& out) {
  Row row(out);
  lead(row);
  row.text(what_if_words::kAsLogged).empty(static_cast<int>(sweep.keys.size()) - 1);
  write_peak(sweep.base, row);
}

}  // namespace

void write_diff_csv_header(std::string& out) { write_header(kDiffColumns, out); }

void write_diff_csv(const PlanDiff& diff, std::size_t top, std::string& out) {
  write_diff_rows(
      diff, top, [](Row&) {}, out);
}

void write_what_if_csv_header(const std::vector<std::string>& keys, std::string& out) {
  Row row(out);
  row.text("log").text("block");
  for (const std::string& key : keys) row.text(key);
  if (keys.empty())
    for (const std::string_view name : kDiffColumns) row.text(name);
  else
    for (const std::string_view name : kPeakColumns) row.text(name);
}

void write_what_if_csv(std::string_view path, const BlockView& block, const WhatIfResult& result, std::size_t top,
                       std::string& out) {
  const Lead lead = [&](Row& row) { row.text(path).block(block); };
  if (result.diff) write_diff_rows(*result.diff, top, lead, out);
  if (result.sweep) {
    write_base(*result.sweep, lead, out);
    for (const SweepPoint& point : result.sweep->points) write_point(point, lead, out);
  }
  if (result.largest)
    for (const auto* point : {&result.largest->at, &result.largest->beyond})
      if (*point) write_point(**point, lead, out);
}

void write_shards_csv_header(std::string& out) {
  Row row(out);
  for (const std::string_view name : kTableColumns) row.text(name);
  const auto add_bounds = [&](std::string_view name) {
    row.text(std::string(name) + "_low").text(std::string(name) + "_high");
  };
  for (const ByteColumn& column : kByteColumns) add_bounds(column.name);
  for (const std::string_view component : kPerfComponents) add_bounds("perf_" + std::string(component));
  add_bounds("perf_total");
}

void write_shards_csv(std::string_view path, const BlockView& block, const Reconstruction& plan, std::string& out) {
  if (!plan.sized) return;
  for (const TableRow& row : plan.tables)
    for (const PlanShard* shard : row.shards) {
      Row line(out);
      line.text(path).block(block);
      add_table(row, line);
      line.number(std::int64_t{shard->index}).rank(shard->rank);
      for (const ByteColumn& column : kByteColumns) line.bounds(shard->sizes->*column.bounds);
      add_perf(*row.table, line);
    }
}

void write_rules_csv(const std::vector<const Rule*>& rules, std::string& out) {
  write_header(kRuleColumns, out);
  for (const Rule* rule : rules) {
    Row row(out);
    row.text(rule->id).text(name(rule->severity)).text(rule->title).text(rule->compares).text(rule->formula);
    row.text(name(rule->since)).text(name(rule->until)).text(rule->reference).text(rule->hint);
  }
}

}  // namespace shardstats
