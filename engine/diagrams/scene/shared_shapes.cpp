// Replaces repeated SVG shapes by <use> elements.
#include "engine/diagrams/scene/shared_shapes.h"

#include <fmt/format.h>

#include "engine/diagrams/paint/svg.h"

namespace rankscope {
namespace {

constexpr std::size_t kDefinition = 20, kUse = 34;  // bytes around a shape, and instead of it

std::string short_number(std::size_t number) {
  static constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string text;
  do text.insert(text.begin(), kDigits[number % kDigits.size()]);
  while ((number /= kDigits.size()) > 0);
  return text;
}

}  // namespace

std::string SharedShapes::use(const std::string& shape, Point at) {
  auto& known = shapes_[shape];
  if (known.times * shape.size() <= shape.size() + kDefinition + known.times * kUse) return {};
  if (known.id.empty()) {
    known.id = prefix_ + short_number(defined_++);
    definitions_ += fmt::format("<g id=\"{}\">{}</g>", known.id, shape);
  }
  std::string text = fmt::format("<use href=\"#{}\"", known.id);
  if (const auto x = svg_number(at.x); x != "0") text += fmt::format(" x=\"{}\"", x);
  if (const auto y = svg_number(at.y); y != "0") text += fmt::format(" y=\"{}\"", y);
  return text + "/>";
}

}  // namespace rankscope
