#include "shardstats/input/containers.h"

#include <re2/re2.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace shardstats {
namespace {

using namespace std::string_view_literals;

// The title in base64, which depends on how many bytes stand in front, modulo 3, and how to get a log that is read.
struct EncodedTitle {
  std::string_view texts[3];
  std::string_view hint;
};
constexpr EncodedTitle kEncodedTitles[] = {
    // "Planner Statistics"
    {{"UGxhbm5lciBTdGF0aXN0aWNz", "BsYW5uZXIgU3RhdGlzdGljc", "QbGFubmVyIFN0YXRpc3RpY3"},
     "it has a planner's lines in base64, which is not read: take that part out (of a mail: without its headers) and "
     "pass it as `base64 -d PART | shardstats -`"},
    // "Planner%20Statistics"
    {{"UGxhbm5lciUyMFN0YXRpc3RpY3", "BsYW5uZXIlMjBTdGF0aXN0aWNz", "QbGFubmVyJTIwU3RhdGlzdGljc"},
     "it has a planner's lines in base64 of a URL's escapes, as Databricks exports notebooks as HTML: export it as "
     ".ipynb, which is read"}};

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
  for (const auto& [titles, hint] : kEncodedTitles)
    for (const std::string_view title : titles)
      if (text.find(title) != std::string::npos) return hint;
  return {};
}

}  // namespace shardstats
