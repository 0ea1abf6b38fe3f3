#include "shardstats/report/json.h"

#include <algorithm>
#include <cassert>
#include <nlohmann/json.hpp>

#include "report/json_array.h"
#include "shardstats/version.h"

namespace shardstats {
namespace {

// Text of a log may hold any bytes; JSON must be UTF-8, so broken ones are replaced when the document is written.
std::string text(std::string_view view) { return std::string(view); }

// Adds a member that the object does not have yet, which [] would look for first. The next one may move it.
template <class Value>
Json& add_member(Json& object, const char* name, Value&& value) {
  assert(!object.contains(name));
  return object.get_ref<Json::object_t&>().emplace_back(name, std::forward<Value>(value)).second;
}

// An initializer list would make a list of each member first.
template <class Number>
Json bounds(Interval<Number> x) {
  Json json = object_for(2);
  add_member(json, "low", x.low);
  add_member(json, "high", x.high);
  return json;
}

// 2.0 is written as 2: sizes and counts are whole numbers.
Json number(double x) {
  const std::int64_t whole = capped(x);
  if (x == static_cast<double>(whole) && whole < INT64_MAX) return whole;
  return x;
}

struct ValueWriter {
  Json operator()(const std::string& word) const { return word; }
  Json operator()(bool truth) const { return truth; }
  Json operator()(double x) const { return number(x); }
  Json operator()(ByteInterval x) const { return bounds_json(x); }
  Json operator()(RealInterval x) const { return bounds_json(x); }
};

Json assumption_json(const AssumptionView& view) {
  constexpr std::string_view kScopes[] = {"plan", "table", "tables"};
  Json json = object_for(8);
  add_member(json, "name", view.name);
  add_member(json, "scope", kScopes[static_cast<std::size_t>(view.scope)]);
  if (view.scope == AssumptionView::Scope::tables) {
    Json& values = add_member(json, "values", Json::array());
    for (const ValueCount& counted : view.values) {
      Json& value = values.emplace_back(object_for(2));
      add_member(value, "value", value_json(counted.value));
      add_member(value, "tables", counted.tables);
    }
    return json;
  }
  if (view.scope == AssumptionView::Scope::table) add_member(json, "table", text(view.fqn));
  const Assumption& assumption = view.assumption;
  add_member(json, "value", value_json(assumption.value));
  add_member(json, "origin", name(assumption.origin));
  add_member(json, "alternatives", array_of(assumption.alternatives, value_json));
  add_member(json, "support", assumption.support);
  if (assumption.group) add_member(json, "group", *assumption.group);
  return json;
}

Json choice_json(const Choice& choice) {
  return {{"element_size", number(choice.element_size)},
          {"output_element_size", number(choice.output_element_size)},
          {"optimizer", name(choice.optimizer)}};
}

Json group_json(const JointChoices& group) {
  Json choices = Json::array();
  for (const Choice& choice : group.choices)
    if (Json json = choice_json(choice); std::find(choices.begin(), choices.end(), json) == choices.end())
      choices.push_back(std::move(json));
  return {{"id", group.id}, {"choices", std::move(choices)}};
}

void add_place(const Cell& cell, Json& json) {
  add_member(json, "line", cell.place.line);
  add_member(json, "column", cell.place.column);
  add_member(json, "text", text(cell.text));
}

Json expected_json(const Expected& expected) {
  Json json = Json::object();
  if (const auto* bytes = std::get_if<ByteInterval>(&expected.bounds)) json = bounds_json(*bytes);
  if (const auto* reals = std::get_if<RealInterval>(&expected.bounds)) json = bounds_json(*reals);
  add_member(json, "unit", expected.unit);
  add_member(json, "text", expected.text);
  return json;
}

Json finding_json(const Finding& finding) {
  Json json = object_for(11);
  add_member(json, "rule", finding.rule->id);
  add_member(json, "severity", name(finding.severity));
  add_place(finding.where, json);
  add_member(json, "table", finding.table ? Json(text(finding.fqn)) : Json());
  add_member(json, "rank", finding.rank ? Json(*finding.rank) : Json());
  add_member(json, "expected", finding.expected ? expected_json(*finding.expected) : Json());
  add_member(json, "message", finding.message);
  add_member(json, "known_issue", finding.known_issue.empty() ? Json() : Json(text(finding.known_issue)));
  Json& suspects = add_member(json, "suspects", Json::array());
  for (const Suspect& suspect : finding.suspects) {
    Json& place = suspects.emplace_back(object_for(4));
    add_place(suspect.cell, place);
    add_member(place, "reason", suspect.reason);
  }
  return json;
}

Json ms(RealInterval x) { return {{"low", x.low}, {"high", x.high}, {"unit", "ms"}}; }

template <class IsKnown>
Json perf_json(const PlanPerf& perf, IsKnown is_known) {
  Json json;
  for (std::size_t p = 0; p < kPerfParts; ++p)
    json[std::string(kPerfComponents[p])] = is_known(p) ? ms(perf.parts[p]) : Json();
  json["total"] = is_known(kPerfParts) ? ms(perf.total) : Json();
  return json;
}

Json shard_json(const PlanShard& shard, const PlanTable& table) {
  const ShardSizes& sizes = *shard.sizes;
  Json json = {{"index", shard.index},
               {"rank", shard.rank ? Json(*shard.rank) : Json()},
               {"rows", bounds_json(sizes.rows)},
               {"cols", bounds_json(sizes.cols)},
               {"hbm", bounds_json(sizes.hbm)},
               {"ddr", bounds_json(sizes.ddr)},
               {"ssd", bounds_json(sizes.ssd)},
               {"tensor", bounds_json(sizes.tensor)},
               {"optimizer", bounds_json(sizes.optimizer)},
               {"cache_aux", bounds_json(sizes.cache_aux)},
               {"input", bounds_json(sizes.input)},
               {"output", bounds_json(sizes.output)},
               {"pipeline_io", bounds_json(sizes.pipeline_io)}};
  if (table.perf.known) json["perf"] = perf_json(table.shard_perf, [](std::size_t) { return true; });
  return json;
}

Json table_json(const TableRow& row) {
  const PrintedTable& printed = *row.printed;
  const auto unless_lost = [](const Cell& cell) { return cell ? Json(text(cell.text)) : Json(); };
  Json json = {{"fqn", text(printed.fqn.text)},
               {"sharding", unless_lost(printed.sharding)},
               {"kernel", unless_lost(printed.kernel)},
               {"rows", row.table->rows > 0 ? Json(row.table->rows) : Json()},
               {"cols", row.table->cols > 0 ? Json(row.table->cols) : Json()}};
  json["shards"] = array_of(row.shards, [&](const PlanShard* shard) { return shard_json(*shard, *row.table); });
  return json;
}

Json rank_json(const PlanRank& rank, const Reconstruction& plan) {
  const auto memory = [](bool known, ByteInterval bytes) { return known ? bounds_json(bytes) : Json(); };
  Json json = {{"rank", rank.rank},
               {"hbm", memory(plan.rank_hbm, rank.hbm)},
               {"sparse_hbm", memory(plan.rank_hbm, rank.sparse_hbm)},
               {"ddr", memory(plan.rank_ddr, rank.ddr)}};
  if (plan.column_bytes) {
    json["input"] = bounds_json(rank.input);
    json["output"] = bounds_json(rank.output);
  }
  if (plan.rank_perf) json["perf"] = perf_json(rank.perf, [&](std::size_t cell) { return rank.knows_perf(cell); });
  return json;
}

Json error_json(const Error& error) {
  return {{"message", error.message}, {"line", error.place.line > 0 ? Json(error.place.line) : Json()}};
}

Json rule_json(const Rule& rule) {
  return {{"id", rule.id},
          {"severity", name(rule.severity)},
          {"title", rule.title},
          {"compares", rule.compares},
          {"formula", rule.formula},
          {"since", name(rule.since)},
          {"until", name(rule.until)},
          {"reference", rule.reference},
          {"hint", rule.hint}};
}

void add_survey(const Survey& survey, Json& summary) {
  summary["clean"] = survey.clean;
  summary["with_findings"] = survey.with_findings;
  summary["failed"] = survey.failed;
  summary["without_block"] = survey.without_block;
  summary["rules"] = array_of(by_gravity(survey), [](const RuleCount& rule) -> Json {
    return {{"rule", rule.rule}, {"severity", name(rule.severity)}, {"findings", rule.findings}};
  });
}

}  // namespace

Json object_for(std::size_t members) {
  Json json = Json::object();
  json.get_ref<Json::object_t&>().reserve(members);
  return json;
}

Json bounds_json(Interval<int> x) { return bounds(x); }
Json bounds_json(ByteInterval x) { return bounds(x); }
Json bounds_json(RealInterval x) { return bounds(x); }

Json bytes_json(RealInterval x) { return bounds_json(outward(x)); }

Json value_json(const AssumedValue& value) { return std::visit(ValueWriter{}, value); }

Json block_json(const BlockView& block) {
  Json json = object_for(11);
  add_member(json, "index", block.index);
  add_member(json, "line", block.line);
  Json& release = add_member(json, "release", object_for(2));
  add_member(release, "candidates", array_of(block.candidates, [](Release candidate) { return name(candidate); }));
  add_member(release, "layout", name(block.layout));
  add_member(json, "world_size", block.world_size ? Json(*block.world_size) : Json());
  add_member(json, "tables", block.tables);
  add_member(json, "batch_size", block.batch_size ? Json(*block.batch_size) : Json());
  add_member(json, "sections", block.sections);
  if (const auto& earlier = block.precedent) {
    Json& precedent = add_member(json, "precedent", object_for(3));
    add_member(precedent, "path", earlier->path);
    add_member(precedent, "index", earlier->index);
    add_member(precedent, "line", earlier->line);
  }
  add_member(json, "assumptions", array_of(block.assumptions, assumption_json));
  if (!block.groups.empty()) add_member(json, "groups", array_of(block.groups, group_json));
  return json;
}

void add_report(const Report& report, Json& block) {
  const Coverage& coverage = report.coverage;
  Json& counts = add_member(block, "coverage", object_for(4));
  add_member(counts, "numbers", coverage.numbers());
  add_member(counts, "derived", coverage.derived);
  add_member(counts, "inputs", coverage.inputs);
  add_member(counts, "unchecked", coverage.unchecked);
  add_member(block, "findings", array_of(report.findings, finding_json));
}

void add_reconstruction(const Reconstruction& plan, Json& block) {
  block["tables_detail"] = plan.sized ? array_of(plan.tables, table_json) : Json::array();
  block["ranks_detail"] = array_of(plan.ranks, [&](const PlanRank* rank) { return rank_json(*rank, plan); });
}

std::string rules_text(const std::vector<const Rule*>& rules) {
  const Json list = array_of(rules, [](const Rule* rule) { return rule_json(*rule); });
  return document_text("rules", {}, {}, Verdict::clean, {{"rules", list}});
}

std::vector<RuleCount> by_gravity(const Survey& survey) {
  std::vector<RuleCount> rules;
  for (const auto& [key, findings] : survey.rules) rules.push_back({key.second, key.first, findings});
  std::ranges::stable_sort(rules, [](const RuleCount& a, const RuleCount& b) {
    return a.severity != b.severity ? a.severity < b.severity : a.findings > b.findings;
  });
  return rules;
}

Json summary_json(const Totals& totals) {
  Json json = {
      {"logs", totals.logs},
      {"blocks", totals.blocks},
      {"findings",
       {{"error", totals.findings.error}, {"warning", totals.findings.warning}, {"note", totals.findings.note}}}};
  if (totals.survey) add_survey(*totals.survey, json);
  if (const auto& budgets = totals.budgets)
    json["checks"] = {{"passed", budgets->passed}, {"broken", budgets->broken}, {"undecided", budgets->undecided}};
  return json;
}

void LogJson::add(const Json& block) {
  if (!blocks.empty()) blocks += ',';
  blocks += dumped(block);
}

std::string document_text(std::string_view command, const std::vector<LogJson>& logs, const Totals& totals,
                          Verdict verdict) {
  return document_text(command, logs, totals, verdict, Json::object());
}

std::string document_text(std::string_view command, const std::vector<LogJson>& logs, const Totals& totals,
                          Verdict verdict, const Json& more) {
  std::string text =
      dumped({{"schema_version", 1}, {"tool", {{"name", "shardstats"}, {"version", kVersion}}}, {"command", command}});
  text.back() = ',';
  text += R"("logs":[)";
  for (const LogJson& log : logs) {
    text += R"({"path":)" + dumped(log.path) + R"(,"blocks":[)" + log.blocks + ']';
    if (log.error) text += R"(,"error":)" + dumped(error_json(*log.error));
    text += &log == &logs.back() ? "}" : "},";
  }
  Json end = Json::object();
  if (!totals.errors.empty()) end["errors"] = totals.errors;
  end["summary"] = summary_json(totals);
  end["verdict"] = name(verdict);
  end.update(more);
  return text + "]," + dumped(end).substr(1);
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace shardstats
