// Collects the notes of a program's processes for the report of their run, and runs it again with inputs that say whose they are.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/option_list.h"
#include "engine/analysis/meant/verdict.h"
#include "engine/core/base/scratch_folder.h"

namespace rankscope::cli {

/// The options --as and --data.
struct MeantOptions {
  std::string as, data;
  bool asked() const noexcept { return !as.empty(); }
  /// Throws UserError with the choices.
  void check() const;
};

void add_meant_options(OptionList options, MeantOptions& meant);

class ProgramNotes {
 public:
  explicit ProgramNotes(const MeantOptions& meant);
  std::string folder() const;
  /// Returns variables for the environment of the program's processes.
  std::vector<std::string> environment() const;
  /// Returns the notes since the last call, of ranks of a world of this size and of processes that are no ranks.
  Handed take(int ranks);

 private:
  const MeantOptions meant_;
  std::string told_;  ///< In a second run, the folder of the process that started it; else empty.
  std::optional<ScratchFolder> folder_;                    ///< Unset in a second run.
  std::vector<std::pair<std::string, std::size_t>> read_;  ///< By file: bytes read so far.
  Handed pool_;
};

/// The command that runs a program again without its output.
struct SecondRun {
  std::vector<std::string> command;
  double timeout_s = 0;
  int copies = 0;
  std::function<bool()> interrupted;
};

/// Returns a run's notes for its trace, if any. Runs the program again if its result can be judged, but not for certain.
std::optional<Handed> observe(ProgramNotes& notes, const MeantOptions& meant, int ranks,
                              bool ended_well, const SecondRun& again);

/// Returns the command with its output thrown away.
std::vector<std::string> without_output(const std::vector<std::string>& command);

}  // namespace rankscope::cli
