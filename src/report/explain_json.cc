#include "shardstats/report/explain_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/json_array.h"
#include "shardstats/analysis/block.h"

namespace shardstats {
namespace {

// Byte counts are integers; what is below a byte or beyond 2^63 stays a double.
Json number(double value, std::string_view unit) {
  constexpr double kLargest = 9.2e18;
  if (!std::isfinite(value)) return nullptr;
  const bool whole = unit == "bytes" || value == std::trunc(value);
  if (whole && std::fabs(value) < kLargest) return static_cast<std::int64_t>(std::llround(value));
  return value;
}

Json amount_json(const Amount& amount) {
  Json json{{"low", number(amount.bounds.low, amount.unit)}, {"high", number(amount.bounds.high, amount.unit)}};
  json["unit"] = amount.unit;
  json["nominal"] = number(amount.nominal, amount.unit);
  return json;
}

void add_printed(const Cell& cell, Json& json) {
  if (!cell) return;
  json["printed"] = cell.text;
  if (cell.place.line == 0) return;  // of a changed plan, so that no log has it
  json["line"] = cell.place.line;
  json["column"] = cell.place.column;
}

Json operand_json(const Operand& operand) {
  Json json{{"symbol", operand.symbol},
            {"label", operand.label},
            {"value", amount_json(operand.value)},
            {"origin", name(operand.origin)}};
  add_printed(operand.printed, json);
  if (!operand.note.empty()) json["note"] = operand.note;
  if (operand.was) json["was"] = amount_json(*operand.was);
  return json;
}

Json step_json(const Step& step) {
  Json json{{"label", step.label}, {"value", amount_json(step.value)}};
  json["formula"] = step.formula.empty() ? Json(nullptr) : Json(step.formula);
  json["expression"] = step.expression;
  json["substituted"] = step.substituted;
  json["operands"] = array_of(step.operands, operand_json);
  json["origin"] = name(step.origin);
  json["line"] = nullptr;
  if (step.printed) add_printed(*step.printed, json);
  json["sum"] = step.sum;
  if (step.share_of_total != 0) json["share"] = step.share_of_total;
  if (!step.note.empty()) json["note"] = step.note;
  if (step.was) json["was"] = amount_json(*step.was);
  if (step.narrowed) json["narrowed"] = amount_json(*step.narrowed);
  json["children"] = array_of(step.children, step_json);
  return json;
}

Json component_json(const ComponentRow& row) {
  return {{"label", row.label},
          {"per_shard", number(row.per_shard, "bytes")},
          {"total", number(row.total, "bytes")},
          {"percent", row.percent}};
}

}  // namespace

Json explained_json(const Explained& explained) {
  Json json{{"target", explained.target}, {"kind", explained.kind}};
  json["facts"] = explained.facts;
  json["steps"] = array_of(explained.steps, step_json);
  json["components"] = array_of(explained.components, component_json);
  json["notes"] = explained.notes;
  return json;
}

}  // namespace shardstats
