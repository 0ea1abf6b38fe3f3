// The command line as a plain struct.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/assignments.h"
#include "cli/commands.h"
#include "shardstats/analysis/budgets.h"
#include "shardstats/analysis/diff.h"
#include "shardstats/analysis/filter.h"
#include "shardstats/analysis/reconstruct.h"
#include "shardstats/analysis/stash.h"
#include "shardstats/analysis/timeline.h"
#include "shardstats/infer/plan.h"

namespace shardstats::cli {

// whatif --max: the largest value of a count that fits.
struct LargestQuestion {
  std::string key;                      // as written
  std::optional<std::int64_t> max_hbm;  // bytes; nullopt: the planning memory
};

struct Options {
  CommandId command{};
  std::string target;             // explain, rules, completion
  std::vector<std::string> logs;  // paths; "-" is standard input; for scan also directories and globs
  OutputFormat format = OutputFormat::text;
  std::vector<std::string> outputs;  // files; "-" is standard output
  std::string step_summary;          // file that the Markdown report is appended to; empty: none
  std::string color = "auto";
  bool ascii = false, quiet = false, verbose = false, exit_zero = false, allow_empty = false;
  std::string block = "all";
  std::size_t threads = 1;  // at least 1
  Severity fail_on = Severity::error;
  FilterWords filter;
  std::size_t top_in_text = 0, top = 0;  // rows of each list, in text and in other formats; 0: all
  ReconstructOptions reconstruct;
  TimelineOptions timeline;
  StashOptions stash;
  std::vector<Override> assume;
  Budgets budgets;  // check
  std::optional<IncreaseLimit> fail_on_increase;
  std::vector<std::string> keep;           // anonymize: expressions for names that stay
  std::vector<Assignment> changes;         // whatif, explain; with `largest` the last one is the count in question
  bool render_changed = false;             // whatif: print the changed log
  std::optional<LargestQuestion> largest;  // whatif
  std::string name_map;                    // anonymize: file that the names are written to; empty: none
};

// What to do instead of running a command: print something and leave.
struct Leave {
  int status = 0;
  std::string out, err;
};

std::variant<Options, Leave> parse_command_line(int argc, const char* const* argv);

}  // namespace shardstats::cli
