#include "input/reframe.h"

#include <algorithm>
#include <utility>

namespace shardstats::input_detail {
namespace {

constexpr std::size_t kLeastDivider = 50;

bool is_divider(std::string_view text) {
  return text.size() >= kLeastDivider && text.find_first_not_of('-') == std::string_view::npos;
}

}  // namespace

void Framer::add_line(Transcript line, const std::string& process) {
  if (region_.blocks.has_frame()) look_for_bare_title(line);
  if (!region_.blocks.has_frame() && !border_of(line.text())) line = with_frame(line);
  streams_.add_line(std::move(line), process);
}

// The title without a '#' before it: the lines from here on are the text of a box alone. Inside a box that is open,
// or with other text behind it, it is somebody's text.
void Framer::look_for_bare_title(const Transcript& line) {
  if (region_.blocks.is_any_in_text()) return;
  const std::string_view text = line.text();
  const std::size_t title = text.find(kTitle);
  if (title == kNowhere || title_offset(text) != kNowhere) return;
  if (!is_blank(text.substr(title + kTitle.size())) || (title > 0 && text[title - 1] != ' ')) return;
  const std::size_t last = title == 0 ? kNowhere : text.find_last_not_of(' ', title - 1);
  prefix_ = last == kNowhere ? 0 : last + 1;
  region_.blocks.lose_frame();
  region_.note(Mending::frame, line.place_of(title));
}

Transcript Framer::with_frame(const Transcript& line) {
  const std::string_view text = line.text();
  const std::size_t start = std::min(prefix_, text.size());
  const std::size_t first = skip_blanks(text, start);
  if (is_divider(trim_right(text.substr(first)))) mark_ = first == start ? "# " : "#";
  Transcript framed;
  framed.fill(mark_, region_.lines.place_of(line, start));
  framed.append(line, start);
  return framed;
}

}  // namespace shardstats::input_detail
