// What stands beside arrows and below a time-vs-rank diagram: labels, figures, the keys of the legend.
#pragma once

#include <string>
#include <vector>

#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/spacetime/spacetime_model.h"

namespace rankscope {

/// What an arrow's label may say; the first that fits is taken.
std::vector<std::string> label_texts(const SpacetimeModel::Arrow& arrow,
                                     SpacetimeOptions::Labels labels);

/// Within this width: of "trial / allgather" the inner one, which says more than the beginning of both.
std::string phase_label(const std::string& name, const Font& font, double width,
                        const Ruler& ruler);

/// Whatever went wrong comes first, since a small page cuts the end.
std::string spacetime_caption(const SpacetimeModel& model, bool rounds, int labels_left_out);

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
