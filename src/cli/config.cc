#include "cli/config.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <tuple>

// Of toml++ only the parser, in this file only.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace shardstats::cli {
namespace {

namespace fs = std::filesystem;

std::string place_of(const std::string& path, const toml::source_position& at) {
  return path + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

std::string number_text(double x) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, std::end(buffer), x).ptr};
}

// The text of a single value; std::nullopt: dates and what has parts.
std::optional<std::string> value_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
  if (const auto* number = node.as_floating_point()) return number_text(number->get());
  return std::nullopt;
}

Setting::Kind kind_of(const toml::node& node) {
  return node.is_boolean()  ? Setting::Kind::truth
         : node.is_number() ? Setting::Kind::number
         : node.is_array()  ? Setting::Kind::list
         : node.is_table()  ? Setting::Kind::heading
                            : Setting::Kind::text;
}

// Turns the tree into settings.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  void table(const toml::table& table, const std::string& section, std::size_t item) {
    for (const auto& [key, node] : table) add({section, item, std::string(key.str())}, key.source().begin, node);
  }

  Config in_order() {
    std::ranges::stable_sort(placed_, {}, [](const Placed& p) { return std::tuple(p.at.line, p.at.column); });
    Config config;
    for (Placed& placed : placed_) config.push_back(std::move(placed.setting));
    return config;
  }

 private:
  struct Placed {
    toml::source_position at;
    Setting setting;
  };

  struct Key {
    std::string section;
    std::size_t item;
    std::string name;
  };

  void add(Key key, toml::source_position at, const toml::node& node) {
    if (const auto* array = node.as_array(); array != nullptr && array->is_array_of_tables()) {
      for (std::size_t i = 0; i < array->size(); ++i)
        add({key.section, i, key.name}, array->get(i)->source().begin, *array->get(i));
      return;
    }
    Setting setting{kind_of(node), key.section, key.item, key.name, {}, place_of(path_, at)};
    if (const auto* inner = node.as_table())
      table(*inner, (key.section.empty() ? "" : key.section + ".") + key.name, key.item);
    else if (const auto* array = node.as_array())
      for (const toml::node& element : *array) add_value(element, setting);
    else
      add_value(node, setting);
    placed_.push_back({at, std::move(setting)});
  }

  static void add_value(const toml::node& node, Setting& setting) {
    if (auto value = value_of(node))
      setting.values.push_back(std::move(*value));
    else
      setting.kind = Setting::Kind::other;
  }

  const std::string& path_;
  std::vector<Placed> placed_;
};

}  // namespace

std::variant<Config, std::string> read_config(const std::string& path) {
  std::error_code ignored;  // the stream says why it cannot be read
  std::ifstream file(path, std::ios::binary);
  if (!file || fs::is_directory(path, ignored))
    return path + ": cannot read the configuration file: " + (file ? "it is a directory" : std::strerror(errno));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const toml::parse_result parsed = toml::parse(text, path);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return place_of(path, error.source().begin) + ": not valid TOML: " + std::string(error.description());
  }
  Reader reader(path);
  reader.table(parsed.table(), "", 0);
  return reader.in_order();
}

std::optional<std::string> find_config() {
  std::error_code code;
  fs::path directory = fs::current_path(code);
  if (code) return std::nullopt;  // a directory that is gone has nothing above it
  std::string up;
  for (;; directory = directory.parent_path(), up += "../") {
    if (fs::is_regular_file(directory / kConfigName, code)) return up + kConfigName;
    if (directory == directory.root_path()) return std::nullopt;
  }
}

}  // namespace shardstats::cli
