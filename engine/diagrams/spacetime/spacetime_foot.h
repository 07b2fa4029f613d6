// What stands beside arrows and below a time-vs-rank diagram: labels, figures, the keys of the legend.
#pragma once

#include <string>
#include <vector>

#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/scene/label_placer.h"
#include "engine/diagrams/spacetime/spacetime_model.h"

namespace rankscope {

/// What an arrow's label may say; the first that fits is taken.
std::vector<std::string> label_texts(const SpacetimeModel::Arrow& arrow,
                                     SpacetimeOptions::Labels labels);

/// Of many ranks: what would stand on every arrow, and hide the pattern; empty: they differ, or there are few.
std::string common_label(const SpacetimeModel& model, const std::vector<LabelRequest>& requests);

/// Until when ranks are blocked for ever, or lost; 0: none is.
double forever_until(const SpacetimeModel& model);

/// Whatever went wrong comes first, since a small page cuts the end. `common`: what each message carries.
std::string spacetime_caption(const SpacetimeModel& model, bool rounds, int labels_left_out,
                              const std::string& common);

struct LegendKey {
  enum class Look : std::uint8_t { message, lost, waits, forever, critical, span };
  Look look = Look::message;
  Tone tone = Tone::muted;  ///< Of a span.
  std::string text;
};
/// Only what the diagram has.
std::vector<LegendKey> spacetime_keys(const SpacetimeModel& model, bool rounds);
/// The sample of a key, 32 `scale` pixels wide, on this baseline.
void paint_key(Drawing& drawing, const LegendKey& key, Point at, double scale);

}  // namespace rankscope
