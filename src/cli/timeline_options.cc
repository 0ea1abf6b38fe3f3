#include "cli/timeline_options.h"

#include <CLI/CLI.hpp>

#include "cli/sizes.h"
#include "shardstats/analysis/nearest.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::cli {
namespace {

std::string wrong_size(const std::string& text) {
  if (parse_size(text)) return {};
  return "'" + text + "' is not a size such as 72GiB, 80GB or 4096 (bytes)" + did_you_mean(sizes_meant(text));
}

std::string wrong_rate(const std::string& text) {
  if (parse_rate(text)) return {};
  return "'" + text + "' is not a rate such as 450GB/s" + did_you_mean(rate_meant(text));
}

constexpr std::int64_t kMostRanksPerHost = 1 << 24;

std::string wrong_count(const std::string& text) {
  return parse_integer(text, kMostRanksPerHost) ? "" : "'" + text + "' is not a number of ranks";
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

void add_timeline_options(CLI::App& app, TimelineTexts& texts) {
  app.add_option("--activations", texts.activations,
                 "What dense modules keep for their backward pass on each rank, which no log tells")
      ->type_name("SIZE")
      ->check(wrong_size);
}

TimelineOptions timeline_options(const TimelineTexts& texts) {
  return {texts.activations.empty() ? 0 : *parse_size(texts.activations)};
}

void add_stash_options(CLI::App& app, StashTexts& texts, StashOptions& options) {
  app.add_option("--bandwidth", texts.bandwidth, "How fast weights are copied between HBM and host memory, each way")
      ->type_name("RATE")
      ->check(wrong_rate);
  app.add_option("--window", texts.window,
                 "How long each copy may take. Default: the shorter of output and gradient dist "
                 "in the perf model")
      ->type_name("TIME")
      ->check(wrong_window);
  app.add_option("--target-hbm", texts.target, "Stash no more than it takes to get the peak of a rank down to SIZE")
      ->type_name("SIZE")
      ->check(wrong_size);
  app.add_flag("--sequence", options.sequence, "Stash tables of EmbeddingCollections, too");
  app.add_option("--ranks-per-host", texts.ranks_per_host,
                 "Ranks that share the memory of a host; 0 is what the log tells")
      ->capture_default_str()
      ->check(wrong_count);
}

void set_stash_options(const StashTexts& texts, StashOptions& options) {
  if (!texts.bandwidth.empty()) options.bandwidth = *parse_rate(texts.bandwidth);
  if (!texts.window.empty()) options.window = parse_window(texts.window);
  options.ranks_per_host = static_cast<std::int64_t>(texts.ranks_per_host);
  if (!texts.target.empty()) options.target = parse_size(texts.target);
}

}  // namespace shardstats::cli
