// `rankscope completion`: scripts for bash, zsh and fish, written from the commands' own options.
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/option_list.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"

namespace rankscope::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> names_of(const std::vector<CommandDoc>& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command.name);
  return names;
}

/// Calls `visit` with every command, the outer ones first.
template <class Visit>
void for_each_command(const CommandDoc& doc, Visit&& visit) {
  visit(doc);
  for (const auto& command : doc.commands) for_each_command(command, visit);
}

/// Returns text for the inside of single quotes in a shell script, with a backslash before `special` characters.
std::string in_quotes(std::string_view text, std::string_view special = "") {
  std::string result;
  for (const char c : to_ascii(text)) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      if (special.find(c) != std::string_view::npos) result += '\\';
      result += c == '\n' ? ' ' : c;
    }
  }
  return result;
}

// ---- bash ---------------------------------------------------------------------------------------

std::string bash_paths(const CommandDoc& root) {
  std::string paths;
  for_each_command(root, [&](const CommandDoc& doc) {
    for (const auto& command : doc.commands)
      paths += (paths.empty() ? "" : " | ") + fmt::format("\"{}\"", command.path);
  });
  return paths;
}

/// Returns the cases for words that may follow an option.
std::string bash_values(const CommandDoc& doc) {
  std::string cases;
  for (const auto& option : doc.options) {
    if (option.positional() || option.flag()) continue;
    for (const auto& name : option.names) {
      const auto words = words_for(option.placeholder);
      cases += fmt::format("    \"{}:{}\") ", doc.path, name);
      if (is_file_placeholder(option.placeholder))
        cases += fmt::format("COMPREPLY=({}$(compgen -f -- \"$cur\")); return ;;\n",
                             words.empty() ? ""
                                           : fmt::format("$(compgen -W '{}' -- \"$cur\") ",
                                                         in_quotes(joined(words))));
      else
        cases += fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$cur\")); return ;;\n",
                             in_quotes(joined(words)));
    }
  }
  return cases;
}

std::string bash_words(const CommandDoc& doc) {
  std::vector<std::string> options, words = names_of(doc.commands);
  bool files = false;
  for (const auto& option : doc.options) {
    options.insert(options.end(), option.names.begin(), option.names.end());
    if (!option.positional()) continue;
    const auto choices = words_for(option.placeholder);
    words.insert(words.end(), choices.begin(), choices.end());
    files = files || is_file_placeholder(option.placeholder);
  }
  return fmt::format("    \"{}\") options='{}' words='{}' files={} ;;\n", doc.path,
                     in_quotes(joined(options)), in_quotes(joined(words)), files ? "yes" : "no");
}

std::string bash_script(const CommandDoc& root) {
  std::string values, words;
  for_each_command(root, [&](const CommandDoc& doc) {
    values += bash_values(doc);
    words += bash_words(doc);
  });
  return fmt::format(R"(# bash completion of rankscope; written by `rankscope completion bash`
_rankscope() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}}
  local path=rankscope options='' words='' files=no i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${{COMP_WORDS[i]}}" in
    {}) path="$path ${{COMP_WORDS[i]}}" ;;
    esac
  done
  COMPREPLY=()
  case "$path:$prev" in
{}  esac
  case "$path" in
{}  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    [[ $files == yes ]] && COMPREPLY+=($(compgen -f -- "$cur"))
  fi
}}
complete -o filenames -F _rankscope rankscope
)",
                     bash_paths(root), values, words);
}

// ---- zsh ----------------------------------------------------------------------------------------

std::string zsh_function(const std::string& path) {
  std::string name = "_" + path;
  for (char& c : name)
    if (c == ' ' || c == '-') c = '_';
  return name;
}

std::string zsh_values(const OptionDoc& option) {
  const auto words = words_for(option.placeholder);
  if (is_file_placeholder(option.placeholder))
    return words.empty() ? "_files" : fmt::format("{{compadd -- {}; _files}}", joined(words));
  return words.empty() ? std::string{} : "(" + joined(words) + ")";
}

std::string zsh_option(const OptionDoc& option) {
  const std::string value =
      option.flag()
          ? std::string{}
          : fmt::format(":{}:{}", in_quotes(option.placeholder, ":[]"), zsh_values(option));
  const std::string spec =
      option.names.size() > 1
          ? fmt::format("'({})'{{{}}}", joined(option.names), fmt::join(option.names, ","))
      : option.repeatable ? "'*'" + option.names.front()
                          : option.names.front();
  return fmt::format("    {}'[{}]{}' \\\n", spec, in_quotes(option.description, ":[]"), value);
}

