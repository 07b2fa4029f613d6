#include "engine/diagrams/svg.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "engine/diagrams/arrow_head.h"
#include "engine/diagrams/ruler.h"
#include "engine/diagrams/utf8.h"

namespace rankscope {
namespace {

// Two decimals, without trailing zeros: "12.5", "-3".
std::string num(double value) {
  const double rounded = std::round(value * 100) / 100;
  return fmt::format("{:g}", rounded == 0 ? 0.0 : rounded);
}

class Writer {
 public:
  explicit Writer(const Theme& theme) : theme_(theme) {}

  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void mark(const Mark& mark) {
    if (mark.kind == Mark::Kind::text) return text(mark);
    if (mark.kind == Mark::Kind::box) box(mark);
    else path(mark);
    hatch(mark);
  }

  std::string take() { return std::move(out_); }

 private:
  void paint(std::string_view what, const std::optional<Ink>& ink) {
    if (!ink) return put(" {}=\"none\"", what);
    const Rgba color = theme_.color(*ink);
    put(" {}=\"{}\"", what, hex(color));
    if (color.alpha < 1) put(" {}-opacity=\"{}\"", what, num(color.alpha));
  }

  void stroke(const Mark& mark) {
    if (!mark.stroke) return;
    paint("stroke", mark.stroke);
    put(" stroke-width=\"{}\"", num(mark.line_width));
    if (mark.dotted)
      put(" stroke-dasharray=\"{} {}\" stroke-linecap=\"round\"", num(mark.line_width * 0.1),
          num(mark.line_width * 3.5));
  }

  void box_shape(const Mark& mark) {
    put("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", num(mark.box.x), num(mark.box.y),
        num(mark.box.width), num(mark.box.height));
    if (mark.radius > 0) put(" rx=\"{}\"", num(mark.radius));
  }

  void box(const Mark& mark) {
    box_shape(mark);
    paint("fill", mark.fill);
    stroke(mark);
    put("/>");
  }

  void hatch(const Mark& mark) {
    if (mark.hatch == Hatch::none || mark.kind != Mark::Kind::box) return;
    static constexpr std::string_view kIds[] = {"", "hatch-diagonal", "hatch-dots", "hatch-cross"};
    box_shape(mark);
    put(" fill=\"url(#{})\"/>", kIds[static_cast<std::size_t>(mark.hatch)]);
  }

  void outline(const std::vector<Point>& points, bool closed) {
    put("<path d=\"M{} {}", num(points[0].x), num(points[0].y));
    for (std::size_t i = 1; i + 2 < points.size(); i += 3) {
      if (is_straight(points, i))
        put("L{} {}", num(points[i + 2].x), num(points[i + 2].y));
      else
        put("C{} {} {} {} {} {}", num(points[i].x), num(points[i].y), num(points[i + 1].x),
            num(points[i + 1].y), num(points[i + 2].x), num(points[i + 2].y));
    }
    put("{}\"", closed ? "Z" : "");
  }

  void path(const Mark& mark) {
    if (mark.points.size() < 4) return;
    const auto shaft = mark.arrow ? shortened_for_head(mark.points, mark.line_width) : mark.points;
    outline(shaft, mark.closed);
    paint("fill", mark.fill);
    stroke(mark);
    put("/>");
    if (!mark.arrow || !mark.stroke) return;
    const auto head = arrow_head(mark.points, mark.line_width);
    put("<path d=\"M{} {}L{} {}L{} {}Z\"", num(head[0].x), num(head[0].y), num(head[1].x),
        num(head[1].y), num(head[2].x), num(head[2].y));
    paint("fill", mark.stroke);
    put("/>");
  }

