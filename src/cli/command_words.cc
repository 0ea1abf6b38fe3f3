#include "cli/command_words.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>

#include "shardstats/analysis/nearest.h"

namespace shardstats::cli {
namespace {

bool is_option(std::string_view word) { return word.starts_with('-') && word != "-" && word != "--"; }

// Is the word behind this one its value? "-qf json" is "-q -f json", "-fjson" has it.
bool takes_next(std::string_view word, const TakesValue& takes_value) {
  if (word.starts_with("--")) return takes_value(std::string(word));
  for (std::size_t i = 1; i < word.size(); ++i)
    if (takes_value({'-', word[i]})) return i + 1 == word.size();
  return false;
}

// Where the options end with which the words after the first begin: those of any command, with their values.
std::size_t end_of_options(std::span<const char* const> words, const TakesValue& takes_value) {
  std::size_t end = 1;
  while (end < words.size() && is_option(words[end])) end += takes_next(words[end], takes_value) ? 2 : 1;
  return std::min(end, words.size());
}

}  // namespace

const Command* command_named(std::string_view word) {
  const auto found = std::ranges::find(commands(), word, &Command::name);
  return found == commands().end() ? nullptr : &*found;
}
bool is_command(std::string_view word) { return command_named(word) != nullptr; }
bool is_version(std::string_view word) { return word == "-V" || word == "--version"; }

std::vector<const char*> words_of(int argc, const char* const* argv, const TakesValue& takes_value,
                                  std::deque<std::string>& names) {
  std::vector<const char*> words;
  bool are_options = true;
  for (int i = 0; i < argc; ++i) {
    const std::string_view word = argv[i];
    are_options = are_options && word != "--";
    words.push_back(argv[i]);
    if (!are_options || !word.starts_with("--") || word.find('=') + 1 != word.size()) continue;
    const std::string& name = names.emplace_back(word.substr(0, word.size() - 1));
    if (!takes_value(name)) continue;
    words.back() = name.c_str();
    words.push_back("");
  }
  return words;
}

void put_command_first(std::vector<const char*>& words, const TakesValue& takes_value) {
  if (words.size() < 3 || !is_option(words[1]) || std::none_of(words.begin() + 2, words.end(), is_command)) return;
  const auto command = words.begin() + static_cast<std::ptrdiff_t>(end_of_options(words, takes_value));
  if (command != words.end() && is_command(*command)) std::rotate(words.begin() + 1, command, command + 1);
}

bool means_summary(std::span<const char* const> words) {
  const std::string_view word = words[1];
  if (word == "-h" || word == "--help" || is_version(word) || is_command(word)) return false;
  return word.starts_with('-') || names_file(words[1]);
}

void put_help_last(std::vector<const char*>& words) {
  if (words.size() < 2 || words.size() > 3 || std::string_view(words[1]) != "help") return;
  words.erase(words.begin() + 1);
  words.push_back("--help");
}

bool names_file(const std::string& word) {
  struct stat status {};
  return stat(word.c_str(), &status) == 0 && !S_ISDIR(status.st_mode);
}

std::optional<std::string> wrong_first_word(std::span<const char* const> words) {
  if (words.size() < 2 || words[1][0] == '-' || is_command(words[1])) return std::nullopt;
  const std::string word = words[1];
  if (word == "help") return "help takes one command; `shardstats --help` lists them";
  const std::string unknown = "unknown command '" + word + "'";
  if (struct stat status{}; stat(words[1], &status) == 0)
    return unknown + "; to check the logs in it: shardstats scan " + word;
  if (word.find_first_of("./") != std::string::npos) return "'" + word + "' is not a command, and no such file exists";
  const std::string near = did_you_mean(nearest_command(word));
  return unknown + (near.empty() ? "; `shardstats --help` lists the commands" : near);
}

}  // namespace shardstats::cli
