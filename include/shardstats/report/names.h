// The names that `anonymize` replaced, for the owner of the log. Kept names are left out.
// Tested by tests/report/names_test.cc.
#pragma once

#include <span>
#include <string>

#include "shardstats/analysis/anonymize.h"
#include "shardstats/report/json.h"

namespace shardstats {

// {"names": [{"kind": "table", "name": "user_id", "replacement": "table_0"}, ...]}
Json names_json(std::span<const Replacement> names);
// The same as lines "kind<TAB>name<TAB>replacement" below a line of headers.
std::string names_tsv(std::span<const Replacement> names);

}  // namespace shardstats
