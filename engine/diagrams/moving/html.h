// A flipbook as one HTML file that plays it: no network, no libraries, nothing beside it.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "engine/diagrams/moving/flipbook.h"
#include "engine/diagrams/paint/svg.h"

namespace rankscope {

/// Returns the file (UTF-8). At rest, and without JavaScript, it shows what a picture of the scenes shows. It opens
/// with the `theme` "light" or "dark"; if empty, with that of the reader's system.
std::string to_html(const Flipbook& book, std::string_view theme = {});

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
