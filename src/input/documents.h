// Documents of JSON on one line whose records are those of several processes. Private to src/input.
#pragma once

#include <vector>

#include "shardstats/input/blocks.h"

namespace shardstats::input_detail {

// The records of the first list of a document, and what stands in front of them and behind, as `aws logs
// filter-log-events` writes streams one beside the other. Only where records with a '#' name several processes; else
// the line as it is.
std::vector<Transcript> records_of_processes(Transcript line);

}  // namespace shardstats::input_detail
