#include "shardstats/report/github.h"

#include <algorithm>

#include "report/clean.h"
#include "report/words.h"

namespace shardstats {
namespace {

constexpr std::size_t kMostText = 4000;  // bytes of a message or a path

// `special`: characters besides % that would end the text.
std::string escaped(std::string_view text, std::string_view special) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : clean(text, kMostText)) {
    if (c != '%' && special.find(c) == std::string_view::npos) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return out;
}

std::string annotation(std::string_view command, std::string_view path, Place place, std::string_view title,
                       std::string_view message) {
  const auto property = [](std::string_view text) { return escaped(text, ":,"); };
  std::string line = "::" + std::string(command) + " ";
  if (path != "<stdin>") line += "file=" + property(path) + ",";
  if (place.line > 0) line += "line=" + std::to_string(place.line) + ",";
  if (place.column > 0) line += "col=" + std::to_string(place.column) + ",";
  return line + "title=" + property(title) + "::" + escaped(message, {}) + "\n";
}

std::string_view command_of(Severity severity) { return severity == Severity::note ? "notice" : name(severity); }

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
    const std::size_t gravity = 1 + static_cast<std::size_t>(finding.severity);
    if (counts_among_worst(gravity))
      keep(gravity,
           annotation(command_of(finding.severity), path, finding.where.place, finding.rule->id, finding.message));
  }
}

void GithubAnnotations::add(std::string_view path, const Error& error) {
  if (!counts_among_worst(0)) return;
  const std::string message = error.message + (error.hint.empty() ? "" : "; " + error.hint);
  keep(0, annotation("error", path, error.place, "cannot be read", message));
}

void GithubAnnotations::write(std::string& out) const {
  std::array<std::int64_t, kGravities> rest = counts_;
  for (const Kept& kept : worst_) {
    out += kept.line;
    --rest[kept.gravity];
  }
  constexpr std::array<std::string_view, kGravities> kWords = {"unreadable log", "error", "warning", "note"};
  std::vector<std::string> words;
  for (std::size_t i = 0; i < kGravities; ++i)
    if (rest[i] > 0) words.push_back(plural(rest[i], kWords[i]));
  if (!words.empty()) out += "::notice title=shardstats::and " + listed(words, "and") + " more\n";
}

}  // namespace shardstats
