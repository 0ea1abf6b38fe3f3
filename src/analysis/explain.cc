// Finds what a TARGET stands for.
#include "shardstats/analysis/explain.h"

#include <algorithm>
#include <map>

#include "analysis/explain_parts.h"
#include "shardstats/analysis/nearest.h"
#include "shardstats/analysis/rules.h"
#include "shardstats/analysis/table_names.h"

namespace shardstats {
namespace explain_detail {
namespace {

using Answer = std::variant<std::vector<Explained>, UnknownTarget>;

// What of another kind has that very name: a rank, a kernel or an assumption.
std::vector<std::string> others_named(const Context& context, std::string_view name) {
  std::vector<std::string> found;
  for (const PlanRank& rank : context.plan.ranks)
    if (std::to_string(rank.rank) == name) found.push_back("rank:" + std::string(name));
  if (std::ranges::find(context.plan.kernels, name, &PlanKernel::name) != context.plan.kernels.end())
    found.push_back("kernel:" + std::string(name));
  if (std::ranges::find(context.plan.assumptions, name, &Assumption::name) != context.plan.assumptions.end())
    found.push_back("assumption:" + std::string(name));
  return found;
}

std::vector<std::string> near_targets(const Context& context, std::string_view target, std::string_view name) {
  std::vector<std::string> near = nearest_tables(name, context.printed);
  if (target != name) return near;
  std::vector<std::string> others = {"plan"};
  for (const PlanRank& rank : context.plan.ranks) others.push_back("rank:" + std::to_string(rank.rank));
  for (const PlanKernel& kernel : context.plan.kernels) others.push_back("kernel:" + std::string(kernel.name));
  for (std::string& other : nearest_of(name, others)) near.push_back(std::move(other));
  return near;
}

UnknownTarget unknown_table(const Context& context, std::string_view target, std::string_view name) {
  std::vector<std::string> near = others_named(context, name);
  if (near.empty()) near = near_targets(context, target, name);
  if (context.plan.tables.empty())
    return {"this block prints no parameter table, so there is no table to explain", std::move(near)};
  std::string message = "no table '" + std::string(name) + "' in this block";
  if (near.empty() && target == name)
    message += "; a target is a table, rank:N, kernel:NAME, plan, assumption:NAME or the rule id of a line";
  return {std::move(message), std::move(near)};
}

Answer of_tables(const Context& context, std::string_view target, std::string_view name) {
  const auto tables = tables_named(context.printed, name);
  if (tables.empty()) return unknown_table(context, target, name);
  std::vector<Explained> all;
  for (const std::uint32_t t : tables) all.push_back(explain_table(context, t));
  return all;
}

std::optional<int> rank_of(const Context& context, std::string_view text) {
  const auto number = parse_integer(text, 1 << 24);
  if (!number) return std::nullopt;
  for (const PlanRank& rank : context.plan.ranks)
    if (rank.known && rank.rank == *number) return rank.rank;
  return std::nullopt;
}

UnknownTarget unknown_rank(const Context& context, std::string_view text) {
  if (context.plan.ranks.empty()) return {"this block has no ranks", {}};
  const auto is_named = [number = parse_integer(text, 1 << 24)](const PlanRank& rank) { return rank.rank == number; };
  if (std::ranges::any_of(context.plan.ranks, is_named))
    return {"no rank '" + std::string(text) + "': its row is lost or damaged", {}};
  const auto [low, high] = std::minmax_element(context.plan.ranks.begin(), context.plan.ranks.end(),
                                               [](const PlanRank& a, const PlanRank& b) { return a.rank < b.rank; });
  const std::string ranks = "ranks are " + std::to_string(low->rank) + " to " + std::to_string(high->rank);
  if (text.find_first_not_of("0123456789") != std::string_view::npos || text.empty())
    return {"rank: takes a number, not '" + std::string(text) + "'; " + ranks, {}};
  return {"no rank '" + std::string(text) + "': " + ranks, {"rank:" + std::to_string(high->rank)}};
}

Answer of_rank(const Context& context, std::string_view text) {
  const auto rank = rank_of(context, text);
  if (!rank) return unknown_rank(context, text);
  return std::vector<Explained>{explain_rank(context, *rank)};
}

// Does the row of the table list the rank? Says where shards are that are not rebuilt.
bool is_listed(const Context& context, const PlanTable& table, int rank) {
  std::vector<int> ranks;
  return parse_ranks(context.printed.tables.rows[table.row].ranks.text, ranks) &&
         std::ranges::find(ranks, rank) != ranks.end();
}

Answer of_shards(const Context& context, std::string_view target, std::string_view name, std::string_view rank_text) {
  const auto rank = rank_of(context, rank_text);
  if (!rank) return unknown_rank(context, rank_text);
  const auto tables = tables_named(context.printed, name);
  if (tables.empty()) return unknown_table(context, target, name);
  std::vector<Explained> all;
  UnknownTarget elsewhere{"table '" + std::string(name) + "' has no shard on rank " + std::string(rank_text), {}};
  for (const std::uint32_t t : tables) {
    const PlanTable& table = context.plan.tables[t];
    bool here = table.shard_count == 0 && is_listed(context, table, *rank);
    for (const PlanShard& shard : context.plan.shards_of(table)) {
      here = here || shard.rank == rank;
      if (!here && shard.rank && elsewhere.nearest.size() < 5)
        elsewhere.nearest.push_back("table:" + name_of(context, t) + "@rank:" + std::to_string(*shard.rank));
    }
    if (here) all.push_back(explain_shard(context, t, *rank));
  }
  if (all.empty()) return elsewhere;
  return all;
}

Answer of_kernel(const Context& context, std::string_view name) {
  std::vector<std::string> names;
  for (const PrintedTable& row : context.printed.tables.rows)
    if (row.kernel) add_once("kernel:" + std::string(row.kernel.text), names);
  for (const PlanKernel& kernel : context.plan.kernels) add_once("kernel:" + std::string(kernel.name), names);
  const std::string target = "kernel:" + std::string(name);
  if (std::ranges::find(names, target) != names.end()) return std::vector<Explained>{explain_kernel(context, name)};
  const auto near = nearest_of(target, names);
  return UnknownTarget{"no table has the kernel '" + std::string(name) + "'", near.empty() ? names : near};
}

Answer of_assumption(const Context& context, std::string_view name) {
  std::vector<std::string> names;
  for (const Assumption& a : context.plan.assumptions) {
    if (a.name == name) return std::vector<Explained>{explain_assumption(context, name)};
    add_once("assumption:" + std::string(a.name), names);
  }
  return UnknownTarget{
      "nothing named '" + std::string(name) + "' was assumed for this block; `shardstats reconstruct` lists what was",
      nearest_of("assumption:" + std::string(name), names)};
}

// A rule that is checked on many tables or ranks at once needs one of them.
std::optional<std::string> rule_hint(std::string_view target) {
  const std::vector<const Rule*> rules = rules_matching(target);
  if (rules.empty()) return std::nullopt;
  const std::string id(rules.front()->id);
  const auto many = [&](std::string_view head, std::string_view instead) -> std::optional<std::string> {
    if (!id.starts_with(head)) return std::nullopt;
    return id + " is checked on every " + std::string(head.substr(0, head.size() - 1)) +
           " of the block; name one, as in `explain " + std::string(instead) + "`";
  };
  if (id.starts_with("log."))
    return id + " is about the form of the log: it has no line whose value could be explained";
  if (auto text = many("table.", "table_X")) return text;
  if (auto text = many("rank.", "rank:0")) return text;
  if (auto text = many("kernel.", "kernel:fused")) return text;
  return "this block has no line for the rule '" + std::string(target) + "', or what it rests on is damaged";
}

// "; it has tiers.top, tiers.1": the lines of the same section, as short as they can be named.
std::string lines_like(std::string_view target, const std::vector<std::string>& known) {
  const std::string section(target.substr(0, target.find('.') + 1));
  std::vector<std::string> names;
  for (const std::string& line : known) {
    if (!line.starts_with(section)) continue;
    std::string rest = line.substr(section.size());
    for (const std::string_view rule : {"value.", "ranks."})
      if (rest.starts_with(rule)) rest.erase(0, rule.size());
    add_once(section + rest, names);
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "; it has " : ", ") + name;
  return text;
}

// A line by its rule id; nullopt: the target does not sound like one.
std::optional<Answer> of_lines(const Context& context, std::string_view target) {
  LinesExplained found = explain_lines(context, target);
  if (!found.lines.empty()) return std::move(found.lines);
  if (auto hint = rule_hint(target)) return UnknownTarget{*hint, nearest_of(target, found.known)};
  if (target.find('.') == std::string_view::npos || rules_matching(target.substr(0, target.find('.') + 1)).empty())
    return std::nullopt;
  std::string message = "no line '" + std::string(target) + "' in this block";
  std::vector<std::string> near = nearest_of(target, found.known);
  if (near.empty()) message += lines_like(target, found.known);
  return UnknownTarget{std::move(message), std::move(near)};
}

}  // namespace

}  // namespace explain_detail

std::variant<std::vector<Explained>, UnknownTarget> explain(const PrintedPlan& printed, const Plan& plan,
                                                            std::string_view target, const InferOptions& options) {
  using namespace explain_detail;
  const Context context = context_of(printed, plan, options);
  const auto rest = [&](std::string_view prefix) { return target.substr(prefix.size()); };
  if (target.empty())
    return UnknownTarget{
        "the target is empty: name a table, rank:N, kernel:NAME, plan, assumption:NAME or the rule id of a line", {}};
  if (target == "plan") return std::vector<Explained>{explain_plan(context)};
  if (target.starts_with("rank:")) return of_rank(context, rest("rank:"));
  if (target.starts_with("kernel:")) return of_kernel(context, rest("kernel:"));
  if (target.starts_with("assumption:")) return of_assumption(context, rest("assumption:"));
  constexpr std::string_view kOnRank = "@rank:";
  const std::size_t at = target.rfind(kOnRank);
  if (!target.starts_with("table:") && at == std::string_view::npos) {
    Answer tables = of_tables(context, target, target);
    if (std::holds_alternative<UnknownTarget>(tables))
      if (auto lines = of_lines(context, target)) return *std::move(lines);
    return tables;
  }
  const auto without_kind = [](std::string_view name) {
    return name.starts_with("table:") ? name.substr(std::string_view("table:").size()) : name;
  };
  if (at == std::string_view::npos) return of_tables(context, target, without_kind(target));
  return of_shards(context, target, without_kind(target.substr(0, at)), target.substr(at + kOnRank.size()));
}

std::vector<ExplainedTable> explain_largest(const PrintedPlan& printed, const Plan& plan, std::size_t count,
                                            const InferOptions& options) {
  using namespace explain_detail;
  std::vector<std::uint32_t> order(plan.tables.size());
  for (std::uint32_t t = 0; t < order.size(); ++t) order[t] = t;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return plan.tables[a].hbm.bytes.high > plan.tables[b].hbm.bytes.high;
  });
  order.resize(std::min(order.size(), count));
  const Context context = context_of(printed, plan, options);
  std::vector<ExplainedTable> all;
  for (const std::uint32_t t : order) all.push_back({t, explain_table(context, t)});
  return all;
}

}  // namespace shardstats
