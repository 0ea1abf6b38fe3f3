#include "cli/timeline_options.h"

#include <CLI/CLI.hpp>

#include "cli/option_kinds.h"
#include "cli/sizes.h"
#include "shardstats/analysis/nearest.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::cli {
namespace {

std::string wrong_size(const std::string& text) {
  if (parse_size(text)) return {};
  return "'" + text + "' is not " + std::string(kSizes) + near_size(text);
}

std::string wrong_rate(const std::string& text) {
  if (parse_rate(text)) return {};
  return "'" + text + "' is not a rate such as 450GB/s" + did_you_mean(rate_meant(text));
}

// Not as CLI11 reads numbers: 010 is ten.
std::optional<std::int64_t> parse_ranks_per_host(const std::string& text) {
  constexpr std::int64_t kMost = 1 << 24;
  return parse_integer(text, kMost);
}

std::string wrong_count(const std::string& text) {
  return parse_ranks_per_host(text) ? "" : "'" + text + "' is not a number of ranks";
}

// More than 10^12 ms is no time that anything takes.
std::optional<double> parse_window(const std::string& text) {
  constexpr double kMost = 1e12;
  const auto ms = parse_amount(text, "ms");
  return ms && *ms > 0 && *ms <= kMost ? ms : std::nullopt;
}

std::string wrong_window(const std::string& text) {
  return parse_window(text) ? "" : "'" + text + "' is not a time above zero such as 60ms";
}

}  // namespace

void add_timeline_options(CLI::App& app, TimelineOptions& options) {
  add_parsed(app, "--activations", options.activations, parse_size,
             "What dense modules keep for their backward pass on each rank, which no log tells", "SIZE")
      ->check(wrong_size);
}

void add_stash_options(CLI::App& app, StashOptions& options) {
  add_parsed(app, "--bandwidth", options.bandwidth, parse_rate,
             "How fast weights are copied between HBM and host memory, each way", "RATE")
      ->check(wrong_rate);
  add_parsed(app, "--window", options.window, parse_window,
             "How long each copy may take. Default: the shorter of output and gradient dist in the perf model", "TIME")
      ->check(wrong_window);
  add_parsed(app, "--target-hbm", options.target, parse_size,
             "Stash no more than it takes to get the peak of a rank down to SIZE", "SIZE")
      ->check(wrong_size);
  app.add_flag("--sequence", options.sequence, "Stash tables of EmbeddingCollections, too");
  add_parsed(app, "--ranks-per-host", options.ranks_per_host, parse_ranks_per_host,
             "Ranks that share the memory of a host; 0 is what the log tells", "UINT")
      ->default_str("0")
      ->check(wrong_count);
}

}  // namespace shardstats::cli
