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
                                                  0x56B4E9, 0xD55E00, 0xF0E442, 0x999999};
constexpr std::array<std::uint32_t, 7> kRanks = {0x4477AA, 0xEE6677, 0x228833, 0xCCBB44,
                                                 0x66CCEE, 0xAA3377, 0xBBBBBB};
// Tints of phases: light and dark.
constexpr std::array<std::uint32_t, 6> kPhasesLight = {0xD0E4F0, 0xD3EDE4, 0xF8E7C4,
                                                       0xF1DDE8, 0xE3E3F4, 0xF8DCCB};
constexpr std::array<std::uint32_t, 6> kPhasesDark = {0x17314A, 0x15392F, 0x43350F,
                                                      0x3F2636, 0x2B2B4D, 0x47281A};

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

// A single hue from almost nothing to strong, so that it prints in grey.
Rgba heat(Kind kind, int percent) noexcept {
  const double share = std::clamp(percent, 0, 100) / 100.0;
  const bool dark = kind == Kind::dark;
  return mixed(rgb(dark ? 0x1C232B : 0xF2F5F8), rgb(dark ? 0x4DA3FF : 0x08519C), std::sqrt(share));
}

// From a blue to an orange of another lightness, so that who sees no red or green, and grey print, tell them apart; all of
// it stands out from the page, as the blue of selections stands out from it.
Rgba load(Kind kind, int percent) noexcept {
  const double share = std::clamp(percent, 0, 100) / 100.0;
  const bool dark = kind == Kind::dark;
  return mixed(rgb(dark ? 0x54749E : 0x7E93B2), rgb(dark ? 0xFFC04D : 0x8C3800), share);
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
    case Tone::good: return {0x1B7A3D, 0x5BD38A, 0x1B6A35};
    case Tone::blocked: return {0xB4BAC3, 0x59616D, 0xB0B0B0};
    case Tone::computing: return {0x8A6FB8, 0xA48AD6, 0x7C63A8};
    case Tone::reducing: return {0xC25200, 0xE57722, 0xB84E00};
    default: return {0x6E7680, 0x8D96A2, 0x6A6A6A};  // copying
  }
}

Rgba plain_color(Tone tone, Kind kind) noexcept {
  const Plain p = plain(tone);
  return rgb(kind == Kind::dark ? p.dark : kind == Kind::print ? p.print : p.light);
}

// WCAG 2.1, 1.4.11: graphical objects need 3:1.
constexpr double kLeastOfMarks = 3.05;

// The hue, darker on light backgrounds and lighter on dark ones, by as little as makes it seen on all of them.
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
template <std::size_t N>
std::array<std::array<Rgba, 64>, 3> edges_of(const std::array<std::uint32_t, N>& palette) noexcept {
  std::array<std::array<Rgba, 64>, 3> edges;
  for (const Kind kind : {Kind::light, Kind::dark, Kind::print})
    for (int i = 0; i < 64; ++i)
      edges.at(static_cast<std::size_t>(kind)).at(static_cast<std::size_t>(i)) =
          seen_everywhere(from_palette(palette, i), kind);
  return edges;
}

Rgba edge(Tone tone, Kind kind, std::size_t index) noexcept {
  static const auto kChunkEdges = edges_of(kChunks), kRankEdges = edges_of(kRanks);
  const auto& edges =
      (tone == Tone::chunk_edge ? kChunkEdges : kRankEdges).at(static_cast<std::size_t>(kind));
  if (index < edges.size()) return edges[index];
  const auto number = static_cast<int>(index);
  return seen_everywhere(
      tone == Tone::chunk_edge ? from_palette(kChunks, number) : from_palette(kRanks, number),
      kind);
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
      case Tone::rank: return from_palette(kRanks, ink.index);
      case Tone::on_rank: return text_on(from_palette(kRanks, ink.index));
      case Tone::phase:
        return rgb(kind_ == Kind::dark ? kPhasesDark[index % kPhasesDark.size()]
                                       : kPhasesLight[index % kPhasesLight.size()]);
      case Tone::on_phase: return color({Tone::text});
      case Tone::heat: return heat(kind_, ink.index);
      case Tone::load: return load(kind_, ink.index);
      case Tone::on_heat: return text_on(heat(kind_, ink.index));
      case Tone::chunk_edge:
      case Tone::rank_edge: return edge(ink.tone, kind_, index);
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
