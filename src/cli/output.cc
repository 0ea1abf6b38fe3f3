#include "cli/output.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "cli/terminal.h"

namespace shardstats::cli {
namespace {

struct Extension {
  std::string_view suffix;
  OutputFormat format;
};
constexpr std::array<Extension, 5> kExtensions = {{{".json", OutputFormat::json},
                                                   {".ndjson", OutputFormat::ndjson},
                                                   {".jsonl", OutputFormat::ndjson},
                                                   {".html", OutputFormat::html},
                                                   {".txt", OutputFormat::text}}};

TextStyle style_of(const std::string& path, const Options& options) {
  const bool standard = path == "-";
  const bool plain_file = !standard && options.color == "auto";
  return text_style(plain_file ? "never" : options.color, options.ascii, standard && isatty(STDOUT_FILENO) != 0);
}

}  // namespace

OutputFormat format_of(const std::string& path, const Options& options) {
  const auto formats = command_of(options.command).formats;
  for (const Extension& extension : kExtensions)
    if (path.ends_with(extension.suffix) && std::ranges::find(formats, extension.format) != formats.end())
      return extension.format;
  return options.format;
}

Output::Output(std::string path, const Options& options)
    : path_(std::move(path)),
      format_(format_of(path_, options)),
      style_(style_of(path_, options)),
      file_(path_ == "-" ? stdout : std::fopen(path_.c_str(), "wb")),
      writer_(make_writer(format_, options, style_)) {
  if (file_ == nullptr) failed();
}

Output::~Output() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void Output::failed() {
  if (!failed_ && errno != EPIPE) fail((path_ == "-" ? "<stdout>" : path_) + ": cannot write: " + std::strerror(errno));
  failed_ = true;
}

void Output::write(const std::string& text) {
  if (holds_)
    held_ += text;
  else
    put(text);
}

void Output::release() {
  if (held_.empty()) return;
  put(std::exchange(held_, {}));
  if (file_ != nullptr && !failed_ && std::fflush(file_) != 0) failed();
}

void Output::put(const std::string& text) {
  if (file_ == nullptr || text.empty() || failed_) return;
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) failed();
}

bool Output::finish() {
  release();
  if (file_ != nullptr && !failed_ && std::fflush(file_) != 0) failed();
  return !failed_;
}

std::vector<std::unique_ptr<Output>> open_outputs(const Options& options) {
  std::vector<std::unique_ptr<Output>> outputs;
  for (const std::string& path : options.outputs) outputs.push_back(std::make_unique<Output>(path, options));
  if (outputs.empty()) outputs.push_back(std::make_unique<Output>("-", options));
  return outputs;
}

}  // namespace shardstats::cli
