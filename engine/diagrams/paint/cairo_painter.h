// Scenes on Cairo: PDF, PNG, and frames of an animation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/diagrams/scene/scene.h"
#include "engine/diagrams/scene/theme.h"

namespace rankscope {

/// Returns false in a build without Cairo (RANKSCOPE_CAIRO=OFF), where all of the functions below throw UserError.
bool has_cairo() noexcept;

struct Pixels {
  int width = 0, height = 0;
  std::vector<std::uint32_t> argb;  ///< Row by row, opaque: 0xFFRRGGBB.
};

/// Draws a scene. What begins after the moment `now` of the scene's clock is faded; nothing is if `now` is negative.
/// Throws UserError for an image of more than 200 million pixels.
Pixels to_pixels(const Scene& scene, const Theme& theme, double scale, double now = -1);
/// Returns a PNG file's bytes; at 96 dpi, one pixel is one unit of the scene.
std::string to_png(const Scene& scene, const Theme& theme, double dpi, double now = -1);
std::string to_png(const Pixels& pixels);
/// Returns a PDF file's bytes, one page per scene; fonts are embedded and the text can be selected. `notes`, one per page, are
/// for the presenter: PDF readers hide them, presenter programs show them.
std::string to_pdf(const std::vector<const Scene*>& pages, const Theme& theme,
                   const std::vector<std::string>& notes = {});
inline std::string to_pdf(std::span<const Scene> pages, const Theme& theme) {
  std::vector<const Scene*> all;
  for (const Scene& page : pages) all.push_back(&page);
  return to_pdf(all, theme);
}

}  // namespace rankscope
