#include "cli/budget_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "cli/commands.h"
#include "cli/sizes.h"
#include "shardstats/analysis/nearest.h"
#include "shardstats/vocabulary.h"

namespace shardstats::cli {
namespace {

constexpr std::string_view kPattern = "pattern";

struct LimitText {
  std::string_view type, expected;
};
// In the order of BudgetUnit, but for words, which are no limits.
constexpr std::array<LimitText, 4> kLimitTexts = {{{"SIZE", kSizes},
                                                   {"PERCENT", "a percentage such as 10% or 2.5"},
                                                   {"MS", "milliseconds such as 12.5 or 12.5ms"},
                                                   {"N", "a whole number"}}};
const LimitText& limit_text(BudgetUnit unit) { return kLimitTexts[static_cast<std::size_t>(unit)]; }

std::optional<double> parse_limit(BudgetUnit unit, const std::string& text) {
  if (unit == BudgetUnit::percent) return parse_amount(text, "%");
  if (unit == BudgetUnit::ms) return parse_amount(text, "ms");
  const auto whole = unit == BudgetUnit::bytes ? parse_size(text) : parse_integer(text);
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

std::string not_a_limit(BudgetUnit unit, const std::string& text) {
  const std::string message = "'" + text + "' is not " + std::string(limit_text(unit).expected);
  return unit == BudgetUnit::bytes ? message + near_size(text) : message;
}

std::optional<std::string> wrong_sharding(const std::string& word) {
  if (parse_name<Sharding>(word, kShardingNames)) return std::nullopt;
  return "no sharding type is called '" + word + "'" + near_sharding(word);
}

std::optional<std::string> read_words(const Setting& setting, Budget& budget) {
  if (setting.kind != Setting::Kind::text && setting.kind != Setting::Kind::list) return "expected words";
  budget.allowed = setting.values;
  if (budget.allowed.empty()) return "an empty list allows nothing";
  if (budget.id != BudgetId::tables_sharding) return std::nullopt;
  for (const std::string& word : budget.allowed)
    if (auto wrong = wrong_sharding(word)) return wrong;
  return std::nullopt;
}

std::optional<std::string> read_pattern(const Setting& setting, TableBudgets& tables) {
  if (setting.kind != Setting::Kind::text) return "expected a regular expression";
  tables.pattern = setting.values.front();
  return compile(tables);
}

std::optional<std::string> read_limit(const Setting& setting, TableBudgets& tables) {
  if (setting.key == kPattern) return read_pattern(setting, tables);
  const auto all = budget_table();
  const auto form =
      std::ranges::find_if(all, [&](const BudgetForm& f) { return f.of_tables() && f.key() == setting.key; });
  Budget& budget = tables.budgets.emplace_back(Budget{form->id});
  if (form->unit == BudgetUnit::word) return read_words(setting, budget);
  if (setting.kind != Setting::Kind::text && setting.kind != Setting::Kind::number)
    return "expected " + std::string(limit_text(form->unit).expected);
  const auto limit = parse_limit(form->unit, setting.values.front());
  if (!limit) return not_a_limit(form->unit, setting.values.front());
  budget.limit = *limit;
  return std::nullopt;
}

}  // namespace

void add_budget_options(CLI::App& app, Budgets& budgets) {
  for (const BudgetForm& form : budget_table()) {
    if (form.of_tables()) continue;
    const auto check = [unit = form.unit](const std::string& text) {
      return parse_limit(unit, text) ? std::string() : not_a_limit(unit, text);
    };
    const auto keep = [&all = budgets.of_plan, &form](const std::string& text) {
      all.insert(std::ranges::lower_bound(all, form.id, {}, &Budget::id), {form.id, *parse_limit(form.unit, text)});
    };
    app.add_option_function<std::string>("--" + std::string(form.name), keep, std::string(form.help))
        ->type_name(std::string(limit_text(form.unit).type))
        ->check(check);
  }
  app.add_flag("--strict", budgets.strict, "What cannot be known from the log counts as broken");
}

std::vector<std::string> table_budget_keys() {
  std::vector<std::string> keys = {std::string(kPattern)};
  for (const BudgetForm& form : budget_table())
    if (form.of_tables()) keys.emplace_back(form.key());
  return keys;
}

std::optional<std::string> read_table_budgets(const Config& config, std::vector<TableBudgets>& budgets) {
  for (const Setting& heading : config) {
    if (heading.section + "." + heading.key != kTableBudgets) continue;
    TableBudgets& tables = budgets.emplace_back();
    for (const Setting& setting : config) {
      if (setting.section != kTableBudgets || setting.item != heading.item) continue;
      if (const auto wrong = read_limit(setting, tables)) return setting.place + ": " + setting.key + ": " + *wrong;
    }
    if (tables.expression == nullptr) return heading.place + ": 'pattern' is missing: a regular expression for FQNs";
    if (tables.budgets.empty()) return heading.place + ": no limit for the tables that match the pattern";
  }
  return std::nullopt;
}

}  // namespace shardstats::cli
