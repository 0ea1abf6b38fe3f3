#include "report/bars.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace shardstats {
namespace {

constexpr std::array<std::string_view, 9> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
constexpr std::array<std::string_view, 9> kHeights = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 9> kAsciiHeights = {"_", ".", ":", "-", "=", "+", "*", "%", "#"};
constexpr int kSteps = 8;

}  // namespace

std::string bar(double share, int width, const TextStyle& style) {
  const double clamped = std::clamp(share, 0.0, 1.0);
  const int eighths = static_cast<int>(std::lround(clamped * width * kSteps));
  int filled = eighths / kSteps;
  std::string text;
  if (style.ascii) filled = static_cast<int>(std::lround(clamped * width));
  for (int i = 0; i < filled; ++i) text += style.ascii ? "#" : kEighths.back();
  int used = filled;
  if (!style.ascii && eighths % kSteps != 0) {
    text += kEighths[static_cast<std::size_t>(eighths % kSteps)];
    ++used;
  }
  return text + std::string(static_cast<std::size_t>(std::max(width - used, 0)), ' ');
}

std::string histogram(std::span<const std::int64_t> counts, const TextStyle& style) {
  const std::int64_t most = counts.empty() ? 0 : std::ranges::max(counts);
  std::string text;
  for (const std::int64_t count : counts) {
    // Whatever there is can be seen.
    const std::int64_t height = count <= 0 ? 0 : std::max<std::int64_t>((count * kSteps + most / 2) / most, 1);
    text += (style.ascii ? kAsciiHeights : kHeights)[static_cast<std::size_t>(height)];
  }
  return text;
}

}  // namespace shardstats
