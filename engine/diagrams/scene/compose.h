// Scenes made of scenes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

/// Adds a scene's marks and groups to another, its page's corner at `at`. `prefix` goes before the
/// ids of groups, so that they stay different from those that are there already. The page and the
/// clock grow as needed.
void place(const Scene& part, Point at, Scene& into, std::string_view prefix = {});

/// Gives all the size of the largest.
void make_alike(std::vector<Scene>& scenes) noexcept;

/// Scenes below each other on one page, under the first one's title.
Scene stacked(const std::vector<Scene>& scenes);

void shift(Mark& mark, Point by) noexcept;

/// Fits the page to the marks, with a margin; they may lie anywhere before.
void trim(Scene& scene, double margin);

/// The texts around a diagram.
struct Caption {
  std::string title;                  ///< Empty: none.
  std::vector<std::string> subtitle;  ///< Lines below it.
  std::vector<std::string> notes;     ///< Lines below the diagram.
};
/// Returns a page with a diagram, whose marks may lie anywhere, and its caption. Long texts are broken at the diagram's
/// width, and cut after a few lines; Scene::title has the whole title.
Scene captioned(Scene body, const Caption& caption, const Ruler& ruler);
/// Returns the diagram alone, for a window that writes the caption itself, in letters that do not shrink.
/// Scene::description has the subtitle and the notes, one per line.
Scene uncaptioned(Scene body, const Caption& caption);

/// Breaks text at spaces into lines of at most `width` pixels (a longer word gets its own line).
std::vector<std::string> wrapped(std::string_view text, const Font& font, double width,
                                 const Ruler& ruler);

}  // namespace rankscope
