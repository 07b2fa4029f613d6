// Adds boxes, circles, text, pills, lines and arrows to a scene; shifts, places, stacks, trims and captions scenes.
#include "engine/diagrams/scene/drawing.h"

#include <algorithm>

namespace rankscope {
namespace {

constexpr double kPillHeight = 20, kPillSides = 7;

// Half the height of letters and figures above the baseline.
double half_rise(const Font& font) noexcept { return 0.36 * font.size; }

// Returns the outline's width for a filled box without one: less for small boxes, where gaps are small, too.
double edge_width(const Box& box) noexcept {
  return std::clamp(std::min(box.width, box.height) / 8, 0.6, 1.2);
}

constexpr double kPageMargin = 24, kLine = 20, kLeastWidth = 400, kLongestTitle = 640;
constexpr std::size_t kMostOfTitle = 3, kMostLines = 8;  // of one text

Box bounds(const Scene& scene) noexcept {
  if (scene.marks.empty()) return {};
  Box all = scene.marks[0].box;
  for (const Mark& mark : scene.marks) all = united(all, mark.box);
  return all;
}

}  // namespace

Ink edge_of(const Ink& ink) noexcept {
  if (ink.tone == Tone::chunk) return {Tone::chunk_edge, ink.index, ink.alpha};
  if (ink.tone == Tone::rank) return {Tone::rank_edge, 0, ink.alpha};
  return ink;
}

Ink text_on(const Ink& fill) noexcept {
  if (fill.tone == Tone::muted) return {Tone::page};
  return {fill.tone == Tone::whole ? Tone::on_whole : Tone::on_chunk, fill.index};
}

Mark& Drawing::put(Mark mark) {
  mark.group = group_;
  scene_.marks.push_back(std::move(mark));
  return scene_.marks.back();
}

Mark& Drawing::box(const Box& box, std::optional<Ink> fill, std::optional<Ink> stroke,
                   double radius, double line_width) {
  Mark mark;
  mark.kind = Mark::Kind::box;
  mark.box = box;
  mark.fill = fill;
  if (stroke) {
    mark.stroke = edge_of(*stroke);
    mark.line_width = line_width;
  } else if (fill && edge_of(*fill) != *fill) {
    mark.stroke = edge_of(*fill);
    mark.line_width = edge_width(box);
  }
  mark.radius = radius;
  return put(std::move(mark));
}

Mark& Drawing::circle(Point center, double radius, std::optional<Ink> fill,
                      std::optional<Ink> stroke) {
  return box(Box::around(center, 2 * radius, 2 * radius), fill, stroke, radius);
}

Box Drawing::rank_tile(const std::string& number, Point center, const Font& font) {
  const double width = std::max(24.0, ruler_.width(number, font) + 12);
  const Box tile = Box::around(center, width, 20);
  box(tile, Ink{Tone::rank}, {}, 4);
  level(number, center, font);
  return tile;
}

Mark& Drawing::text(std::string_view words, Point origin, const Font& font, Ink ink,
                    Anchor anchor) {
  Mark mark;
  mark.kind = Mark::Kind::text;
  mark.text = printable(words);
  mark.box = ruler_.extent(mark.text, font, origin, anchor);
  mark.font = font;
  mark.fill = ink;
  mark.anchor = anchor;
  mark.origin = origin;
  return put(std::move(mark));
}

Mark& Drawing::level(std::string_view words, Point at, const Font& font, Ink ink, Anchor anchor) {
  return text(words, {at.x, at.y + half_rise(font)}, font, ink, anchor);
}

Mark& Drawing::text_in(const Box& box, std::string_view words, const Font& font, Ink ink,
                       Anchor anchor) {
  const double x = anchor == Anchor::start ? box.x
                   : anchor == Anchor::end ? box.right()
                                           : box.center().x;
  const double baseline = box.center().y + (ruler_.ascent(font) - ruler_.descent(font)) / 2;
  return text(words, {x, baseline}, font, ink, anchor);
}

Mark& Drawing::upward(std::string_view words, Point center, const Font& font, Ink ink) {
  Mark& mark = text(words, {center.x + half_rise(font), center.y}, font, ink, Anchor::middle);
  const double width = mark.box.width;
  mark.rotated = -90;
  mark.box = {mark.origin.x - ruler_.ascent(font), center.y - width / 2, ruler_.height(font),
              width};
  return mark;
}

Box Drawing::pill_box(const std::string& label, Point center) const {
  const double wide = std::max(width(label, kCaptionStrong) + 2 * kPillSides, kPillHeight + 4);
  return Box::around(center, wide, kPillHeight);
}

Box Drawing::pill(const std::string& label, Point center, Ink fill, Ink ink) {
  const Box where = pill_box(label, center);
  const Ink edge = edge_of(fill);
  box(where, fill, edge == fill ? Ink{Tone::page} : edge, kPillHeight / 2);
  level(label, center, kCaptionStrong, ink);
  return where;
}

Mark& Drawing::line(Point from, Point to, Ink ink, double width) {
  return path(straight(from, to), ink, width);
}

Mark& Drawing::arrow(Point from, Point to, Ink ink, double width) {
  Mark& mark = line(from, to, ink, width);
  mark.arrow = true;
  return mark;
}

Mark& Drawing::path(std::vector<Point> points, Ink ink, double width) {
  Mark mark;
  mark.kind = Mark::Kind::path;
  mark.stroke = edge_of(ink);
  mark.line_width = width;
  mark.box = {points.front().x, points.front().y, 0, 0};
  for (const Point& p : points) mark.box = united(mark.box, {p.x, p.y, 0, 0});
  mark.points = std::move(points);
  return put(std::move(mark));
}

void Drawing::cross(Point center, double reach) {
  for (const double way : {-1.0, 1.0})
    line({center.x - reach, center.y - way * reach}, {center.x + reach, center.y + way * reach},
         {Tone::error}, 2);
}

Mark& Drawing::triangle(Point a, Point b, Point c, Ink fill) {
  Mark& mark = path({a, a, b, b, b, c, c, c, a, a}, fill, 1);
  mark.closed = true;
  mark.fill = edge_of(fill);
  mark.stroke.reset();
  return mark;
}

std::vector<Point> straight(Point from, Point to) { return {from, from, to, to}; }

Point bezier(std::span<const Point> p, double t) noexcept {
  const double u = 1 - t;
  const double a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
  return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
          a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

bool passes(std::span<const Point> points, const Box& box) noexcept {
  constexpr int kSamples = 24;
  for (int i = 0; i <= kSamples; ++i)
    if (box.contains(bezier(points, static_cast<double>(i) / kSamples))) return true;
  return false;
}

void shift(Mark& mark, Point by) noexcept {
  mark.box.x += by.x;
  mark.box.y += by.y;
  mark.origin.x += by.x;
  mark.origin.y += by.y;
  for (Point& p : mark.points) {
    p.x += by.x;
    p.y += by.y;
  }
}

void place(const Scene& part, Point at, Scene& into, std::string_view prefix) {
  const auto first = static_cast<std::int32_t>(into.groups.size());
  for (Group group : part.groups) {
    group.id.insert(0, prefix);
    into.groups.push_back(std::move(group));
  }
  for (Mark mark : part.marks) {
    shift(mark, at);
    if (mark.group >= 0) mark.group += first;
    into.marks.push_back(std::move(mark));
  }
  into.width = std::max(into.width, at.x + part.width);
  into.height = std::max(into.height, at.y + part.height);
  into.clock_end = std::max(into.clock_end, part.clock_end);
}

void make_alike(std::vector<Scene>& scenes) noexcept {
  double width = 0, height = 0;
  for (const Scene& scene : scenes)
    width = std::max(width, scene.width), height = std::max(height, scene.height);
  for (Scene& scene : scenes) scene.width = width, scene.height = height;
}

Scene stacked(const std::vector<Scene>& scenes) {
  Scene page;
  for (const Scene& scene : scenes) {
    if (page.title.empty()) page.title = scene.title;
    page.description += (page.description.empty() ? "" : " ") + scene.description;
    place(scene, {0, page.height}, page);
  }
  return page;
}

void trim(Scene& scene, double margin) {
  const Box all = bounds(scene);
  for (Mark& mark : scene.marks) shift(mark, {margin - all.x, margin - all.y});
  scene.width = all.width + 2 * margin;
  scene.height = all.height + 2 * margin;
}

std::vector<std::string> wrapped(std::string_view text, const Font& font, double width,
                                 const Ruler& ruler) {
  return text_lines(text, width, ruler.measure(font));
}

Scene captioned(Scene body, const Caption& caption, const Ruler& ruler) {
  trim(body, 0);
  const double width = std::max(
      {body.width, kLeastWidth, std::min(ruler.width(caption.title, kHeading), kLongestTitle)});
  Scene scene;
  scene.title = caption.title.empty() ? body.title : caption.title;
  scene.description = body.description;
  scene.clock_end = body.clock_end;
  Drawing pen(scene, ruler);
  double y = kPageMargin;
  const auto lines = [&](const std::string& text, const Font& font, Tone tone, double height) {
    auto broken = wrapped(text, font, width, ruler);
    const std::size_t most = font == kHeading ? kMostOfTitle : kMostLines;
    if (broken.size() > most) {
      broken.resize(most);
      broken.back() += " …";
    }
    for (const auto& line : broken) {
      y += height;
      pen.text(ruler.fitted(line, font, width), {kPageMargin, y - ruler.descent(font)}, font,
               {tone});
    }
  };
  lines(caption.title, kHeading, Tone::text, 28);
  for (const auto& line : caption.subtitle) lines(line, kBody, Tone::muted, kLine);
  if (y > kPageMargin) y += 24;
  place(body, {kPageMargin + (width - body.width) / 2, y}, scene);
  y += body.height;
  if (!caption.notes.empty()) y += 12;
  for (const auto& line : caption.notes) lines(line, kCaption, Tone::muted, 18);
  Box all = bounds(scene);
  scene.width = std::max(width + 2 * kPageMargin, all.right() + kPageMargin);
  scene.height = y + kPageMargin;
  return scene;
}

Scene uncaptioned(Scene body, const Caption& caption) {
  trim(body, 0);
  if (!caption.title.empty()) body.title = caption.title;
  body.description.clear();
  for (const auto* lines : {&caption.subtitle, &caption.notes})
    for (const auto& line : *lines) {
      if (!body.description.empty()) body.description += '\n';
      body.description += line;
    }
  return body;
}

}  // namespace rankscope
