#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/terminal.h"
#include "report/clean.h"

namespace shardstats::cli {
namespace {

TextStyle style_of(const std::string& path, const Options& options) {
  const bool standard = path == "-";
  const bool plain_file = !standard && options.color == "auto";
  return text_style(plain_file ? "never" : options.color, options.ascii, standard && isatty(STDOUT_FILENO) != 0);
}

}  // namespace

Output::Output(Destination destination, const Options& options)
    : destination_(std::move(destination)),
      style_(style_of(destination_.path, options)),
      file_(destination_.path == "-" ? stdout
                                     : std::fopen(destination_.path.c_str(), destination_.appended ? "ab" : "wb")),
      writer_(make_writer(destination_.format, options, style_)) {
  if (file_ == nullptr) failed();
}

Output::~Output() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);  // not finished: why was said elsewhere
}

void Output::failed() {
  if (!failed_ && errno != EPIPE)
    fail((destination_.path == "-" ? "<stdout>" : destination_.path) + ": cannot write: " + std::strerror(errno));
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
  const std::string shown = style_.terminal ? clean_for_terminal(text) : std::string();
  const std::string& written = style_.terminal ? shown : text;
  if (std::fwrite(written.data(), 1, written.size(), file_) != written.size()) failed();
}

bool Output::finish() {
  release();
  if (file_ != nullptr && !failed_ && std::fflush(file_) != 0) failed();
  // Some file systems find out here that what they took does not fit.
  if (file_ != nullptr && file_ != stdout && std::fclose(std::exchange(file_, nullptr)) != 0) failed();
  return !failed_;
}

std::vector<std::unique_ptr<Output>> open_outputs(const Options& options) {
  std::vector<std::unique_ptr<Output>> outputs;
  const auto add = [&](Destination destination) {
    outputs.push_back(std::make_unique<Output>(std::move(destination), options));
  };
  for (const std::string& path : options.outputs) {
    const Format* format = format_by_extension(path);
    add({path, format == nullptr ? options.format : format->id});
  }
  if (outputs.empty()) add({"-", options.format});
  if (!options.step_summary.empty()) add({options.step_summary, OutputFormat::markdown, true});
  return outputs;
}

}  // namespace shardstats::cli
