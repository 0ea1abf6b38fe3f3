// Joins what a console broke between words, as Rich's handler does where a log has no terminal: the message stands in a
// column of its own, between the level and the source's place, and goes on below itself. Private to src/input.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/region.h"
#include "input/unglue.h"
#include "input/unwrap.h"

namespace shardstats::input_detail {

class Console {
 public:
  Console(Region& region, Unwrapper& unwrapper, Ungluer& ungluer);
  ~Console();

  // `process`: as decode() tells it.
  void add_line(Transcript line, const std::string& process);
  bool is_joining() const;
  void end_joined();

 private:
  struct Column;

  std::optional<Column> column_of(std::string_view border) const;
  bool begins_line(const Column& column, std::string_view piece) const;
  bool add_to(Column& column, const Transcript& line, const std::string& process);
  void join(Column& column, const Transcript& line);
  void end_joined(Column& column);

  Region& region_;
  Unwrapper& unwrapper_;
  Ungluer& ungluer_;
  std::vector<Column> columns_;  // of processes whose blocks are broken so
};

}  // namespace shardstats::input_detail
