#include "report/markdown_pieces.h"

#include <algorithm>

#include "report/clean.h"

namespace shardstats::markdown {
namespace {

constexpr std::size_t kMostName = 300, kMostSentence = 1000;  // bytes of a text from the log

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : clean(text, kMostSentence)) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '@' || c == '#')
      out += std::string(1, c) + "&#8203;";  // a blank of no width: GitHub links \@name and \#1, too
    else if (std::string_view("\\`*_~[]|!").find(c) != std::string_view::npos)
      out += {'\\', c};
    else
      out += c;
  }
  return out;
}

std::string paragraph(std::string_view sentence) { return sentence.empty() ? "" : "\n" + escaped(sentence) + "\n"; }

std::string item(std::string_view sentence) { return "- " + escaped(sentence) + "\n"; }

std::string fence(std::string_view text, std::size_t least) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  return std::string(longest == 0 ? least : std::max(least, longest + 1), '`');
}

std::string code(std::string_view name, bool in_table) {
  const std::string text = clean(name, kMostName);
  if (text.find_first_not_of(' ') == std::string::npos) return {};
  const std::string ticks = fence(text, 1);
  const std::string_view blank = text.starts_with('`') || text.ends_with('`') ? " " : "";
  std::string inner;
  for (const char c : text) inner += c == '|' && in_table ? std::string("\\|") : std::string(1, c);
  return ticks + std::string(blank) + inner + std::string(blank) + ticks;
}

std::string row(const Cells& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

std::string head(const Cells& names, std::string_view aligned) {
  std::string line = "|";
  for (const char side : aligned) line += side == 'r' ? " ---: |" : " --- |";
  return row(names) + line + "\n";
}

std::string rest(std::int64_t left_out, std::string_view word) {
  return left_out == 0 ? "" : "\n" + and_more(static_cast<std::size_t>(left_out), word) + "\n";
}

}  // namespace shardstats::markdown
