#include "shardstats/report/names.h"

#include <nlohmann/json.hpp>

#include "report/clean.h"
#include "shardstats/version.h"

namespace shardstats {
namespace {

std::string_view kind_of(const Replacement& name) { return kNameKinds[static_cast<std::size_t>(name.kind)]; }

}  // namespace

Json names_json(std::span<const Replacement> names) {
  Json json = {{"schema_version", 1},
               {"tool", {{"name", "shardstats"}, {"version", kVersion}}},
               {"command", "anonymize"},
               {"names", Json::array()}};
  for (const Replacement& one : names)
    if (!one.kept)
      json["names"].push_back({{"kind", kind_of(one)}, {"name", one.name}, {"replacement", one.replacement}});
  return json;
}

std::string names_tsv(std::span<const Replacement> names) {
  std::string text = "kind\tname\treplacement\n";
  for (const Replacement& one : names)
    if (!one.kept)
      text.append(kind_of(one)).append("\t").append(clean(one.name)).append("\t").append(one.replacement).append("\n");
  return text;
}

}  // namespace shardstats
