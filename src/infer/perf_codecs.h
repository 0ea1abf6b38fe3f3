// Which quantized comms the sharders have, by fitting bandwidths with them. Private to src/infer.
#pragma once

#include <cstdint>
#include <vector>

#include "infer/perf_fit.h"

namespace shardstats::infer_detail {

// Codecs for all sharders whose fit leaves the fewest contradictions: sharder after sharder, following the best few
// assignments. None of more sharders than a model has, and none that leave more contradictions than `most`.
std::vector<std::vector<std::size_t>> fitting_codecs(const PerfHypothesis& h, const PerfInputs& perf, PerfFits& fits,
                                                     std::int64_t most);

}  // namespace shardstats::infer_detail
