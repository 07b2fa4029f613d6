// The command line as a whole: all commands with their options.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/command.h"

namespace rankscope::cli {

/// The options and commands of a program, and the action of each command.
struct Program {
  explicit Program(std::span<const CommandEntry* const> commands = all_commands());
  CLI::App app;
  Console::Settings settings;
  std::vector<std::pair<CLI::App*, Action>> actions;

 private:
  void add_global_options(CLI::App& target);
  std::string color_ = "auto";
  std::vector<std::string> plugins_;
  friend int run_command_line(std::span<const char* const>, std::span<const CommandEntry* const>);
};

}  // namespace rankscope::cli
