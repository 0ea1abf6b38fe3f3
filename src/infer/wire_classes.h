// Codecs that send a table's outputs in the same sizes are the same to its perf. Private to src/infer.
#pragma once

#include "infer/perf_model.h"

namespace shardstats::infer_detail {

// Tables that the same wire sizes matter to.
enum class WireKind : std::uint8_t { all_to_all, scatter, both, sequence_all_to_all, sequence_both, none };
inline constexpr std::size_t kWireKinds = static_cast<std::size_t>(WireKind::none) + 1;
WireKind wire_kind_of(const TableInputs& table);

// By codec: the first one of the same sizes.
using EqualCodecs = std::array<std::uint8_t, kCodecs>;
// `element_size`: what is sent without codecs; 0: one of several, so a size of its own.
EqualCodecs equal_codecs(const PerfRules& rules, WireKind kind, double element_size);

// The same for all tables of a sharder together.
class WireClasses {
 public:
  // Without tables all codecs are the same.
  WireClasses(const PerfRules& rules, std::size_t sharders);
  // Of all tables, with each size that storage leaves them.
  WireClasses(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf);
  // A table of the sharder; sizes are indices into kElementSizes, the one beyond is any.
  static constexpr std::size_t kAnySize = kElementSizes.size();
  void add(std::uint32_t sharder, WireKind kind, std::size_t size);
  // The first assignment of codecs to sharders with the same sizes; kNotFitted stays.
  std::vector<std::size_t> first_of(const std::vector<std::size_t>& codecs) const;

 private:
  struct OfSharder {
    EqualCodecs equal{};
    std::array<bool, kWireKinds*(kAnySize + 1)> known{};  // by kind and size
  };

  const PerfRules& rules_;
  std::vector<OfSharder> sharders_;
};

}  // namespace shardstats::infer_detail
