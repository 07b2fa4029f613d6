// A student's program that runs in the window: how it is started, what it printed, and the files that it is made of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gui/state/files/settings.h"
#include "gui/state/run/problems.h"

namespace rankscope::gui {

/// The program on the stage.
struct ProgramState {
  enum class State : std::uint8_t { none, running, ended, stopped, failed };
  ProgramChoice choice;
  State state = State::none;  ///< `failed`: it made no run.
  int seconds = 0;            ///< Since it was started, while it runs.
  int runs = 0;               ///< That have ended.
  std::string says;           ///< What differs from the run before; empty without one.
  std::string output;         ///< What it and its compiler printed, of the run that is shown.
  std::string problem;        ///< Why it made no run.
  bool open() const noexcept { return !choice.file.empty(); }
  bool running() const noexcept { return state == State::running; }
  std::string name() const { return std::filesystem::path(choice.file).filename().string(); }
  /// "ring.py is running on 4 ranks"
  std::string running_words() const;
};
std::string_view to_string(ProgramState::State state) noexcept;

/// Returns the choice for a file that was never run: 4 ranks, or none for a program whose text makes its ranks itself. Throws UserError
/// for what is no program that can be run.
ProgramChoice usual_choice(const std::string& file);
/// Changes one part: "ranks" (a number, or own), "as", "data", "python"; an empty value is the usual one. Throws UserError.
void set_choice(ProgramChoice& choice, const std::string& key, const std::string& value);
/// Returns the words behind `rankscope`.
std::vector<std::string> exec_words(const ProgramChoice& choice, const std::string& trace);

/// Returns the sources of which a program consists (program_parts()), itself first.
std::vector<std::string> files_of_program(const std::string& file);

/// Returns what differs in what two runs printed, whatever the order of their ranks: "prints 10 instead of 8"; empty if nothing does.
std::string printed_difference(const std::string& before, const std::string& now);

/// Returns the problem of a program that made no run, with the line at fault if what was printed names one of this file.
Problem no_run_problem(const ProgramChoice& choice, const std::string& errors);

}  // namespace rankscope::gui
