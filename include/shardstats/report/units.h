// Numbers as people read them: "1,935", "359.26 GiB", "124,231,680 B (±10)".
// Tested by tests/report/units_test.cc.
#pragma once

#include <cstdint>
#include <string>

#include "shardstats/numbers/commas.h"
#include "shardstats/numbers/interval.h"

namespace shardstats {

std::string with_commas(std::int64_t n);
std::string shortest(double x);               // that reads back as the same value: "0.1"
std::string human_bytes(double bytes);        // B, KiB, MiB, GiB or TiB, three significant decimals at most
std::string human_bytes(ByteInterval bytes);  // "3.86 GiB", or "3.85..3.87 GiB"
std::string human_bytes(RealInterval bytes);
// The nominal value where it is good to a percent, else the bounds.
std::string human_bytes(double nominal, RealInterval bounds);
std::string human_ms(RealInterval ms);                   // "1,300.3 ms", "0.969 ms", "2.10..2.25 ms"
std::string human_bandwidth(RealInterval bytes_per_ms);  // "897 GiB/s", or "890..900 GiB/s"

}  // namespace shardstats
