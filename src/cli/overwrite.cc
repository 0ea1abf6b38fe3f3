#include "cli/overwrite.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <variant>
#include <vector>

#include "cli/walk.h"
#include "shardstats/input/blocks.h"

namespace shardstats::cli {
namespace {

std::optional<struct stat> status_of(const std::string& path, int standard) {
  struct stat status {};
  const int failed = path == "-" ? fstat(standard, &status) : stat(path.c_str(), &status);
  return failed == 0 ? std::optional(status) : std::nullopt;
}

bool is_existing_file(const std::string& path) {
  const auto status = status_of(path, STDOUT_FILENO);
  return status && S_ISREG(status->st_mode);
}

bool is_one(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

// What would be written, also behind links to a file that does not exist yet.
std::filesystem::path whole(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the system follows
  std::error_code none;
  // A relative path whose first part is missing would stay relative.
  std::filesystem::path file = std::filesystem::absolute(path, none);
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(file, none); ++links)
    file = file.parent_path() / std::filesystem::read_symlink(file, none);
  return std::filesystem::weakly_canonical(file, none);
}

// Nothing is overwritten in a device or a pipe.
bool is_one_output(const std::string& a, const std::string& b) {
  if (a == "-" && b == "-") return true;
  const auto one = status_of(a, STDOUT_FILENO), two = status_of(b, STDOUT_FILENO);
  if (one && two) return S_ISREG(one->st_mode) && is_one(*one, *two);
  return a != "-" && b != "-" && whole(a) == whole(b);
}

bool has_block(const std::string& path) {
  const OpenResult opened = open_source(path);
  const auto* source = std::get_if<std::unique_ptr<Source>>(&opened);
  return source != nullptr && BlockFinder(**source).next().has_value();
}

}  // namespace

bool is_same_file(const std::string& path, const std::string& other) {
  const auto one = status_of(path, STDIN_FILENO), two = status_of(other, STDOUT_FILENO);
  if (one && two) return is_one(*one, *two);
  return other != "-" && whole(path) == whole(other);
}

std::optional<std::string> doubled_output(const Options& options) {
  const std::vector<std::string>& outputs = options.outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (is_one_output(outputs[i], outputs[j]))
        return "--output '" + outputs[i] + "' is given twice; one would overwrite the other";
  return std::nullopt;
}

std::optional<std::string> overwritten_log(const Options& options) {
  std::vector<std::string> outputs = options.outputs;
  if (!options.step_summary.empty()) outputs.push_back(options.step_summary);
  std::erase_if(outputs, [](const std::string& path) { return path == "-" || !is_existing_file(path); });
  if (outputs.empty()) return std::nullopt;
  const bool scans = options.command == CommandId::scan;
  Walk walk(options.logs, scans);
  while (const auto found = walk.next()) {
    if (found->error) continue;
    const auto is_log = [&](const std::string& output) { return is_same_file(found->path, output); };
    const auto output = std::ranges::find_if(outputs, is_log);
    if (output != outputs.end() && (found->named || has_block(found->path)))
      return "'" + *output + "' is one of the logs; nothing was written, name another file for the output";
  }
  return std::nullopt;
}

}  // namespace shardstats::cli
