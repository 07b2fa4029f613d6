// The colour palettes of the themes, with contrasting text colours and heat scales.
#include "engine/diagrams/scene/theme.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

using Kind = Theme::Kind;

// Okabe and Ito, "Color Universal Design" (2008); Tol, "Colour schemes" (2021), bright.
constexpr std::array<std::uint32_t, 8> kChunks = {0x0072B2, 0xE69F00, 0x009E73, 0xCC79A7,
                                                  0x56B4E9, 0xD55E00, 0xF0E442, 0x9A7BE0};
constexpr std::array<std::uint32_t, 7> kSeries = {0x4477AA, 0xEE6677, 0x228833, 0xCCBB44,
                                                  0x66CCEE, 0xAA3377, 0xBBBBBB};
constexpr std::array<std::uint32_t, 2> kPhasesLight = {0xDCE2E9, 0xE9EDF1},
                                       kPhasesDark = {0x2A333E, 0x20262E};

double linear(double channel) noexcept {
  return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const Rgba& c) noexcept {
  return 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
}

Rgba mixed(const Rgba& a, const Rgba& b, double share_of_b) noexcept {
  const auto mix = [&](double x, double y) { return x + (y - x) * share_of_b; };
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue), mix(a.alpha, b.alpha)};
}

constexpr Rgba kWhite = rgb(0xFFFFFF), kBlack = rgb(0x000000);

// The n-th time round the palette is lighter, then darker, then lighter still ...
template <std::size_t N>
Rgba from_palette(const std::array<std::uint32_t, N>& palette, int index) noexcept {
  const auto at = static_cast<std::size_t>(std::max(index, 0));
  const Rgba hue = rgb(palette[at % N]);
  const auto round = static_cast<int>(at / N);
  if (round == 0) return hue;
  const double amount = std::min(0.25 + 0.15 * ((round - 1) / 2), 0.7);
  return mixed(hue, round % 2 == 1 ? kWhite : kBlack, amount);
}

Rgba text_on(const Rgba& background) noexcept {
  const Rgba dark = rgb(0x111417);
  const Rgba best = contrast(kWhite, background) >= contrast(dark, background) ? kWhite : dark;
  // On a middle tone only black has enough.
  return contrast(best, background) < 4.5 ? kBlack : best;
}

// From almost nothing to strong, without a hue: it prints in grey.
Rgba heat(Kind kind, int percent) noexcept {
  const double share = std::clamp(percent, 0, 100) / 100.0;
  const bool dark = kind == Kind::dark;
  return mixed(rgb(dark ? 0x1C232B : 0xF2F5F8), rgb(dark ? 0xC3CCD7 : 0x2F3947), std::sqrt(share));
}

// From dim to bright; all of it stands out from the page.
Rgba load(Kind kind, int percent) noexcept {
  const double share = std::pow(std::clamp(percent, 0, 100) / 100.0, 0.8);
  const bool dark = kind == Kind::dark;
  return mixed(rgb(dark ? 0x5F6B79 : 0x8C97A5), rgb(dark ? 0xE8EDF3 : 0x1F2833), share);
}

struct Plain {
  std::uint32_t light, dark, print;
};

Plain plain(Tone tone) noexcept {
  switch (tone) {
    case Tone::page: return {0xFFFFFF, 0x15181D, 0xFFFFFF};
    case Tone::panel: return {0xF5F6F8, 0x1C2026, 0xF7F7F7};
    case Tone::frame: return {0xD5D9DF, 0x343A43, 0xC8C8C8};
    case Tone::lane: return {0xE3E5E8, 0x2B3038, 0xE2E2E2};
    case Tone::grid: return {0xB9BEC6, 0x4A515C, 0xB5B5B5};
    case Tone::text: return {0x15181D, 0xE8EBEF, 0x000000};
    case Tone::muted: return {0x5B626C, 0x9BA4B0, 0x4A4A4A};
    case Tone::accent: return {0x0B63CE, 0x4DA3FF, 0x0B63CE};
    case Tone::error: return {0xC2181D, 0xFF6B6B, 0xB00010};
    case Tone::good: return {0x2A333E, 0xE8EBEF, 0x1A1A1A};
    case Tone::blocked: return {0xB4BAC3, 0x59616D, 0xB0B0B0};
    case Tone::computing: return {0x8A95A3, 0x76828F, 0x8A8A8A};
    case Tone::reducing: return {0x2F3947, 0xDCE2E9, 0x2A2A2A};
    case Tone::rank: return {0xE4E8ED, 0x2B333E, 0xE8E8E8};
    case Tone::rank_edge: return {0xAEB7C2, 0x56616F, 0xA8A8A8};
    case Tone::whole: return {0x56616E, 0xC3CCD7, 0x555555};
    case Tone::on_whole: return {0xFFFFFF, 0x15181D, 0xFFFFFF};
    default: return {0x6E7680, 0x8D96A2, 0x6A6A6A};  // copying
  }
}

