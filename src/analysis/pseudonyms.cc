#include "analysis/pseudonyms.h"

#include <algorithm>

#include "shardstats/log/missing_tables.h"

namespace shardstats::analysis {
namespace {

constexpr std::size_t kUsualDigits = 4;      // fewer only behind the shortest stem
constexpr std::int64_t kLargestStep = 1000;  // between two numbers of the input that is kept
constexpr std::size_t kFirstLetters = 52;    // the digits come after them, and no name starts with one
constexpr std::size_t kMostTries = 1 << 20;

// By kind, the longest first.
constexpr std::array<std::array<std::string_view, 3>, kNameKinds.size()> kStems = {
    {{"table_", "tab_", "t"}, {"module_", "mod_", "m"}, {"Class_", "Cls_", "C"}, {"word_", "wrd_", "w"}}};

std::string padded(std::int64_t number, std::size_t width) {
  const std::string digits = std::to_string(number);
  return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

}  // namespace

NameIndex::const_iterator longest_prefix(const NameIndex& names, std::string_view text) {
  while (!text.empty()) {
    auto next = names.upper_bound(text);
    if (next == names.begin()) break;
    const std::string_view name = std::prev(next)->first;
    if (text.starts_with(name)) return std::prev(next);
    // All that stands between a prefix of the text and the text itself begins with that prefix.
    text = text.substr(0, static_cast<std::size_t>(std::ranges::mismatch(text, name).in1 - text.begin()));
  }
  return names.end();
}

std::string letter(std::size_t bytes, std::size_t i) {
  constexpr std::string_view kAscii = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  struct Alphabet {
    std::string_view lead;  // all but the last byte
    unsigned char first;    // last byte of the first letter
    std::size_t count;
  };
  constexpr std::array<Alphabet, 3> kOthers = {
      {{"\xCE", 0xB1, 15}, {"\xE4\xB8", 0x80, 64}, {"\xF0\x9D\x90", 0x80, 26}}};  // from U+3B1, U+4E00, U+1D400 on
  if (bytes == 1) return std::string(kAscii.substr(std::min(i, kAscii.size()), 1));
  const Alphabet& alphabet = kOthers[bytes - 2];
  if (i >= alphabet.count) return {};
  return std::string(alphabet.lead) + static_cast<char>(alphabet.first + i);
}

std::int64_t Pseudonyms::Numbers::preferred(std::string_view name) const {
  const auto own = numbered_name(name);
  if (own && last < 0 && own->number == 1) return 1;
  if (!own || !series.contains({own->head, own->tail})) return last + 1;
  const auto& known = series.at({own->head, own->tail});
  const auto above = known.upper_bound(own->number);
  if (above == known.begin()) return last + 1;
  const auto& [number, replaced] = *std::prev(above);
  const std::int64_t step = own->number - number;
  return step > kLargestStep || taken.contains(replaced + step) ? last + 1 : replaced + step;
}

void Pseudonyms::Numbers::take(std::int64_t number, std::string_view name) {
  taken.insert(number);
  last = std::max(last, number);
  if (const auto own = numbered_name(name)) series[{own->head, own->tail}].emplace(own->number, number);
}

Pseudonyms::Shape Pseudonyms::shape_of(std::string_view name) {
  Shape shape{};
  each_character(name, [&](std::string_view character) { ++shape[character.size() - 1]; });
  return shape;
}

std::size_t Pseudonyms::end_of_name_in(std::string_view text) const {
  for (std::size_t at = 0; at < text.size(); ++at)
    if (const auto found = longest_prefix(names_, text.substr(at)); found != names_.end())
      return at + found->first.size();
  return 0;
}

bool Pseudonyms::take(const std::string& candidate) { return used_.insert(candidate).second; }

std::optional<std::string> Pseudonyms::next(NameKind kind, std::string_view name) {
  const Shape shape = shape_of(name);
  if (auto found = numbered(kind, name, shape)) return found;
  return spelled(shape);
}

std::optional<std::string> Pseudonyms::numbered(NameKind kind, std::string_view name, const Shape& shape) {
  Numbers& numbers = numbers_[static_cast<std::size_t>(kind)];
  std::string rest;
  for (std::size_t bytes = 2; bytes <= kLongestCharacter; ++bytes)
    for (std::size_t i = 0; i < shape[bytes - 1]; ++i) rest += letter(bytes, 0);
  const auto& stems = kStems[static_cast<std::size_t>(kind)];
  for (const std::string_view stem : stems) {
    const std::size_t least = stem.size() + (stem == stems.back() ? 1 : kUsualDigits);
    if (numbers.given_up || shape[0] < least || end_of_name_in(stem) > 0) continue;
    std::int64_t number = numbers.preferred(name);
    std::size_t tries = 0;
    for (; tries <= names_.size(); ++tries, number = std::max(number, numbers.last) + 1) {
      const std::string candidate = std::string(stem) + padded(number, shape[0] - stem.size()) + rest;
      if (candidate.size() != shape[0] + rest.size()) break;
      if (end_of_name_in(candidate) > 0 || !take(candidate)) continue;
      numbers.take(number, name);
      return candidate;
    }
    numbers.given_up = tries > names_.size();
  }
  return std::nullopt;
}

// The next text in alphabetical order. One that contains a name is left by changing the last letter of that name: all
// texts that begin so contain it, too.
std::optional<std::string> Pseudonyms::spelled(const Shape& shape) {
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = 1; bytes <= kLongestCharacter; ++bytes) sizes.insert(sizes.end(), shape[bytes - 1], bytes);
  if (sizes.empty()) return std::string();  // stray bytes alone
  std::vector<std::size_t>& letters = spelled_.try_emplace(shape, sizes.size(), 0).first->second;
  const auto advance = [&](std::size_t at) {
    std::fill(letters.begin() + static_cast<std::ptrdiff_t>(at) + 1, letters.end(), 0);
    while (true) {
      ++letters[at];
      const bool is_letter =
          !letter(sizes[at], letters[at]).empty() && (at > 0 || sizes[at] > 1 || letters[at] < kFirstLetters);
      if (is_letter) return true;
      if (at == 0) return false;
      letters[at--] = 0;
    }
  };
  for (std::size_t tries = 0; tries < kMostTries; ++tries) {
    std::string candidate;
    std::vector<std::size_t> ends;  // of the letters
    for (std::size_t at = 0; at < sizes.size(); ++at) {
      candidate += letter(sizes[at], letters[at]);
      ends.push_back(candidate.size());
    }
    const std::size_t end = end_of_name_in(candidate);
    if (end == 0 && take(candidate)) return candidate;
    const std::size_t at =
        end == 0 ? sizes.size() - 1 : static_cast<std::size_t>(std::ranges::lower_bound(ends, end) - ends.begin());
    if (!advance(at)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace shardstats::analysis
