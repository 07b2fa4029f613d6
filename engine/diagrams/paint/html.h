// A flipbook as one HTML file that plays it: no network, no libraries, nothing beside it.
#pragma once

#include <string>

#include "engine/diagrams/moving/flipbook.h"
#include "engine/diagrams/scene/theme.h"

namespace rankscope {

struct HtmlOptions {
  /// Which colours it opens with; without any, those that the reader's system asks for.
  std::string theme;  ///< "", "light" or "dark".
  std::string language = "en";
};

/// The whole file (UTF-8). At rest it shows what a picture of the same scenes shows; without
/// JavaScript it stays so.
std::string to_html(const Flipbook& book, const HtmlOptions& options = {});

}  // namespace rankscope
