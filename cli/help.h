// The options and commands of a CLI::App as plain data, from which --help, the man page and the completions are
// written.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace rankscope::cli {

struct OptionDoc {
  std::vector<std::string> names;  ///< "-n", "--ranks"; empty for a positional argument.
  std::string placeholder;         ///< "N"; empty for a flag.
  std::string description;
  std::string default_value;
  std::string group;
  bool required = false;
  bool repeatable = false;
  bool action = false;  ///< Stands for the command's actions.
  bool positional() const { return names.empty(); }
  bool flag() const { return placeholder.empty(); }
};

struct ExampleDoc {
  std::string command, comment;
};

struct ActionDoc {
  std::string name, summary;
};

struct CommandDoc {
  std::string name;  ///< "run"
  std::string path;  ///< "rankscope run"
  std::string group;
  std::string summary;
  std::string details;             ///< Paragraphs, separated by empty lines.
  std::vector<ActionDoc> actions;  ///< "show" of `rankscope lesson`.
  std::vector<OptionDoc> options;
  std::vector<ExampleDoc> examples;
  std::vector<CommandDoc> commands;  ///< Without hidden ones.
  /// Returns "rankscope run [OPTIONS] ALGORITHM"; for the actions of a command "ACTION".
  std::string usage() const;
};

inline constexpr std::string_view kGlobalGroup = "Global options";

CommandDoc describe(const CLI::App& app);
std::string help_text(const CLI::App& app, int width);

}  // namespace rankscope::cli
