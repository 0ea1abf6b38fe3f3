#include "shardstats/report/budgets_json.h"

#include <nlohmann/json.hpp>

#include "shardstats/report/budgets_text.h"

namespace shardstats {
namespace {

using Json = nlohmann::ordered_json;

// Bytes and counts are whole numbers.
Json number(double x, BudgetUnit unit) {
  if (unit == BudgetUnit::bytes || unit == BudgetUnit::count) return capped(x);
  return x;
}

Json value_json(const BudgetResult& result, BudgetUnit unit) {
  if (!result.word.empty()) return result.word;
  if (!result.value) return nullptr;
  return {{"low", number(result.value->low, unit)}, {"high", number(result.value->high, unit)}, {"unit", name(unit)}};
}

Json result_json(const BudgetResult& result) {
  const BudgetForm& form = form_of(result.budget->id);
  Json json = {{"budget", form.name}, {"status", name(result.status)}, {"value", value_json(result, form.unit)}};
  json["limit"] =
      form.unit == BudgetUnit::word ? Json(result.budget->allowed) : number(result.budget->limit, form.unit);
  json["pattern"] = form.of_tables() ? Json(result.pattern) : Json();
  json["rank"] = result.rank ? Json(*result.rank) : Json();
  json["table"] = result.table.empty() ? Json() : Json(result.table);
  json["line"] = result.where.line;
  json["others"] = result.others;
  json["message"] = message_of(result);
  return json;
}

}  // namespace

nlohmann::ordered_json budgets_json(const BudgetReport& report) {
  Json all = Json::array();
  for (const BudgetResult& result : report.results) all.push_back(result_json(result));
  return all;
}

}  // namespace shardstats
