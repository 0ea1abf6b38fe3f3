#include "shardstats/numbers/commas.h"

#include <algorithm>

namespace shardstats {

std::string with_commas(std::string_view number) {
  std::string text(number);
  const std::size_t first = number.starts_with('-') ? 1 : 0;
  const std::size_t digits = std::min(number.find_first_not_of("0123456789", first), number.size());
  for (std::size_t i = digits; i > first + 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

}  // namespace shardstats