std::string zsh_command(const CommandDoc& doc) {
  std::string arguments;
  for (const auto& option : doc.options) {
    if (option.positional())
      arguments += fmt::format("    '{}:{}:{}' \\\n", option.repeatable ? "*" : "",
                               in_quotes(option.placeholder, ":[]"), zsh_values(option));
    else arguments += zsh_option(option);
  }
  const std::string name = zsh_function(doc.path);
  if (doc.commands.empty())
    return fmt::format("{}() {{\n  _arguments -s \\\n{}    && return\n}}\n\n", name, arguments);
  std::string list, cases;
  for (const auto& command : doc.commands) {
    list += fmt::format("    '{}:{}'\n", command.name, in_quotes(command.summary, ":"));
    cases += fmt::format("      {}) {} ;;\n", command.name, zsh_function(command.path));
  }
  return fmt::format(R"({}() {{
  local state line
  local -a commands=(
{}  )
  _arguments -C \
{}    '1:command:->command' '*::argument:->argument' && return
  case $state in
  command) _describe command commands ;;
  argument)
    case $words[1] in
{}    esac
    ;;
  esac
}}

)",
                     name, list, arguments, cases);
}

std::string zsh_script(const CommandDoc& root) {
  std::string script = "#compdef rankscope\n# written by `rankscope completion zsh`\n\n";
  for_each_command(root, [&](const CommandDoc& doc) { script += zsh_command(doc); });
  return script + "_rankscope \"$@\"\n";
}

// ---- fish ---------------------------------------------------------------------------------------

std::string fish_condition(const CommandDoc& doc) {
  const auto space = doc.path.find(' ');
  if (space == std::string::npos) return "__fish_use_subcommand";
  std::string condition = "true";
  std::string_view rest = std::string_view(doc.path).substr(space + 1);
  for (;;) {
    const auto end = rest.find(' ');
    condition += fmt::format("; and __fish_seen_subcommand_from {}", rest.substr(0, end));
    if (end == std::string_view::npos) return condition;
    rest.remove_prefix(end + 1);
  }
}

std::string fish_option(const CommandDoc& doc, const OptionDoc& option) {
  std::string line = fmt::format("complete -c rankscope -n '{}'", fish_condition(doc));
  for (const auto& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  const auto words = words_for(option.placeholder);
  if (is_file_placeholder(option.placeholder))
    line += (option.positional() ? " -F" : " -r -F") +
            (words.empty() ? std::string() : fmt::format(" -a '{}'", in_quotes(joined(words))));
  else if (!words.empty())
    line += fmt::format(" {}-a '{}'", option.positional() ? "" : "-x ", in_quotes(joined(words)));
  else if (!option.flag() && !option.positional()) line += " -x";
  return line + fmt::format(" -d '{}'\n", in_quotes(option.description));
}

std::string fish_script(const CommandDoc& root) {
  std::string script =
      "# fish completion of rankscope; written by `rankscope completion fish`\n"
      "complete -c rankscope -f\n";
  for_each_command(root, [&](const CommandDoc& doc) {
    for (const auto& command : doc.commands)
      script += fmt::format("complete -c rankscope -n '{}' -a {} -d '{}'\n", fish_condition(doc),
                            command.name, in_quotes(command.summary));
    for (const auto& option : doc.options) script += fish_option(doc, option);
  });
  return script;
}

std::string completion_script(const CLI::App& root, std::string_view shell) {
  const auto doc = describe(root);
  if (shell == "bash") return bash_script(doc);
  if (shell == "zsh") return zsh_script(doc);
  if (shell == "fish") return fish_script(doc);
  throw UserError(
      fmt::format("no completion for '{}'; there is one for bash, zsh and fish", shell));
}

Action define_completion(OptionList app) {
  const CLI::App* root = &app.program();
  const auto shell = std::make_shared<std::string>();
  app.add_option("SHELL", "bash|zsh|fish", *shell, "Which shell").required();
  return [root, shell](const Console& console) {
    console.print_raw(completion_script(*root, *shell));
    return kOk;
  };
}

}  // namespace

constinit const CommandEntry kCompletionCommand{
    .name = "completion",
    .group = kShell,
    .summary = "print a completion script for a shell",
    .details = "Completes commands, options, algorithms, element types, operations and transports.",
    .examples =
        "source <(rankscope completion bash)  # in this bash session\n"
        "rankscope completion zsh > \"${fpath[1]}/_rankscope\"  # for every zsh\n"
        "rankscope completion fish > ~/.config/fish/completions/rankscope.fish  # for fish",
    .define = define_completion,
};

}  // namespace rankscope::cli
