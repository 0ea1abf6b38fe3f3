#include "shardstats/report/budgets_text.h"

#include <charconv>
#include <iterator>

#include "report/words.h"
#include "shardstats/report/text.h"
#include "shardstats/report/units.h"

namespace shardstats {
namespace {

// A value and its limit as people read them, with as many digits as it takes to tell them apart.
struct Amounts {
  std::string value, limit;
};

std::string joined(const std::string& low, const std::string& high, std::string_view unit) {
  return (low == high ? high : low + ".." + high) + std::string(unit);
}

Amounts bytes_text(RealInterval value, double limit) {
  const ByteInterval bytes{capped(value.low), capped(value.high)};
  const std::string shown = human_bytes(limit);
  if (shown != human_bytes(value.low) && shown != human_bytes(value.high)) return {human_bytes(bytes), shown};
  return {joined(with_commas(bytes.low), with_commas(bytes.high), " B"), with_commas(capped(limit)) + " B"};
}

std::string shortest(double x) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, std::end(buffer), x).ptr};
}

std::string with_decimals(double x, int decimals) {
  char buffer[400];  // longer than any double
  return {buffer, std::to_chars(buffer, std::end(buffer), x, std::chars_format::fixed, decimals).ptr};
}

Amounts number_text(RealInterval value, double limit, std::string_view unit) {
  const std::string shown = shortest(limit) + std::string(unit);
  for (const int decimals : {3, 6}) {
    const std::string low = with_decimals(value.low, decimals), high = with_decimals(value.high, decimals);
    if (const std::string text = with_decimals(limit, decimals); low != text && high != text)
      return {joined(low, high, unit), shown};
  }
  return {joined(shortest(value.low), shortest(value.high), unit), shown};
}

Amounts amounts_of(RealInterval value, double limit, BudgetUnit unit) {
  switch (unit) {
    case BudgetUnit::bytes:
      return bytes_text(value, limit);
    case BudgetUnit::percent:
      return number_text(value, limit, "%");
    case BudgetUnit::ms:
      return number_text(value, limit, " ms");
    case BudgetUnit::count:
    case BudgetUnit::word:
      break;
  }
  return {joined(with_commas(capped(value.low)), with_commas(capped(value.high)), ""), with_commas(capped(limit))};
}

// "HBM of rank 3", "HBM of all shards of ebc.user_id on rank 3", "critical path"
std::string subject_of(const BudgetResult& result) {
  std::string text(form_of(result.budget->id).subject);
  if (!result.table.empty()) text += " of " + std::string(result.table);
  if (result.rank) text += (result.table.empty() ? " of rank " : " on rank ") + std::to_string(*result.rank);
  return text;
}

std::string value_sentence(const BudgetResult& result, const BudgetForm& form) {
  if (!result.word.empty())
    return " is " + std::string(result.word) + ", allowed is " + listed(result.budget->allowed, "or");
  const Amounts amounts = amounts_of(*result.value, result.budget->limit, form.unit);
  std::string text = " is " + amounts.value;
  if (!form.relation.empty()) text += " " + std::string(form.relation);
  return text + (form.at_least ? ", at least " : ", at most ") + amounts.limit +
         (form.at_least ? " is asked for" : " is allowed");
}

std::string_view color_of(BudgetStatus status) {
  return status == BudgetStatus::passed ? kGood : status == BudgetStatus::broken ? kBad : color_of(Severity::warning);
}

}  // namespace

std::string message_of(const BudgetResult& result) {
  const BudgetForm& form = form_of(result.budget->id);
  std::string text = subject_of(result);
  const bool measured = result.value || !result.word.empty();
  if (measured) text += value_sentence(result, form);
  if (result.status == BudgetStatus::undecided)
    text += (measured ? ": it" : "") + std::string(" cannot be known from this log");
  if (!measured) text += ": " + result.reason;
  if (result.others > 0 && result.status != BudgetStatus::passed)
    text += " (and " + with_commas(result.others) + " more " + std::string(name(result.status)) + ")";
  return text;
}

void write_budgets(std::string_view path, const BudgetReport& report, bool passed, const TextStyle& style,
                   std::string& out) {
  for (const BudgetResult& result : report.results) {
    if (result.status == BudgetStatus::passed && !passed) continue;
    std::string line(path);
    line += ":" + std::to_string(result.where.line) + ": ";
    line += painted(name(result.status), color_of(result.status), style);
    line += " " + std::string(form_of(result.budget->id).name);
    if (!result.pattern.empty()) line += " of '" + std::string(result.pattern) + "'";
    out += wrapped(line + ": " + message_of(result), style.width, 4) + "\n";
  }
}

void write_budget_verdict(std::string_view verdict, const BudgetCounts& counts, std::int64_t blocks, std::int64_t logs,
                          const TextStyle& style, std::string& out) {
  std::vector<std::string> parts;
  if (counts.broken > 0) parts.push_back(with_commas(counts.broken) + " broken");
  if (counts.undecided > 0) parts.push_back(with_commas(counts.undecided) + " undecided");
  if (counts.passed > 0 || parts.empty()) parts.push_back(with_commas(counts.passed) + " passed");
  out += painted(verdict, verdict == "clean" ? kGood : kBad, style) + ": " + listed(parts, "and") + " in " +
         plural(blocks, "block");
  if (logs > 1) out += " of " + plural(logs, "log");
  out += "\n";
}

}  // namespace shardstats
