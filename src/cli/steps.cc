#include "cli/steps.h"

#include <string_view>

#include "report/words.h"
#include "shardstats/input/containers.h"
#include "shardstats/utf8.h"

namespace shardstats::cli {
namespace {

constexpr std::size_t kShownLine = 100;                             // characters of the nearest line in a message
constexpr std::size_t kSearchedForNearest = std::size_t{32} << 20;  // bytes: they are all in memory then

// Each run of blanks as one, so that the middle of a wide box comes into view.
std::string without_runs_of_blanks(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
  return out;
}

Error no_block(const std::string& path, std::string_view bytes) {
  Error error{
      path, {}, "no planner block found", "looked for a line with '--- Planner Statistics ---' in a box of '#'"};
  const std::string_view searched = bytes.substr(0, kSearchedForNearest);
  const BoxLine nearest = nearest_line(searched);
  if (const OtherContainer* other = other_container(bytes); other != nullptr)
    error.hint = "it is a " + std::string(other->name) + ", whose content is not read: `" + std::string(other->unpack) +
                 " LOG | shardstats -`";
  else if (const std::string_view hint = hint_for_text(searched); !hint.empty())
    error.hint = hint;
  else if (nearest.place.line > 0) {
    error.place.line = nearest.place.line;
    const std::string line = without_runs_of_blanks(nearest.text);
    error.hint += "; the nearest line is: " + line.substr(0, byte_of(line, kShownLine));
  } else if (bytes.empty()) {
    error.hint = "the file is empty";
  }
  return error;
}

std::shared_ptr<OpenLog> open(Found found) {
  auto log = std::make_shared<OpenLog>();
  log->path = found.path == "-" ? "<stdin>" : found.path;
  log->named = found.named;
  log->error = std::move(found.error);
  if (log->error) return log;
  OpenResult opened = open_source(found.path);
  if (auto* error = std::get_if<Error>(&opened)) {
    log->error = std::move(*error);
    return log;
  }
  log->source = std::get<std::unique_ptr<Source>>(std::move(opened));
  log->finder.emplace(*log->source);
  return log;
}

}  // namespace

std::optional<Error> OpenLog::not_read() const {
  if (error) return std::nullopt;
  return stopped ? stopped : lost_content(*source, path);
}

Steps::Steps(const Options& options) : options_(options), walk_(options.logs, options.command == CommandId::scan) {}

std::optional<Step> Steps::next() {
  bool first = false;
  if (log_ == nullptr) {
    std::optional<Found> found = walk_.next();
    if (!found) return std::nullopt;
    log_ = open(std::move(*found));
    first = true;
    ahead_ = next_wanted();
    if (!ahead_ && !log_->error) nothing_found();
  }
  Step step;
  step.log = log_;
  step.first = first;
  if (ahead_) {
    step.index = ahead_->first;
    step.block = std::move(ahead_->second);
    ahead_ = next_wanted();
  }
  step.fraction = walk_.fraction(ahead_ ? read_before(ahead_->second) : 1);
  step.last = !ahead_;
  if (step.last) log_ = nullptr;
  return step;
}

std::optional<Steps::Numbered> Steps::next_found() {
  if (!log_->finder) return std::nullopt;
  if (auto block = log_->finder->next()) return Numbered(log_->blocks++, std::move(*block));
  log_->stopped = log_->finder->problem();
  if (log_->stopped) log_->stopped->path = log_->path;
  return std::nullopt;
}

std::optional<Steps::Numbered> Steps::next_wanted() {
  std::optional<Numbered> found, last;
  while ((found = next_found())) {
    if (options_.block == "all" || parse_integer(options_.block) == static_cast<std::int64_t>(found->first + 1))
      return found;
    if (options_.block == "last") last = std::move(found);
  }
  return last;
}

void Steps::nothing_found() {
  if (auto why = log_->not_read()) {
    log_->stopped.reset();
    log_->error = std::move(why);
    return;
  }
  // A log that was decompressed in part may have had its blocks in the other one.
  const ContentDamage* damage = log_->source->damage();
  if (damage != nullptr && damage->fault != ContentFault::trailing && log_->blocks == 0) {
    log_->error = damage->error;
    return;
  }
  log_->passed_over = !log_->named;
  if (log_->passed_over) return;
  if (log_->blocks > 0)
    log_->error =
        Error{log_->path, {}, "no block " + options_.block, "the log has " + plural(log_->blocks, "planner block")};
  else if (!options_.allow_empty)
    log_->error = no_block(log_->path, log_->source->bytes());
  if (log_->error && options_.command == CommandId::scan)
    log_->error->hint += "; files that a directory or a quoted glob leads to are passed over instead";
}

// How far in its log a block begins, 0 to 1; 0 if its lines are not the log's own.
double Steps::read_before(const Block& block) const {
  if (block.transcript != nullptr) return 0;
  const std::string_view bytes = log_->source->bytes();
  return static_cast<double>(block.lines.front().text.data() - bytes.data()) / static_cast<double>(bytes.size());
}

}  // namespace shardstats::cli
