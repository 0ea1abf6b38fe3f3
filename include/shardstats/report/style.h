// How text reports may look on the terminal they go to.
#pragma once

namespace shardstats {

struct TextStyle {
  int width = 80;      // columns
  bool color = false;  // ANSI colour codes
  bool ascii = false;  // no characters outside ASCII
};

}  // namespace shardstats
