// The selected message, rank or chunk: its facts for the tab Inspect, its text for the clipboard, its parts in lists.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/base/partition.h"
#include "gui/state/model/app_state.h"

namespace rankscope::gui {

struct Inspection {
  std::string title;  ///< "Message 5: rank 2 → rank 3"; empty without a selection.
  std::vector<std::pair<std::string, std::string>> facts;  ///< "step": "2 of 6, reduce-scatter"
  /// A place in the code: a word ("sent at"), a line's name, and the event to select.
  struct Place {
    std::string what, line;
    std::uint64_t event = 0;
  };
  std::vector<Place> places;
  /// A message of the rank or chunk.
  struct Row {
    std::int64_t message = -1;
    int round = 0;
    std::string text;  ///< "→ 3  c1  16 B"
    bool now = false;  ///< In the step at the cursor.
  };
  std::vector<Row> rows;
  Rank rank = -1;  ///< The rank that is meant, for its process.
  int chunk = -1;  ///< The message's chunk, for "follow this chunk".
};

/// A rank or chunk with more messages than this shows those around the cursor.
inline constexpr std::size_t kMostRows = 200;

Inspection inspect(const AppState& state, const Selection& chosen);
inline Inspection inspect(const AppState& state) { return inspect(state, state.selection); }

/// Returns whether the rank is selected, or is an end of the selected message.
bool is_chosen_rank(const AppState& state, Rank rank);
/// Returns whether the event is selected, is of the selected message or rank, or works on the selected chunk.
bool is_chosen_event(const AppState& state, std::uint64_t event);
/// Returns the selected chunk's elements of a buffer; empty without one, or if the data has another size.
Range chosen_elements(const AppState& state, Count elements);

/// Returns the problem with its lines of the source.
std::string problem_text(const Problem& problem);
/// Returns what is known of "message" 5, "rank" 2, "chunk" 1, "event" 10 or "problem" 0. Throws UserError if there is none.
std::string copied_text(const AppState& state, std::string_view what, std::int64_t number);

}  // namespace rankscope::gui
