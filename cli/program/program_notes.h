// The notes of a program's processes for the report of their run, and the second run whose inputs say whose they are.
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
  /// Variables for the environment of the program's processes.
  std::vector<std::string> environment() const;
  /// The notes since the last call, of ranks of a world of this size and of processes that are no ranks.
  Handed take(int ranks);

 private:
  const MeantOptions meant_;
  std::string told_;  ///< The folder of the process that this one runs for; of a second run.
  std::optional<ScratchFolder> folder_;                    ///< Unset if another process has it.
  std::vector<std::pair<std::string, std::size_t>> read_;  ///< Bytes of each file.
  Handed pool_;
};

/// A program as it is started once more, its output thrown away.
struct SecondRun {
  std::vector<std::string> command;
  double timeout_s = 0;
  int copies = 0;
  std::function<bool()> interrupted;
};

/// Returns a run's notes for its trace, if there are any; where the result is wrong the program is run once more.
std::optional<Handed> observe(ProgramNotes& notes, const MeantOptions& meant, int ranks,
                              bool ended_well, const SecondRun& again);

/// The command, started so that nobody sees its output.
std::vector<std::string> without_output(const std::vector<std::string>& command);

}  // namespace rankscope::cli
