#include "infer/extreme_options.h"

#include <array>
#include <tuple>
#include <vector>

#include "infer/choose.h"

namespace shardstats::infer_detail {
namespace {

class Extremes {
 public:
  Extremes(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t)
      : table_(plan.tables[t]),
        outcome_(outcome),
        parts_((*outcome.parts)[t]),
        options_(outcome.tables[t].options),
        kept_(options_.size()) {
    kept_[preferred_option(plan, outcome, t)] = true;
    keep_element_sizes();
    keep_bounds();
  }

  Options kept() const {
    Options options;
    for (std::size_t i = 0; i < kept_.size(); ++i)
      if (kept_[i]) options.push_back(options_[i]);
    return options;
  }

 private:
  void keep_element_sizes() {
    std::uint32_t seen = 0;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const std::uint32_t element = 1u << combo_of(options_[i].combo).element;
      if ((seen & element) == 0) kept_[i] = true;
      seen |= element;
    }
  }

  void keep_bounds() {
    const Setting& setting = outcome_.setting;
    keep_ends([&](Option option) {
      const TableWeights whole = table_weights(setting, table_, combo_of(option.combo));
      return std::array{whole.weights, whole.state};
    });
    for (std::size_t c = 0; c < parts_.front().classes.size(); ++c)
      keep_ends([&](Option option) {
        return shard_bytes(setting, parts_[option.variant].classes[c], combo_of(option.combo));
      });
    if (is_one_class(parts_)) return;  // the table is as many times its shard
    for (int q = 0; q < static_cast<int>(kShardQuantities); ++q)
      keep_ends([&](Option option) {
        const Parts& parts = parts_[option.variant];
        return std::array{table_bytes(setting, table_, parts, combo_of(option.combo), static_cast<Quantity>(q))};
      });
  }

  // Keeps the first ones of the least and of the greatest sizes, of each kind of size that there is of an option.
  template <class Sizes>
  void keep_ends(Sizes sizes_of) {
    struct Ends {
      std::size_t least = 0, greatest = 0;
    };
    auto all = sizes_of(options_[0]);
    std::array<Ends, std::tuple_size_v<decltype(all)>> ends{};
    for (std::size_t i = 1; i < kept_.size(); ++i) {
      const auto sizes = sizes_of(options_[i]);
      for (std::size_t kind = 0; kind < ends.size(); ++kind) {
        if (sizes[kind].low < all[kind].low) ends[kind].least = i;
        if (sizes[kind].high > all[kind].high) ends[kind].greatest = i;
        all[kind] = hull(all[kind], sizes[kind]);
      }
    }
    for (const Ends& one : ends) kept_[one.least] = kept_[one.greatest] = true;
  }

  const TableInputs& table_;
  const Outcome& outcome_;
  const TableParts& parts_;
  const Options& options_;
  std::vector<bool> kept_;
};

}  // namespace

Options extreme_options(const PlanInputs& plan, const Outcome& outcome, std::uint32_t t) {
  return Extremes(plan, outcome, t).kept();
}

}  // namespace shardstats::infer_detail
