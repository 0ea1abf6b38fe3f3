// A line on the terminal that says how far a scan has come. It is erased before anything else is written there.
// Tested by tests/cli/progress_test.cc and, on a terminal, tests/cli/terminal_test.py.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace shardstats::cli {

struct Done {
  double fraction = 0;  // of all there is
  std::int64_t files = 0, blocks = 0, with_findings = 0;
};

// " 47% [=========>          ] 1,234 files, 987 blocks, 12 with findings": less than `width` columns.
std::string progress_line(const Done& done, int width);

class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  using Put = std::function<void(std::string_view)>;
  static constexpr std::chrono::milliseconds kPause{100};  // between two drawings, and before the first

  // `put` writes to the terminal; without it nothing is ever drawn.
  Progress(int width, Put put, Clock::time_point now = Clock::now())
      : width_(width), put_(std::move(put)), drawn_at_(now) {}

  bool is_on() const { return put_ != nullptr; }
  // Draws the line, unless the last time is too near. `others` writes what waits for the terminal, between two
  // drawings.
  template <class Others>
  void update(const Done& done, const Others& others, Clock::time_point now = Clock::now()) {
    if (!is_on() || now - drawn_at_ < kPause) return;
    erase();
    others();
    draw(done);
    drawn_at_ = now;
  }
  void erase();

 private:
  void draw(const Done& done);

  int width_;
  Put put_;
  Clock::time_point drawn_at_;
  double fraction_ = 0;  // the largest so far
  bool drawn_ = false;
};

// On standard error, if that is a terminal and nothing else that comes from here may show up on it.
Progress progress_on_terminal();

}  // namespace shardstats::cli
