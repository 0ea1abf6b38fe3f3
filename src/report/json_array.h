// Arrays of JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "shardstats/report/json.h"

namespace shardstats {

// What `write` makes of each row.
template <class Rows, class Write>
Json array_of(const Rows& rows, const Write& write) {
  Json array = Json::array();
  array.get_ref<Json::array_t&>().reserve(rows.size());
  for (const auto& row : rows) array.push_back(write(row));
  return array;
}

}  // namespace shardstats
