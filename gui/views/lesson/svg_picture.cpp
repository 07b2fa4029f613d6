// Parses the subset of SVG that lesson pictures use, and paints it.
#include "gui/views/lesson/svg_picture.h"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>

namespace rankscope::gui {
namespace {

using Attributes = std::map<std::string, std::string, std::less<>>;

constexpr std::size_t kMostShapes = 5000;

/// A tag with its attributes, and the text that follows it.
struct Tag {
  std::string name, text;
  Attributes attributes;
};

std::string plain(std::string_view text) {
  std::string out(text);
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}};
  for (const auto& [name, sign] : kNames)
    for (auto at = out.find(name); at != std::string::npos; at = out.find(name, at + 1))
      out.replace(at, name.size(), sign);
  return out;
}

Attributes attributes_of(std::string_view rest) {
  Attributes out;
  for (;;) {
    const auto equals = rest.find('=');
    if (equals == std::string_view::npos || equals + 1 >= rest.size()) return out;
    const char quote = rest[equals + 1];
    const auto end = rest.find(quote, equals + 2);
    if ((quote != '"' && quote != '\'') || end == std::string_view::npos) return out;
    std::string_view name = rest.substr(0, equals);
    name.remove_prefix(std::min(name.find_first_not_of(" \t\r\n"), name.size()));
    out[std::string(name)] = plain(rest.substr(equals + 2, end - equals - 2));
    rest.remove_prefix(end + 1);
  }
}

std::vector<Tag> tags_of(std::string_view text) {
  std::vector<Tag> out;
  for (auto at = text.find('<'); at != std::string_view::npos && out.size() < kMostShapes;
       at = text.find('<', at + 1)) {
    const auto end = text.find('>', at);
    if (end == std::string_view::npos) break;
    const std::string_view inside = text.substr(at + 1, end - at - 1);
    if (inside.empty() || std::isalpha(static_cast<unsigned char>(inside.front())) == 0) continue;
    const auto blank = std::min(inside.find_first_of(" \t\r\n/"), inside.size());
    if (inside.substr(0, blank) == "defs") {  // patterns and the like: nothing of them is a shape
      at = std::min(text.find("</defs>", end), text.size() - 1);
      continue;
    }
    const auto next = std::min(text.find('<', end), text.size());
    out.push_back({std::string(inside.substr(0, blank)),
                   plain(text.substr(end + 1, next - end - 1)),
                   attributes_of(inside.substr(blank))});
  }
  return out;
}

std::string value(const Attributes& all, std::string_view name, std::string_view otherwise = "") {
  const auto found = all.find(name);
  return found == all.end() ? std::string(otherwise) : found->second;
}
float number(const Attributes& all, std::string_view name, float otherwise = 0) {
  const auto found = all.find(name);
  return found == all.end() ? otherwise : std::strtof(found->second.c_str(), nullptr);
}

ImU32 color(const std::string& text) {
  if (text == "white") return IM_COL32_WHITE;
  if (text == "black") return IM_COL32_BLACK;
  if (text.size() != 4 && text.size() != 7) return 0;  // none
  if (text.front() != '#') return 0;
  const auto code = static_cast<std::uint32_t>(std::strtoul(text.c_str() + 1, nullptr, 16));
  if (text.size() == 7) return IM_COL32(code >> 16 & 0xFF, code >> 8 & 0xFF, code & 0xFF, 255);
  return IM_COL32((code >> 8 & 0xF) * 17, (code >> 4 & 0xF) * 17, (code & 0xF) * 17, 255);
}

std::vector<float> numbers(const std::string& text) {
  std::vector<float> out;
  const char* at = text.c_str();
  for (char* end = nullptr;; at = end) {
    while (*at == ' ' || *at == ',') ++at;
    const float one = std::strtof(at, &end);
    if (end == at) return out;
    out.push_back(one);
  }
}

