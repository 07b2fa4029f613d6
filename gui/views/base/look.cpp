// Loads fonts, computes sizes for the screen's scale, and sets Dear ImGui's style.
#include "gui/views/base/look.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "engine/core/base/ranges.h"
#include "gui/views/base/compat.h"

namespace rankscope::gui {
namespace {

// Characters of our texts beyond Latin: arrows, mathematics (with raised and lowered letters), punctuation.
constexpr std::array<ImWchar, 33> kGlyphs = {
    0x0020, 0x017F, 0x0391, 0x03C9, 0x2010, 0x2027, 0x2030, 0x203A, 0x2070, 0x209C, 0x2190,
    0x2199, 0x21D2, 0x21D4, 0x2211, 0x2212, 0x221A, 0x221A, 0x2308, 0x230B, 0x221E, 0x221E,
    0x2248, 0x2248, 0x2260, 0x2265, 0x25A0, 0x25A1, 0x25B2, 0x25CF, 0x2713, 0x2718, 0};

// The characters that the first picture shows.
constexpr std::array<ImWchar, 13> kFewGlyphs = {0x0020, 0x007E, 0x00B5, 0x00B7, 0x00D7,
                                                0x00D7, 0x2010, 0x2027, 0x2190, 0x2193,
                                                0x2212, 0x2212, 0};

constexpr std::array<ImWchar, 3> kHalfBrackets = {0x2308, 0x230B, 0};

// A change of scale rasterises all sizes, and the large ones are most of the work: there are only
// as many as keep an enlarged picture's letters sharp.
constexpr std::array<double, 6> kTextSizes = {11, 12, 13, 14, 16, 21};
constexpr std::array<Font, 3> kLargeFonts = {{{28, Font::Weight::regular, false},
                                              {28, Font::Weight::bold, false},
                                              {44, Font::Weight::semibold, false}}};
constexpr std::array<double, 3> kMonoSizes = {12, 14, 22};

ImVec4 vec(ImU32 color) { return ImGui::ColorConvertU32ToFloat4(color); }

ImU32 code(std::uint32_t rrggbb, double alpha = 1) { return to_u32(rgb(rrggbb, alpha)); }

Palette palette_of(ThemeKind kind) {
  switch (kind) {
    case ThemeKind::light:
      return {code(0xE9ECF0), code(0xF7F8FA), code(0xFFFFFF), code(0xC9CFD8),      code(0xD8DDE5),
              code(0xC9D0DA), code(0x15181D), code(0x5B626C), code(0x0B63CE),      code(0xFFFFFF),
              code(0xC2181D), code(0x8A5A00), code(0x2A333E), code(0x0B63CE, 0.16)};
    case ThemeKind::contrast:
      return {code(0x000000), code(0x000000), code(0x000000), code(0xFFFFFF),      code(0x1E1E1E),
              code(0x333333), code(0xFFFFFF), code(0xE0E0E0), code(0x7CC4FF),      code(0x000000),
              code(0xFF8A80), code(0xFFD54A), code(0xFFFFFF), code(0x7CC4FF, 0.35)};
    default:
      return {code(0x0F1115), code(0x1A1D22), code(0x15181D), code(0x2B3038),      code(0x262B33),
              code(0x313842), code(0xE8EBEF), code(0x9BA4B0), code(0x4DA3FF),      code(0x0B1118),
              code(0xFF6B6B), code(0xE6B450), code(0xE8EBEF), code(0x4DA3FF, 0.22)};
  }
}

}  // namespace

ImU32 to_u32(const Rgba& c) noexcept {
  const auto channel = [](double v) {
    return static_cast<ImU32>(std::lround(std::clamp(v, 0.0, 1.0) * 255));
  };
  return channel(c.red) << IM_COL32_R_SHIFT | channel(c.green) << IM_COL32_G_SHIFT |
         channel(c.blue) << IM_COL32_B_SHIFT | channel(c.alpha) << IM_COL32_A_SHIFT;
}

ImU32 with_alpha(ImU32 color, unsigned alpha) noexcept {
  return (color & ~IM_COL32_A_MASK) | (static_cast<ImU32>(alpha) << IM_COL32_A_SHIFT);
}

ImVec2 Look::Face::extent(std::string_view text) const {
  return font->CalcTextSizeA(size, 1e6F, 0, text.data(), text.data() + text.size());
}

void Look::Face::draw(ImDrawList& list, ImVec2 low, ImU32 color, std::string_view text) const {
  list.AddText(font, size, low, color, text.data(), text.data() + text.size());
}

ImU32 Look::color(const Ink& ink) const noexcept { return to_u32(theme_.color(ink)); }

ImU32 Look::color(const Ink& ink, const Ink& background, double strength) const noexcept {
  const Rgba a = theme_.color(background), b = theme_.color(ink);
  const auto mix = [&](double x, double y) { return x + (y - x) * strength; };
  return to_u32({mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue), b.alpha});
}

