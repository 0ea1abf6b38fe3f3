// Text of a log, which may hold any byte, as formats take it that allow valid UTF-8 only.
// Tested by tests/report/clean_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shardstats {

// Bytes of the well-formed UTF-8 character that `text` begins with; 0: none.
std::size_t character_at(std::string_view text);

// Valid UTF-8 without control characters and line ends: each such character and each stray byte becomes U+FFFD.
std::string clean(std::string_view text);

// The same, but for line ends and the colours of our own reports: what may go to a terminal, which does as sequences in
// the names of a log tell it.
std::string clean_for_terminal(std::string_view text);

// clean() cut to at most `most` bytes, with "..." for the rest.
std::string clean(std::string_view text, std::size_t most);

// Clean text as it stands in XML and HTML, also between double quotes.
std::string xml_escaped(std::string_view text);

// A byte as it stands in a URI, and in a workflow command of GitHub: "%3A".
std::string percent_encoded(char c);

}  // namespace shardstats
