#include "infer/words.h"

#include <utility>

namespace shardstats::infer_detail {
namespace {

// fp16 and bf16 cannot be told apart.
struct DtypeName {
  std::string_view name;
  double bytes;
};
constexpr std::array<DtypeName, 14> kDtypes = {{{"fp32", 4},
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
                                                {"half", 2}}};
constexpr std::array<DtypeName, 4> kPackedOutputs = {{{"int4", 0.5}, {"0.5", 0.5}, {"int2", 0.25}, {"0.25", 0.25}}};
constexpr std::array<std::pair<std::string_view, Optimizer>, 7> kOptimizerWords = {
    {{"none", Optimizer::none},
     {"sgd", Optimizer::none},
     {"rowwise_adagrad", Optimizer::rowwise_adagrad},
     {"adagrad", Optimizer::other},
     {"other", Optimizer::other},
     {"adamw", Optimizer::other},
     {"adam", Optimizer::adam}}};

}  // namespace

std::optional<double> dtype_bytes(std::string_view word) {
  for (const DtypeName& dtype : kDtypes)
    if (dtype.name == word) return dtype.bytes;
  return std::nullopt;
}

std::optional<double> output_bytes(std::string_view word) {
  for (const DtypeName& dtype : kPackedOutputs)
    if (dtype.name == word) return dtype.bytes;
  return dtype_bytes(word);
}

std::optional<Optimizer> optimizer_of(std::string_view word) {
  for (const auto& [name, optimizer] : kOptimizerWords)
    if (name == word) return optimizer;
  return std::nullopt;
}

}  // namespace shardstats::infer_detail
