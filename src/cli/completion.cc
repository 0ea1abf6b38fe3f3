#include "cli/completion.h"

#include "cli/split.h"

namespace shardstats::cli {
namespace {

std::string command_names(std::string_view between) {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  return joined(names, between);
}

std::string name_of(const CommandManual& manual) { return std::string(manual.command->name); }

// The text with `escape` before each of `characters`.
std::string escaped(std::string_view text, std::string_view characters, std::string_view escape) {
  std::string out;
  for (const char c : text) {
    if (characters.find(c) != std::string_view::npos) out += escape;
    out += c;
  }
  return out;
}

std::string replaced(std::string text, std::string_view name, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
    text.replace(at, name.size(), value);
  return text;
}

// ---- bash ----------------------------------------------------------------------------------------------------------

// `values` is what the word under the cursor may be: words, or @ for files.
constexpr std::string_view kBash = R"(# Completion for bash. Written by `shardstats completion bash`.
_shardstats() {
  local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  local options='@TOOL@' valued= arguments=('@COMMANDS@') values=@ first=2
  # bash cuts --format=json into three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $option == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if ((COMP_CWORD > 1)); then
    case $command in
      help | @PATTERN@) ;;
      *) command=summary first=1 ;; # a log
    esac
    case $command in
      help) options= arguments=('@NAMES@' '') ;;
@CASES@    esac
  fi

  local i position=0
  for ((i = first; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      -?*)
        if [[ " $valued " == *" ${COMP_WORDS[i]} "* ]]; then
          [[ ${COMP_WORDS[i + 1]} != = ]] || ((i++))
          ((i++))
        fi
        ;;
      *) ((position++)) ;;
    esac
  done

  COMPREPLY=()
  if ((COMP_CWORD > 1)) && [[ " $valued " == *" $option "* ]]; then
    :
  elif [[ $word == -* ]]; then
    values=$options
  else
    ((position < ${#arguments[@]})) || position=$((${#arguments[@]} - 1))
    values=${arguments[position]}
  fi
  if [[ " $values " == *' @ '* ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -W "${values//@/}" -- "$word"; compgen -f -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
  fi
}
complete -F _shardstats shardstats
)";

// Words, or @ for files.
std::string bash_values(const OptionManual& option) { return option.takes_file() ? "@" : joined(option.offers, " "); }

std::string bash_case(const CommandManual& manual) {
  std::string options, valued, values, arguments;
  for (const OptionManual& option : manual.options) {
    options += (options.empty() ? "" : " ") + joined(option.names, " ");
    if (option.value.empty()) continue;
    valued += (valued.empty() ? "" : " ") + joined(option.names, " ");
    values += "          " + joined(option.names, " | ") + ") values='" + bash_values(option) + "' ;;\n";
  }
  // The last argument stands for all that follow.
  for (const OptionManual& argument : manual.arguments) arguments += " '" + bash_values(argument) + "'";
  if (!manual.arguments.empty() && !manual.arguments.back().takes_file()) arguments += " ''";
  if (manual.arguments.empty()) arguments = "''";
  std::string text = "      " + name_of(manual) + ")\n        options='" + options + "'\n        valued='" + valued +
                     "'\n        arguments=(" + arguments.substr(arguments.find_first_not_of(' ')) + ")\n";
  if (!values.empty()) text += "        case $option in\n" + values + "        esac\n";
  return text + "        ;;\n";
}

std::string bash_script(const CommandManual& tool, const std::vector<CommandManual>& manuals) {
  std::string options, cases;
  for (const OptionManual& option : tool.options) options += (options.empty() ? "" : " ") + joined(option.names, " ");
  for (const CommandManual& manual : manuals) cases += bash_case(manual);
  std::string script = replaced(std::string(kBash), "@TOOL@", options);
  script = replaced(std::move(script), "@COMMANDS@", command_names(" ") + " @");
  script = replaced(std::move(script), "@NAMES@", command_names(" "));
  script = replaced(std::move(script), "@PATTERN@", command_names(" | "));
  return replaced(std::move(script), "@CASES@", cases);
}

// ---- zsh -----------------------------------------------------------------------------------------------------------

constexpr std::string_view kZsh = R"(#compdef shardstats
# Completion for zsh. Written by `shardstats completion zsh`.

_shardstats_commands() {
  local -a commands=(
@COMMANDS@  )
  _describe command commands
}

_shardstats_first() {
  _alternative 'commands:command:_shardstats_commands' 'files:log:_files'
}

_shardstats() {
  if ((CURRENT == 2)); then
    _arguments \
@TOOL@      '1:command:_shardstats_first'
    return
  fi
  local command=$words[2]
  case $command in
    help | @PATTERN@)
      shift words
      ((CURRENT--))
      ;;
    *) command=summary ;; # a log
  esac
  case $command in
    help) _arguments '1:command:_shardstats_commands' ;;
@CASES@  esac
}

if [[ $funcstack[1] == _shardstats ]]; then
  _shardstats "$@"
