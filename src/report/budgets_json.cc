#include "shardstats/report/budgets_json.h"

#include <nlohmann/json.hpp>

#include "report/json_array.h"
#include "shardstats/report/budgets_text.h"
#include "shardstats/report/json.h"

namespace shardstats {
namespace {

bool is_whole(BudgetUnit unit) { return unit == BudgetUnit::bytes || unit == BudgetUnit::count; }

Json limit_json(double x, BudgetUnit unit) { return is_whole(unit) ? Json(capped(x)) : Json(x); }

Json measured_json(const BudgetResult& result, BudgetUnit unit) {
  if (!result.word.empty()) return result.word;
  if (!result.value) return nullptr;
  Json json = is_whole(unit) ? bounds_json(outward(*result.value)) : bounds_json(*result.value);
  json["unit"] = name(unit);
  return json;
}

Json budget_result_json(const BudgetResult& result) {
  const BudgetForm& form = form_of(result.budget->id);
  Json json = {{"budget", form.name}, {"status", name(result.status)}, {"value", measured_json(result, form.unit)}};
  json["limit"] =
      form.unit == BudgetUnit::word ? Json(result.budget->allowed) : limit_json(result.budget->limit, form.unit);
  json["pattern"] = form.of_tables() ? Json(result.pattern) : Json();
  json["rank"] = result.rank ? Json(*result.rank) : Json();
  json["table"] = result.table.empty() ? Json() : Json(result.table);
  json["line"] = result.where.line;
  json["others"] = result.others;
  json["message"] = message_of(result);
  return json;
}

}  // namespace

nlohmann::ordered_json budgets_json(const BudgetReport& report) { return array_of(report.results, budget_result_json); }

}  // namespace shardstats
