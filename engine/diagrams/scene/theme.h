// Colours of scenes: what a tone looks like on a screen, on a dark one, and in print.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/diagrams/scene/scene.h"

namespace rankscope {

struct Rgba {
  double red = 0, green = 0, blue = 0, alpha = 1;  ///< 0 to 1, sRGB.
  bool operator==(const Rgba&) const = default;
};

/// Returns "#RRGGBB", without alpha.
std::string hex(const Rgba& color);
/// From 0xRRGGBB.
constexpr Rgba rgb(std::uint32_t code, double alpha = 1) noexcept {
  return {static_cast<double>((code >> 16) & 255) / 255,
          static_cast<double>((code >> 8) & 255) / 255, static_cast<double>(code & 255) / 255,
          alpha};
}
/// WCAG 2.1: (L1 + 0.05) / (L2 + 0.05), from 1 to 21.
double contrast(const Rgba& a, const Rgba& b) noexcept;

class Theme {
 public:
  enum class Kind : std::uint8_t { light, dark, print };
  explicit Theme(Kind kind) noexcept : kind_(kind) {}
  Kind kind() const noexcept { return kind_; }
  /// Chunk palette: Okabe and Ito 2008, with a violet in place of black; lines of plots: Tol's bright scheme. Beyond
  /// eight (seven) the same hues in other lightness: labels carry the number.
  Rgba color(const Ink& ink) const noexcept;
  /// Returns the opacity of what is still to come.
  double future() const noexcept { return 0.25; }
  /// Returns a text's colour on what is pale, because it is still to come or not chosen. It stays legible, also on a
  /// pale pill, where its usual colour would not be.
  Rgba pale_text(const Ink& usual) const noexcept;

 private:
  Kind kind_;
};

/// Takes "light", "dark" or "print". Throws UserError for others.
Theme theme_named(std::string_view name);
std::string_view to_string(Theme::Kind kind) noexcept;

}  // namespace rankscope
