// Takes the lines of boxes out of the quotes of CSV. Private to src/input.
#pragma once

#include <vector>

#include "shardstats/input/blocks.h"

namespace shardstats::input_detail {

// The record without the quotes of the field in which a box line stands, and without what is behind that field. A field
// has quotes where it needs them only, so that boxes begin in two places and the right border tells nothing. Any other
// line stays as it is.
Transcript without_quotes_of_field(Transcript record, std::vector<Mended>& mended);

}  // namespace shardstats::input_detail
