#include "cli/timeline_options.h"

#include <CLI/CLI.hpp>

#include "cli/sizes.h"

namespace shardstats::cli {
namespace {

std::string wrong_size(const std::string& text) {
  return parse_size(text) ? "" : "'" + text + "' is not a size such as 72GiB, 80GB or 4096 (bytes)";
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

}  // namespace shardstats::cli
