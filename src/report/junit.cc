#include "shardstats/report/junit.h"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "report/clean.h"
#include "shardstats/report/budgets_text.h"
#include "shardstats/report/text.h"

namespace shardstats {
namespace {

using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

// "<name a="1" b="2"" without its end.
std::string start(std::string_view name, const Attributes& attributes) {
  std::string out = "<" + std::string(name);
  for (const auto& [key, value] : attributes) out += " " + std::string(key) + "=\"" + xml_escaped(value) + "\"";
  return out;
}

// Lines as they are, each of them escaped.
std::string lines_of(std::string_view path, const std::vector<const Finding*>& findings) {
  std::string out;
  for (const Finding* finding : findings) out += xml_escaped(finding_text(path, *finding, {})) + "\n";
  return out;
}

// What a suite has of one kind; the XML says how many.
struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
};

void write_suite_start(std::string_view name, int id, const Counts& counts, const Attributes& properties,
                       std::string& out) {
  out += start("testsuite", {{"name", std::string(name)},
                             {"package", "shardstats"},
                             {"id", std::to_string(id)},
                             {"timestamp", "1970-01-01T00:00:00"},
                             {"hostname", "localhost"},
                             {"tests", std::to_string(counts.tests)},
                             {"failures", std::to_string(counts.failures)},
                             {"errors", std::to_string(counts.errors)},
                             {"skipped", std::to_string(counts.skipped)},
                             {"time", "0"}}) +
         ">\n<properties>\n";
  for (const auto& [key, value] : properties)
    out += start("property", {{"name", std::string(key)}, {"value", value}}) + "/>\n";
  out += "</properties>\n";
}

void write_suite_end(const std::string& system_out, std::string& out) {
  out += "<system-out>" + system_out + "</system-out>\n<system-err></system-err>\n</testsuite>\n";
}

enum class Outcome : std::uint8_t { passed, failed, error, skipped };

// A test case; `details` are escaped.
struct Case {
  std::string name;
  Outcome outcome = Outcome::passed;
  std::string type{}, message{}, details{};
};

void write_case(const Case& one, std::string_view class_name, std::string& out) {
  out += start("testcase", {{"name", one.name}, {"classname", std::string(class_name)}, {"time", "0"}});
  if (one.outcome == Outcome::passed) {
    out += "/>\n";
    return;
  }
  out += ">\n";
  if (one.outcome == Outcome::skipped) {
    out += start("skipped", {{"message", one.message}}) + "/>\n";
  } else {
    const std::string_view element = one.outcome == Outcome::failed ? "failure" : "error";
    out += start(element, {{"type", one.type}, {"message", one.message}}) + ">" + one.details + "</" +
           std::string(element) + ">\n";
  }
  out += "</testcase>\n";
}

void write_suite(std::string_view name, int id, const Attributes& properties, const std::vector<Case>& cases,
                 const std::string& system_out, std::string& out) {
  const auto with = [&](Outcome outcome) {
    return static_cast<std::size_t>(std::ranges::count(cases, outcome, &Case::outcome));
  };
  write_suite_start(name, id, {cases.size(), with(Outcome::failed), with(Outcome::error), with(Outcome::skipped)},
                    properties, out);
  for (const Case& one : cases) write_case(one, name, out);
  write_suite_end(system_out, out);
}

void write_block_suite(std::string_view path, const BlockView& block, int id, const std::vector<Case>& cases,
                       const std::string& system_out, std::string& out) {
  write_suite(block_name(path, block), id,
              {{"line", std::to_string(block.line)},
               {"release", candidates_text(block)},
               {"ranks", block.world_size ? std::to_string(*block.world_size) : "unknown"},
               {"tables", std::to_string(block.tables)}},
              cases, system_out, out);
}

Case case_of(std::string_view path, const Rule& rule, const std::vector<const Finding*>& failures) {
  Case one{std::string(rule.id)};
  if (failures.empty()) return one;
  one.outcome = Outcome::failed;
  one.type = rule.id;
  one.message = failures.front()->message;
  if (failures.size() > 1) one.message += " (and " + std::to_string(failures.size() - 1) + " more)";
  one.details = lines_of(path, failures);
  return one;
}

Case case_of(std::string_view path, const BudgetReport& report, const BudgetResult& result) {
  Case one{title_of(result)};
  const auto severity = report.severity_of(result);
  if (!severity) return one;
  one.outcome = *severity == Severity::error ? Outcome::failed : Outcome::skipped;
  one.type = name(result.status);
  one.message = message_of(result);
  one.details = xml_escaped(budget_text(path, result, {})) + "\n";
  return one;
}

// A case that passed has no room for what was measured.
std::string lines_of_passed(std::string_view path, const BudgetReport& report) {
  std::string out;
  for (const BudgetResult& result : report.results)
    if (result.status == BudgetStatus::passed) out += xml_escaped(budget_text(path, result, {})) + "\n";
  return out;
}

}  // namespace

void write_junit_head(std::string& out) { out += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"; }

void write_junit_suite(std::string_view path, const BlockView& block, const Report& report, Severity fail_on, int id,
                       std::string& out) {
  std::vector<Case> cases;
  for (const Rule* rule : report.checked) {
    std::vector<const Finding*> failures;
    for (const Finding& finding : report.findings)
      if (finding.rule == rule && finding.severity <= fail_on) failures.push_back(&finding);
    cases.push_back(case_of(path, *rule, failures));
  }
  std::vector<const Finding*> others;
  for (const Finding& finding : report.findings)
    if (finding.severity > fail_on) others.push_back(&finding);
  write_block_suite(path, block, id, cases, lines_of(path, others), out);
}

void write_junit_suite(std::string_view path, const BlockView& block, const BudgetReport& report, int id,
                       std::string& out) {
  std::vector<Case> cases;
  for (const BudgetResult& result : report.results) cases.push_back(case_of(path, report, result));
  write_block_suite(path, block, id, cases, lines_of_passed(path, report), out);
}

void write_junit_error(const Error& error, int id, std::string& out) {
  write_suite(error.path, id, {}, {{"log", Outcome::error, "log", error.message, xml_escaped(error.hint)}}, {}, out);
}

void write_junit_tail(std::string& out) { out += "</testsuites>\n"; }

}  // namespace shardstats