else
  compdef _shardstats shardstats
fi
)";

std::string zsh_quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }
std::string zsh_escaped(std::string_view text) { return escaped(text, "\\[]:", "\\"); }

// ":FORMAT:(text json)"
std::string zsh_value(const OptionManual& option) {
  const std::string& name = option.is_argument ? option.names.front() : option.value;
  std::string action = " ";
  if (option.takes_file()) action = "_files";
  if (!option.offers.empty()) action = "(" + joined(option.offers, " ") + ")";
  return ":" + name + ":" + action;
}

// A line for each of the names, which exclude each other unless the option may be repeated.
std::string zsh_option(const OptionManual& option) {
  std::string text;
  for (const std::string& name : option.names) {
    const std::string joint = option.value.empty() ? "" : name.starts_with("--") ? "=" : "+";
    const std::string prefix = option.repeated ? "*" : "(" + joined(option.names, " ") + ")";
    const std::string value = option.value.empty() ? "" : zsh_value(option);
    text += "      " + zsh_quoted(prefix + name + joint + "[" + zsh_escaped(option.help) + "]" + value) + " \\\n";
  }
  return text;
}

std::string zsh_case(const CommandManual& manual) {
  std::string text = "    " + name_of(manual) + ")\n      _arguments -s \\\n";
  for (const OptionManual& option : manual.options) text += "  " + zsh_option(option);
  std::size_t position = 0;
  for (const OptionManual& argument : manual.arguments)
    text += "        " + zsh_quoted((argument.takes_file() ? "*" : std::to_string(++position)) + zsh_value(argument)) +
            " \\\n";
  text.erase(text.size() - 3);  // the last " \"
  return text + "\n      ;;\n";
}

std::string zsh_script(const CommandManual& tool, const std::vector<CommandManual>& manuals) {
  std::string names, options, cases;
  for (const CommandManual& manual : manuals) {
    names += "    " + zsh_quoted(name_of(manual) + ":" + zsh_escaped(manual.command->help)) + "\n";
    cases += zsh_case(manual);
  }
  for (const OptionManual& option : tool.options) options += zsh_option(option);
  std::string script = replaced(std::string(kZsh), "@COMMANDS@", names);
  script = replaced(std::move(script), "@TOOL@", options);
  script = replaced(std::move(script), "@PATTERN@", command_names(" | "));
  return replaced(std::move(script), "@CASES@", cases);
}

// ---- fish ----------------------------------------------------------------------------------------------------------

constexpr std::string_view kFish = R"(# Completion for fish. Written by `shardstats completion fish`.

# Is this the command of the line? A log in its place is the command summary.
function __shardstats_is
    set -l words (commandline -opc)
    set -q words[2]; or return 1
    contains -- $words[2] help @COMMANDS@; or set words[2] summary
    contains -- $words[2] $argv
end

function __shardstats_first
    test (count (commandline -opc)) -eq 1
end

)";

std::string fish_quoted(std::string_view text) { return "'" + escaped(text, "\\'", "\\") + "'"; }

std::string fish_option(const std::string& condition, const OptionManual& option) {
  std::string text = "complete -c shardstats -n " + condition;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.takes_file())
    text += " -rF";
  else if (!option.value.empty())
    text += " -x";
  if (!option.offers.empty()) text += " -a " + fish_quoted(joined(option.offers, " "));
  return text + " -d " + fish_quoted(option.help) + "\n";
}

std::string fish_script(const CommandManual& tool, const std::vector<CommandManual>& manuals) {
  std::string script = replaced(std::string(kFish), "@COMMANDS@", command_names(" "));
  for (const OptionManual& option : tool.options) script += fish_option("__shardstats_first", option);
  for (const CommandManual& manual : manuals)
    script += "complete -c shardstats -n __shardstats_first -a " + name_of(manual) + " -d " +
              fish_quoted(manual.command->help) + "\n";
  script += "complete -c shardstats -n '__shardstats_is help' -f -a " + fish_quoted(command_names(" ")) + "\n";
  for (const CommandManual& manual : manuals) {
    const std::string condition = fish_quoted("__shardstats_is " + name_of(manual));
    script += "\n";
    for (const OptionManual& option : manual.options) script += fish_option(condition, option);
    if (!manual.command->reads_logs) script += "complete -c shardstats -n " + condition + " -f\n";
    for (const OptionManual& argument : manual.arguments)
      if (!argument.offers.empty())
        script += "complete -c shardstats -n " + condition + " -a " + fish_quoted(joined(argument.offers, " ")) + "\n";
  }
  return script;
}

}  // namespace

std::string completion_script(Shell shell, const CommandManual& tool, const std::vector<CommandManual>& manuals) {
  switch (shell) {
    case Shell::bash:
      return bash_script(tool, manuals);
    case Shell::zsh:
      return zsh_script(tool, manuals);
    case Shell::fish:
      break;
  }
  return fish_script(tool, manuals);
}

}  // namespace shardstats::cli
