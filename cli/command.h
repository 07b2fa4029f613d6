// The commands of `rankscope`, and how a command line becomes an exit code.
#pragma once

#include <span>
#include <string_view>

#include "cli/option_list.h"
#include "cli/terminal/console.h"

namespace rankscope::cli {

/// The process's exit codes, as in the man page.
enum ExitCode : int {
  kOk = 0,
  kFailed = 1,    ///< The run failed or its result is wrong; a file could not be written.
  kBadInput = 2,  ///< Wrong usage or input: nothing was run. A cut or damaged trace file.
  kUnsupported =
      69,  ///< The program calls what rankscope's stand-in of its platform lacks (EX_UNAVAILABLE).
  kInternal = 70,      ///< A bug in rankscope (EX_SOFTWARE).
  kInterrupted = 130,  ///< Ctrl-C.
};

// The headings of commands in the help.
inline constexpr std::string_view kRunning = "Running";
inline constexpr std::string_view kTeaching = "Teaching";
inline constexpr std::string_view kMeasuring = "Measuring";
inline constexpr std::string_view kTraces = "Traces";
inline constexpr std::string_view kNetworks = "Networks";
inline constexpr std::string_view kShell = "Help and shell";

/// A command: its words in the help, and its options.
struct CommandEntry {
  std::string_view name;
  std::string_view group;    ///< Its heading in the list of commands; "" hides it.
  std::string_view summary;  ///< One line, no full stop.
  std::string_view details;  ///< Paragraphs for --help and the man page; may be empty.
  /// One a line: "rankscope run allreduce.ring  # what it does".
  std::string_view examples;
  /// Adds the command's options, with values that live in the returned action. An option's
  /// type_name is its placeholder in the help and says what completes it: "ipc|tcp|inproc" lists
  /// the words, ALGORITHM, COLLECTIVE, FORM, DTYPE and OP stand for our tables, FILE for a file.
  Action (*define)(OptionList options);
  bool takes_plugins = false;  ///< Whether `--plugin` loads more algorithms for it to run or list.
};

// Each command is defined in the file that carries it out.
extern const CommandEntry kDemoCommand, kRunCommand, kSimCommand, kExecCommand, kReplayCommand,
    kListCommand, kWorkerCommand, kLessonCommand, kGlossaryCommand, kExerciseCommand, kGradeCommand,
    kScheduleCommand, kPredictCommand, kSweepCommand, kCalibrateCommand, kTrainCommand,
    kParallelCommand, kOverlapCommand, kDataCommand, kProfileCommand, kTraceCommand, kCheckCommand,
    kExportCommand, kBenchTraceCommand, kBenchCommand, kManCommand, kCompletionCommand,
    kTopologyCommand, kPackCommand;

/// The commands of `rankscope`, in the order in which the help shows them.
std::span<const CommandEntry* const> all_commands();

/// Parses `argv`, runs one of `commands`, reports errors. Returns an ExitCode.
int run_command_line(std::span<const char* const> argv,
                     std::span<const CommandEntry* const> commands = all_commands());

}  // namespace rankscope::cli
