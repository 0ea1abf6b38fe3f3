#include "cli/terminal.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "report/clean.h"
#include "shardstats/numbers/printed.h"

namespace shardstats::cli {
namespace {

constexpr int kDefaultWidth = 80, kLeastWidth = 40, kMostWidth = 400;

bool wants_color(std::string_view color, bool to_terminal) {
  if (color != "auto") return color == "always";
  if (environment("NO_COLOR")) return false;
  if (environment("FORCE_COLOR")) return true;
  return to_terminal && is_smart_terminal(STDOUT_FILENO);
}

spdlog::logger& diagnostics() {
  static const auto logger = [] {
    auto made = std::make_shared<spdlog::logger>("shardstats", std::make_shared<spdlog::sinks::stderr_sink_st>());
    made->set_pattern("%n: %l: %v");
    return made;
  }();
  return *logger;
}

std::string shown(const std::string& text) { return isatty(STDERR_FILENO) != 0 ? clean_for_terminal(text) : text; }

}  // namespace

std::optional<std::string> environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? std::optional<std::string>(value) : std::nullopt;
}

int terminal_width(int fd) {
  if (const auto width = parse_real(environment("COLUMNS").value_or("")); width && *width >= 1)
    return static_cast<int>(std::clamp<double>(*width, kLeastWidth, kMostWidth));
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::clamp<int>(size.ws_col, kLeastWidth, kMostWidth);
  return kDefaultWidth;
}

bool is_smart_terminal(int fd) {
  const char* terminal = std::getenv("TERM");
  return isatty(fd) != 0 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

TextStyle text_style(std::string_view color, bool ascii, bool to_terminal) {
  return {terminal_width(to_terminal ? STDOUT_FILENO : -1), wants_color(color, to_terminal), ascii, to_terminal};
}

void warn(const std::string& text) { diagnostics().warn(shown(text)); }
void fail(const std::string& text) { diagnostics().error(shown(text)); }

std::string error_text(const Error& error) {
  std::string text = error.path;
  if (error.place.line > 0) text += ":" + std::to_string(error.place.line);
  text += ": " + error.message;
  if (!error.hint.empty()) text += "; " + error.hint;
  return text;
}

}  // namespace shardstats::cli
