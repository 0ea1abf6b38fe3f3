#include "shardstats/report/html.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "report/diff_words.h"
#include "report/html/assets.h"
#include "report/json_array.h"
#include "report/words.h"
#include "shardstats/report/explain_json.h"
#include "shardstats/report/text.h"
#include "shardstats/version.h"

namespace shardstats {
namespace {

constexpr std::size_t kMostFindings = 2000;  // in the page; `verify` has them all
constexpr double kPicosecondsPerMs = 1e9;

// ---- columns -------------------------------------------------------------------------------------------------------

// Bounds of many rows.
class BoundsColumn {
 public:
  void add(ByteInterval x) {
    low_.push_back(x.low);
    const std::int64_t spread = capped_difference(x.high, x.low);
    spread_.push_back(spread);
    exact_ = exact_ && spread == 0;
  }
  // Milliseconds become whole picoseconds around them.
  void add(RealInterval ms) { add(outward({ms.low * kPicosecondsPerMs, ms.high * kPicosecondsPerMs})); }
  void add_unknown() {
    low_.push_back(nullptr);
    spread_.push_back(0);
  }
  template <class T>
  void add(const std::optional<Interval<T>>& x) {
    if (x)
      add(*x);
    else
      add_unknown();
  }
  Json take() {
    Json json = {{"low", std::move(low_)}};
    if (!exact_) json["spread"] = std::move(spread_);
    return json;
  }

 private:
  Json low_ = Json::array(), spread_ = Json::array();
  bool exact_ = true;
};

// Words of many rows, each word once.
class WordColumn {
 public:
  void add(std::string_view word) {
    const auto [at, is_new] = index_.try_emplace(std::string(word), words_.size());
    if (is_new) words_.push_back(at->first);
    of_.push_back(at->second);
  }
  Json take() { return {{"words", std::move(words_)}, {"of", std::move(of_)}}; }

