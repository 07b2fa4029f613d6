// Reads the part of SVG that lessons use.
#include "lessons/handout/svg_scene.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/scene/theme.h"

namespace rankscope {
namespace {

using Attributes = std::map<std::string, std::string, std::less<>>;

struct SvgTag {
  std::string name;  ///< "/g" where it ends.
  Attributes attributes;
  bool is_closed = false;  ///< "<rect/>"
};

std::string decoded(std::string_view text) {
  std::string out(text);
  for (const auto& [entity, sign] : {std::pair{"&lt;", "<"}, std::pair{"&gt;", ">"},
                                     std::pair{"&quot;", "\""}, std::pair{"&amp;", "&"}})
    replace_all(out, entity, sign);
  return out;
}

SvgTag tag_of(std::string_view text) {
  SvgTag out;
  std::size_t at = std::min(text.find_first_of(" \t\r\n/", 1), text.size());
  out.name = text.substr(0, at);
  out.is_closed = text.ends_with('/');
  for (;;) {
    const auto equals = text.find('=', at);
    if (equals == std::string_view::npos || equals + 1 >= text.size()) return out;
    const auto begin = text.find_last_of(" \t\r\n", equals) + 1;
    const char quote = text[equals + 1];
    const auto end = text.find(quote, equals + 2);
    if (end == std::string_view::npos) return out;
    out.attributes[std::string(text.substr(begin, equals - begin))] =
        decoded(text.substr(equals + 2, end - equals - 2));
    at = end + 1;
  }
}

/// The numbers of an attribute, with any separators.
std::vector<double> numbers_of(std::string_view text) {
  std::vector<double> out;
  for (std::size_t i = 0; i < text.size();) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), value);
    if (error == std::errc()) {
      out.push_back(value);
      i = static_cast<std::size_t>(end - text.data());
    } else {
      ++i;
    }
  }
  return out;
}

double apart(const Rgba& a, const Rgba& b) {
  return (a.red - b.red) * (a.red - b.red) + (a.green - b.green) * (a.green - b.green) +
         (a.blue - b.blue) * (a.blue - b.blue);
}

Ink nearest_ink(const Rgba& color, bool is_text) {
  constexpr int kHues = 8, kHeats = 100;
  std::vector<Ink> all;
  if (is_text) all = {{Tone::text}, {Tone::muted}, {Tone::accent}, {Tone::error}, {Tone::good}};
  else
    all = {{Tone::page},  {Tone::panel},  {Tone::frame}, {Tone::grid}, {Tone::text},
           {Tone::muted}, {Tone::accent}, {Tone::error}, {Tone::rank}, {Tone::whole}};
  for (int i = 0; i < kHues; ++i) {
    if (is_text) all.push_back({Tone::on_chunk, i});
    all.push_back({Tone::chunk, i});
    if (is_text) continue;
    all.push_back({Tone::chunk_edge, i});
  }
  for (int i = 0; i <= kHeats && !is_text; i += 5) all.push_back({Tone::heat, i});
  const Theme light(Theme::Kind::light);
  return *ranges::min_element(all, {},
                              [&](const Ink& ink) { return apart(light.color(ink), color); });
}

class SvgReader {
 public:
  SvgReader(std::string_view svg, const Ruler& ruler, OtherShapes others)
      : pen_(scene_, ruler), others_(others) {
    styles_.push_back({{"fill", "#000000"}, {"font-size", "16"}});
    for (std::size_t at = svg.find('<'); at != std::string_view::npos; at = svg.find('<', at)) {
      const bool comment = svg.substr(at).starts_with("<!--");
      const auto end = svg.find(comment ? "-->" : ">", at);
      if (end == std::string_view::npos) break;
      const std::string_view inner = svg.substr(at + 1, end - at - 1);
      at = end + 1;
      if (!comment && !inner.starts_with('?') && !inner.starts_with('!'))
        element(tag_of(inner), svg.substr(at, svg.find('<', at) - at));
    }
    if (scene_.width <= 0) throw UserError("a figure of the lesson is no SVG with a width");
  }

