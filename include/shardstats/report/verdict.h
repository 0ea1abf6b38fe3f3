// What a run ends with, in the words of every report (contract.md, "Exit status").
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "shardstats/vocabulary.h"

namespace shardstats {

enum class Verdict : std::uint8_t { clean, findings, failed };  // exit status 0, 1 and 2
inline constexpr std::array<std::string_view, 3> kVerdictNames = {"clean", "findings", "failed"};
constexpr std::string_view name(Verdict v) { return name_of(v, kVerdictNames); }

}  // namespace shardstats
