// Scenes on Cairo: PDF, PNG, and frames of an animation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/diagrams/scene/scene.h"
#include "engine/diagrams/scene/theme.h"

namespace rankscope {

/// False in a build without Cairo (RANKSCOPE_CAIRO=OFF): then all of these throw UserError.
bool has_cairo() noexcept;

struct Pixels {
  int width = 0, height = 0;
  std::vector<std::uint32_t> argb;  ///< Row by row, opaque: 0xFFRRGGBB.
};

/// Things that begin after the moment `now` of the scene's clock are faded; negative: none are.
/// Throws UserError for an image of more than 200 million pixels.
Pixels to_pixels(const Scene& scene, const Theme& theme, double scale, double now = -1);
/// A PNG file's bytes; at 96 dpi a pixel is a unit of the scene.
std::string to_png(const Scene& scene, const Theme& theme, double dpi, double now = -1);
/// Pixels as a PNG file's bytes.
std::string to_png(const Pixels& pixels);
/// A PDF file's bytes, a page for each scene; fonts are embedded and the text is text. A page's note is
/// for whoever presents it (paint/pdf_notes.h).
std::string to_pdf(const std::vector<const Scene*>& pages, const Theme& theme,
                   const std::vector<std::string>& notes = {});
inline std::string to_pdf(std::span<const Scene> pages, const Theme& theme) {
  std::vector<const Scene*> all;
  for (const Scene& page : pages) all.push_back(&page);
  return to_pdf(all, theme);
}

}  // namespace rankscope