 private:
  std::unordered_map<std::string, std::size_t> index_;
  Json words_ = Json::array(), of_ = Json::array();
};

template <class Rows, class Value>
Json bounds_of(const Rows& rows, Value value) {
  BoundsColumn column;
  for (const auto& row : rows) column.add(value(row));
  return column.take();
}

template <class Rows, class Value>
Json words_of(const Rows& rows, Value value) {
  WordColumn column;
  for (const auto& row : rows) column.add(value(row));
  return column.take();
}

Json positive_or_null(std::int64_t n) { return n > 0 ? Json(n) : Json(); }

// Totals and components: {"total": bounds, "fwd_compute": bounds, ...}
template <class Rows, class Perf>
Json perf_of(const Rows& rows, Perf perf) {
  const auto column = [&](auto value) {
    return bounds_of(rows, [&](const auto& row) -> std::optional<RealInterval> {
      const PlanPerf* of_row = perf(row);
      if (of_row == nullptr) return std::nullopt;
      return value(*of_row);
    });
  };
  Json json = {{"total", column([](const PlanPerf& p) { return p.total; })}};
  for (std::size_t part = 0; part < kPerfParts; ++part)
    json[std::string(kPerfComponents[part])] = column([part](const PlanPerf& p) { return p.parts[part]; });
  return json;
}

// ---- tables, ranks, kernels ----------------------------------------------------------------------------------------

std::optional<ByteInterval> if_sized(const TableRow& row, ByteInterval bytes) {
  if (!row.table->sized) return std::nullopt;
  return bytes;
}

// "2 B rowwise_adagrad", or "2 B (4 B out) none".
std::string choice_text(const Choice& choice) {
  std::string text = value_text(choice.element_size) + " B";
  if (choice.output_element_size != choice.element_size)
    text += " (" + value_text(choice.output_element_size) + " B out)";
  return text + " " + std::string(name(choice.optimizer));
}

// All others that the log allows, each once.
std::string alternatives_text(const PlanTable& table) {
  std::vector<std::string> others;
  for (const Choice& choice : table.alternatives)
    if (std::string text = choice_text(choice);
        text != choice_text(table.choice) && std::ranges::find(others, text) == others.end())
      others.push_back(std::move(text));
  return listed(others, "or");
}

Json tables_json(const HtmlBlock& block) {
  const auto& rows = block.plan.tables;
  const auto memory = [&](ByteInterval TableRow::*field) {
    return bounds_of(rows, [field](const TableRow& row) { return if_sized(row, row.*field); });
  };
  const auto part = [&](ByteInterval HbmParts::*field) {
    return bounds_of(rows, [&](const TableRow& row) {
      const auto index = static_cast<std::size_t>(row.table - block.rebuilt.tables.data());
      return if_sized(row, block.composition.tables[index].*field);
    });
  };
  const auto perf = [](const TableRow& row) { return row.table->perf.known ? &row.table->perf.expected : nullptr; };
  const auto choice = [](const TableRow& row) {
    return row.table->sized ? choice_text(row.table->choice) : std::string("-");
  };
  const auto alternatives = [](const TableRow& row) { return alternatives_text(*row.table); };
  return {{"name", array_of(rows, [](const TableRow& row) { return std::string(row.printed->fqn.text); })},
          {"sharding", words_of(rows, [](const TableRow& row) { return row.printed->sharding.text; })},
          {"kernel", words_of(rows, [](const TableRow& row) { return row.printed->kernel.text; })},
          {"rows", array_of(rows, [](const TableRow& row) { return positive_or_null(row.table->rows); })},
          {"cols", array_of(rows, [](const TableRow& row) { return positive_or_null(row.table->cols); })},
          {"shards", array_of(rows, [](const TableRow& row) { return positive_or_null(row.shard_count); })},
          {"choice", words_of(rows, choice)},
          {"alternatives", words_of(rows, alternatives)},
          {"hbm", memory(&TableRow::hbm)},
          {"ddr", memory(&TableRow::ddr)},
          {"ssd", memory(&TableRow::ssd)},
          {"weights", part(&HbmParts::weights)},
          {"optimizer_state", part(&HbmParts::optimizer)},
          {"cache", part(&HbmParts::cache)},
          {"buffers", part(&HbmParts::buffers)},
          {"perf", perf_of(rows, perf)}};
}

// Runs of consecutive ranks on which a table takes the same: {"table": [...], "rank": [...], "ranks": [...], "bytes"}.
Json runs_json(const HtmlBlock& block) {
  Json of_table = Json::array(), first = Json::array(), count = Json::array();
  BoundsColumn bytes;
  for (std::size_t t = 0; t < block.plan.tables.size(); ++t) {
    const auto ranks = hbm_by_rank(block.rebuilt, *block.plan.tables[t].table);
    for (std::size_t i = 0; i < ranks.size();) {
      std::size_t end = i + 1;
      while (end < ranks.size() && ranks[end].bytes == ranks[i].bytes &&
             ranks[end].rank == ranks[i].rank + static_cast<int>(end - i))
        ++end;
      of_table.push_back(t);
      first.push_back(ranks[i].rank);
      count.push_back(end - i);
      bytes.add(ranks[i].bytes);
      i = end;
    }
  }
  return {
      {"table", std::move(of_table)}, {"rank", std::move(first)}, {"ranks", std::move(count)}, {"bytes", bytes.take()}};
}

Json causes_json(const std::vector<RankCause>& causes) {
  return array_of(causes, [](const RankCause& cause) {
    Json one = {{"name", cause.name}, {"bytes", bounds_of(cause.bytes, [](ByteInterval b) { return b; })}};
    if (!cause.tables.empty())
      one["tables"] = array_of(cause.tables, [](const auto& table) { return table ? Json(*table) : Json(); });
    return one;
  });
}

Json ranks_json(const HtmlBlock& block) {
  const auto& rows = block.plan.ranks;
  const auto memory = [&](bool known, ByteInterval PlanRank::*field) {
    return bounds_of(rows, [=](const PlanRank* rank) -> std::optional<ByteInterval> {
      if (!known) return std::nullopt;
      return rank->*field;
    });
  };
  const auto perf = [](const PlanRank* rank) { return rank->expected_perf.known ? &rank->perf : nullptr; };
  return {{"rank", array_of(rows, [](const PlanRank* rank) { return rank->rank; })},
          {"hbm", memory(block.plan.rank_hbm, &PlanRank::hbm)},
          {"sparse_hbm", memory(block.plan.rank_hbm, &PlanRank::sparse_hbm)},
          {"ddr", memory(block.plan.rank_ddr, &PlanRank::ddr)},
          {"input", memory(block.plan.column_bytes, &PlanRank::input)},
          {"output", memory(block.plan.column_bytes, &PlanRank::output)},
          {"perf", perf_of(rows, perf)},
          {"causes",
           {{"part", causes_json(block.composition.by_part)},
            {"table", causes_json(block.composition.by_table)},
            {"kernel", causes_json(block.composition.by_kernel)}}}};
}

Json kernels_json(const Plan& plan) {
  const auto memory = [&](Expectation PlanKernel::*field) {
    return bounds_of(plan.kernels, [field](const PlanKernel& kernel) -> std::optional<ByteInterval> {
      if (!(kernel.*field).known) return std::nullopt;
      return (kernel.*field).bytes;
    });
  };
  return {{"name", array_of(plan.kernels, [](const PlanKernel& kernel) { return std::string(kernel.name); })},
          {"tables", array_of(plan.kernels,
                              [](const PlanKernel& kernel) {  // none: no row of a table is printed
                                return kernel.tables > 0 ? Json(kernel.tables) : Json();
                              })},
          {"hbm", memory(&PlanKernel::hbm)},
          {"ddr", memory(&PlanKernel::ddr)},
          {"ssd", memory(&PlanKernel::ssd)},
          {"weights", memory(&PlanKernel::weights)},
          {"optimizer_state", memory(&PlanKernel::optimizer_state)}};
}

void add_findings(const Report& report, Json& json) {
  add_report(report, json);
  Json& findings = json["findings"];
  json["findings_hidden"] = findings.size() > kMostFindings ? findings.size() - kMostFindings : 0;
  if (findings.size() > kMostFindings)
    findings.erase(findings.begin() + static_cast<std::ptrdiff_t>(kMostFindings), findings.end());
  json["remarks"] = report.remarks;
}

Json explained_tables_json(const std::vector<ExplainedTable>& largest) {
  return array_of(largest, [](const ExplainedTable& one) {
    Json json = explained_json(one.explained);
    json["table"] = one.table;
    return json;
  });
}

constexpr std::string_view kPresenceWords[] = {"in both", "added", "removed"};  // by Presence

// Bytes, or milliseconds as whole picoseconds.
template <class Rows, class Field, class Side>
Json side_of(const Rows& rows, Field field, Side side) {
  BoundsColumn column;
  for (const auto& row : rows) {
    const NumberDiff& number = row.*field;
    const std::optional<RealInterval> value = side(number);
    if (value && number.unit == DiffUnit::bytes)
      column.add(outward(*value));
    else
      column.add(value);
  }
  return column.take();
}

// `name_of` and `why_of`: of a row.
template <class Row, class Name, class Why>
Json changes_json(const std::vector<Row>& rows, Name name_of, Why why_of) {
  const auto before = [](const NumberDiff& n) { return n.before; };
  const auto after = [](const NumberDiff& n) { return n.after; };
  const auto change = [](const NumberDiff& n) { return n.before && n.after ? std::optional(n.change) : std::nullopt; };
  return {
      {"name", array_of(rows, name_of)},
      {"status", words_of(rows, [](const Row& row) { return kPresenceWords[static_cast<std::size_t>(row.presence)]; })},
      {"why", array_of(rows, why_of)},
      {"hbm_before", side_of(rows, &Row::hbm, before)},
      {"hbm_after", side_of(rows, &Row::hbm, after)},
      {"hbm_change", side_of(rows, &Row::hbm, change)},
      {"perf_before", side_of(rows, &Row::perf, before)},
      {"perf_after", side_of(rows, &Row::perf, after)},
      {"perf_change", side_of(rows, &Row::perf, change)}};
}

std::string why_text(const RankDiff& rank) {
  std::string text;
  for (const RankPart& part : rank.parts)
    text += (text.empty() ? "" : "; ") + diff_words::part_text(part) + " " +
            diff_words::signed_text(part.hbm, DiffUnit::bytes);
  return text;
}

Json causes_json(const std::vector<Cause>& causes) {
  return array_of(causes, [](const Cause& cause) -> Json {
    return {{"cause", diff_words::cause_text(cause)}, {"effect", diff_words::effect_text(cause)}};
  });
}

// ---- the page ------------------------------------------------------------------------------------------------------

// JSON that may stand in an HTML script element: nothing in it can end the element.
std::string script_json(const Json& json) {
  std::string text;
  for (const char c : dumped(json))
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

// Puts the texts in the place of their marks, which stand in the template in this order.
template <std::size_t N>
std::string filled(std::string_view page, const std::array<std::pair<std::string_view, std::string_view>, N>& texts) {
  std::string out;
  for (const auto& [mark, text] : texts) {
    const std::size_t at = page.find(mark);
    out += page.substr(0, at);
    out += text;
    page.remove_prefix(at + mark.size());
  }
  return out += page;
}

}  // namespace

Json html_block(const HtmlBlock& block) {
  Json json = block_json(block.view);
  add_findings(block.report, json);
  const auto& planning = block.composition.planning_hbm;
  json["planning_hbm"] = planning ? bounds_json(*planning) : Json();
  json["sized"] = block.plan.sized;
  json["table_columns"] = tables_json(block);
  json["runs"] = runs_json(block);
  json["rank_columns"] = ranks_json(block);
  json["kernel_columns"] = kernels_json(block.rebuilt);
  json["explained"] = explained_tables_json(block.largest);
  return json;
}

Json html_comparison(const HtmlComparison& comparison) {
  const PlanDiff& diff = comparison.diff;
  return {
      {"before", comparison.before},
      {"after", comparison.after},
      {"causes", causes_json(diff.causes)},
      {"same_tables", diff.same_tables},
      {"not_compared", diff_words::not_compared_text(diff)},
      {"tables", changes_json(
                     diff.tables, [](const TableDiff& table) { return table.fqn; }, diff_words::table_text)},
      {"ranks", changes_json(
                    diff.ranks, [](const RankDiff& rank) { return "rank " + std::to_string(rank.rank); }, why_text)}};
}

Json html_error(const Error& error) {
  return {{"path", error.path},
          {"message", message_and_hint(error)},
          {"line", error.place.line > 0 ? Json(error.place.line) : Json()}};
}

std::string html_page(const std::vector<Json>& blocks, const std::vector<Json>& errors,
                      const std::optional<Json>& comparison) {
  const std::string data = script_json(
      {{"tool", kVersion}, {"errors", errors}, {"blocks", blocks}, {"comparison", comparison ? *comparison : Json()}});
  return filled<5>(assets::page_html(), {{{"/*page.css*/", assets::page_css()},
                                          {"<!--chart-license-->", assets::chart_license()},
                                          {"<!--data-->", data},
                                          {"/*chart.js*/", assets::chart_js()},
                                          {"/*page.js*/", assets::page_js()}}});
}

}  // namespace shardstats
