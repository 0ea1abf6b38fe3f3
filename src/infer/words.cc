#include "infer/words.h"

#include <algorithm>
#include <array>
#include <utility>

#include "infer/model.h"

namespace shardstats::infer_detail {
namespace {

// fp16 and bf16 cannot be told apart.
struct DtypeName {
  std::string_view name;
  double bytes;
};
constexpr std::array<DtypeName, 18> kDtypes = {{{"fp32", 4},
                                                {"float32", 4},
                                                {"int32", 4},
                                                {"fp16", 2},
                                                {"float16", 2},
                                                {"bf16", 2},
                                                {"bfloat16", 2},
                                                {"int8", 1},
                                                {"uint8", 1},
                                                {"fp8", 1},
                                                {"4", 4},
                                                {"2", 2},
                                                {"1", 1},
                                                {"half", 2},
                                                {"int4", 0.5},
                                                {"0.5", 0.5},
                                                {"int2", 0.25},
                                                {"0.25", 0.25}}};
constexpr std::array<std::pair<std::string_view, Optimizer>, 7> kOptimizerWords = {
    {{"none", Optimizer::none},
     {"sgd", Optimizer::none},
     {"rowwise_adagrad", Optimizer::rowwise_adagrad},
     {"adagrad", Optimizer::other},
     {"other", Optimizer::other},
     {"adamw", Optimizer::other},
     {"adam", Optimizer::adam}}};

}  // namespace

std::optional<int> dtype_index(std::string_view word) {
  const auto index = output_index(word);  // sizes of elements come first among those of outputs
  return index && *index < static_cast<int>(kElementSizes.size()) ? index : std::nullopt;
}

std::optional<int> output_index(std::string_view word) {
  const auto* const dtype = std::ranges::find(kDtypes, word, &DtypeName::name);
  if (dtype == kDtypes.end()) return std::nullopt;
  return static_cast<int>(std::ranges::find(kOutputSizes, dtype->bytes) - kOutputSizes.begin());
}

std::optional<int> optimizer_index(std::string_view word) {
  for (const auto& [name, optimizer] : kOptimizerWords)
    if (name == word) return static_cast<int>(std::ranges::find(kOptimizers, optimizer) - kOptimizers.begin());
  return std::nullopt;
}

}  // namespace shardstats::infer_detail
