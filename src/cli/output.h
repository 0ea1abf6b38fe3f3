// Where the answer goes to: standard output and files, each in its format.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "cli/options.h"
#include "cli/writer.h"

namespace shardstats::cli {

// The format of a file by its extension; of standard output and unknown extensions the one of --format.
OutputFormat format_of(const std::string& path, const Options& options);

// One place that output goes to. Text that is ready is written at once. A reader that went away (EPIPE) ends it
// quietly.
class Output {
 public:
  Output(std::string path, const Options& options);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();

  Writer& writer() { return *writer_; }
  const TextStyle& style() const { return style_; }
  OutputFormat format() const { return format_; }
  void write(const std::string& text);
  // Keeps what goes to the terminal until release(), so that it does not mix with a progress line there.
  void hold() { holds_ = style_.terminal; }
  void release();
  bool finish();  // false: something could not be written

 private:
  void failed();
  void put(const std::string& text);
  std::string path_;
  OutputFormat format_;
  TextStyle style_;
  std::FILE* file_ = nullptr;
  std::unique_ptr<Writer> writer_;
  bool failed_ = false, holds_ = false;
  std::string held_;
};

// One for each -o, or standard output alone.
std::vector<std::unique_ptr<Output>> open_outputs(const Options& options);

}  // namespace shardstats::cli
