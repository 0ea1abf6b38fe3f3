// An undamaged block whose lines get a prefix and a suffix and change places, as the input says. What is found is that
// block, or something is reported; where lines changed places it need only be read.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/fuzz.h"
#include "fuzz/reported.h"
#include "shardstats/input/blocks.h"
#include "shardstats/log/render.h"

namespace {

using namespace shardstats;
using fuzz::require;

using Lines = std::vector<std::string>;

Lines lines_of(std::string_view text) {
  Lines lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

Lines read_log(const char* name) {
  std::ifstream file(std::string(SHARDSTATS_SOURCE_DIR "/testdata/logs/") + name, std::ios::binary);
  Lines lines = lines_of(std::string{std::istreambuf_iterator<char>(file), {}});
  require(!lines.empty(), "the logs of testdata are there");
  return lines;
}

const Lines& log_at(std::size_t i) {
  static const std::vector<Lines> logs = {read_log("v0.1.0.log"), read_log("v0.8.0-empty.log"),
                                          read_log("v1.1.0-nodebug.log"), read_log("v1.8.0-nodebug.log")};
  return logs[i % logs.size()];
}

bool has_border(std::string_view text) { return text.find('#') != std::string_view::npos; }

// Takes the input apart: single bytes and texts that end at a line feed.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : left_(fuzz::text_of(data, size)) {}
  bool empty() const { return left_.empty(); }
  std::size_t byte() {
    if (left_.empty()) return 0;
    const auto value = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    return value;
  }
  std::string_view text() {
    const std::size_t end = std::min(left_.find('\n'), left_.size());
    const std::string_view text = left_.substr(0, end);
    left_.remove_prefix(std::min(end + 1, left_.size()));
    return text;
  }

 private:
  std::string_view left_;
};

// `moved`: lines changed places or were put between, so that others may be lost with the borders; or a '#' was put
// beside those of a border, which is as long as it looks.
std::string damaged(Lines lines, Input& in, bool& moved) {
  const std::string_view prefix = in.text(), suffix = in.text();
  for (std::string& line : lines) line.insert(0, prefix).append(suffix);
  moved = has_border(prefix) || has_border(suffix);
  while (!in.empty()) {
    const std::size_t what = in.byte(), line = in.byte() % lines.size();
    moved = moved || what % 4 == 0 || what % 4 == 3;
    if (what % 4 == 0) std::swap(lines[line], lines[in.byte() % lines.size()]);
    const std::string_view added = what % 4 == 1 || what % 4 == 2 ? in.text() : std::string_view{};
    moved = moved || has_border(added);
    if (what % 4 == 1) lines[line].insert(0, added);
    if (what % 4 == 2) lines[line].append(added);
    if (what % 4 == 3) lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(line), std::string(in.text()));
  }
  std::string log;
  for (const std::string& line : lines) log.append(line).append("\n");
  return log;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  const Lines& original = log_at(in.byte());
  bool moved = false;
  const std::string log = damaged(original, in, moved);
  for (const Block& block : find_blocks(log)) {
    const PrintedPlan plan = parse(block);
    std::string out;
    render(plan, out);
    if (!moved) require(lines_of(out) == original || fuzz::is_reported(plan), "the block, or a report");
  }
  return 0;
}
