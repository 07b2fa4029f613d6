// The colours of what the stage's cards and chips hold.
#include <algorithm>

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

}  // namespace rankscope
