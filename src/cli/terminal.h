// What the terminal can do, and diagnostics on standard error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "shardstats/input/source.h"
#include "shardstats/report/style.h"

namespace shardstats::cli {

// Of standard output, or of a file (not `to_terminal`). Colours: flag, NO_COLOR, FORCE_COLOR, terminal (in this order).
TextStyle text_style(std::string_view color, bool ascii, bool to_terminal);

// Columns of the terminal behind `fd`; COLUMNS goes first, 80 if neither says.
int terminal_width(int fd);
// A terminal that can move its cursor.
bool is_smart_terminal(int fd);

// nullopt: the variable is not set, or empty.
std::optional<std::string> environment(const char* variable);

void warn(const std::string& text);
void fail(const std::string& text);
// "train.log:12: message; hint"
std::string error_text(const Error& error);

}  // namespace shardstats::cli
