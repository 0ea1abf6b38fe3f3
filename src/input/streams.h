// The lines of a damaged region, sorted by the process that wrote them. Private to src/input.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "input/region.h"

namespace shardstats::input_detail {

class Streams {
 public:
  explicit Streams(Region& region) : region_(region) {}

  // `process`: as decode() tells it.
  void add_line(Transcript line, const std::string& process);
  // Of memory that the lines take, about.
  std::size_t bytes() const { return bytes_; }
  // When all lines are taken: one for each process.
  std::vector<std::shared_ptr<Transcript>> write();
  // Was each line there twice? To be asked when they are written.
  bool were_doubled() const { return were_doubled_; }

 private:
  struct MendedLine {
    Transcript text;
    Place end;  // of its text; a blank one has no bytes to tell it
    std::string tag;
    std::size_t box = kNowhere;  // where its box begins
    bool has_box() const { return box != kNowhere; }
    std::string_view box_text() const { return text.text().substr(box); }
  };

  std::map<std::string, std::size_t> streams_by_tag();
  void remove_doubles();
  bool is_newest_first(const std::vector<MendedLine*>& lines) const;
  std::size_t width_of_box(const std::vector<MendedLine*>& lines) const;
  std::size_t box_end(std::string_view text, std::size_t box, std::size_t width) const;
  void remove_suffixes(const std::vector<MendedLine*>& lines);
  void remove_suffix(MendedLine& line, std::size_t width);

  Region& region_;
  std::vector<MendedLine> lines_;
  std::size_t bytes_ = 0;
  bool were_doubled_ = false;
};

}  // namespace shardstats::input_detail
