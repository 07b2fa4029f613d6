// What a rank's card and a chunk's row tell when the mouse is on them.
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/stage/stage_cards.h"

namespace rankscope {

std::string StageCards::story(Rank rank, const StageCells& cells) const {
  std::string text = fmt::format("rank {}", rank);
  if (const auto* wait = trouble_.of(rank))
    text += fmt::format("\n{}{}: {}", wait->what, wait->line.empty() ? "" : ", " + wait->line,
                        wait->why);
  if (trouble_.is_lost(rank)) text += "\nwas lost";
  if (trouble_.has_ended(rank)) text += "\nhas ended";
  if (const auto* bad = trouble_.wrong_at(rank))
    text += fmt::format("\nelement {} is {}, it should be {}", bad->index, bad->got, bad->expected);
  if (cells.empty()) return text;
  const auto whole = ranges::count_if(cells, [&](const auto& cell) {
    return model_.reduces() ? cell->complete : !cell->slots.empty() && cell->slots[0] > 0.999F;
  });
  return text + fmt::format("\n{} of {} chunks {}", whole, cells.size(),
                            model_.reduces() ? "hold every rank's part" : "are here");
}

std::string StageCards::story(Rank rank, int chunk, const DataCell& cell) const {
  std::string text =
      model_.whole() ? fmt::format("rank {}", rank) : fmt::format("rank {}, chunk {}", rank, chunk);
  if (!cell.exists()) return text + "\nhas no element of it";
  if (!cell.holds_anything()) return text + "\nholds nothing yet";
  if (!model_.reduces())
    return text + (cell.origin >= 0 ? fmt::format("\nfrom rank {}", cell.origin) : "\nin parts");
  std::vector<int> held;
  for (std::size_t i = 0; i < cell.slots.size(); ++i)
    if (cell.slots[i] > 0) held.push_back(static_cast<int>(i));
  return text + fmt::format("\nholds the parts of {} of {} ranks: {}", held.size(), layout_.slots,
                            fmt::join(held, ", "));
}

}  // namespace rankscope
