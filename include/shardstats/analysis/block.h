// What every command says about a block, whatever else it answers (contract.md, "BLOCK in every command").
// Tested by tests/analysis/block_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/infer/plan.h"
#include "shardstats/log/printed.h"

namespace shardstats {

inline constexpr std::array<std::string_view, 4> kOriginNames = {"log", "inferred", "flag", "default"};
constexpr std::string_view name(Origin o) { return name_of(o, kOriginNames); }

// The value of an assumption and how many tables it holds for.
struct ValueCount {
  AssumedValue value;
  std::int64_t tables = 0;
};

// An assumption of the whole plan, of one table, or of all tables with the values they have.
struct AssumptionView {
  std::string_view name;
  enum class Scope : std::uint8_t { plan, table, tables } scope = Scope::plan;
  std::string_view fqn;            // scope table
  Assumption assumption;           // scopes plan and table
  std::vector<ValueCount> values;  // scope tables: most frequent first
};

// A block among those of all logs.
struct BlockPlace {
  std::string path;
  std::size_t index = 0;   // 0-based, in the log
  std::uint32_t line = 0;  // first physical line, 1-based
};

struct BlockView {
  std::size_t index = 0;            // 0-based, in the log
  std::uint32_t line = 0;           // first physical line, 1-based
  std::vector<Release> candidates;  // oldest first
  Release layout{};
  std::optional<std::int64_t> world_size;
  std::int64_t tables = 0;  // rows of the parameter table
  bool has_tables = true;   // false: the log does not print them
  std::optional<std::int64_t> batch_size;
  std::vector<std::string_view> sections;
  std::vector<AssumptionView> assumptions;
  std::optional<BlockPlace> precedent;  // the earlier block that they were inferred from: they explain this one, too
  std::vector<JointChoices> groups;
};

// `each_table`: assumptions of tables one by one instead of summed up. Keeps no reference to the plan; texts point into
// the log.
BlockView view_block(const PrintedPlan& printed, const Plan& plan, std::size_t index, bool each_table);

}  // namespace shardstats
