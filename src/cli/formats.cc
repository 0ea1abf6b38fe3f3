#include "cli/formats.h"

#include <algorithm>

namespace shardstats::cli {
namespace {

using enum OutputFormat;

// In the order of OutputFormat.
constexpr std::array<Format, 10> kFormats = {{
    {text, "text", {".txt"}, "for people"},
    {json, "json", {".json"}, "one document with everything"},
    {ndjson, "ndjson", {".ndjson", ".jsonl"}, "a JSON document for each block, one a line"},
    {csv, "csv", {".csv"}, "a row for each finding, budget, change, point, shard or rule (RFC 4180)"},
    {markdown, "markdown", {".md"}, "for a comment or step summary of GitHub: the gravest or largest that fits"},
    {sarif, "sarif", {".sarif", ".sarif.json"}, "SARIF 2.1.0, for code scanning and editors"},
    {junit, "junit", {".xml"}, "JUnit XML: a suite for each block, a case for each rule that was checked, or budget"},
    {github, "github", {}, "annotations of a GitHub workflow run: the worst 10, then the verdict"},
    {html, "html", {".html"}, "one page to look around in, without network"},
    {trace, "trace", {".trace.json"}, "trace events, which Perfetto and chrome://tracing open"},
}};

}  // namespace

std::span<const Format> formats() { return kFormats; }
const Format& format_of(OutputFormat id) { return kFormats[static_cast<std::size_t>(id)]; }

std::optional<OutputFormat> format_named(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &Format::name);
  if (found == kFormats.end()) return std::nullopt;
  return found->id;
}

const Format* format_by_extension(std::string_view path) {
  const Format* best = nullptr;
  std::size_t longest = 0;
  for (const Format& format : kFormats)
    for (const std::string_view extension : format.extensions)
      if (extension.size() > longest && path.ends_with(extension)) {
        best = &format;
        longest = extension.size();
      }
  return best;
}

}  // namespace shardstats::cli
