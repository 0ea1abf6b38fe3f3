// Names that stand for others: of the same shape, each once, and without any name of the input in them.
// Tested by tests/analysis/anonymize_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardstats/analysis/anonymize.h"
#include "shardstats/utf8.h"

namespace shardstats::analysis {

using NameIndex = std::map<std::string_view, std::size_t>;

// The longest name that the text begins with; end() if there is none.
NameIndex::const_iterator longest_prefix(const NameIndex& names, std::string_view text);

inline constexpr std::size_t kLongestCharacter = 4;  // bytes of UTF-8

// Visits the characters one by one; bytes of no character in front of the first are left out.
template <class Visit>
void each_character(std::string_view text, Visit visit) {
  for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
    for (end = at + 1; end < text.size() && is_continuation(text[end]);) ++end;
    if (!is_continuation(text[at])) visit(text.substr(at, std::min(end - at, kLongestCharacter)));
  }
}

// Letter `i` of those which have so many bytes; empty beyond the last one.
std::string letter(std::size_t bytes, std::size_t i);

class Pseudonyms {
 public:
  // `names`: all of the input.
  explicit Pseudonyms(const NameIndex& names) : names_(names) {}

  // nullopt: there is none of that shape.
  std::optional<std::string> next(NameKind kind, std::string_view name);

 private:
  using Shape = std::array<std::size_t, kLongestCharacter>;  // how many characters have 1, 2, 3, 4 bytes

  // The numbers of one kind's names. Where those of the input are numbered, the others leave out as many, since a gap
  // tells which row of a damaged log is missing.
  struct Numbers {
    std::int64_t last = -1;
    bool given_up = false;  // too many of them contain names
    std::set<std::int64_t> taken;
    std::map<std::pair<std::string_view, std::string_view>, std::map<std::int64_t, std::int64_t>> series;

    std::int64_t preferred(std::string_view name) const;
    void take(std::int64_t number, std::string_view name);
  };

  static Shape shape_of(std::string_view name);
  std::optional<std::string> numbered(NameKind kind, std::string_view name, const Shape& shape);
  std::optional<std::string> spelled(const Shape& shape);
  // Where the first name that the text contains ends; 0 if it contains none.
  std::size_t end_of_name_in(std::string_view text) const;
  bool take(const std::string& candidate);  // false: it is in use

  const NameIndex& names_;
  std::set<std::string, std::less<>> used_;
  std::array<Numbers, kNameKinds.size()> numbers_;
  std::map<Shape, std::vector<std::size_t>> spelled_;  // letters of the last name that was spelled
};

}  // namespace shardstats::analysis
