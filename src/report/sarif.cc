#include "shardstats/report/sarif.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/clean.h"
#include "report/json_array.h"
#include "report/words.h"
#include "shardstats/report/budgets_text.h"
#include "shardstats/report/json.h"
#include "shardstats/version.h"

namespace shardstats {
namespace {

// "[text](target)" would be a link: brackets are escaped where a message could be read so.
Json message_json(std::string_view message) {
  std::string text;
  const bool may_link = message.find("](") != std::string_view::npos;
  for (const char c : message) {
    if (may_link && (c == '[' || c == ']')) text += '\\';
    text += c;
  }
  return {{"text", std::move(text)}};
}

Json described(const Rule& rule) {
  Json json = {{"id", rule.id},
               {"shortDescription", {{"text", rule.title}}},
               {"fullDescription", {{"text", "Compares " + std::string(rule.compares) + "."}}},
               {"help", {{"text", rule.hint}}},
               {"defaultConfiguration", {{"level", name(rule.severity)}}},
               {"properties", {{"since", name(rule.since)}, {"until", name(rule.until)}, {"see", rule.reference}}}};
  if (!rule.formula.empty()) json["properties"]["formula"] = rule.formula;
  return json;
}

std::string budget_rule(const BudgetForm& form) { return "budget." + std::string(form.name); }

Json described(const BudgetForm& form) {
  return {{"id", budget_rule(form)},
          {"shortDescription", {{"text", form.help}}},
          {"help", {{"text", "Raise the limit, or change the plan: `shardstats summary` says what would help most."}}},
          {"defaultConfiguration", {{"level", name(Severity::error)}}}};
}

template <class Rules>
Json driver_json(const Rules& table) {
  const Json rules = array_of(table, [](const auto& rule) { return described(rule); });
  return {{"driver", {{"name", "shardstats"}, {"semanticVersion", kVersion}, {"rules", rules}}}};
}

// The text of a cell in its line. Where it was broken or escaped in the log, it reaches to the end of the line, which
// is what a region without an end means.
Json region_json(const Cell& cell, LogLines& lines) {
  Json region = {{"startLine", cell.place.line}};
  if (cell.place.column == 0) return region;
  const std::string_view line = lines.line(cell.place.line);
  const std::size_t before = cell.place.column - 1;
  if (before > line.size()) return region;
  const std::size_t start = utf16_units(line.substr(0, before)) + 1;
  region["startColumn"] = start;
  if (line.substr(before).starts_with(cell.text)) region["endColumn"] = start + utf16_units(cell.text);
  return region;
}

Json location_json(const std::string& uri, const Cell& cell, LogLines& lines) {
  Json physical = {{"artifactLocation", {{"uri", uri}}}};
  if (cell.place.line > 0) physical["region"] = region_json(cell, lines);
  return {{"physicalLocation", std::move(physical)}};
}

// What a finding disputes, without the numbers: "HBM of table_7 is printed as 3.859 GB, ..." -> "HBM of table_7".
std::string disputed(const Finding& finding) {
  const std::size_t end = finding.message.find(" is printed as ");
  if (end != std::string::npos) return finding.message.substr(0, end);
  std::string text;
  for (const char c : finding.message)
    if (c < '0' || c > '9') text += c;
  return text;
}

// The same for the same finding in a log whose lines have moved.
std::string fingerprint(const Finding& finding, std::size_t block) {
  return std::string(finding.rule->id) + "|" + std::string(finding.fqn) + "|" +
         (finding.rank ? std::to_string(*finding.rank) : "") + "|" + std::string(finding.kernel) + "|" +
         disputed(finding) + "|" + std::to_string(block);
}

std::string fingerprint(const BudgetResult& result, std::size_t block) {
  return budget_rule(form_of(result.budget->id)) + "|" + std::string(result.pattern) + "|" + std::to_string(block);
}

Json properties_json(const Finding& finding, std::size_t block) {
  Json json = {{"block", block + 1}, {"text", finding.where.text}};
  if (!finding.fqn.empty()) json["table"] = finding.fqn;
  if (finding.rank) json["rank"] = *finding.rank;
  if (finding.expected) json["expected"] = finding.expected->text;
  if (!finding.known_issue.empty()) json["known_issue"] = finding.known_issue;
  return json;
}

Json result_json(const std::string& uri, LogLines& lines, const Finding& finding, std::size_t block) {
  Json json = {{"ruleId", finding.rule->id},
               {"ruleIndex", finding.rule - rule_table().data()},
               {"level", name(finding.severity)},
               {"message", message_json(finding.message)},
               {"locations", Json::array({location_json(uri, finding.where, lines)})}};
  Json related = Json::array();
  for (const Suspect& suspect : finding.suspects) {
    if (suspect.cell.place == finding.where.place) continue;  // the result itself
    Json location = location_json(uri, suspect.cell, lines);
    location["id"] = related.size();
    location["message"] = message_json(suspect.reason);
    related.push_back(std::move(location));
  }
  if (!related.empty()) json["relatedLocations"] = std::move(related);
  json["properties"] = properties_json(finding, block);
  return json;
}

Json properties_json(const BudgetResult& result, std::size_t block) {
  Json json = {{"block", block + 1}, {"status", name(result.status)}};
  if (!result.pattern.empty()) json["pattern"] = result.pattern;
  if (!result.table.empty()) json["table"] = result.table;
  if (result.rank) json["rank"] = *result.rank;
  return json;
}

Json result_json(const std::string& uri, LogLines& lines, const BudgetResult& result, Severity level,
                 std::size_t block) {
  const BudgetForm& form = form_of(result.budget->id);
  const Cell line{{}, {result.where.line, 0}};
  return {{"ruleId", budget_rule(form)},
          {"ruleIndex", &form - budget_table().data()},
          {"level", name(level)},
          {"message", message_json(message_of(result))},
          {"locations", Json::array({location_json(uri, line, lines)})},
          {"properties", properties_json(result, block)}};
}

}  // namespace

std::string uri_of(std::string_view path) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) uri += kPlain.find(c) != std::string_view::npos ? std::string(1, c) : percent_encoded(c);
  return uri;
}

