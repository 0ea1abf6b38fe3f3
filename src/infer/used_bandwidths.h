// Which bandwidths a table's time rests on. Private to src/infer.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "infer/perf_model.h"

namespace shardstats::infer_detail {

// What a caching ratio decides: a mix of two memories is endless if one of them is, but for its ends.
struct MixEnds {
  explicit MixEnds(RealInterval caching_ratio) : none(caching_ratio.low <= 0), all(caching_ratio.high >= 1) {}
  bool none, all;
  friend bool operator==(MixEnds, MixEnds) = default;
};

// Under one setting, whatever its bandwidths are. Tables that are alike use the same ones, so each kind is asked once.
class UsedBandwidths {
 public:
  using Flags = std::array<bool, kBandwidths.size()>;  // in the order of kBandwidths

  explicit UsedBandwidths(const PerfSetting<RealInterval>& setting) : setting_(setting) {}
  // nullopt: the table's kernel has no perf on the device.
  std::optional<Flags> of(const PerfFacts<RealInterval>& table);
  // The same of a table of the hypothesis with that option; null, too, if one of its kind was asked for before. Most
  // tables add nothing, which their kind tells without their facts.
  const Flags* of_new_kind(const PerfHypothesis& h, const PlanInputs& plan, const PerfInputs& perf, std::uint32_t t,
                           PerfOption option);

 private:
  // What decides where a table's bytes go, but for their number.
  struct Kind {
    Sharding sharding{};
    const KernelTraits* kernel = nullptr;
    bool sequence = false, prefetch_pipeline = false;
    MixEnds ends;
    friend bool operator==(const Kind&, const Kind&) = default;
  };

  using Known = std::pair<Kind, std::optional<Flags>>;

  std::optional<Flags> ask(PerfFacts<RealInterval> table);
  const Known* find(const Kind& kind) const {
    for (const Known& known : known_)  // a few
      if (known.first == kind) return &known;
    return nullptr;
  }

  PerfSetting<RealInterval> setting_;
  std::vector<Known> known_;
};

}  // namespace shardstats::infer_detail
