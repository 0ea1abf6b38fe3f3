#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "cli/options.h"
#include "cli/run.h"
#include "shardstats/input/source.h"

namespace {

using namespace shardstats::cli;

void put(const std::string& text, std::FILE* file) { std::fwrite(text.data(), 1, text.size(), file); }

// A closed standard stream gets a file that cannot be used, so that no log or report is opened in its place.
void fill_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) == -1) (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

// Logs are mapped: where one was cut short meanwhile, zeros take the place of what is gone, and it is an error in its
// turn.
extern "C" void on_bus_error(int /*signal*/, siginfo_t* info, void* /*context*/) {
  const int saved = errno;
  if (info->si_code == BUS_ADRERR && shardstats::replace_lost_page(info->si_addr)) {
    errno = saved;
    return;
  }
  constexpr std::string_view kMessage = "shardstats: error: memory or a file that is mapped cannot be read any more\n";
  (void)!write(STDERR_FILENO, kMessage.data(), kMessage.size());
  _exit(kFailed);
}

void read_zeros_where_logs_end() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

int leave(const Leave& what) {
  put(what.err, stderr);
  put(what.out, stdout);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return what.status;
  if (errno != EPIPE)
    put(std::string("shardstats: error: <stdout>: cannot write: ") + std::strerror(errno) + "\n", stderr);
  return kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_streams();
  read_zeros_where_logs_end();
  try {
    const auto parsed = parse_command_line(argc, argv);
    if (const auto* what = std::get_if<Leave>(&parsed)) return leave(*what);
    return run(std::get<Options>(parsed));
  } catch (const std::bad_alloc&) {
    put("shardstats: error: not enough memory; pass fewer logs, or one block with --block N\n", stderr);
    return kFailed;
  } catch (const std::exception& error) {
    put(std::string("shardstats: internal error: ") + error.what() + "\n", stderr);
    return kFailed;
  }
}