// M, L, H, V and Z, absolute and relative.
std::vector<std::vector<ImVec2>> path_of(const std::string& data) {
  std::vector<std::vector<ImVec2>> out;
  ImVec2 pen{0, 0};
  for (std::size_t i = 0; i < data.size();) {
    const char command = data[i];
    const auto next = std::min(data.find_first_of("MmLlHhVvZzCcQqAaSsTt", i + 1), data.size());
    const auto values = numbers(data.substr(i + 1, next - i - 1));
    const bool relative = std::islower(static_cast<unsigned char>(command)) != 0;
    const auto kind = static_cast<char>(std::toupper(static_cast<unsigned char>(command)));
    const auto draw = [&](ImVec2 to, bool begins) {
      pen = relative ? ImVec2(pen.x + to.x, pen.y + to.y) : to;
      if (begins || out.empty()) out.emplace_back();
      out.back().push_back(pen);
    };
    if (kind == 'M' || kind == 'L')
      for (std::size_t k = 0; k + 1 < values.size(); k += 2)
        draw({values[k], values[k + 1]}, kind == 'M' && k == 0);
    for (std::size_t k = 0; k < values.size() && kind == 'H'; ++k)
      draw({values[k], relative ? 0 : pen.y}, false);
    for (std::size_t k = 0; k < values.size() && kind == 'V'; ++k)
      draw({relative ? 0 : pen.x, values[k]}, false);
    if (kind == 'Z' && !out.empty() && !out.back().empty()) {
      pen = out.back().front();
      out.back().push_back(pen);
    }
    i = next;
  }
  return out;
}

SvgShape shape_of(const Tag& tag) {
  const Attributes& a = tag.attributes;
  SvgShape shape;
  const bool line = tag.name == "line";
  shape.fill = line ? 0 : color(value(a, "fill", "#000000"));
  shape.stroke = color(value(a, "stroke"));
  shape.width = number(a, "stroke-width", 1);
  shape.dashes = numbers(value(a, "stroke-dasharray"));
  if (tag.name == "rect") {
    shape.kind = SvgShape::Kind::rect;
    shape.low = {number(a, "x"), number(a, "y")};
    shape.size = {number(a, "width"), number(a, "height")};
    shape.radius = number(a, "rx");
  } else if (tag.name == "circle") {
    shape.kind = SvgShape::Kind::circle;
    shape.low = {number(a, "cx"), number(a, "cy")};
    shape.radius = number(a, "r");
  } else if (tag.name == "text") {
    shape.kind = SvgShape::Kind::text;
    shape.low = {number(a, "x"), number(a, "y")};
    shape.text = tag.text;
    shape.font_size = static_cast<double>(number(a, "font-size", 14));
    shape.bold = value(a, "font-weight") == "bold" || number(a, "font-weight") >= 600;
    const std::string transform = value(a, "transform");
    shape.upright = transform.find("rotate(-90") != std::string::npos;
    if (const auto moved = transform.find("translate("); moved != std::string::npos)
      if (const auto by = numbers(transform.substr(moved + 10)); by.size() >= 2)
        shape.low = {shape.low.x + by[0], shape.low.y + by[1]};
    const auto anchor = value(a, "text-anchor");
    shape.anchor = anchor == "middle" ? 0.5F : anchor == "end" ? 1.0F : 0.0F;
  } else if (line) {
    shape.lines = {{{number(a, "x1"), number(a, "y1")}, {number(a, "x2"), number(a, "y2")}}};
  } else {
    shape.lines = path_of(value(a, "d"));
  }
  return shape;
}

void dashed(ImDrawList& list, ImVec2 from, ImVec2 to, const SvgShape& shape, float zoom) {
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  float done = 0;
  for (std::size_t i = 0; done < length; ++i) {
    const float part = std::max(shape.dashes[i % shape.dashes.size()] * zoom, 0.5F);
    const float end = std::min(done + part, length);
    const auto at = [&](float d) {
      return ImVec2(from.x + (to.x - from.x) * d / length, from.y + (to.y - from.y) * d / length);
    };
    if (i % 2 == 0) list.AddLine(at(done), at(end), shape.stroke, shape.width * zoom);
    done = end;
  }
}

