// Words for dtypes and optimizers, as --assume and --set take them. Private to src/infer.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "shardstats/vocabulary.h"

namespace shardstats::infer_detail {

// Bytes of an element: 2 of "fp16", "bf16" and "2".
std::optional<double> dtype_bytes(std::string_view word);
// The same of what a table puts out, which may be packed: 0.5 of "int4" and "0.5".
std::optional<double> output_bytes(std::string_view word);

// The class that storage can tell from the others: "adagrad" is one of Optimizer::other.
std::optional<Optimizer> optimizer_of(std::string_view word);

// Where a size stands in kElementSizes or kOutputSizes; their number where it does not.
template <std::size_t N>
int index_in(const std::array<double, N>& sizes, double bytes) {
  return static_cast<int>(std::ranges::find(sizes, bytes) - sizes.begin());
}

}  // namespace shardstats::infer_detail
