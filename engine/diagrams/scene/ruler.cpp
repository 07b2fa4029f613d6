// Measures and shortens text, with fixed widths where no fonts are available.
#include "engine/diagrams/scene/ruler.h"

#include <algorithm>

#include "engine/core/base/ranges.h"

namespace rankscope {

Box Ruler::extent(std::string_view text, const Font& font, Point origin, Anchor anchor) const {
  const double wide = width(text, font);
  const double left = anchor == Anchor::start    ? origin.x
                      : anchor == Anchor::middle ? origin.x - wide / 2
                                                 : origin.x - wide;
  return {left, origin.y - ascent(font), wide, height(font)};
}

std::string fitted_text(std::string_view text, double limit, const TextWidth& width) {
  std::string cut(text);
  if (width(cut) <= limit) return cut;
  while (!cut.empty()) {
    while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0) == 0x80) cut.pop_back();
    if (!cut.empty()) cut.pop_back();
    while (!cut.empty() && cut.back() == ' ') cut.pop_back();
    if (!cut.empty() && width(cut + "…") <= limit) return cut + "…";
  }
  return {};
}

std::string fitted_parts(std::string_view text, double limit, const TextWidth& width) {
  for (auto end = text.size(); end != std::string_view::npos && end > 0;
       end = text.rfind(" · ", end - 1))
    if (std::string part(text.substr(0, end)); width(part) <= limit) return part;
  return fitted_text(text.substr(0, text.find(" · ")), limit, width);
}

std::string fitted_phase(std::string_view name, double limit, const TextWidth& width) {
  if (width(name) <= limit) return std::string(name);
  if (const auto inner = name.rfind(" / "); inner != std::string_view::npos) {
    const auto outer = name.find(" / ");
    name = name.size() - inner - 3 > outer ? name.substr(inner + 3) : name.substr(0, outer);
  }
  for (const auto end :
       {name.size(), std::min(name.find(" to "), name.find(" from ")), name.find(':')})
    if (end <= name.size())
      if (std::string part(name.substr(0, end)); width(part) <= limit) return part;
  return fitted_text(name, limit, width);
}

TextWidth Ruler::measure(const Font& font) const {
  return [this, font](std::string_view words) { return width(words, font); };
}

std::string Ruler::fitted(std::string_view text, const Font& font, double limit) const {
  return fitted_text(text, limit, measure(font));
}

double PlainRuler::width(std::string_view text, const Font& font) const {
  const auto characters =
      ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return static_cast<double>(characters) * font.size * (font.mono ? 0.6 : 0.55);
}

std::string_view css_families(bool mono) noexcept {
  return mono ? "'JetBrains Mono','DejaVu Sans Mono',monospace" : "Inter,'DejaVu Sans',sans-serif";
}

}  // namespace rankscope
