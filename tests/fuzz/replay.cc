// Runs a target on files, as an ordinary test: the seeds and what fuzzing found before. Arguments: files or folders.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Path = std::filesystem::path;

void add_files(const Path& path, std::vector<Path>& files) {
  if (!std::filesystem::is_directory(path)) return files.push_back(path);
  for (const auto& entry : std::filesystem::directory_iterator(path))
    if (entry.is_regular_file()) files.push_back(entry.path());
}

void run(const Path& path) {
  std::printf("%s\n", path.c_str());
  std::fflush(stdout);
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Path> files;
  for (int i = 1; i < argc; ++i) add_files(argv[i], files);
  std::ranges::sort(files);
  for (const Path& file : files) run(file);
  return files.empty() ? 1 : 0;
}
