// Scenes as SVG: real text, so that it can be searched, edited and read aloud.
#pragma once

#include <string>
#include <string_view>

#include "engine/diagrams/scene.h"
#include "engine/diagrams/theme.h"

namespace rankscope {

struct SvgOptions {
  /// Things that begin after this moment of the scene's clock are faded; negative: none are.
  double now = -1;
  /// Only the <svg> element, without the XML declaration: for HTML.
  bool fragment = false;
  /// Groups become <g id="..."> with their story as <title>.
  bool groups = true;
};

/// A whole SVG document (UTF-8).
std::string to_svg(const Scene& scene, const Theme& theme, const SvgOptions& options = {});

/// The marks [first, last) of a scene, without the document around them.
std::string svg_marks(const Scene& scene, const Theme& theme, std::size_t first, std::size_t last);
/// Patterns that hatched marks of svg_marks() refer to.
std::string svg_defs(const Theme& theme);

/// &, <, >, " and characters that XML forbids.
std::string xml_escaped(std::string_view text);

}  // namespace rankscope
