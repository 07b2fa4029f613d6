// Scenes as SVG: real text, so that it can be searched, edited and read aloud.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "engine/diagrams/scene/scene.h"
#include "engine/diagrams/scene/theme.h"

namespace rankscope {

struct SvgOptions {
  /// Only the <svg> element, without the XML declaration: for HTML.
  bool fragment = false;
  /// Groups become <g data-id="..."> with their story as <title>.
  bool groups = true;
};

/// The colours and fonts that were used, as classes of a style sheet, so that a page can change its theme: css() returns
/// the rules, whose colours are variables, and css_colors() the variables' values.
class SvgClasses {
 public:
  /// "f-chunk-2" for a fill, "s-chunk-2" for a stroke.
  std::string of(const Ink& ink, bool stroke);
  std::string of(const Font& font, Anchor anchor);
  std::string css() const;
  /// "--chunk-2:#E69F00;..." for the colours that were used, in the order of their names.
  std::string css_colors(const Theme& theme) const;

 private:
  std::map<std::string, std::string> rules_;  ///< Class -> declarations.
  std::map<std::string, Ink> colors_;         ///< Variable -> its colour.
};

/// A whole SVG document (UTF-8).
std::string to_svg(const Scene& scene, const Theme& theme, const SvgOptions& options = {});

/// One mark for a page whose style sheet has the classes.
std::string svg_mark(const Mark& mark, SvgClasses& classes);
/// The two parts of an arrow; many arrows share a head.
std::string svg_shaft(const Mark& arrow, SvgClasses& classes);
std::string svg_head(const Mark& arrow, SvgClasses& classes);
/// The pattern that hatched marks refer to; `line` is its colour, as CSS.
std::string svg_defs(std::string_view line);
/// Two decimals, without trailing zeros: "12.5", "-3".
std::string svg_number(double value);

/// Escapes &, <, > and ", and replaces the characters that XML forbids.
std::string xml_escaped(std::string_view text);

}  // namespace rankscope
