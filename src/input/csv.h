// Takes the lines of boxes out of records of CSV or TSV. Private to src/input.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "shardstats/input/blocks.h"

namespace shardstats::input_detail {

// Is it a row with nothing to undo in its first field, which has quotes? That may tell the process, and is no string.
bool begins_with_field_in_quotes(std::string_view text);

// The record without the quotes of the field in which a box line stands, and without what is behind that field. A field
// has quotes where it needs them only, so that boxes begin in two places and the right border tells nothing. Any other
// line stays as it is.
Transcript without_quotes_of_field(Transcript record, std::vector<Mended>& mended);

// Exports have the raw event in one field and what was extracted of it in another. Where a field is an object of JSON
// that holds the same box line as another field, takes it off the record and returns it without its quotes: it may tell
// the process. Empty if there is none. `width`: as for lines_in_strings().
Transcript take_repeated_event(Transcript& record, std::size_t width);

// The fields behind the one with the box line, with the separator in front of them: they may tell the process. Empty if
// the line is no such record.
std::string_view fields_behind_box(std::string_view record);

}  // namespace shardstats::input_detail
