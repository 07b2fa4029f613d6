// The table of k*(N) in the forms that people want it in.
#pragma once

#include <span>
#include <string>

#include "cli/terminal/console.h"
#include "engine/training/job/speedup.h"

namespace rankscope::cli {

/// For a terminal: k*, how many runs reached it, the speedup and where the time went.
std::string speedup_text(std::span<const training::SpeedupRow> rows, const Style& style);
/// One line a run: ranks, seed, k* (empty: not reached), best accuracy, seconds.
std::string runs_csv(std::span<const training::FinishedRun> runs, double accuracy);
std::string speedup_markdown(std::span<const training::SpeedupRow> rows);
std::string speedup_latex(std::span<const training::SpeedupRow> rows);
/// An array of the rows, with null where nothing was measured.
std::string speedup_json(std::span<const training::SpeedupRow> rows,
                         std::span<const training::FinishedRun> runs, double accuracy);

}  // namespace rankscope::cli
