// Options of kinds that CLI11 has no call for.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace shardstats::cli {

// May be given several times, with one value each.
inline CLI::Option* add_repeated(CLI::App& app, const std::string& names, std::vector<std::string>& values,
                                 const std::string& help, const std::string& type) {
  return app.add_option(names, values, help)->type_name(type)->allow_extra_args(false);
}

// Keeps what `parse` makes of the text; a check has to refuse texts that it makes nothing of.
template <class Value, class Parse>
CLI::Option* add_parsed(CLI::App& app, const std::string& name, Value& value, Parse parse, const std::string& help,
                        const std::string& type) {
  const auto keep = [&value, parse](const std::string& text) { value = *parse(text); };
  return app.add_option_function<std::string>(name, keep, help)->type_name(type);
}

}  // namespace shardstats::cli
