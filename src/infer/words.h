// Words for dtypes and optimizers, as --assume and --set take them. Private to src/infer.
#pragma once

#include <optional>
#include <string_view>

namespace shardstats::infer_detail {

// Indices of model.h: of "fp16", "bf16" and "2" that of 2 bytes.
std::optional<int> dtype_index(std::string_view word);
// The same of what a table puts out, which may be packed: also of "int4" and "0.5".
std::optional<int> output_index(std::string_view word);
// Of the class that storage can tell from the others: "adagrad" is one of Optimizer::other.
std::optional<int> optimizer_index(std::string_view word);

}  // namespace shardstats::infer_detail
