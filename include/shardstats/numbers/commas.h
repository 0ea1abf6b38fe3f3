// Tested by tests/numbers/commas_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace shardstats {

// "1,300.3" of "1300.3": with commas between the thousands in front of the point.
std::string with_commas(std::string_view number);

}  // namespace shardstats
