// How text reports may look on the terminal they go to.
#pragma once

namespace shardstats {

struct TextStyle {
  int width = 80;         // columns
  bool color = false;     // ANSI colour codes
  bool ascii = false;     // no characters outside ASCII
  bool terminal = false;  // nothing but eyes will read it: long lines may be cut
};

}  // namespace shardstats
