// The entries of a right click for each kind of thing: one table, whose entries are commands.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/state/command/commands.h"
#include "gui/state/model/app_state.h"

namespace rankscope::gui {

/// The thing that was clicked: a rank, message, chunk, event or problem by its number, or a tab by its pane and view.
struct ContextThing {
  /// First the kinds of Thing, in its order.
  enum class Kind : std::uint8_t { rank, message, chunk, event, problem, tab, picture };
  Kind kind = Kind::picture;
  std::int64_t number = -1;
  Slot slot = Slot::main;  ///< The pane in which it was clicked.
  std::string view = {};   ///< The tab's view: "buffers".
  bool operator==(const ContextThing&) const = default;
};

struct ContextEntry {
  std::string label;
  std::vector<Command> commands;  ///< Carried out one after the other.
  std::string key;                ///< The key for the same, if any.
  bool starts_section = false;    ///< A line stands before it.
};

/// "Rank 2"; empty for tabs and pictures.
std::string context_title(const ContextThing& thing);
/// Returns what can be done now; empty if the thing is gone.
std::vector<ContextEntry> context_menu(const AppState& state, const ContextThing& thing);

}  // namespace rankscope::gui
