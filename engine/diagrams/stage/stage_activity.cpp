// Says what a round's messages do to the cards.
#include <algorithm>

#include <fmt/format.h>

#include "engine/diagrams/stage/stage_cards.h"

namespace rankscope {

std::vector<StageCardNow> stage_cards_at(const StageCardsOf& of, StageModel& model, bool words) {
  std::vector<StageCardNow> all(static_cast<std::size_t>(model.world()));
  for (StageCardNow& card : all) {
    card.rows.resize(static_cast<std::size_t>(model.chunks()));
    card.ended = of.ended;
  }
  if (of.round == 0) return all;
  std::vector<int> received(all.size(), 0);
  for (const StageCargo& cargo : model.cargo(of.round)) {
    StageCardNow &to = all[static_cast<std::size_t>(cargo.to)],
                 &from = all[static_cast<std::size_t>(cargo.from)];
    const int chunks = model.chunks();
    for (int c = std::max(cargo.into_first, 0); c <= cargo.into_last && c < chunks; ++c) {
      StageRowNow& row = to.rows[static_cast<std::size_t>(c)];
      row.target = of.goes_on;
      row.adds = row.adds || cargo.adds;
      row.pulse = of.pulse;
      row.hue = stage_cargo_ink(cargo);
    }
    if (!words) continue;
    const std::string what = model.whole() || model.regroups() ? "" : cargo.label + " ";
    const int count = ++received[static_cast<std::size_t>(cargo.to)];
    to.activity = count > 1     ? fmt::format("gets {} messages", count)
                  : cargo.empty ? fmt::format("hears from rank {}", cargo.from)
                                : fmt::format("{} {}from rank {}", cargo.adds ? "adds" : "gets",
                                              what, cargo.from);
    if (from.activity.empty())
      from.activity = cargo.empty ? fmt::format("signals rank {}", cargo.to)
                                  : fmt::format("sends {}to rank {}", what, cargo.to);
  }
  return all;
}

}  // namespace rankscope
