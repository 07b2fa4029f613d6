// A flipbook as one HTML file that plays it: no network, no libraries, nothing beside it.
#pragma once

#include <string>
#include <string_view>

#include "engine/diagrams/moving/flipbook.h"

namespace rankscope {

/// The whole file (UTF-8). At rest it shows what a picture of the same scenes shows; without
/// JavaScript it stays so. `theme`: the colours that it opens with ("light" or "dark"); empty: those that the
/// reader's system asks for.
std::string to_html(const Flipbook& book, std::string_view theme = {});

}  // namespace rankscope
