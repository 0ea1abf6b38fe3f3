#include "cli/progress.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "cli/terminal.h"
#include "shardstats/report/units.h"

namespace shardstats::cli {
namespace {

constexpr std::size_t kBarColumns = 20;
constexpr std::string_view kErase = "\r\033[K";

// What stands behind a pipe may write to the same terminal.
bool is_piped(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written <= 0) return;  // a terminal that is gone
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::string progress_line(const Done& done, int width) {
  const double fraction = std::clamp(done.fraction, 0.0, 1.0);
  const std::string percent = std::to_string(static_cast<int>(fraction * 100));
  const auto full = static_cast<std::size_t>(fraction * kBarColumns);
  std::string bar(full, '=');
  if (full < kBarColumns) bar += ">";
  bar.resize(kBarColumns, ' ');
  const std::array<std::string, 4> pieces = {
      std::string(3 - percent.size(), ' ') + percent + "% [" + bar + "]", " " + with_commas(done.files) + " files",
      ", " + with_commas(done.blocks) + " blocks", ", " + with_commas(done.with_findings) + " with findings"};
  std::string line;
  for (const std::string& piece : pieces) {
    if (line.size() + piece.size() >= static_cast<std::size_t>(std::max(width, 1))) break;
    line += piece;
  }
  return line;
}

void Progress::draw(const Done& done) {
  fraction_ = std::max(fraction_, done.fraction);
  put_(progress_line({fraction_, done.files, done.blocks, done.with_findings}, width_));
  drawn_ = true;
}

void Progress::erase() {
  if (drawn_) put_(kErase);
  drawn_ = false;
}

Progress progress_on_terminal() {
  const int width = terminal_width(STDERR_FILENO);
  if (!is_smart_terminal(STDERR_FILENO) || is_piped(STDOUT_FILENO)) return {width, nullptr};
  return {width, [](std::string_view text) { write_all(STDERR_FILENO, text); }};
}

}  // namespace shardstats::cli
