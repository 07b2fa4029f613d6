// Compares events, ranks and elements with the selection.
#include "gui/state/model/chosen.h"

#include <array>

#include "engine/core/base/ranges.h"

namespace rankscope::gui {
namespace {

const MessageRecord* chosen_message(const AppState& state) {
  const std::int64_t number = state.selection.message;
  const auto& all = state.document->rounds().messages;
  return number >= 0 && static_cast<std::size_t>(number) < all.size()
             ? &all[static_cast<std::size_t>(number)]
             : nullptr;
}

bool works_on(const AppState& state, const StepEvent& event, int chunk) {
  const Pieces& pieces = state.document->analysis().pieces();
  const auto holds = [&](std::uint32_t buffer, std::uint64_t offset) {
    if (buffer == 0 || event.bytes == 0) return false;
    const auto range = pieces.range_of(buffer, offset, event.bytes);
    if (!range) return false;
    const Piece piece = pieces.piece(*range);
    return piece.first_chunk >= 0 && piece.first_chunk <= chunk && chunk <= piece.last_chunk;
  };
  return holds(event.in_buffer, event.in_offset) || holds(event.out_buffer, event.out_offset);
}

}  // namespace

bool is_chosen_rank(const AppState& state, Rank rank) {
  if (const auto* message = chosen_message(state))
    return rank == message->from || rank == message->to;
  return rank >= 0 && rank == state.selection.rank;
}

bool is_chosen_event(const AppState& state, std::uint64_t event) {
  const Selection& chosen = state.selection;
  if (chosen.event >= 0 && chosen.event == static_cast<std::int64_t>(event)) return true;
  if (const auto* message = chosen_message(state)) {
    const std::array all = {message->sent, message->send_done, message->recv_posted,
                            message->matched, message->received};
    return ranges::find(all, event) != all.end();
  }
  const StepEvent& what = state.document->trace()[event];
  if (chosen.event < 0 && chosen.rank >= 0) return what.rank == chosen.rank;
  return chosen.chunk >= 0 && works_on(state, what, chosen.chunk);
}

Range chosen_elements(const AppState& state, Count elements) {
  const int chunk = state.selection.chunk, chunks = state.document->chunks();
  if (chunk < 0 || chunk >= chunks || elements != state.document->analysis().pieces().whole())
    return {};
  return Partition(elements, chunks)[chunk];
}

}  // namespace rankscope::gui
