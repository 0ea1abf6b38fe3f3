// Lines that Ray's driver shows once for several workers. Private to src/input.
#pragma once

#include <string_view>

namespace shardstats::input_detail {

// Does it stand for lines of several workers, which are equal but for digits? Ray shows the first of them at once and,
// seconds later, the last one, with a suffix that counts those that it left out: "[repeated 3x across cluster]".
bool is_merged_by_ray(std::string_view line);

// May it be a line that Ray's driver shows? Each has the worker in front: "(RayTrainWorker pid=4400, ip=10.0.1.7) ".
bool is_shown_by_ray(std::string_view line);

}  // namespace shardstats::input_detail