class Paper {
 public:
  Paper(ImDrawList& list, const Look& look, ImVec2 origin, float zoom)
      : list_(list), look_(look), origin_(origin), zoom_(zoom) {}

  void draw(const SvgShape& shape) const {
    switch (shape.kind) {
      case SvgShape::Kind::rect: return rect(shape);
      case SvgShape::Kind::circle:
        if (shape.fill != 0)
          list_.AddCircleFilled(at(shape.low), shape.radius * zoom_, shape.fill, 32);
        if (shape.stroke != 0)
          list_.AddCircle(at(shape.low), shape.radius * zoom_, shape.stroke, 32,
                          shape.width * zoom_);
        return;
      case SvgShape::Kind::text: return text(shape);
      case SvgShape::Kind::path: return path(shape);
    }
  }

 private:
  ImVec2 at(ImVec2 p) const { return {origin_.x + p.x * zoom_, origin_.y + p.y * zoom_}; }

  void rect(const SvgShape& shape) const {
    const ImVec2 low = at(shape.low),
                 high = at({shape.low.x + shape.size.x, shape.low.y + shape.size.y});
    if (shape.fill != 0) list_.AddRectFilled(low, high, shape.fill, shape.radius * zoom_);
    if (shape.stroke != 0)
      list_.AddRect(low, high, shape.stroke, shape.radius * zoom_, 0, shape.width * zoom_);
  }

  void path(const SvgShape& shape) const {
    for (const auto& line : shape.lines) {
      std::vector<ImVec2> points;
      for (const ImVec2 p : line) points.push_back(at(p));
      const auto count = static_cast<int>(points.size());
      if (shape.fill != 0 && count > 2) list_.AddConvexPolyFilled(points.data(), count, shape.fill);
      if (shape.stroke == 0) continue;
      if (shape.dashes.empty())
        list_.AddPolyline(points.data(), count, shape.stroke, 0, shape.width * zoom_);
      else
        for (std::size_t i = 1; i < points.size(); ++i)
          dashed(list_, points[i - 1], points[i], shape, zoom_);
    }
  }

  void text(const SvgShape& shape) const {
    const auto face = look_.face(
        {shape.font_size, shape.bold ? Font::Weight::semibold : Font::Weight::regular, false},
        static_cast<double>(zoom_));
    const ImVec2 base = at(shape.low);
    const float wide = face.extent(shape.text).x;
    const int before = list_.VtxBuffer.Size;
    face.draw(list_, {base.x - wide * shape.anchor, base.y - face.ascent}, shape.fill, shape.text);
    if (!shape.upright) return;
    for (int i = before; i < list_.VtxBuffer.Size; ++i) {  // a quarter turn about its place
      ImVec2& p = list_.VtxBuffer[i].pos;
      p = {base.x + (p.y - base.y), base.y - (p.x - base.x)};
    }
  }

  ImDrawList& list_;
  const Look& look_;
  ImVec2 origin_;
  float zoom_;
};

}  // namespace

SvgPicture parse_svg(std::string_view text) {
  SvgPicture picture;
  for (const Tag& tag : tags_of(text)) {
    if (tag.name == "svg") {
      picture.width = number(tag.attributes, "width");
      picture.height = number(tag.attributes, "height");
    } else if (tag.name == "rect" || tag.name == "line" || tag.name == "circle" ||
               tag.name == "path" || tag.name == "text") {
      picture.shapes.push_back(shape_of(tag));
    }
  }
  return picture;
}

void paint(ImDrawList& list, const SvgPicture& picture, const Look& look, ImVec2 at, float zoom) {
  list.AddRectFilled(at, {at.x + picture.width * zoom, at.y + picture.height * zoom},
                     IM_COL32_WHITE, look.px(6));
  const Paper paper(list, look, at, zoom);
  for (const SvgShape& shape : picture.shapes) paper.draw(shape);
}

}  // namespace rankscope::gui
