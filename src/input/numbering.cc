#include "input/numbering.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <set>

#include "input/box.h"

namespace shardstats::input_detail {
namespace {

constexpr std::size_t kLongestFront = 100;  // bytes up to the end of a number
constexpr int kCompared = 20;               // lines whose numbers have to follow each other
constexpr int kFewestCompared = 6;          // at the end of a log
constexpr std::size_t kFewestTexts = 3;     // different ones: the ranks of srun print the same line in turn

// The number of a line, and what stands behind it.
struct Numbered {
  std::uint64_t number = 0;
  std::size_t end = 0;
};

// A number of that many bytes' front, whatever pads it.
std::optional<Numbered> numbered(std::string_view line, std::string_view front) {
  // grep has ':' behind the file's name, or '-' in lines of context.
  const bool is_named = front.ends_with(':') || front.ends_with('-');
  const std::size_t same = front.size() - (is_named ? 1 : 0);
  if (line.size() <= front.size() || line.substr(0, same) != front.substr(0, same)) return std::nullopt;
  if (is_named && line[same] != ':' && line[same] != '-') return std::nullopt;
  const std::size_t start = skip_blanks(line, front.size());
  if (start == line.size() || line[start] == '0') return std::nullopt;
  Numbered found;
  const auto [end, error] = std::from_chars(line.data() + start, line.data() + line.size(), found.number);
  found.end = static_cast<std::size_t>(end - line.data()) + 1;
  if (error != std::errc() || found.end > line.size()) return std::nullopt;
  return std::string_view(":-\t").find(*end) == kNowhere ? std::nullopt : std::optional(found);
}

// Is a string open at its end? Then what stands in front of the number has to stay, for the string to be undone. An
// apostrophe within a word opens none.
bool ends_in_string(std::string_view front) {
  constexpr std::string_view kBeforeString = " \t{[(:=,";
  constexpr char kNone = '\0';
  char open = kNone;
  for (std::size_t at = front.find_first_of("\"'"); at != kNowhere; at = front.find_first_of("\"'", at + 1)) {
    if (front[at] == open)
      open = kNone;
    else if (open == kNone && (at == 0 || kBeforeString.find(front[at - 1]) != kNowhere))
      open = front[at];
  }
  return open != kNone;
}

}  // namespace

Numbering::Numbering(std::string_view bytes, std::size_t start) {
  const std::string_view line = line_at(bytes, start).text;
  const std::string_view front = line.substr(0, std::min(kLongestFront, line.find('#')));
  std::size_t numbers = 0;
  for (std::size_t at = front.find_first_of(kDigits); at != kNowhere && !found_ && numbers < kMostNumbers; ++numbers) {
    front_ = trim_right(front.substr(0, at));
    found_ = !ends_in_string(front_) && is_numbering(bytes, start);
    const std::size_t end = front.find_first_not_of(kDigits, at);
    at = end == kNowhere ? kNowhere : front.find_first_of(kDigits, end);
  }
}

bool Numbering::is_numbering(std::string_view bytes, std::size_t start) const {
  std::set<std::string_view> texts;
  std::uint64_t last = 0;
  int compared = 0;
  for (; compared < kCompared && start < bytes.size(); ++compared) {
    const Line line = line_at(bytes, start);
    const std::optional<Numbered> found = numbered(line.text, front_);
    if (!found || (compared > 0 && found->number != last + 1)) return false;
    last = found->number;
    texts.insert(line.text.substr(found->end));
    start = line.next;
  }
  return compared >= kFewestCompared && texts.size() >= kFewestTexts;
}

std::size_t Numbering::front_of(std::string_view line) const {
  const std::optional<Numbered> found = found_ ? numbered(line, front_) : std::nullopt;
  return found ? found->end : 0;
}

}  // namespace shardstats::input_detail
