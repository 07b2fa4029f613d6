// Writes marks, arrow heads, groups and styles of a scene as SVG.
#include "engine/diagrams/paint/svg.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "engine/core/base/text.h"
#include "engine/diagrams/scene/arrow_head.h"
#include "engine/diagrams/scene/ruler.h"

namespace rankscope {
namespace {

int weight_of(const Font& font) noexcept {
  return font.weight == Font::Weight::bold       ? 700
         : font.weight == Font::Weight::semibold ? 600
                                                 : 400;
}

std::string written(double number) { return svg_number(number); }
std::string_view written(std::string_view text) { return text; }

class Writer {
 public:
  explicit Writer(const Theme& theme) : theme_(&theme) {}
  explicit Writer(SvgClasses& classes) : classes_(&classes) {}

  /// Writes numbers as svg_number() does.
  template <typename... Args>
  void put(fmt::format_string<decltype(written(std::declval<const Args&>()))...> format,
           const Args&... args) {
    fmt::format_to(std::back_inserter(out_), format, written(args)...);
  }

  void mark(const Mark& mark) {
    if (mark.kind == Mark::Kind::text) return text(mark);
    if (mark.kind == Mark::Kind::box) box(mark);
    else path(mark);
    hatch(mark);
    head(mark);
  }
  void head(const Mark& mark) {
    if (mark.kind != Mark::Kind::path || mark.points.size() < 4 || !mark.arrow || !mark.stroke)
      return;
    const auto head = arrow_head(mark.points, mark.line_width);
    put("<path d=\"M{} {}L{} {}L{} {}Z\"", head[0].x, head[0].y, head[1].x, head[1].y, head[2].x,
        head[2].y);
    style("", mark.stroke, {});
    paint("fill", mark.stroke);
    put("/>");
  }
  void shaft(const Mark& mark) { path(mark); }

  std::string take() { return std::move(out_); }

 private:
  void paint(std::string_view what, const std::optional<Ink>& ink) {
    if (!ink && classes_ != nullptr) return;  // the style sheet's default
    if (!ink) return put(" {}=\"none\"", what);
    if (classes_ != nullptr) {
      if (ink->alpha < 1) put(" {}-opacity=\"{}\"", what, static_cast<double>(ink->alpha));
      return;
    }
    const Rgba color = theme_->color(*ink);
    put(" {}=\"{}\"", what, hex(color));
    if (color.alpha < 1) put(" {}-opacity=\"{}\"", what, color.alpha);
  }

  // With a style sheet, adds the classes for what paint() leaves out.
  void style(std::string_view role, const std::optional<Ink>& fill,
             const std::optional<Ink>& stroke, std::string_view font = {}) {
    if (classes_ == nullptr) return;
    std::string names(role);
    const auto add = [&](std::string_view name) {
      if (!names.empty() && !name.empty()) names += ' ';
      names += name;
    };
    if (fill) add(classes_->of(*fill, false));
    if (stroke) add(classes_->of(*stroke, true));
    add(font);
    if (!names.empty()) put(" class=\"{}\"", names);
  }

  void stroke(const Mark& mark) {
    if (!mark.stroke) return;
    paint("stroke", mark.stroke);
    if (classes_ == nullptr || mark.line_width != 1) put(" stroke-width=\"{}\"", mark.line_width);
    if (mark.dotted)
      put(" stroke-dasharray=\"{} {}\" stroke-linecap=\"round\"", mark.line_width * 0.1,
          mark.line_width * 3.5);
  }

  void box_shape(const Mark& mark) {
    put("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", mark.box.x, mark.box.y,
        mark.box.width, mark.box.height);
    if (mark.radius > 0) put(" rx=\"{}\"", mark.radius);
  }

  void box(const Mark& mark) {
    box_shape(mark);
    style("", mark.fill, mark.stroke);
    paint("fill", mark.fill);
    stroke(mark);
    put("/>");
  }

  void hatch(const Mark& mark) {
    if (!mark.hatched || mark.kind != Mark::Kind::box) return;
    box_shape(mark);
    put(" fill=\"url(#hatch-diagonal)\"/>");
  }

  void outline(const std::vector<Point>& points, bool closed) {
    put("<path d=\"M{} {}", points[0].x, points[0].y);
    for (std::size_t i = 1; i + 2 < points.size(); i += 3) {
      if (is_straight(points, i)) put("L{} {}", points[i + 2].x, points[i + 2].y);
      else
        put("C{} {} {} {} {} {}", points[i].x, points[i].y, points[i + 1].x, points[i + 1].y,
            points[i + 2].x, points[i + 2].y);
    }
    put("{}\"", closed ? "Z" : "");
  }

  void path(const Mark& mark) {
    if (mark.points.size() < 4) return;
    const auto shaft = mark.arrow ? shortened_for_head(mark.points, mark.line_width) : mark.points;
    outline(shaft, mark.closed);
    style(mark.arrow ? "way" : "", mark.fill, mark.stroke);
    paint("fill", mark.fill);
    stroke(mark);
    put("/>");
  }
  // textLength keeps the width that the layout was made for, whatever font the reader has.
  void text(const Mark& mark) {
    if (mark.text.empty()) return;
    static constexpr std::string_view kAnchors[] = {"", " text-anchor=\"middle\"",
                                                    " text-anchor=\"end\""};
    const bool turned = mark.rotated != 0;
    put("<text x=\"{}\" y=\"{}\"", mark.origin.x, mark.origin.y);
    // A page has many texts of a digit or two, whose width no font makes a difference to.
    if (classes_ == nullptr || mark.text.size() > 2)
      put(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"",
          turned ? mark.box.height : mark.box.width);
    if (classes_ != nullptr) {
      style("", mark.fill, {}, classes_->of(mark.font, mark.anchor));
    } else {
      put("{} font-size=\"{}\"", kAnchors[static_cast<std::size_t>(mark.anchor)], mark.font.size);
      if (mark.font.mono) put(" font-family=\"{}\"", css_families(true));
      if (mark.font.weight != Font::Weight::regular)
        put(" font-weight=\"{}\"", weight_of(mark.font));
    }
    if (turned) put(" transform=\"rotate({} {} {})\"", mark.rotated, mark.origin.x, mark.origin.y);
    paint("fill", mark.fill);
    put(">{}</text>", xml_escaped(mark.text));
  }

