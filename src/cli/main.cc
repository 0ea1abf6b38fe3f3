#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "cli/options.h"
#include "cli/run.h"

namespace {

void put(const std::string& text, std::FILE* file) { std::fwrite(text.data(), 1, text.size(), file); }

}  // namespace

int main(int argc, char** argv) {
  using namespace shardstats::cli;
  try {
    const auto parsed = parse_command_line(argc, argv);
    if (const auto* leave = std::get_if<Leave>(&parsed)) {
      put(leave->out, stdout);
      put(leave->err, stderr);
      return leave->status;
    }
    return run(std::get<Options>(parsed));
  } catch (const std::bad_alloc&) {
    put("shardstats: error: not enough memory; pass fewer logs, or one block with --block N\n", stderr);
    return kFailed;
  } catch (const std::exception& error) {
    put(std::string("shardstats: internal error: ") + error.what() + "\n", stderr);
    return kFailed;
  }
}
