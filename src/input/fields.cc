#include "input/fields.h"

#include "input/box.h"

namespace shardstats::input_detail {
namespace {

constexpr std::string_view kIndents = " \t";

// Up to the comma behind a field.
std::string_view without_end(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(kIndents) + 1);
  return text.ends_with(',') ? text.substr(0, text.size() - 1) : text;
}

// A key with its value, or a string in a list. CSV may have a quote in front, but no blanks before that.
bool is_field(std::string_view text) {
  if (!text.starts_with('"')) return false;
  return text.find("\": ") != kNowhere || text.find("\" : ") != kNowhere || (text.size() > 1 && text.ends_with('"'));
}

// The same of YAML, where keys have no quotes.
bool is_field_of_yaml(std::string_view text) {
  const std::size_t end = text.find_first_of(" :\"'([{=");
  return end != 0 && end != kNowhere && text[end] == ':' && (end + 1 == text.size() || text[end + 1] == ' ');
}

bool is_number(std::string_view text) { return text.find_first_not_of("0123456789+-.eE") == kNowhere; }

}  // namespace

bool is_inside_record(std::string_view line) {
  const std::size_t start = line.find_first_not_of(kIndents);
  if (start == kNowhere || line.find('#') != kNowhere) return false;
  const std::string_view text = without_end(line.substr(start));
  if (text.empty() || text == "{") return false;
  const bool is_end_of_values = text.find_first_not_of("[]{}") == kNowhere;
  return is_end_of_values || (start > 0 && (is_field(text) || is_field_of_yaml(text) || is_number(text)));
}

}  // namespace shardstats::input_detail
