// What a subcommand is to the framework: one row of the table in commands.cpp.
#pragma once

#include <span>
#include <string_view>

#include "cli/option_list.h"
#include "cli/terminal/console.h"

namespace rankscope::cli {

/// What the process returns. Documented in the man page.
enum ExitCode : int {
  kOk = 0,
  kFailed = 1,         ///< The run failed or its result is wrong; a file could not be written.
  kBadInput = 2,       ///< Wrong usage or input: nothing was run. A cut or damaged trace file.
  kInternal = 70,      ///< A bug of ours (EX_SOFTWARE).
  kInterrupted = 130,  ///< Ctrl-C.
};

/// A command whose group is empty is not shown in the help.
struct CommandEntry {
  std::string_view name;
  std::string_view group;
  std::string_view summary;  ///< One line, no full stop.
  std::string_view details;  ///< Paragraphs for --help and the man page; may be empty.
  /// One a line: "rankscope run allreduce.ring  # what it does".
  std::string_view examples;
  /// Adds the command's options, with values that live in the returned action. An option's
  /// type_name is its placeholder in the help and says what completes it: "ipc|tcp|inproc" lists
  /// the words, ALGORITHM, COLLECTIVE, FORM, DTYPE and OP stand for our tables, FILE for a file.
  Action (*define)(OptionList options);
};

/// All commands in the order in which the help shows them. A table, no static registration.
std::span<const CommandEntry> commands();

/// Parses `argv`, runs the command, reports errors. Returns an ExitCode.
int run_command_line(int argc, const char* const* argv);

}  // namespace rankscope::cli