  Scene take() { return std::move(scene_); }

 private:
  void element(const SvgTag& tag, std::string_view content) {
    if (tag.name == "defs") skipped_ = !tag.is_closed;
    if (tag.name == "/defs") skipped_ = false;
    if (skipped_ || tag.name == "title" || tag.name == "desc") return;
    if (tag.name == "/g") {
      if (styles_.size() > 1) styles_.pop_back();
      return;
    }
    if (tag.name.starts_with('/') || tag.name == "defs") return;
    style_ = styles_.back();
    for (const auto& [name, value] : tag.attributes) style_[name] = value;
    if (tag.name == "svg" || tag.name == "g") {
      if (tag.name == "svg") page(tag);
      if (!tag.is_closed) styles_.push_back(inherited());
      return;
    }
    if (tag.name == "rect") return rect();
    if (tag.name == "circle") return circle();
    if (tag.name == "line")
      return path({{number("x1"), number("y1")}, {number("x2"), number("y2")}}, false);
    if (tag.name == "path") return path_data(style_["d"]);
    if (tag.name == "text") return text(decoded(content));
    refuse(fmt::format("<{}>", tag.name));
  }

  void refuse(std::string_view shape) const {
    if (others_ == OtherShapes::refused)
      throw UserError(
          fmt::format("a figure of the lesson has {}, which slides cannot show", shape));
  }

  Attributes inherited() const {
    Attributes out;
    for (const char* name : {"fill", "stroke", "stroke-width", "font-size", "font-weight",
                             "font-family", "text-anchor"})
      if (const auto found = style_.find(name); found != style_.end()) out[name] = found->second;
    return out;
  }

  void page(const SvgTag& tag) {
    const auto found = tag.attributes.find("viewBox");
    const auto box = numbers_of(found == tag.attributes.end() ? "" : found->second);
    scene_.width = box.size() == 4 ? box[2] : number("width");
    scene_.height = box.size() == 4 ? box[3] : number("height");
  }

  double number(std::string_view name, double otherwise = 0) const {
    const auto found = style_.find(name);
    if (found == style_.end()) return otherwise;
    const auto all = numbers_of(found->second);
    return all.empty() ? otherwise : all.front();
  }

  std::string word(std::string_view name) const {
    const auto found = style_.find(name);
    return found == style_.end() ? std::string() : found->second;
  }

  std::optional<Ink> ink(std::string_view name, bool is_text = false) const {
    std::string color = word(name);
    if (color == "white") color = "#FFFFFF";
    if (color == "black") color = "#000000";
    if (color.size() == 4)  // #RGB
      color = {color[0], color[1], color[1], color[2], color[2], color[3], color[3]};
    if (color.size() != 7 || color[0] != '#') return {};  // none, a pattern
    const Rgba rgba = rgb(static_cast<std::uint32_t>(std::strtoul(color.c_str() + 1, nullptr, 16)));
    Ink out = nearest_ink(rgba, is_text);
    out.alpha = static_cast<float>(number(std::string(name) + "-opacity", 1));
    return out;
  }

  void rect() {
    const Box box{number("x"), number("y"), number("width"), number("height")};
    const bool is_pattern = word("fill").starts_with("url");
    if (box.width >= scene_.width && box.height >= scene_.height)
      return;  // the slide has its own page
    Mark& mark = pen_.box(box, is_pattern ? std::nullopt : ink("fill"), ink("stroke"), number("rx"),
                          number("stroke-width", 1));
    mark.hatched = is_pattern;
  }

  void circle() {
    const double r = number("r");
    Mark& mark = pen_.circle({number("cx"), number("cy")}, r, ink("fill"), ink("stroke"));
    mark.line_width = number("stroke-width", 1);
  }

