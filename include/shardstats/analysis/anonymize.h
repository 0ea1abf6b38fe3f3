// Blocks without the names of a user's model: tables, modules and classes get other names of the same shape, so that
// the block renders at the same width and verifies as before (docs/anonymize.md).
//
// A name is a part of an FQN between dots, or what is a user's own in the class name of a sharder. Parts of one or two
// digits are indices of lists, no names. The same name gets the same replacement in all plans given together.
// Tested by tests/analysis/anonymize_test.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "shardstats/log/printed.h"

namespace shardstats {

enum class NameKind : std::uint8_t { table, module, sharder, word };  // word: where only words of the planner belong
inline constexpr std::array<std::string_view, 4> kNameKinds = {"table", "module", "class", "word"};

// Has as many characters as the name, and as many bytes if that is UTF-8.
struct Replacement {
  std::string name;
  NameKind kind{};          // of its first appearance
  bool kept = false;        // replaced by itself
  std::string replacement;  // neither equals nor contains a name of the input
};

// Does a name, or the whole FQN or class name that it is a part of, stay?
using KeepName = std::function<bool(std::string_view)>;
// Those that an expression (RE2) matches from end to end; otherwise what is wrong with an expression.
std::variant<KeepName, std::string> keep_matching(const std::vector<std::string>& expressions);

// The names of all plans in the order of their first appearance.
class Replacements {
 public:
  // Otherwise why there are none: names so short that there are not enough others of their length.
  static std::variant<Replacements, std::string> choose(std::span<const PrintedPlan* const> plans,
                                                        const KeepName& keep);

  Replacements(Replacements&&) = default;  // by_name_ refers to the names in all_
  Replacements& operator=(Replacements&&) = default;

  const std::vector<Replacement>& all() const { return all_; }
  const Replacement* find(std::string_view name) const;
  // The longest name that stands in the text from `at` on and is not followed by further letters or digits.
  const Replacement* longest_at(std::string_view text, std::size_t at) const;

 private:
  Replacements() = default;

  std::vector<Replacement> all_;
  std::map<std::string_view, std::size_t> by_name_;
};

struct AnonymizedPlan {
  PrintedPlan plan;               // without diagnostics
  std::deque<std::string> texts;  // that its cells refer to, beside those of the original
  std::size_t masked = 0;         // texts that no planner prints: names replaced, letters made x
  Place first_masked;
};

AnonymizedPlan anonymize(const PrintedPlan& printed, const Replacements& replacements);

}  // namespace shardstats
