// Text of explain: what an engineer would write on a whiteboard. Nothing is computed here.
// Tested by tests/report/explain_text_test.cc.
#pragma once

#include <string>
#include <vector>

#include "shardstats/analysis/explain.h"
#include "shardstats/report/style.h"

namespace shardstats {

void write_explained(const std::vector<Explained>& all, const TextStyle& style, std::string& out);

}  // namespace shardstats
