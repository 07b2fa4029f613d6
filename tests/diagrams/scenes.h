// What tests ask of scenes.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "engine/diagrams/paint/cairo_painter.h"
#include "engine/diagrams/scene/scene.h"
#include "engine/diagrams/scene/theme.h"
#include "tests/support/catch.h"

namespace rankscope::test {

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

/// RANKSCOPE_LOOK=folder test_diagrams '[look]': pictures of the tests' scenes, for people.
inline void look(const Scene& scene, const std::string& name, Theme::Kind theme) {
  if (const char* folder = std::getenv("RANKSCOPE_LOOK"))
    std::ofstream(fmt::format("{}/{}.png", folder, name), std::ios::binary)
        << to_png(scene, Theme(theme), 96);
}

}  // namespace rankscope::test