Rgba plain_color(Tone tone, Kind kind) noexcept {
  const Plain p = plain(tone);
  return rgb(kind == Kind::dark ? p.dark : kind == Kind::print ? p.print : p.light);
}

// WCAG 2.1, 1.4.11: graphical objects need 3:1.
constexpr double kLeastOfMarks = 3.05;

// Returns the hue, darkened or lightened just enough to be visible on all backgrounds.
Rgba seen_everywhere(const Rgba& hue, Kind kind) noexcept {
  const auto& tints = kind == Kind::dark ? kPhasesDark : kPhasesLight;
  const auto seen = [&](const Rgba& color) {
    return ranges::all_of(
               std::array{Tone::page, Tone::panel, Tone::lane},
               [&](Tone t) { return contrast(color, plain_color(t, kind)) >= kLeastOfMarks; }) &&
           ranges::all_of(tints,
                          [&](auto tint) { return contrast(color, rgb(tint)) >= kLeastOfMarks; });
  };
  constexpr int kSteps = 32;
  Rgba color = hue;
  for (int i = 1; i <= kSteps && !seen(color); ++i)
    color = mixed(hue, kind == Kind::dark ? kWhite : kBlack, static_cast<double>(i) / kSteps);
  return color;
}

// Worked out once for as many as a picture is likely to have.
Rgba edge(Kind kind, int index) noexcept {
  static const auto kEdges = [] {
    std::array<std::array<Rgba, 64>, 3> edges;
    for (const Kind each : {Kind::light, Kind::dark, Kind::print})
      for (int i = 0; i < 64; ++i)
        edges.at(static_cast<std::size_t>(each)).at(static_cast<std::size_t>(i)) =
            seen_everywhere(from_palette(kChunks, i), each);
    return edges;
  }();
  const auto& edges = kEdges.at(static_cast<std::size_t>(kind));
  const auto at = static_cast<std::size_t>(std::max(index, 0));
  return at < edges.size() ? edges[at] : seen_everywhere(from_palette(kChunks, index), kind);
}

}  // namespace

std::string hex(const Rgba& color) {
  const auto channel = [](double c) {
    return static_cast<int>(std::lround(std::clamp(c, 0.0, 1.0) * 255));
  };
  return fmt::format("#{:02X}{:02X}{:02X}", channel(color.red), channel(color.green),
                     channel(color.blue));
}

double contrast(const Rgba& a, const Rgba& b) noexcept {
  const double la = luminance(a), lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

Rgba Theme::color(const Ink& ink) const noexcept {
  const auto index = static_cast<std::size_t>(std::max(ink.index, 0));
  const auto opaque = [&]() -> Rgba {
    switch (ink.tone) {
      case Tone::chunk: return from_palette(kChunks, ink.index);
      case Tone::on_chunk: return text_on(from_palette(kChunks, ink.index));
      case Tone::phase:
        return rgb(kind_ == Kind::dark ? kPhasesDark[index % kPhasesDark.size()]
                                       : kPhasesLight[index % kPhasesLight.size()]);
      case Tone::heat: return heat(kind_, ink.index);
      case Tone::load: return load(kind_, ink.index);
      case Tone::on_heat: return text_on(heat(kind_, ink.index));
      case Tone::chunk_edge: return edge(kind_, ink.index);
      case Tone::series: return seen_everywhere(from_palette(kSeries, ink.index), kind_);
      default: return plain_color(ink.tone, kind_);
    }
  };
  Rgba color = opaque();
  color.alpha = static_cast<double>(ink.alpha);
  return color;
}

Rgba Theme::pale_text(const Ink& usual) const noexcept {
  constexpr double kOnPill = 0.9, kOnPage = 0.75;
  const Rgba page = color({Tone::page});
  switch (usual.tone) {
    case Tone::muted:
    case Tone::accent:
    case Tone::error:
    case Tone::good: return color(usual);
    case Tone::text: return mixed(page, color(usual), kOnPage);
    default: return mixed(page, color({Tone::text}), kOnPill);
  }
}

Theme theme_named(std::string_view name) {
  for (const Kind kind : {Kind::light, Kind::dark, Kind::print})
    if (name == to_string(kind)) return Theme(kind);
  throw UserError(fmt::format("there is no theme \"{}\": use light, dark or print", name));
}

std::string_view to_string(Theme::Kind kind) noexcept {
  return kind == Kind::light ? "light" : kind == Kind::dark ? "dark" : "print";
}

}  // namespace rankscope