void Look::build(ThemeKind theme, float scale, bool few) {
  scale_ = scale;
  add_fonts(few);
  use(theme);
}

void Look::use(ThemeKind theme) {
  kind_ = theme;
  theme_ = Theme(theme == ThemeKind::light ? Theme::Kind::light : Theme::Kind::dark);
  palette_ = palette_of(theme);
  apply_style();
}

void Look::add_fonts(bool few) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  baked_.clear();
  atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
  const Ruler& ruler = system_ruler();
  const auto add = [&](Font font) {
    font.size = std::round(font.size * static_cast<double>(scale_));
    const auto runs = system_ruler().shape("A", font);
    const auto& file = system_ruler().face_file(runs.front().face);
    const auto height = static_cast<float>(ruler.height(font));
    ImFontConfig config;
    config.FontNo = file.index;
    config.OversampleH = config.OversampleV = 1;
    baked_.push_back({font,
                      atlas.AddFontFromFileTTF(file.path.c_str(), height, &config,
                                               few ? kFewGlyphs.data() : kGlyphs.data()),
                      height});
    if (few) return;
    // Half brackets, in formulas, come from another face if this one lacks them, as in the ruler.
    const auto other = system_ruler().shape("\u2308", font);
    if (other.empty() || other.front().face == runs.front().face) return;
    const auto& lent = system_ruler().face_file(other.front().face);
    config.FontNo = lent.index;
    config.MergeMode = true;
    atlas.AddFontFromFileTTF(lent.path.c_str(), height, &config, kHalfBrackets.data());
  };
  add({14, Font::Weight::regular, false});  // the first is ImGui's default
  for (const double size : kTextSizes) {
    if (size != 14) add({size, Font::Weight::regular, false});
    add({size, Font::Weight::semibold, false});
  }
  for (const double size : {16.0, 21.0}) add({size, Font::Weight::bold, false});
  for (const Font& font : kLargeFonts)
    if (!few || font.weight == Font::Weight::bold) add(font);
  for (const double size : few ? std::span<const double>() : kMonoSizes)
    add({size, Font::Weight::regular, true});
  for (const double size : {12.0, 14.0})
    if (!few) add({size, Font::Weight::semibold, true});
  compat::build_fonts(atlas);
}

Look::Face Look::face(const Font& font, double zoom) const {
  const double least = projector_ ? kLeastText * static_cast<double>(scale_) : 0;
  const double wanted = std::max(font.size * zoom, least);
  // The nearest size, if possible a larger one, which stays sharp when it is reduced.
  const Baked* best = nullptr;
  const auto penalty = [&](const Baked& b) {
    double p = b.font.mono == font.mono ? 0 : 1000;
    p += 50 * std::abs(static_cast<int>(b.font.weight) - static_cast<int>(font.weight));
    return p + (b.font.size + 0.01 < wanted ? 4 * (wanted - b.font.size) : b.font.size - wanted);
  };
  for (const Baked& b : baked_)
    if (best == nullptr || penalty(b) < penalty(*best)) best = &b;
  Face face;
  if (best == nullptr) return face;
  face.font = best->made;
  face.baked = best->height;
  face.size = best->height * static_cast<float>(wanted / best->font.size);
  face.ascent = compat::ascent(face.font, face.size, face.baked);
  return face;
}

