// What is said of tables, shards and assumptions.
#include <algorithm>

#include "analysis/explain_parts.h"
#include "shardstats/analysis/reconstruct.h"
#include "shardstats/numbers/printed.h"
#include "shardstats/numbers/runs.h"

namespace shardstats::explain_detail {

std::string_view fqn_of(const Context& context, std::uint32_t t) {
  return context.printed.tables.rows[context.plan.tables[t].row].fqn.text;
}

std::string name_of(const Context& context, std::uint32_t t) {
  return std::string(context.names[context.plan.tables[t].row]);
}

void add_once(std::string name, std::vector<std::string>& names) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

std::string not_sized(const Plan& plan) {
  return "Shards were not rebuilt: " + std::string(why_not_rebuilt(plan)) + ".";
}

double number_of(std::string_view text) { return parse_real(text).value_or(0); }

std::string rank_list(const std::vector<const PlanShard*>& shards) {
  const bool ranked = std::all_of(shards.begin(), shards.end(), [](const PlanShard* s) { return s->rank.has_value(); });
  std::vector<int> numbers;
  for (const PlanShard* shard : shards) numbers.push_back(ranked ? *shard->rank : shard->index);
  std::string text;
  for (const std::string& run : runs_of(numbers)) text += (text.empty() ? "" : ", ") + run;
  return (ranked ? shards.size() > 1 ? "ranks " : "rank " : shards.size() > 1 ? "shards " : "shard ") + text;
}

std::string shape_text(const ShardSizes& shard) {
  const auto side = [](ByteInterval x) {
    std::string text = number_text(static_cast<double>(x.low));
    if (!x.exact()) text += ".." + number_text(static_cast<double>(x.high));
    return text;
  };
  return side(shard.rows) + " x " + side(shard.cols);
}

ShardSizes with_rows(ShardSizes shard, ByteInterval rows) {
  shard.rows = rows;
  return shard;
}

const Assumption* assumption(const Context& context, std::string_view name, std::optional<std::uint32_t> table) {
  const auto& all = context.plan.assumptions;
  std::size_t i = table ? context.first_assumption[*table] : 0;
  for (; i < all.size() && (!table || all[i].table == table); ++i)
    if (all[i].name == name && all[i].table == table) return &all[i];
  return nullptr;
}

std::string value_words(const AssumedValue& value) {
  struct Words {
    std::string operator()(const std::string& word) const { return word; }
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(double number) const { return number_text(number); }
    std::string operator()(ByteInterval x) const { return (*this)(real(x)) + " B"; }
    std::string operator()(RealInterval x) const {
      return x.exact() ? number_text(x.low) : number_text(x.low) + ".." + number_text(x.high);
    }
  };
  return std::visit(Words{}, value);
}

std::string alternatives_text(const Assumption& a, const AssumedValue* shown) {
  std::string text;
  const auto add = [&](const AssumedValue& value) {
    if (value != (shown ? *shown : a.value)) text += (text.empty() ? "or " : ", ") + value_words(value);
  };
  add(a.value);
  for (const AssumedValue& value : a.alternatives) add(value);
  return text;
}

}  // namespace shardstats::explain_detail
