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

std::string whole_text(RealInterval value) {
  return from_to(with_commas(capped(value.low)), with_commas(capped(value.high)));
}

Amounts bytes_text(RealInterval value, double limit) {
  const std::string shown = human_bytes(limit);
  if (shown != human_bytes(value.low) && shown != human_bytes(value.high)) return {human_bytes(value), shown};
  return {whole_text(value) + " B", with_commas(capped(limit)) + " B"};
}

std::string with_decimals(double x, int decimals) {
  char buffer[400];  // longer than any double
  return {buffer, std::to_chars(buffer, std::end(buffer), x, std::chars_format::fixed, decimals).ptr};
}

Amounts number_text(RealInterval value, double limit, std::string_view unit) {
  const std::string shown = with_commas(shortest(limit)) + std::string(unit);
  for (const int decimals : {3, 6}) {
    const std::string low = with_decimals(value.low, decimals), high = with_decimals(value.high, decimals);
    if (const std::string text = with_decimals(limit, decimals); low != text && high != text)
      return {from_to(with_commas(low), with_commas(high)) + std::string(unit), shown};
  }
  return {from_to(with_commas(shortest(value.low)), with_commas(shortest(value.high))) + std::string(unit), shown};
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
  return {whole_text(value), with_commas(capped(limit))};
}

// "HBM of rank 3", "HBM of all shards of ebc.user_id on rank 3", "critical path"
std::string subject_of(const BudgetResult& result) {
  std::string text(form_of(result.budget->id).subject);
  if (!result.table.empty()) text += " of " + std::string(result.table);
  if (result.rank) text += (result.table.empty() ? " of rank " : " on rank ") + std::to_string(*result.rank);
  return text;
}

// "ranks" of which there are more like the one that is shown
std::string others_of(const BudgetResult& result) {
  const bool one = result.others == 1;
  if (result.rank) return result.table.empty() ? one ? "rank" : "ranks" : one ? "shard" : "shards";
  return one ? "table" : "tables";
}

std::string value_sentence(const BudgetResult& result, const BudgetForm& form) {
  if (!result.word.empty())
    return " is " + std::string(result.word) + ", allowed is " + listed(result.budget->allowed, "or");
  const Amounts amounts = amounts_of(*result.value, result.budget->limit, form.unit);
  std::string text = " is " + amounts.value;
  if (!result.relation.empty()) text += " " + std::string(result.relation);
  return text + (form.at_least ? ", at least " : ", at most ") + amounts.limit +
         (form.at_least ? " is asked for" : " is allowed");
}

std::string_view color_of(BudgetStatus status) {
  return status == BudgetStatus::passed ? kGood : status == BudgetStatus::broken ? kBad : color_of(Severity::warning);
}

}  // namespace

std::string title_of(const BudgetResult& result) {
  std::string title(form_of(result.budget->id).name);
  if (!result.pattern.empty()) title += " of '" + std::string(result.pattern) + "'";
  return title;
}

std::string message_of(const BudgetResult& result) {
  const BudgetForm& form = form_of(result.budget->id);
  std::string text = subject_of(result);
  const bool measured = result.value || !result.word.empty();
  if (measured) text += value_sentence(result, form);
  if (result.status == BudgetStatus::undecided)
    text += (measured ? ": it" : "") + std::string(" cannot be known from this log");
  if (!measured) text += ": " + result.reason;
  if (result.others > 0 && result.status != BudgetStatus::passed)
    text +=
        " (" + with_commas(result.others) + " more " + others_of(result) + " " + std::string(name(result.status)) + ")";
  return text;
}

std::string budget_text(std::string_view path, const BudgetResult& result, const TextStyle& style) {
  std::string line(path);
  line += ":" + std::to_string(result.where.line) + ": ";
  line += painted(name(result.status), color_of(result.status), style);
  return line + " " + title_of(result) + ": " + message_of(result);
}

void write_budgets(std::string_view path, const BudgetReport& report, bool passed, const TextStyle& style,
                   std::string& out) {
  for (const BudgetResult& result : report.results) {
    if (result.status == BudgetStatus::passed && !passed) continue;
    out += wrapped(budget_text(path, result, style), style.width, 4) + "\n";
  }
}

}  // namespace shardstats