  // textLength keeps the width that the layout was made for, whatever font the reader has.
  void text(const Mark& mark) {
    if (mark.text.empty()) return;
    static constexpr std::string_view kAnchors[] = {"", " text-anchor=\"middle\"",
                                                    " text-anchor=\"end\""};
    const bool turned = mark.rotated != 0;
    put("<text x=\"{}\" y=\"{}\"{} font-size=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"",
        num(mark.origin.x), num(mark.origin.y), kAnchors[static_cast<std::size_t>(mark.anchor)],
        num(mark.font.size), num(turned ? mark.box.height : mark.box.width));
    if (mark.font.mono) put(" font-family=\"{}\"", css_families(true));
    if (mark.font.weight != Font::Weight::regular)
      put(" font-weight=\"{}\"", mark.font.weight == Font::Weight::bold ? 700 : 600);
    if (turned)
      put(" transform=\"rotate({} {} {})\"", num(mark.rotated), num(mark.origin.x),
          num(mark.origin.y));
    paint("fill", mark.fill);
    put(">{}</text>", xml_escaped(mark.text));
  }

  const Theme& theme_;
  std::string out_;
};

void put_group(Writer& out, const Scene& scene, std::int32_t number, const SvgOptions& options,
               const Theme& theme) {
  if (number < 0 || !options.groups) return;
  const Group& group = scene.groups[static_cast<std::size_t>(number)];
  const bool future = options.now >= 0 && group.timed() && group.begin > options.now;
  out.put("<g data-id=\"{}\"", xml_escaped(group.id));
  if (group.timed()) out.put(" data-begin=\"{}\" data-end=\"{}\"", num(group.begin), num(group.end));
  if (future) out.put(" opacity=\"{}\"", num(theme.future()));
  out.put(">");
  if (!group.story.empty()) out.put("<title>{}</title>", xml_escaped(group.story));
}

}  // namespace

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
        if (character >= 0x20) out += text.substr(begin, at - begin);
    }
  }
  return out;
}

std::string svg_defs(const Theme& theme) {
  Writer out(theme);
  const std::string line = hex(theme.color({Tone::text}));
  out.put("<defs><pattern id=\"hatch-diagonal\" width=\"5\" height=\"5\" "
          "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
          "<path d=\"M0 0V5\" stroke=\"{0}\" stroke-width=\"1.6\" stroke-opacity=\".45\"/></pattern>"
          "<pattern id=\"hatch-dots\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
          "<circle cx=\"2\" cy=\"2\" r=\"1\" fill=\"{0}\" fill-opacity=\".45\"/></pattern>"
          "<pattern id=\"hatch-cross\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
          "<path d=\"M0 0L5 5M5 0L0 5\" stroke=\"{0}\" stroke-width=\".8\" stroke-opacity=\".45\"/>"
          "</pattern></defs>",
          line);
  return out.take();
}

std::string svg_marks(const Scene& scene, const Theme& theme, std::size_t first, std::size_t last) {
  Writer out(theme);
  for (std::size_t i = first; i < last; ++i) out.mark(scene.marks[i]);
  return out.take();
}

std::string to_svg(const Scene& scene, const Theme& theme, const SvgOptions& options) {
  Writer out(theme);
  if (!options.fragment) out.put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  out.put("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
          "viewBox=\"0 0 {0} {1}\" font-family=\"{2}\" role=\"img\">\n",
          num(scene.width), num(scene.height), css_families(false));
  if (!scene.title.empty()) out.put("<title>{}</title>\n", xml_escaped(scene.title));
  if (!scene.description.empty()) out.put("<desc>{}</desc>\n", xml_escaped(scene.description));
  out.put("{}\n", svg_defs(theme));
  out.put("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", num(scene.width), num(scene.height),
          hex(theme.color({Tone::page})));
  std::int32_t group = -1;
  for (std::size_t i = 0; i < scene.marks.size(); ++i) {
    if (i == 0 || scene.marks[i].group != group) {
      if (i > 0 && group >= 0 && options.groups) out.put("</g>\n");
      group = scene.marks[i].group;
      put_group(out, scene, group, options, theme);
    }
    out.mark(scene.marks[i]);
    if (group < 0) out.put("\n");
  }
  if (group >= 0 && options.groups) out.put("</g>\n");
  out.put("</svg>\n");
  return out.take();
}

}  // namespace rankscope
