// Changes as users write them: `--set batch_size=4096`, `--set table_7.sharding=RW`, `--changes FILE`.
//
//   KEY=VALUE            one change; KEY is an attribute of the run or NAME.ATTRIBUTE, NAME as in `explain`
//   KEY=64,96,128        a sweep over values
//   KEY=1024..16384*2    the same: each twice the one before; +N adds instead
//   drop NAME            a table less
//
// Tested by tests/cli/assignments_test.cc.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "shardstats/infer/what_if.h"

namespace shardstats::cli {

struct Assignment {
  std::string table;           // as written; empty: the run
  std::string key;             // as written
  std::vector<Change> values;  // at least one; their `tables` are still to be filled in
  bool of_settings = false;    // gives way to one of the command line
  bool is_asked = false;       // the count that --max looks for
};

// Returns what is wrong with the text if it is no assignment.
std::variant<Assignment, std::string> parse_assignment(std::string_view text);

// Reads one assignment a line; blank lines and what follows a '#' do not count. Returns what is wrong, with its line.
std::variant<std::vector<Assignment>, std::string> read_assignments(const std::string& path);

// The first key that two of them set, as written; nullopt: there is none. That two names are of one table shows in
// resolve() only.
std::optional<std::string> key_set_twice(std::span<const Assignment> assignments);

// Leaves out what the settings say of tables that the command line says otherwise, under whatever name; but no sweep
// and no count of --max, nor a drop of other tables as well: resolve() says that these contradict.
std::vector<Assignment> without_overruled(std::vector<Assignment> assignments, const PrintedPlan& printed);

// The changes of one point of the sweeps: values[chosen[i]] of assignment i, with the rows of `printed` that its table
// names. Returns what is wrong if a name is of no table, or if two assignments contradict each other.
std::variant<std::vector<Change>, std::string> resolve(std::span<const Assignment> assignments,
                                                       std::span<const std::size_t> chosen, const PrintedPlan& printed);

}  // namespace shardstats::cli
