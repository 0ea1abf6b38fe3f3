// The inputs of a table's formulas, each with the number, the origin and the printed cell behind it. Private to
// src/analysis.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/explain_parts.h"

namespace shardstats::explain_detail {

// Of one table under one choice of what its log does not print. Every input that is asked for is added to `operands`.
class Facts {
 public:
  Facts(const Context& context, std::uint32_t table, const Choice& choice, std::vector<Operand>& operands);

  TableFacts<Traced> table();
  ShardFacts<Traced> shard(const PlanShard& shard);
  PerfSetting<Traced> perf_setting();
  // All but the columns, which differ from shard to shard.
  PerfFacts<Traced> perf_table();
  Traced columns(const PlanShard& shard);
  // What the printed cells leave for a time that depends on statistics of the cache.
  Traced hidden_prefetch();
  // Ids of a batch; nullopt: the log does not give them, or the batch sizes of its features differ.
  std::optional<Traced> ids();

 private:
  struct Batch {
    double size = 0;  // per feature; the mean where they differ
    bool uniform = true;
    Cell cell;
  };

  Traced add(std::string symbol, std::string label, RealInterval value, double nominal, Origin origin, const Cell& cell,
             std::string note);
  // The default where it is among what the log leaves. `all`: bounds over everything that explains the log.
  Traced fitted(const char* symbol, const char* label, RealInterval value, RealInterval all, double usual,
                std::string_view unit);
  Traced from_log(const char* symbol, const char* label, double value, const Cell& cell);
  // `shown`: the value in the assumption's own words; what else is possible goes into the note.
  Traced assumed(const char* symbol, std::string label, std::string_view name, RealInterval value,
                 const AssumedValue& shown);
  Traced multiplier();
  Traced pooling_sum();
  Traced caching_ratio();
  // `each` times the batch size `b`, or `whole` by itself where the batch sizes of the features differ.
  Traced product(const char* symbol, std::string label, const char* whole_symbol, const char* whole_label, double each,
                 RealInterval bounds, const Cell& cell, const Traced& b, const Batch& batch);
  void read_lookups(TableFacts<Traced>& facts);
  void read_key_value(TableFacts<Traced>& facts);
  Batch read_batch() const;
  std::string split_note() const;
  std::int64_t parts() const;

  const Context& context_;
  std::uint32_t t_;
  const Choice& choice_;
  const PlanTable& table_;
  const PrintedTable& row_;
  const Setting& setting_;
  std::vector<Operand>& operands_;
};

}  // namespace shardstats::explain_detail
