#include "shardstats/report/survey.h"

#include <algorithm>

#include "report/width.h"
#include "report/words.h"
#include "shardstats/report/text.h"
#include "shardstats/report/units.h"
#include "shardstats/report/verdict.h"

namespace shardstats {
namespace {

// A name may hold any byte: none of them may end the line or steer the terminal.
std::string printable(std::string_view path) {
  std::string text(path);
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return text;
}

std::string counts_text(const LogSurvey& log) {
  std::vector<std::string> words = count_words(log.findings);
  if (log.clean) words.insert(words.begin(), std::string(name(Verdict::clean)));
  return listed(words, "");
}

std::string span_text(Span span, std::string_view word) {
  return (span.least < span.most ? with_commas(span.least) + ".." : "") + plural(span.most, word);
}

std::string releases_text(const std::vector<Release>& releases) {
  return from_to(std::string(name(releases.front())), std::string(name(releases.back())));
}

// What is said about a log behind its path. The first ones matter most.
struct Fields {
  std::vector<std::string> texts;
  std::size_t vital = 1;
};

Fields fields_of(const LogSurvey& log) {
  if (log.blocks == 0) return {{"no planner block"}, 1};
  Fields fields{{counts_text(log)}, log.clean ? 1U : 2U};
  std::vector<std::string>& texts = fields.texts;
  texts.push_back(plural(log.blocks, "block"));
  if (log.tables) texts.push_back(span_text(*log.tables, "table"));
  if (log.ranks) texts.push_back(span_text(*log.ranks, "rank"));
  texts.push_back(releases_text(log.releases));
  if (!log.first) return fields;
  std::string first = "first " + std::string(log.first->rule) + " at " + std::to_string(log.first->place.line) + ":" +
                      std::to_string(log.first->place.column);
  texts.insert(log.clean ? texts.end() : texts.begin() + 1, std::move(first));
  return fields;
}

// Shortens the path to half of the line and leaves out the last fields; for the vital ones, the path to a quarter.
void fit(std::string& path, Fields& fields, const TextStyle& style) {
  const std::string_view mark = style.ascii ? "..." : "…";
  const auto width = static_cast<std::size_t>(style.width);
  std::vector<std::string>& texts = fields.texts;
  std::size_t behind = 0;  // columns of ": a, b, c"
  for (const std::string& text : texts) behind += 2 + columns_of(text);
  const std::string whole = path;
  const std::size_t all = texts.size();
  for (const auto& [share, kept] : {std::pair<std::size_t, std::size_t>(2, fields.vital), {4, 1}}) {
    path = with_its_end(whole, std::max(width / share, width - std::min(behind, width)), mark);
    while (texts.size() > kept && columns_of(path) + behind > width) {
      behind -= (texts.size() == all ? 0 : 2 + columns_of(mark)) + 2 + columns_of(texts.back());
      texts.pop_back();
      behind += 2 + columns_of(mark);
    }
  }
  path = with_its_end(whole, std::max(columns_of(path), width - std::min(behind, width)), mark);
  if (texts.size() < all) texts.emplace_back(mark);
}

std::string count_text(const RuleCount& rule) {
  return std::string(rule.rule) + " " + plural(rule.findings, name(rule.severity));
}

}  // namespace

void write_log_line(const LogSurvey& log, const TextStyle& style, std::string& out) {
  std::string path = printable(log.path);
  Fields fields = fields_of(log);
  if (style.terminal) fit(path, fields, style);
  if (log.blocks > 0) fields.texts.front() = painted(fields.texts.front(), log.clean ? kGood : kBad, style);
  out += path + ": " + listed(fields.texts, "") + "\n";
}

void write_survey(const Totals& totals, std::size_t top, const TextStyle& style, std::string& out) {
  const Survey& survey = *totals.survey;
  std::string logs = plural(totals.logs, "log") + " with " + plural(totals.blocks, "block") + ": " +
                     with_commas(survey.clean) + " clean, " + with_commas(survey.with_findings) + " with findings, " +
                     with_commas(survey.failed) + " failed";
  if (survey.without_block > 0) logs += "; " + plural(survey.without_block, "file") + " without a planner block";
  out += wrapped(logs, style.width, 2) + "\n";
  const std::vector<RuleCount> rules = by_gravity(survey);
  if (rules.empty()) return;
  std::vector<std::string> words;
  for (const RuleCount& rule : shown(rules, top)) words.push_back(count_text(rule));
  std::string line = "most findings: " + listed(words, "");
  if (words.size() < rules.size()) line += ", and " + plural(rules.size() - words.size(), "more rule");
  out += wrapped(line, style.width, 2) + "\n";
}

}  // namespace shardstats
