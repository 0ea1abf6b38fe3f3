#include "cli/walk.h"

#include <fnmatch.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/split.h"

namespace shardstats::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWildcards = "*?[";
constexpr std::string_view kAnyDepth = "**";

// fnmatch() depends on the locale, which this program leaves at "C".
bool matches(const std::string& part, const std::string& name) {
  return ::fnmatch(part.c_str(), name.c_str(), FNM_PERIOD) == 0;
}

Error unreadable(const std::string& path, std::error_code why) {
  const bool denied = why == std::errc::permission_denied || why == std::errc::operation_not_permitted;
  return {path, {}, "cannot read the directory: " + why.message(), denied ? "check its permissions" : ""};
}

}  // namespace

std::optional<Found> Walk::next() {
  for (;;) {
    std::optional<Found> found;
    if (!directories_.empty()) {
      Directory& directory = directories_.back();
      if (directory.at == directory.entries.size()) {
        directories_.pop_back();
        continue;
      }
      const Entry entry = std::move(directory.entries[directory.at++]);
      // Copies: visit() may enter another directory.
      found = visit(std::string(directory.path), Positions(directory.positions), entry);
    } else if (!glob_.empty()) {
      found = end_glob();
    } else if (started_ < arguments_.size()) {
      found = start(arguments_[started_++]);
    } else {
      return std::nullopt;
    }
    if (found) return found;
  }
}

double Walk::fraction(double file) const {
  if (arguments_.empty()) return 1;
  const auto within = [&](std::size_t at, std::size_t count) {
    return (static_cast<double>(at) - 1 + file) / static_cast<double>(count);
  };
  for (std::size_t i = directories_.size(); i-- > 0;) file = within(directories_[i].at, directories_[i].entries.size());
  return within(started_, arguments_.size());
}

std::optional<Found> Walk::start(const std::string& argument) {
  if (!expand_ || argument == "-") return Found{argument, true, {}};
  std::error_code ignored;  // open_source() gives the reason
  const fs::file_status status = fs::status(argument, ignored);
  if (fs::is_directory(status)) {
    parts_.clear();
    if (auto error = enter(argument, {true})) return Found{argument, true, std::move(error)};
    return std::nullopt;
  }
  if (fs::exists(status) || argument.find_first_of(kWildcards) == std::string::npos) return Found{argument, true, {}};
  return start_glob(argument);
}

std::optional<Found> Walk::start_glob(const std::string& pattern) {
  const std::size_t slash = pattern.rfind('/', pattern.find_first_of(kWildcards));
  const std::string root = slash == std::string::npos ? "" : pattern.substr(0, slash + 1);
  glob_ = pattern;
  parts_ = split(std::string_view(pattern).substr(root.size()), "/");
  std::erase(parts_, "");
  matched_ = false;
  std::error_code ignored;
  if (!root.empty() && !fs::exists(root, ignored)) return std::nullopt;
  Positions positions(parts_.size() + 1);
  positions.front() = true;
  skip_double_stars(positions);
  auto error = enter(root, std::move(positions));
  if (!error) return std::nullopt;
  matched_ = true;  // the directory's error is enough
  return Found{root, true, std::move(error)};
}

std::optional<Found> Walk::end_glob() {
  const std::string pattern = std::exchange(glob_, {});
  if (matched_) return std::nullopt;
  Error error{
      pattern, {}, "no file matches this pattern", "* and ? stay within a name, ** is any number of directories"};
  return Found{pattern, true, std::move(error)};
}

std::optional<Found> Walk::visit(const std::string& folder, const Positions& positions, const Entry& entry) {
  Positions next = after(positions, entry);
  if (std::ranges::find(next, true) == next.end()) return std::nullopt;
  const bool whole = next.back();
  const std::string path = folder + entry.name;
  if (entry.kind == Kind::directory || entry.kind == Kind::linked_directory) {
    matched_ = matched_ || whole;
    if (auto error = enter(path, std::move(next))) return Found{path, false, std::move(error)};
    return std::nullopt;
  }
  if (!whole || entry.kind == Kind::other) return std::nullopt;
  matched_ = true;
  if (entry.kind == Kind::file) return Found{path, false, {}};
  return Found{path, false, Error{path, {}, "cannot open it: a link to nothing", "remove the link"}};
}

Walk::Kind Walk::kind_of(const fs::directory_entry& entry) {
  std::error_code ignored;  // whoever opens the file gets it
  const bool is_link = entry.is_symlink(ignored);
  if (entry.is_directory(ignored)) return is_link ? Kind::linked_directory : Kind::directory;
  if (entry.is_regular_file(ignored)) return Kind::file;
  return is_link && !entry.exists(ignored) ? Kind::dangling_link : Kind::other;
}

std::optional<Error> Walk::enter(const std::string& path, Positions positions) {
  Directory directory{path, std::move(positions), {}, 0};
  if (!path.empty() && !path.ends_with('/')) directory.path += '/';
  std::error_code code;
  fs::directory_iterator it(path.empty() ? "." : path, code);
  for (; !code && it != fs::directory_iterator(); it.increment(code)) {
    directory.entries.push_back({it->path().filename().string(), kind_of(*it)});
  }
  if (code) return unreadable(path, code);
  std::ranges::sort(directory.entries, {}, &Entry::name);
  directories_.push_back(std::move(directory));
  return std::nullopt;
}

Walk::Positions Walk::after(const Positions& before, const Entry& entry) const {
  Positions next(before.size());
  const bool walked = !entry.name.starts_with('.') && entry.kind != Kind::linked_directory;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!before[i]) continue;
    if (i == parts_.size() || parts_[i] == kAnyDepth)
      next[i] = next[i] || walked;
    else if (matches(parts_[i], entry.name))
      next[i + 1] = true;
  }
  skip_double_stars(next);
  return next;
}

// ** may be no directory at all.
void Walk::skip_double_stars(Positions& positions) const {
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (positions[i] && parts_[i] == kAnyDepth) positions[i + 1] = true;
}

}  // namespace shardstats::cli
