// The look of the application: fonts at all the sizes that are used, colours, spacing.
#pragma once

#include <string_view>
#include <vector>

#include <imgui.h>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/theme.h"
#include "gui/state/model/app_state.h"

namespace rankscope::gui {

/// Colours of the frame around the diagrams.
struct Palette {
  ImU32 window, bar, panel, panel_edge, control, control_hovered, text, muted, accent, on_accent,
      error, warning, good, selection;
};

class Look {
 public:
  /// Rebuilds the fonts of the current ImGui context, whose renderer then needs the new atlas. `scale`:
  /// the user's times the screen's; `few`: with only the letters and sizes of the first picture.
  void build(ThemeKind theme, float scale, bool few = false);
  /// On a projector no text is smaller than kLeastText.
  void for_projector(bool on) noexcept { projector_ = on; }
  bool projector() const noexcept { return projector_; }
  static constexpr double kLeastText = 12;  ///< At scale 1; a projector's scale is at least 1.5.
  /// Changes the colours alone.
  void use(ThemeKind theme);

  ThemeKind kind() const noexcept { return kind_; }
  const Theme& theme() const noexcept { return theme_; }
  const Palette& palette() const noexcept { return palette_; }
  float scale() const noexcept { return scale_; }
  /// Returns the pixels of a length at scale 1.
  float px(double length) const noexcept { return static_cast<float>(length) * scale_; }

  ImU32 color(const Ink& ink) const noexcept;
  ImU32 color(const Ink& ink, const Ink& background, double strength) const noexcept;

  /// A font and the size at which to draw it.
  struct Face {
    ImFont* font = nullptr;
    float size = 0;   ///< Height of a drawn line, in pixels.
    float baked = 0;  ///< Height of a line as rasterised.
    float ascent = 0;
    ImVec2 extent(std::string_view text) const;
    void draw(ImDrawList& list, ImVec2 low, ImU32 color, std::string_view text) const;
  };
  /// Returns the face for `font.size` times `zoom` pixels.
  Face face(const Font& font, double zoom) const;
  Face face(const Font& font) const { return face(font, static_cast<double>(scale_)); }

  /// Returns the size of the font whose lines are 1 high.
  float size_of_height(const ImFont* font) const;
  /// Sets the font of ImGui's own widgets until pop().
  void push(double size, Font::Weight weight = Font::Weight::regular, bool mono = false) const;
  static void pop() { ImGui::PopFont(); }
  /// Returns the size of a text in this font, broken at `wrap` pixels unless that is negative.
  ImVec2 text_size(const std::string& text, double size,
                   Font::Weight weight = Font::Weight::regular, float wrap = -1) const;
  /// Returns the size of letters, 16 to 12, in which the text fits into a line of `width` pixels, if any.
  double size_in_line(const std::string& text, float width,
                      Font::Weight weight = Font::Weight::regular) const;

 private:
  struct Baked {
    Font font;
    ImFont* made = nullptr;
    float height = 0;
  };
  void add_fonts(bool few);
  void apply_style() const;
  ThemeKind kind_ = ThemeKind::dark;
  Theme theme_{Theme::Kind::dark};
  Palette palette_{};
  float scale_ = 1;
  bool projector_ = false;
  std::vector<Baked> baked_;
};

ImU32 to_u32(const Rgba& color) noexcept;
ImU32 with_alpha(ImU32 color, unsigned alpha) noexcept;

}  // namespace rankscope::gui
