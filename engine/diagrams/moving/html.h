// A flipbook as one HTML file that plays it: no network, no libraries, nothing beside it.
#pragma once

#include <string>
#include <string_view>

#include "engine/diagrams/moving/flipbook.h"

namespace rankscope {

/// Returns the file (UTF-8). At rest, and without JavaScript, it shows what a picture of the scenes shows. It opens
/// with the `theme` "light" or "dark"; if empty, with that of the reader's system.
std::string to_html(const Flipbook& book, std::string_view theme = {});

}  // namespace rankscope
