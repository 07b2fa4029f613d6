// What tests ask of scenes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "engine/diagrams/paint/cairo_painter.h"
#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/scene/scene.h"
#include "engine/diagrams/scene/theme.h"
#include "engine/diagrams/stage/stage.h"
#include "tests/support/catch.h"

namespace rankscope::test {

inline const PlainRuler kRuler;

/// One of its texts has these words.
inline bool says(const Scene& scene, std::string_view words) {
  return std::ranges::any_of(scene.marks, [&](const Mark& mark) {
    return mark.kind == Mark::Kind::text && mark.text.find(words) != std::string::npos;
  });
}

/// No text lies on another, and nothing outside of the page.
inline void check_readable(const Scene& scene) {
  INFO(scene.title << ": " << scene.description);
  std::string overlaps, outside;
  for (const auto& [first, second] : overlapping_texts(scene))
    overlaps +=
        fmt::format("\"{}\" and \"{}\"\n", scene.marks[first].text, scene.marks[second].text);
  for (const auto mark : outside_page(scene))
    outside += fmt::format("mark {} \"{}\"\n", mark, scene.marks[mark].text);
  CHECK(overlaps == "");
  CHECK(outside == "");
}

inline double smallest_text(const Scene& scene) {
  double smallest = 100;
  for (const Mark& mark : scene.marks)
    if (mark.kind == Mark::Kind::text && !mark.text.empty())
      smallest = std::min(smallest, mark.font.size);
  return smallest;
}

inline Rgba painted_over(const Rgba& above, const Rgba& below) {
  const auto mix = [&](double a, double b) { return b + (a - b) * above.alpha; };
  return {mix(above.red, below.red), mix(above.green, below.green), mix(above.blue, below.blue), 1};
}

/// Texts whose contrast is below 4.5 against what their letters lie on, at the middle or near an end; a line each.
inline std::string hard_to_read(const Scene& scene, const Theme& theme) {
  std::string found;
  for (std::size_t i = 0; i < scene.marks.size(); ++i) {
    const Mark& text = scene.marks[i];
    if (text.kind != Mark::Kind::text || text.text.empty()) continue;
    for (const double share : {0.1, 0.5, 0.9}) {
      const Point at{text.box.x + text.box.width * share, text.box.center().y};
      Rgba behind = theme.color({Tone::page});
      for (std::size_t k = 0; k < i; ++k)
        if (scene.marks[k].kind == Mark::Kind::box && scene.marks[k].fill &&
            scene.marks[k].box.contains(at))
          behind = painted_over(theme.color(*scene.marks[k].fill), behind);
      const double ratio = contrast(painted_over(theme.color(*text.fill), behind), behind);
      if (ratio >= 4.5) continue;
      found += fmt::format("\"{}\" has {:.2f} in {}\n", text.text, ratio, to_string(theme.kind()));
      break;
    }
  }
  return found;
}

/// Marks in the colour of a chunk, of a whole vector, of a line of a plot or of a fault, neither pale nor text, that stand out by less than 3 from what
/// is behind them, by their fill and by their outline; a line each.
inline std::string hard_to_see(const Scene& scene, const Theme& theme) {
  std::string found;
  const auto hued = [](Tone tone) {
    return tone == Tone::chunk || tone == Tone::chunk_edge || tone == Tone::whole ||
           tone == Tone::series || tone == Tone::error;
  };
  const auto ground = [](Tone tone) {
    return tone == Tone::page || tone == Tone::panel || tone == Tone::lane || tone == Tone::frame ||
           tone == Tone::phase;
  };
  for (std::size_t i = 0; i < scene.marks.size(); ++i) {
    const Mark& mark = scene.marks[i];
    const auto& ink = mark.kind == Mark::Kind::box && mark.fill ? mark.fill : mark.stroke;
    if (mark.kind == Mark::Kind::text || !ink || ink->alpha < 0.9F || !hued(ink->tone)) continue;
    const Point at = mark.kind == Mark::Kind::path && mark.points.size() >= 4
                         ? bezier(mark.points, 0.5)
                         : mark.box.center();
    Rgba behind = theme.color({Tone::page});
    for (std::size_t k = 0; k < i; ++k) {
      const Mark& one = scene.marks[k];
      // What it is drawn on: not a neighbour that it continues, nor what it crosses on its way, whose outline parts them.
      if (one.kind == Mark::Kind::box && one.fill && ground(one.fill->tone) &&
          one.box.contains(at) &&
          one.box.width * one.box.height > 1.5 * mark.box.width * mark.box.height)
        behind = painted_over(theme.color(*one.fill), behind);
    }
    double ratio = 0;
    for (const auto& part : {mark.fill, mark.stroke})
      if (part) ratio = std::max(ratio, contrast(painted_over(theme.color(*part), behind), behind));
    if (ratio < 3)
      found += fmt::format("mark {} of {} {} has {:.2f} in {}\n", i, to_string(ink->tone),
                           ink->index, ratio, to_string(theme.kind()));
  }
  return found;
}

/// Partners are coming near each other: cards pass over cards, and nothing else moves.
inline bool is_meeting(const Stage& stage, double moment, int world) {
  const double settled = std::floor(moment) + StageTimes::met;
  for (Rank rank = 0; rank < world && moment > std::floor(moment); ++rank)
    if (moment < settled && stage.card(rank, moment) != stage.card(rank, settled)) return true;
  return false;
}

/// RANKSCOPE_LOOK=folder test_diagrams '[look]': pictures of the tests' scenes, for people.
inline void look(const Scene& scene, const std::string& name, Theme::Kind theme) {
  if (const char* folder = std::getenv("RANKSCOPE_LOOK"))
    std::ofstream(fmt::format("{}/{}.png", folder, name), std::ios::binary)
        << to_png(scene, Theme(theme), 96);
}

}  // namespace rankscope::test
