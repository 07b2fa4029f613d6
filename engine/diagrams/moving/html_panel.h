// A panel of a flipbook as SVG for the HTML player.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "engine/diagrams/moving/flipbook.h"
#include "engine/diagrams/paint/svg.h"

namespace rankscope {

/// Returns an <svg> element with all that the panel ever shows. In a panel that changes, a mark that several moments
/// share is written once; what not every moment shows stands in <g data-at="0-2 5">, with class "on" if the last one
/// does. Groups are <g data-id="...">; in a timed panel, with data-t="begin end", for a message also "leaves arrives",
/// and their story.
/// `prefix` makes ids unique on the page.
std::string panel_svg(const Flipbook::Panel& panel, SvgClasses& classes,
                      std::string_view prefix = "u");

/// Returns the stories of a changing panel's groups: {"cell-2-3": [[0, "..."], [2, "..."]]}, each from that moment on.
nlohmann::json panel_stories(const Flipbook::Panel& panel);

}  // namespace rankscope
