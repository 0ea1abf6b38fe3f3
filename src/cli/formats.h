// The output formats as one table: --format, -o, help and docs/formats.md read it.
// Tested by tests/cli/formats_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace shardstats::cli {

enum class OutputFormat : std::uint8_t { text, json, ndjson, csv, markdown, sarif, junit, github, html, trace };

struct Format {
  OutputFormat id;
  std::string_view name;
  std::array<std::string_view, 2> extensions;  // of files in it; may be empty
  std::string_view help;
};

std::span<const Format> formats();
const Format& format_of(OutputFormat id);
std::optional<OutputFormat> format_named(std::string_view name);
// By the longest extension that the path ends with; nullptr: it has none of the table.
const Format* format_by_extension(std::string_view path);

}  // namespace shardstats::cli
