// The application's views, one row each, in the order of the menus. Their makers are in gui/views/base/view_makers.h.
#pragma once

#include <array>
#include <string_view>

#include "engine/core/base/ranges.h"
#include "gui/state/command/words.h"

namespace rankscope::gui {

struct ViewInfo {
  constexpr ViewInfo(std::string_view name_, std::string_view title_, Curtain curtain_,
                     std::string_view summary_)
      : name(name_), title(title_), curtain(curtain_), summary(summary_) {}
  std::string_view name;     ///< In commands: "spacetime".
  std::string_view title;    ///< In the pane's head: "Time × rank".
  Curtain curtain;           ///< `opens`: it shows all of a run, wherever the cursor is.
  std::string_view summary;  ///< Its content, in one line.
};

inline constexpr std::array kViews = {
    ViewInfo{"stage", "Stage", Curtain::keeps,
             "Chunks moving between the ranks, on the run's own topology"},
    ViewInfo{"spacetime", "Time × rank", Curtain::keeps,
             "Messages as arrows between the ranks' lines of time"},
    ViewInfo{"buffers", "Buffers", Curtain::keeps,
             "What every rank holds at the cursor, chunk by chunk"},
    ViewInfo{"matrix", "Communication matrix", Curtain::keeps,
             "Bytes or messages between each pair of ranks"},
    ViewInfo{"table", "Values", Curtain::keeps,
             "The numbers in every rank's buffers at the cursor"},
    ViewInfo{"code", "Code", Curtain::keeps,
             "The program's source, and the line at which each rank stands"},
    ViewInfo{"events", "Events", Curtain::opens,
             "All events of the run, or those that a filter finds"},
    ViewInfo{"statistics", "Statistics and cost", Curtain::keeps,
             "Steps, bytes and times beside their bounds"},
    ViewInfo{"schematic", "All-to-all schematic", Curtain::opens,
             "How an all-to-all regroups its blocks"},
    ViewInfo{"compare", "Compare", Curtain::opens, "Two runs side by side"},
    ViewInfo{"race", "Race", Curtain::opens,
             "Two to four algorithms on one clock, and which needs what"},
    ViewInfo{"training", "Training", Curtain::keeps,
             "Loss, accuracy and speedup of a network, while it is trained"},
    ViewInfo{"overlap", "Overlap", Curtain::keeps,
             "What averaging gradients costs, after the backward pass and during it"},
    ViewInfo{"network", "Network", Curtain::opens,
             "The simulated network: how loaded its links are, and the selected message's route"},
    ViewInfo{"schedule", "Schedule", Curtain::keeps,
             "An algorithm drawn move by move: whose data each rank holds, proved, and timed"},
    ViewInfo{"inspect", "Inspect", Curtain::keeps,
             "The selected message, rank or chunk, explained; of a live run, the rank's process"},
    ViewInfo{"problems", "Problems", Curtain::opens, "What is wrong, and what to do about it"},
    ViewInfo{"output", "Output", Curtain::keeps, "What a student's program printed"},
    ViewInfo{"lesson", "Lesson", Curtain::keeps, "The open lesson's page"}};

constexpr std::string_view to_string(const ViewInfo& view) noexcept { return view.name; }
constexpr bool is_view(std::string_view name) noexcept {
  return ranges::find(kViews, name, &ViewInfo::name) != kViews.end();
}

/// Returns whether this is a view of earlier versions: the stage shows what it did, and Inspect a rank's process.
constexpr bool is_former_view(std::string_view name) noexcept {
  return name == "graph" || name == "processes";
}

}  // namespace rankscope::gui
