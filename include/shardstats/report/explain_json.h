// JSON of explain (contract.md, "explain adds"). Tested by tests/report/explain_json_test.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "shardstats/analysis/explain.h"

namespace shardstats {

nlohmann::ordered_json explained_json(const Explained& explained);

}  // namespace shardstats
