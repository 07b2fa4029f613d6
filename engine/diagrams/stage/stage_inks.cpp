// The colours of what the stage's cards and chips hold.
#include <algorithm>
#include <array>

#include "engine/diagrams/scene/theme.h"
#include "engine/diagrams/stage/stage_cards.h"

namespace rankscope {

Ink stage_slot_ink(const StageModel& model, int chunk, int slot, Rank origin) {
  if (model.regroups()) return {Tone::chunk, std::max(origin, 0)};
  if (!model.whole()) return {Tone::chunk, chunk};
  return {Tone::rank, model.reduces() ? slot : std::max(origin, 0)};
}

Ink stage_cargo_ink(const StageCargo& cargo) {
  if (cargo.empty || cargo.several()) return {Tone::muted};
  return cargo.hue >= 0 ? Ink{Tone::chunk, cargo.hue} : Ink{Tone::rank, cargo.from};
}

Ink stage_text_on(const Ink& fill) {
  if (fill.tone == Tone::muted) return {Tone::page};
  return {fill.tone == Tone::rank ? Tone::on_rank : Tone::on_chunk, fill.index};
}

bool stage_needs_outline(const Ink& ink) {
  static const Theme kLight(Theme::Kind::light);
  const auto is_light = [](Tone tone, int index) {
    return contrast(kLight.color({tone, index}), kLight.color({Tone::page})) < 3;
  };
  const auto light_ones = [&](Tone tone) {
    std::array<bool, StageModel::kMostRanks> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = is_light(tone, static_cast<int>(i));
    return all;
  };
  static const auto kChunks = light_ones(Tone::chunk), kRanks = light_ones(Tone::rank);
  const auto at = static_cast<std::size_t>(ink.index);
  const bool known = ink.tone == Tone::chunk || ink.tone == Tone::rank;
  if (!known || at >= kChunks.size()) return is_light(ink.tone, ink.index);
  return (ink.tone == Tone::chunk ? kChunks : kRanks)[at];
}

}  // namespace rankscope
