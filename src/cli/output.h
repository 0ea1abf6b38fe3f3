// Where the answer goes to: standard output and files, each in its format.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "cli/options.h"
#include "cli/writer.h"

namespace shardstats::cli {

struct Destination {
  std::string path;  // "-" is standard output
  OutputFormat format{};
  bool appended = false;  // to what is in the file
};

// One place that output goes to. Text that is ready is written at once. A reader that went away (EPIPE) ends it
// quietly.
class Output {
 public:
  Output(Destination destination, const Options& options);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();

  Writer& writer() { return *writer_; }
  const TextStyle& style() const { return style_; }
  OutputFormat format() const { return destination_.format; }
  void write(const std::string& text);
  // Keeps what goes to the terminal until release(), so that it does not mix with a progress line there.
  void hold() { holds_ = style_.terminal; }
  void release();
  bool finish();  // the last call; false: something could not be written

 private:
  void failed();
  void put(const std::string& text);
  Destination destination_;
  TextStyle style_;
  std::FILE* file_ = nullptr;
  std::unique_ptr<Writer> writer_;
  bool failed_ = false, holds_ = false;
  std::string held_;
};

// One for each -o, or standard output alone; and the step summary.
std::vector<std::unique_ptr<Output>> open_outputs(const Options& options);

}  // namespace shardstats::cli