  const Theme* theme_ = nullptr;  ///< Either this or classes_ is set.
  SvgClasses* classes_ = nullptr;
  std::string out_;
};

void put_group(Writer& out, const Scene& scene, std::int32_t number) {
  const Group& group = scene.groups[static_cast<std::size_t>(number)];
  out.put("<g data-id=\"{}\"", xml_escaped(group.id));
  if (group.timed()) out.put(" data-begin=\"{}\" data-end=\"{}\"", group.begin, group.end);
  out.put(">");
  if (!group.story.empty()) out.put("<title>{}</title>", xml_escaped(group.story));
}

}  // namespace

std::string svg_number(double value) {
  const double rounded = std::round(value * 100) / 100;
  // Not 1.2e+06: a page of a million messages is that wide.
  std::string text = fmt::format("{:.2f}", rounded == 0 ? 0.0 : rounded);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string SvgClasses::of(const Ink& ink, bool stroke) {
  std::string color(to_string(ink.tone));
  if (ink.tone >= Tone::chunk) color += fmt::format("-{}", ink.index);
  colors_.try_emplace("--" + color, Ink{ink.tone, ink.index});
  const std::string name = fmt::format("{}-{}", stroke ? 's' : 'f', color);
  rules_.try_emplace(name, fmt::format("{}:var(--{})", stroke ? "stroke" : "fill", color));
  return name;
}

std::string SvgClasses::of(const Font& font, Anchor anchor) {
  static constexpr std::string_view kAnchors[] = {"start", "middle", "end"};
  const auto at = static_cast<std::size_t>(anchor);
  std::string name = fmt::format("t{:.0f}{}{}{}", font.size * 10, font.mono ? "m" : "",
                                 weight_of(font) / 100, kAnchors[at].front());
  rules_.try_emplace(
      name,
      fmt::format("font-size:{}px;font-weight:{};text-anchor:{}{}", svg_number(font.size),
                  weight_of(font), kAnchors[at],
                  font.mono ? fmt::format(";font-family:{}", css_families(true)) : std::string()));
  return name;
}

std::string SvgClasses::css() const {
  std::string css;
  for (const auto& [name, declarations] : rules_)
    css += fmt::format(".{}{{{}}}\n", name, declarations);
  return css;
}

std::string SvgClasses::css_colors(const Theme& theme) const {
  std::string css;
  for (const auto& [name, ink] : colors_) css += fmt::format("{}:{};", name, hex(theme.color(ink)));
  return css;
}

std::string svg_mark(const Mark& mark, SvgClasses& classes) {
  Writer out(classes);
  out.mark(mark);
  return out.take();
}

std::string svg_shaft(const Mark& arrow, SvgClasses& classes) {
  Writer out(classes);
  out.shaft(arrow);
  return out.take();
}

std::string svg_head(const Mark& arrow, SvgClasses& classes) {
  Writer out(classes);
  out.head(arrow);
  return out.take();
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t character = next_character(text, at);
    switch (character) {
      case U'&': out += "&amp;"; break;
      case U'<': out += "&lt;"; break;
      case U'>': out += "&gt;"; break;
      case U'"': out += "&quot;"; break;
      case U'\n': out += '\n'; break;
      case U'\uFFFD': out += "\uFFFD"; break;
      default:
        if (is_noncharacter(character)) out += "\uFFFD";  // XML has none of U+FFFE and U+FFFF
        else if (character >= 0x20) out += text.substr(begin, at - begin);
    }
  }
  return out;
}

std::string svg_defs(std::string_view line) {
  return fmt::format(
      "<defs><pattern id=\"hatch-diagonal\" width=\"5\" height=\"5\" "
      "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
      "<path d=\"M0 0V5\" stroke=\"{}\" stroke-width=\"1.6\" "
      "stroke-opacity=\".45\"/></pattern></defs>",
      line);
}

std::string to_svg(const Scene& scene, const Theme& theme, const SvgOptions& options) {
  Writer out(theme);
  if (!options.fragment) out.put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  out.put(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"{2}\" role=\"img\">\n",
      scene.width, scene.height, css_families(false));
  if (!scene.title.empty()) out.put("<title>{}</title>\n", xml_escaped(scene.title));
  if (!scene.description.empty()) out.put("<desc>{}</desc>\n", xml_escaped(scene.description));
  out.put("{}\n", svg_defs(hex(theme.color({Tone::text}))));
  out.put("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", scene.width, scene.height,
          hex(theme.color({Tone::page})));
  std::int32_t group = -1;
  for (std::size_t i = 0; i < scene.marks.size(); ++i) {
    if (i == 0 || scene.marks[i].group != group) {
      if (group >= 0 && options.groups) out.put("</g>\n");
      group = scene.marks[i].group;
      if (group >= 0 && options.groups) put_group(out, scene, group);
    }
    out.mark(scene.marks[i]);
    if (group < 0) out.put("\n");
  }
  if (group >= 0 && options.groups) out.put("</g>\n");
  out.put("</svg>\n");
  return out.take();
}

}  // namespace rankscope
