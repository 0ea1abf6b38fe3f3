// Records of JSON or YAML that were printed with a field a line, as cloud tools show them: twenty to a hundred lines
// hold one line of a log. Private to src/input.
#pragma once

#include <string_view>

namespace shardstats::input_detail {

// Does the line stand inside of such a record, so that it is no line of a log? The one that opens the record does not:
// it stands for the whole record where lines of others are counted. Nor does one with a '#', which a box may have, or a
// field of YAML that is not indented, which other lines look like.
bool is_inside_record(std::string_view line);

}  // namespace shardstats::input_detail
