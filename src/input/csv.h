// Takes the lines of boxes out of records of CSV or TSV. Private to src/input.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardstats/input/blocks.h"

namespace shardstats::input_detail {

// Is it a row whose first field has quotes, and no string of JSON or Python? That has nothing to undo, and further
// fields; only one of all may have a line of a box.
bool begins_with_field_in_quotes(std::string_view text);

// The record without the quotes of the field in which a box line stands, and without what is behind that field. A field
// has quotes where it needs them only, so that boxes begin in two places and the right border tells nothing. Any other
// line stays as it is. `columns`: of the last such record; `goes_on`: may a line of it, which a terminal broke?
Transcript without_quotes_of_field(Transcript record, const std::optional<std::string>& columns, bool goes_on,
                                   std::vector<Mended>& mended);

// What stands in front of the field in which a box line stands, as tag_of() has it; none if it is no such record, or
// longer than that of any logger.
std::optional<std::string> columns_in_front_of_box(std::string_view record);

// Exports have the raw event in one field and what was extracted of it in another. Where a field is an object of JSON
// that holds the same box line as another field, takes it off the record and returns it without its quotes: it may tell
// the process. Empty if there is none. `width`: as for lines_in_strings().
Transcript take_repeated_event(Transcript& record, std::size_t width);

// The fields behind the one with the box line, with the separator in front of them: they may tell the process. Empty if
// the line is no such record.
std::string_view fields_behind_box(std::string_view record);

}  // namespace shardstats::input_detail
