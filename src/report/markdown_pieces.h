// What the Markdown documents are made of. Nothing of a log can become markup in them.
// Tested by tests/report/markdown_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/words.h"
#include "shardstats/report/markdown.h"

namespace shardstats::markdown {

inline constexpr std::size_t kLastLines = 1000;  // bytes, for what is said of rows that were left out

// A sentence with words from the log: nothing in it is markup, and nobody is called.
std::string escaped(std::string_view text);
// A name as code. Cells of a table end at a bar even inside code, unless it is escaped.
std::string code(std::string_view name, bool in_table = true);
// The sentence below a blank line; nothing for none.
std::string paragraph(std::string_view sentence);
std::string item(std::string_view sentence);  // of a list
// Ticks that are in no run of `text`.
std::string fence(std::string_view text, std::size_t least);

using Cells = std::vector<std::string>;
std::string row(const Cells& cells);
// `aligned`: "l" or "r" for each column.
std::string head(const Cells& names, std::string_view aligned);
// "... and 3 more tables" as a paragraph; empty for none.
std::string rest(std::int64_t left_out, std::string_view word);

// Sections one below the other, each its heading and then rows or items.
class Sections {
 public:
  // `top`: rows of each section; 0: all that there is room for.
  explicit Sections(std::size_t most, std::size_t top = 0) : most_(most), top_(top) {}

  // Text from the log may be long; it is left out where there is no room at all.
  void add(std::string_view text) {
    if (text_.size() + text.size() <= most_) text_ += text;
  }
  // A heading whose rows all lack room is left out with them. No section takes more than half of the room that is left.
  template <class Rows, class Write>
  void add(std::string_view heading, std::string_view word, const Rows& rows, const Write& write) {
    const std::size_t taken = text_.size() + heading.size() + kLastLines, wanted = shown(rows.size(), top_);
    MarkdownRows kept(taken < most_ ? (most_ - taken) / 2 : 0);
    for (std::size_t i = 0; i < wanted; ++i) kept.add(write(rows[i]));
    if (!kept.text().empty()) text_ += std::string(heading) + kept.text();
    text_ += rest(kept.left_out() + static_cast<std::int64_t>(rows.size() - wanted), word);
  }
  const std::string& text() const { return text_; }

 private:
  std::size_t most_, top_;
  std::string text_;
};

}  // namespace shardstats::markdown
