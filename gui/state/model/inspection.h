// What there is to say about the selected message, rank or chunk: for the drawer's tab Inspect.
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
  std::string title;  ///< "Message 5: rank 2 → rank 3"; empty: nothing is selected.
  std::vector<std::pair<std::string, std::string>> facts;  ///< "step": "2 of 6, reduce-scatter"
  /// Where it stands in the code: a word ("sent at"), a line's name, and the event to select.
  struct Place {
    std::string what, line;
    std::uint64_t event = 0;
  };
  std::vector<Place> places;
  /// Messages of the rank or the chunk, in order.
  struct Row {
    std::int64_t message = -1;
    int round = 0;
    std::string text;  ///< "→ 3  c1  16 B"
    bool now = false;  ///< In the step at the cursor.
  };
  std::vector<Row> rows;
  int chunk = -1;  ///< Of a message: what "follow this chunk" selects.
};

/// Of runs with more than this many messages of a rank or chunk, those around the cursor.
inline constexpr std::size_t kMostRows = 200;

Inspection inspect(const AppState& state, const Selection& chosen);
inline Inspection inspect(const AppState& state) { return inspect(state, state.selection); }

/// The selected rank, or either end of the selected message.
bool is_chosen_rank(const AppState& state, Rank rank);
/// An event of the selected message or rank, or one that works on the selected chunk.
bool is_chosen_event(const AppState& state, std::uint64_t event);
/// Of a buffer of so many elements those in the selected chunk; without a chunk none.
Range chosen_elements(const AppState& state, Count elements);

/// With its lines of the source.
std::string problem_text(const Problem& problem);
/// "message" 5, "rank" 2, "chunk" 1, "event" 10, "problem" 0. Throws UserError for what is not there.
std::string copied_text(const AppState& state, std::string_view what, std::int64_t number);

}  // namespace rankscope::gui
