// The command line as a whole: all commands with their options.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/command.h"

namespace rankscope::cli {

/// The application's options and commands, and what will be called.
struct Program {
  Program();
  CLI::App app;
  Console::Settings settings;
  std::vector<std::pair<CLI::App*, Action>> actions;

 private:
  void add_global_options(CLI::App& target);
  std::string color_ = "auto";
  friend int run_command_line(int argc, const char* const* argv);
};

}  // namespace rankscope::cli
