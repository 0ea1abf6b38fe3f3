#include "shardstats/report/junit.h"

#include <initializer_list>
#include <utility>
#include <vector>

#include "report/clean.h"
#include "shardstats/report/text.h"

namespace shardstats {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : clean(text)) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

// "<name a="1" b="2"" without its end.
std::string start(std::string_view name, const Attributes& attributes) {
  std::string out = "<" + std::string(name);
  for (const auto& [key, value] : attributes) out += " " + std::string(key) + "=\"" + escaped(value) + "\"";
  return out;
}

// Lines as they are, each of them escaped.
std::string lines_of(std::string_view path, const std::vector<const Finding*>& findings) {
  std::string out;
  for (const Finding* finding : findings) out += escaped(finding_text(path, *finding, {})) + "\n";
  return out;
}

void write_suite_start(std::string_view name, int id, std::size_t tests, std::size_t failures, std::size_t errors,
                       std::string& out) {
  out += start("testsuite", {{"name", std::string(name)},
                             {"package", "shardstats"},
                             {"id", std::to_string(id)},
                             {"timestamp", "1970-01-01T00:00:00"},
                             {"hostname", "localhost"},
                             {"tests", std::to_string(tests)},
                             {"failures", std::to_string(failures)},
                             {"errors", std::to_string(errors)},
                             {"time", "0"}}) +
         ">\n";
}

void write_properties(const Attributes& properties, std::string& out) {
  out += "<properties>\n";
  for (const auto& [name, value] : properties)
    out += start("property", {{"name", std::string(name)}, {"value", value}}) + "/>\n";
  out += "</properties>\n";
}

void write_suite_end(const std::string& system_out, std::string& out) {
  out += "<system-out>" + system_out + "</system-out>\n<system-err></system-err>\n</testsuite>\n";
}

std::string case_start(std::string_view name, std::string_view class_name) {
  return start("testcase", {{"name", std::string(name)}, {"classname", std::string(class_name)}, {"time", "0"}});
}

// A rule and its findings that are failures.
struct Case {
  const Rule* rule = nullptr;
  std::vector<const Finding*> failures;
};

void write_case(std::string_view path, std::string_view class_name, const Case& one, std::string& out) {
  out += case_start(one.rule->id, class_name);
  if (one.failures.empty()) {
    out += "/>\n";
    return;
  }
  std::string message = one.failures.front()->message;
  if (one.failures.size() > 1) message += " (and " + std::to_string(one.failures.size() - 1) + " more)";
  out += ">\n" + start("failure", {{"type", std::string(one.rule->id)}, {"message", std::move(message)}}) + ">" +
         lines_of(path, one.failures) + "</failure>\n</testcase>\n";
}

std::vector<Case> cases_of(const Report& report, Severity fail_on) {
  std::vector<Case> cases;
  for (const Rule* rule : report.checked) {
    Case& one = cases.emplace_back(Case{rule, {}});
    for (const Finding& finding : report.findings)
      if (finding.rule == rule && finding.severity <= fail_on) one.failures.push_back(&finding);
  }
  return cases;
}

}  // namespace

void write_junit_head(std::string& out) { out += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"; }

void write_junit_suite(std::string_view path, const BlockView& block, const Report& report, Severity fail_on, int id,
                       std::string& out) {
  const std::vector<Case> cases = cases_of(report, fail_on);
  std::size_t failures = 0;
  for (const Case& one : cases) failures += !one.failures.empty();
  const std::string name = std::string(path) + " block " + std::to_string(block.index + 1);
  write_suite_start(name, id, cases.size(), failures, 0, out);
  write_properties({{"line", std::to_string(block.line)},
                    {"release", candidates_text(block)},
                    {"ranks", block.world_size ? std::to_string(*block.world_size) : "unknown"},
                    {"tables", std::to_string(block.tables)}},
                   out);
  for (const Case& one : cases) write_case(path, name, one, out);
  std::vector<const Finding*> others;
  for (const Finding& finding : report.findings)
    if (finding.severity > fail_on) others.push_back(&finding);
  write_suite_end(lines_of(path, others), out);
}

void write_junit_error(std::string_view path, const Error& error, int id, std::string& out) {
  write_suite_start(path, id, 1, 0, 1, out);
  write_properties({}, out);
  out += case_start("log", path) + ">\n" + start("error", {{"type", "log"}, {"message", error.message}}) + ">" +
         escaped(error.hint) + "</error>\n</testcase>\n";
  write_suite_end({}, out);
}

void write_junit_tail(std::string& out) { out += "</testsuites>\n"; }

}  // namespace shardstats