void SarifRun::begin(Rules rules, std::string& out) {
  const Json driver = rules == Rules::budgets ? driver_json(budget_table()) : driver_json(rule_table());
  out += R"({"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":)" +
         dumped(driver) + R"(,"columnKind":"utf16CodeUnits","results":[)";
}

void SarifRun::write(Json result, const std::string& fingerprint, std::map<std::string, int>& seen, std::string& out) {
  const int number = ++seen[fingerprint];
  result["partialFingerprints"]["finding/v1"] = fingerprint + "|" + std::to_string(number);
  out += (std::exchange(has_results_, true) ? ",\n" : "\n") + dumped(result);
}

void SarifRun::add(std::string_view path, LogLines lines, const BlockView& block, const Report& report,
                   std::string& out) {
  const std::string uri = uri_of(path);
  std::map<std::string, int> seen;
  for (const Finding& finding : report.findings)
    write(result_json(uri, lines, finding, block.index), fingerprint(finding, block.index), seen, out);
}

void SarifRun::add(std::string_view path, LogLines lines, const BlockView& block, const BudgetReport& report,
                   std::string& out) {
  const std::string uri = uri_of(path);
  std::map<std::string, int> seen;
  for (const BudgetResult& result : report.results)
    if (const auto level = report.severity_of(result))
      write(result_json(uri, lines, result, *level, block.index), fingerprint(result, block.index), seen, out);
}

void SarifRun::add(std::string_view path, const Error& error) {
  Json notification = {{"level", "error"}, {"message", message_json(message_and_hint(error))}};
  if (!path.empty()) {
    Json location = {{"physicalLocation", {{"artifactLocation", {{"uri", uri_of(path)}}}}}};
    if (error.place.line > 0) location["physicalLocation"]["region"] = {{"startLine", error.place.line}};
    notification["locations"] = Json::array({std::move(location)});
  }
  notifications_.push_back(std::move(notification));
}

void SarifRun::end(int exit_status, std::string& out) {
  constexpr int kFailed = 2;
  Json invocation = {{"executionSuccessful", exit_status < kFailed}, {"exitCode", exit_status}};
  if (!notifications_.empty()) invocation["toolExecutionNotifications"] = notifications_;
  out += "\n],\"invocations\":" + dumped(Json::array({std::move(invocation)})) + "}]}\n";
}

}  // namespace shardstats
