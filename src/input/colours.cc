#include "input/colours.h"

#include <algorithm>
#include <cstddef>

#include "input/box.h"
#include "input/rewrite.h"
#include "shardstats/ascii.h"

namespace shardstats::input_detail {
namespace {

// A '#' belongs to the box: behind a sequence that was cut off it would be eaten with all that follow it.
std::size_t skip(std::string_view text, std::size_t at, char low, char high) {
  while (at < text.size() && text[at] >= low && text[at] <= high && text[at] != '#') ++at;
  return at;
}

// One past the character that ends a sequence, if it is there.
std::size_t skip_final(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] >= '0' && text[at] <= '~' ? at + 1 : at;
}

Change colour_at(std::string_view text, std::size_t at) {
  if (text[at] != kEscape) return {};
  if (at + 1 == text.size()) return {1, {}};
  if (text[at + 1] == '[') {
    return {skip_final(text, skip(text, skip(text, at + 2, '0', '?'), ' ', '/')) - at, {}};
  }
  if (text[at + 1] == ']') {
    const std::size_t end = std::min(text.find_first_of("\a\x1b", at + 2), text.size());
    const std::size_t box = first_box(text.substr(at, end - at));
    if (box != kNowhere) return {box, {}};  // it was cut off
    // It ends with BEL or with ESC and a backslash; any other ESC begins a sequence of its own.
    const std::string_view rest = text.substr(end);
    const std::size_t terminator = rest.starts_with('\a') ? 1 : rest.starts_with("\x1b\\") ? 2 : 0;
    return {end + terminator - at, {}};
  }
  return {skip_final(text, skip(text, at + 1, ' ', '/')) - at, {}};
}

// Bytes of what is left at `at` of a colour code whose ESC was dropped ("[1;31m", "[0m", "[m"); 0 if there is none. A
// name may go on behind "[m", as in "slot[mean]".
std::size_t lost_colour(std::string_view text, std::size_t at) {
  if (text[at] != '[') return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", at + 1);
  if (end == kNowhere || text[end] != 'm') return 0;
  const bool is_name = end == at + 1 && end + 1 < text.size() && is_letter(text[end + 1]);
  return is_name ? 0 : end + 1 - at;
}

}  // namespace

Transcript without_colours(const Transcript& line) { return rewrite(line, colour_at); }

// A name may hold "[5m" or "[m", too: colours are set and taken back, so that two codes stand in a line, or a reset.
bool has_lost_colours(std::string_view text) {
  bool has_set = false, has_reset = false;
  for (std::size_t at = text.find('['); at != kNowhere; at = text.find('[', at + 1)) {
    const std::string_view code = text.substr(at, lost_colour(text, at));
    if (code == "[0m") return true;
    if (code == "[m")
      has_reset = true;
    else if (!code.empty())
      has_set = true;
  }
  return has_set && has_reset;
}

Transcript without_lost_colours(const Transcript& line) {
  return rewrite(line, [](std::string_view text, std::size_t at) { return Change{lost_colour(text, at), {}}; });
}

}  // namespace shardstats::input_detail
