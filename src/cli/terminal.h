// What the terminal can do, and diagnostics on standard error.
#pragma once

#include <string>
#include <string_view>

#include "shardstats/input/source.h"
#include "shardstats/report/style.h"

namespace shardstats::cli {

// Width from COLUMNS or the terminal, 80 otherwise; colours: flag, NO_COLOR, FORCE_COLOR, terminal (in this order).
TextStyle text_style(std::string_view color, bool ascii, bool to_terminal);

void warn(const std::string& text);
void fail(const std::string& text);
// "train.log:12: message; hint"
std::string error_text(const Error& error);

}  // namespace shardstats::cli
