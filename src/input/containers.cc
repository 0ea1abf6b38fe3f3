#include "shardstats/input/containers.h"

#include <re2/re2.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace shardstats {
namespace {

using namespace std::string_view_literals;

// "Planner Statistics" and "Planner%20Statistics" in base64, which depends on how many bytes stand in front, modulo 3.
constexpr std::string_view kTitles[] = {"UGxhbm5lciBTdGF0aXN0aWNz", "BsYW5uZXIgU3RhdGlzdGljc",
                                        "QbGFubmVyIFN0YXRpc3RpY3"};
constexpr std::string_view kEscapedTitles[] = {"UGxhbm5lciUyMFN0YXRpc3RpY3", "BsYW5uZXIlMjBTdGF0aXN0aWNz",
                                               "QbGFubmVyJTIwU3RhdGlzdGljc"};

bool holds_any(std::string_view text, const std::string_view (&words)[3]) {
  return std::ranges::any_of(words, [&](std::string_view one) { return text.find(one) != std::string_view::npos; });
}

// Mails have it in lines of 76 characters.
std::string without_line_ends(std::string_view bytes) {
  std::string text(bytes);
  std::erase_if(text, [](char c) { return c == '\n' || c == '\r'; });
  return text;
}

bool matches(std::string_view bytes, const re2::RE2& pattern) {
  return re2::RE2::PartialMatch(re2::StringPiece(bytes.data(), bytes.size()), pattern);
}

}  // namespace

const OtherContainer* other_container(std::string_view bytes) {
  static constexpr OtherContainer kOthers[] = {
      {"zip archive", "PK\x03\x04"sv, "unzip -p"},
      {"lz4 file", "\x04\x22\x4d\x18"sv, "lz4 -dc"},
      {"lzip file", "LZIP\x01"sv, "lzip -dc"},
      {"compress file", "\x1f\x9d"sv, "zcat"},
      {"7z archive", "7z\xbc\xaf\x27\x1c"sv, "7z x -so"},
  };
  const auto* const found =
      std::ranges::find_if(kOthers, [&](const OtherContainer& other) { return bytes.starts_with(other.magic); });
  return found == std::end(kOthers) ? nullptr : found;
}

std::string_view hint_for_text(std::string_view bytes) {
  static const re2::RE2 kNumbers(R"("MESSAGE" ?: ?\[ ?\d+, ?\d+)"), kBlob(R"(\[\d[\d.]*[BKMG] blob data\])");
  if (matches(bytes, kNumbers)) return "it has messages as numbers of bytes: `journalctl -o cat` shows them as text";
  if (matches(bytes, kBlob))
    return "it has messages that journalctl left out, as 'blob data': `journalctl -a` shows them";
  const std::string text = without_line_ends(bytes);
  if (holds_any(text, kTitles))
    return "it has a planner's lines in base64, which is not read: take that part out (of a mail: without its headers) "
           "and pass it as `base64 -d PART | shardstats -`";
  if (holds_any(text, kEscapedTitles))
    return "it has a planner's lines in base64 of a URL's escapes, as Databricks exports notebooks as HTML: export it "
           "as .ipynb, which is read";
  return {};
}

}  // namespace shardstats