  void path(const std::vector<Point>& corners, bool is_closed) {
    if (corners.size() < 2) return;
    std::vector<Point> points = {corners.front()};
    for (std::size_t i = 1; i < corners.size(); ++i) {
      const auto one = straight(corners[i - 1], corners[i]);
      points.insert(points.end(), one.begin() + 1, one.end());
    }
    const auto stroke = ink("stroke");
    Mark& mark = pen_.path(std::move(points), stroke.value_or(Ink{}), number("stroke-width", 1));
    mark.stroke = stroke;
    mark.fill = is_closed || !stroke ? ink("fill") : std::nullopt;
    mark.closed = is_closed;
    mark.dotted = !word("stroke-dasharray").empty();
  }

  void path_data(std::string_view data) {
    std::vector<Point> corners;
    Point pen;
    for (std::size_t at = 0; at < data.size();) {
      const char command = data[at];
      const auto end = std::min(data.find_first_of("MmLlHhVvZzCcQqAaSsTt", at + 1), data.size());
      const auto values = numbers_of(data.substr(at + 1, end - at - 1));
      at = end;
      const auto kind = static_cast<char>(std::toupper(static_cast<unsigned char>(command)));
      if (kind == 'M' || kind == 'Z') {
        if (kind == 'Z' && !corners.empty()) pen = corners.front();
        path(std::exchange(corners, {}), kind == 'Z');
      }
      const bool is_pair = kind == 'M' || kind == 'L';
      if (!is_pair && kind != 'H' && kind != 'V') {
        if (kind != 'Z') refuse("a curved path");
        continue;
      }
      for (std::size_t i = 0; i + (is_pair ? 1 : 0) < values.size(); i += is_pair ? 2 : 1) {
        const Point from = kind == command ? Point{} : pen;
        if (kind != 'V') pen.x = from.x + values[i];
        if (kind != 'H') pen.y = from.y + values[i + (is_pair ? 1 : 0)];
        corners.push_back(pen);
      }
    }
    path(corners, false);
  }

  void text(const std::string& words) {
    const std::string weight = word("font-weight"), anchor = word("text-anchor");
    const bool is_bold = weight == "bold" || number("font-weight") >= 600;
    const Font font{number("font-size", 16),
                    is_bold ? Font::Weight::semibold : Font::Weight::regular,
                    word("font-family").find("Mono") != std::string::npos};
    Point at{number("x"), number("y")};
    const Anchor side = anchor == "middle" ? Anchor::middle
                        : anchor == "end"  ? Anchor::end
                                           : Anchor::start;
    const std::string turn = word("transform");
    if (turn.empty()) {
      pen_.text(words, at, font, text_ink(at), side);
      return;
    }
    if (turn.starts_with("translate")) {
      const auto moved = numbers_of(turn);
      at = {at.x + moved.at(0), at.y + moved.at(1)};
    }
    // The text reads from below; its middle is at its point, as in all our scenes.
    pen_.upward(words, {at.x - font.size * 0.35, at.y}, font, text_ink(at));
  }

  // White words on a shape in the text's tone are in the page's: that shape is pale in the dark theme.
  Ink text_ink(Point at) const {
    const Ink out = ink("fill", true).value_or(Ink{});
    const auto under = std::find_if(scene_.marks.rbegin(), scene_.marks.rend(), [&](const Mark& m) {
      return m.kind != Mark::Kind::text && m.fill && m.box.contains(at);
    });
    const bool is_dark = under != scene_.marks.rend() && under->fill->tone == Tone::text;
    return is_dark && out.tone == Tone::on_chunk ? Ink{Tone::page} : out;
  }

  Scene scene_;
  Drawing pen_;
  std::vector<Attributes> styles_;
  Attributes style_;
  bool skipped_ = false;
  OtherShapes others_;
};

}  // namespace

Scene scene_of_svg(std::string_view svg, const Ruler& ruler, OtherShapes others) {
  return SvgReader(svg, ruler, others).take();
}

}  // namespace rankscope