float Look::size_of_height(const ImFont* font) const {
  const auto found = ranges::find(baked_, font, &Baked::made);
  const Baked& baked = found == baked_.end() ? baked_.front() : *found;
  return static_cast<float>(baked.font.size) / baked.height;
}

void Look::push(double size, Font::Weight weight, bool mono) const {
  const Face face = this->face({size, weight, mono});
  compat::push_font(face.font, face.baked);
}

ImVec2 Look::text_size(const std::string& text, double size, Font::Weight weight,
                       float wrap) const {
  push(size, weight);
  const ImVec2 taken = ImGui::CalcTextSize(text.c_str(), nullptr, false, wrap);
  pop();
  return taken;
}

double Look::size_in_line(const std::string& text, float width, Font::Weight weight) const {
  double size = 16;
  while (size > 12 && text_size(text, size, weight).x > width) size -= 2;
  return size;
}

void Look::apply_style() const {
  ImGuiStyle style;
  style.WindowPadding = {12, 10};
  style.FramePadding = {8, 5};
  style.ItemSpacing = {8, 7};
  style.ItemInnerSpacing = {6, 4};
  style.ScrollbarSize = 11;
  style.WindowRounding = style.ChildRounding = style.PopupRounding = 8;
  style.FrameRounding = style.GrabRounding = 5;
  style.ScrollbarRounding = 6;
  style.WindowBorderSize = style.ChildBorderSize = 1;
  style.FrameBorderSize = kind_ == ThemeKind::contrast ? 1 : 0;
  style.ScaleAllSizes(scale_);
  const Palette& p = palette_;
  const auto set = [&](ImGuiCol what, ImU32 color) { style.Colors[what] = vec(color); };
  const ImU32 clear = 0;
  set(ImGuiCol_Text, p.text);
  set(ImGuiCol_TextDisabled, p.muted);
  set(ImGuiCol_WindowBg, p.window);
  set(ImGuiCol_ChildBg, clear);
  set(ImGuiCol_PopupBg, p.bar);
  set(ImGuiCol_Border, p.panel_edge);
  set(ImGuiCol_BorderShadow, clear);
  set(ImGuiCol_MenuBarBg, p.bar);
  set(ImGuiCol_ScrollbarBg, clear);
  set(ImGuiCol_ScrollbarGrab, p.control_hovered);
  set(ImGuiCol_ScrollbarGrabHovered, p.muted);
  set(ImGuiCol_ScrollbarGrabActive, p.muted);
  for (const ImGuiCol what : {ImGuiCol_FrameBg, ImGuiCol_Button}) set(what, p.control);
  for (const ImGuiCol what : {ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive,
                              ImGuiCol_ButtonHovered, ImGuiCol_HeaderHovered})
    set(what, p.control_hovered);
  for (const ImGuiCol what :
       {ImGuiCol_Header, ImGuiCol_HeaderActive, ImGuiCol_TextSelectedBg, ImGuiCol_ButtonActive})
    set(what, p.selection);
  for (const ImGuiCol what : {ImGuiCol_CheckMark, ImGuiCol_SliderGrab, ImGuiCol_SliderGrabActive,
                              compat::kFocusColor, ImGuiCol_PlotHistogram})
    set(what, p.accent);
  set(ImGuiCol_Separator, p.panel_edge);
  set(ImGuiCol_TableHeaderBg, p.bar);
  set(ImGuiCol_TableBorderStrong, p.panel_edge);
  set(ImGuiCol_TableBorderLight, p.panel_edge);
  set(ImGuiCol_TableRowBg, clear);
  set(ImGuiCol_TableRowBgAlt, clear);
  set(ImGuiCol_ModalWindowDimBg, code(0x000000, 0.55));
  set(ImGuiCol_TitleBg, p.bar);
  set(ImGuiCol_TitleBgActive, p.bar);
  ImGui::GetStyle() = style;
}

}  // namespace rankscope::gui
