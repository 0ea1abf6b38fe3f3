#include "shardstats/report/github.h"

#include <algorithm>

#include "report/clean.h"
#include "report/diff_words.h"
#include "report/words.h"
#include "shardstats/report/budgets_text.h"

namespace shardstats {
namespace {

constexpr std::size_t kMostText = 4000;  // bytes of a message or a path
constexpr std::size_t kMostCauses = 3;   // of a diff

// `special`: characters besides % that would end the text.
std::string command_escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : clean(text, kMostText))
    out += c == '%' || special.find(c) != std::string_view::npos ? percent_encoded(c) : std::string(1, c);
  return out;
}

std::string annotation(std::string_view command, std::string_view path, Place place, std::string_view title,
                       std::string_view message) {
  const auto property = [](std::string_view text) { return command_escaped(text, ":,"); };
  std::string line = "::" + std::string(command) + " ";
  if (!path.empty() && path != "<stdin>") line += "file=" + property(path) + ",";
  if (place.line > 0) line += "line=" + std::to_string(place.line) + ",";
  if (place.column > 0) line += "col=" + std::to_string(place.column) + ",";
  return line + "title=" + property(title) + "::" + command_escaped(message, {}) + "\n";
}

std::string_view command_of(Severity severity) { return severity == Severity::note ? "notice" : name(severity); }

constexpr std::size_t gravity_of(Severity severity) { return 1 + static_cast<std::size_t>(severity); }

// More memory on the largest rank is a warning, more than is allowed an error.
Severity severity_of(const PlanDiff& diff) {
  if (diff.limit && diff.limit->status == LimitStatus::exceeded) return Severity::error;
  return diff.largest.hbm.change.low > 0 ? Severity::warning : Severity::note;
}

}  // namespace

bool GithubAnnotations::counts_among_worst(std::size_t gravity) {
  ++counts_[gravity];
  return worst_.size() < kMost || gravity < worst_.back().gravity;
}

void GithubAnnotations::keep(std::size_t gravity, std::string line) {
  worst_.insert(std::ranges::upper_bound(worst_, gravity, {}, &Kept::gravity), {gravity, std::move(line)});
  if (worst_.size() > kMost) worst_.pop_back();
}

void GithubAnnotations::add(std::string_view path, const Report& report) {
  for (const Finding& finding : report.findings) {
    const std::size_t gravity = gravity_of(finding.severity);
    if (counts_among_worst(gravity))
      keep(gravity, annotation(command_of(finding.severity), path, finding.where.place, finding.rule->id,
                               message_and_suspect(finding)));
  }
}

void GithubAnnotations::add(std::string_view path, const BudgetReport& report) {
  for (const BudgetResult& result : report.results) {
    const auto severity = report.severity_of(result);
    if (severity && counts_among_worst(gravity_of(*severity)))
      keep(gravity_of(*severity), annotation(command_of(*severity), path, {result.where.line, 0},
                                             "budget " + title_of(result), message_of(result)));
  }
}

void GithubAnnotations::add(const Error& error) {
  if (!counts_among_worst(0)) return;
  const std::string_view title = error.path.empty() ? "shardstats" : "cannot be read";
  keep(0, annotation("error", error.path, error.place, title, message_and_hint(error)));
}

void GithubAnnotations::add(std::string_view path, const PlanDiff& diff) {
  const Severity severity = severity_of(diff);
  if (!counts_among_worst(gravity_of(severity))) return;
  std::vector<std::string> parts;
  if (diff.limit) parts.push_back(diff_words::limit_text(*diff.limit));
  parts.push_back(diff.changed() ? diff_words::headline_text(diff) : diff_words::nothing_changed_text(diff));
  for (const Cause& cause : shown(diff.causes, kMostCauses)) parts.push_back(diff_words::cause_and_effect(cause));
  if (diff.causes.size() > kMostCauses)
    parts.push_back("and " + plural(diff.causes.size() - kMostCauses, "more cause"));
  std::erase(parts, "");
  std::string message;
  for (const std::string& part : parts) message += (message.empty() ? "" : "; ") + part;
  keep(gravity_of(severity), annotation(command_of(severity), path, {}, "shardstats diff", message));
}

void GithubAnnotations::write(std::string& out) const {
  std::array<std::int64_t, kGravities> rest = counts_;
  for (const Kept& kept : worst_) {
    out += kept.line;
    --rest[kept.gravity];
  }
  std::vector<std::string> words = count_words(FindingCounts{rest[1], rest[2], rest[3]});
  if (rest[0] > 0) words.insert(words.begin(), plural(rest[0], "unreadable log"));
  if (!words.empty()) out += "::notice title=shardstats::and " + listed(words, "and") + " more\n";
}

}  // namespace shardstats
