// The application's views, one row each, in the order of the menus: everything except what makes them, which
// is gui/views/view_makers.h.
#pragma once

#include <array>
#include <string_view>

#include "engine/core/base/ranges.h"

namespace rankscope::gui {

struct ViewInfo {
  std::string_view name;     ///< In commands: "spacetime".
  std::string_view title;    ///< In the pane's head: "Time × rank".
  std::string_view summary;  ///< What it shows, in one line.
};

inline constexpr std::array kViews = {
    ViewInfo{"stage", "Stage", "Chunks moving between the ranks, on the run's own topology"},
    ViewInfo{"spacetime", "Time × rank", "Messages as arrows between the ranks' lines of time"},
    ViewInfo{"buffers", "Buffers", "What every rank holds at the cursor, chunk by chunk"},
    ViewInfo{"graph", "Communication graph", "Who sends to whom in the round at the cursor"},
    ViewInfo{"matrix", "Communication matrix", "Bytes or messages between each pair of ranks"},
    ViewInfo{"table", "Values", "The numbers in every rank's buffers at the cursor"},
    ViewInfo{"code", "Code", "The program's source, and the line at which each rank stands"},
    ViewInfo{"events", "Events", "All events of the run, or those that a filter finds"},
    ViewInfo{"statistics", "Statistics and cost", "Steps, bytes and times beside their bounds"},
    ViewInfo{"schematic", "All-to-all schematic", "How an all-to-all regroups its blocks"},
    ViewInfo{"compare", "Compare", "Two runs side by side"},
    ViewInfo{"race", "Race", "Two to four algorithms on one clock, and which needs what"},
    ViewInfo{"processes", "Processes", "The live processes, and where each is blocked"},
    ViewInfo{"training", "Training",
             "Loss, accuracy and speedup of a network, while it is trained"},
    ViewInfo{"overlap", "Overlap",
             "What averaging gradients costs, after the backward pass and during it"},
    ViewInfo{"network", "Network",
             "The simulated network: how loaded its links are, and the selected message's route"},
    ViewInfo{"schedule", "Schedule",
             "An algorithm drawn move by move: whose data each rank holds, proved, and timed"},
    ViewInfo{"inspect", "Inspect", "The selected message, rank or chunk, explained"},
    ViewInfo{"problems", "Problems", "What is wrong, and what to do about it"},
    ViewInfo{"lesson", "Lesson", "The open lesson's page"}};

constexpr std::string_view to_string(const ViewInfo& view) noexcept { return view.name; }
constexpr bool is_view(std::string_view name) noexcept {
  return ranges::find(kViews, name, &ViewInfo::name) != kViews.end();
}

}  // namespace rankscope::gui
