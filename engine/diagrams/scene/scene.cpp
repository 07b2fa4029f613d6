// Implements groups and clock axes, prints a scene as text, and finds overlapping marks.
#include "engine/diagrams/scene/scene.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

constexpr double kEdge = 0.5;

bool indexed(Tone tone) noexcept { return tone >= Tone::chunk; }

std::string to_text(const Ink& ink) {
  std::string text(to_string(ink.tone));
  if (indexed(ink.tone)) text += fmt::format("-{}", ink.index);
  if (ink.alpha != 1) text += fmt::format("@{:.2f}", ink.alpha);
  return text;
}

std::string to_text(const Box& box) {
  return fmt::format("{:.1f},{:.1f} {:.1f}x{:.1f}", box.x, box.y, box.width, box.height);
}

void append(std::string& out, const Mark& mark, const Scene& scene) {
  static constexpr std::string_view kKinds[] = {"box", "path", "text"};
  out += kKinds[static_cast<std::size_t>(mark.kind)];
  if (mark.group >= 0)
    out += fmt::format(" [{}]", scene.groups[static_cast<std::size_t>(mark.group)].id);
  if (mark.kind == Mark::Kind::text) {
    static constexpr std::string_view kAnchors[] = {"start", "middle", "end"};
    out += fmt::format(" \"{}\" {} at {:.1f},{:.1f} size {:.1f}", mark.text,
                       kAnchors[static_cast<std::size_t>(mark.anchor)], mark.origin.x,
                       mark.origin.y, mark.font.size);
    if (mark.rotated != 0) out += fmt::format(" rotated {:.0f}", mark.rotated);
  } else if (mark.kind == Mark::Kind::box) {
    out += ' ' + to_text(mark.box);
  } else {
    for (const Point& p : mark.points) out += fmt::format(" {:.1f},{:.1f}", p.x, p.y);
    if (mark.arrow) out += " ->";
  }
  if (mark.fill) out += " fill " + to_text(*mark.fill);
  if (mark.stroke) out += fmt::format(" stroke {} {:.1f}", to_text(*mark.stroke), mark.line_width);
  if (mark.dotted) out += " dotted";
  if (mark.hatched) out += " diagonal";
  out += '\n';
}

}  // namespace

std::string_view to_string(Tone tone) noexcept {
  static constexpr std::string_view kNames[] = {
      "page",   "panel",    "frame",      "lane",      "grid",      "text",     "muted",
      "accent", "error",    "good",       "blocked",   "computing", "reducing", "copying",
      "chunk",  "on-chunk", "rank",       "rank-edge", "whole",     "on-whole", "phase",
      "heat",   "on-heat",  "chunk-edge", "series",    "load"};
  return kNames[static_cast<std::size_t>(tone)];
}

Box united(const Box& a, const Box& b) noexcept {
  const double x = std::min(a.x, b.x), y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

Point ClockAxis::at(double time) const noexcept {
  std::size_t i = 1;
  while (i + 1 < knots.size() && knots[i].time < time) ++i;
  const Knot &a = knots[i - 1], &b = knots[i];
  const double share =
      b.time > a.time ? std::clamp((time - a.time) / (b.time - a.time), 0.0, 1.0) : 0;
  return {a.at.x + (b.at.x - a.at.x) * share, a.at.y + (b.at.y - a.at.y) * share};
}

double ClockAxis::time_at(Point p) const noexcept {
  // Along the axis every coordinate grows: the one that it runs in decides.
  const bool down = std::abs(across.x) > std::abs(across.y);
  const auto where = [&](Point q) { return down ? q.y : q.x; };
  std::size_t i = 1;
  while (i + 1 < knots.size() && where(knots[i].at) < where(p)) ++i;
  const Knot &a = knots[i - 1], &b = knots[i];
  const double room = where(b.at) - where(a.at);
  const double share = room > 0 ? std::clamp((where(p) - where(a.at)) / room, 0.0, 1.0) : 0;
  return a.time + (b.time - a.time) * share;
}

std::int32_t Scene::add_group(Group group) {
  groups.push_back(std::move(group));
  return static_cast<std::int32_t>(groups.size()) - 1;
}

// Sorted by their left edges, so that only neighbours are compared.
std::vector<Overlap> overlapping_texts(const Scene& scene, double tolerance) {
  std::vector<std::size_t> texts;
  for (std::size_t i = 0; i < scene.marks.size(); ++i)
    if (scene.marks[i].kind == Mark::Kind::text && !scene.marks[i].text.empty()) texts.push_back(i);
  const auto box = [&](std::size_t i) { return scene.marks[texts[i]].box.grown(-tolerance / 2); };
  ranges::sort(texts, {}, [&](std::size_t i) { return scene.marks[i].box.x; });
  std::vector<Overlap> found;
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (std::size_t j = i + 1; j < texts.size() && box(j).x < box(i).right(); ++j)
      if (box(i).overlaps(box(j))) found.push_back({texts[i], texts[j]});
  return found;
}

std::vector<std::size_t> outside_page(const Scene& scene) {
  std::vector<std::size_t> found;
  const Box page = scene.page().grown(kEdge);
  for (std::size_t i = 0; i < scene.marks.size(); ++i)
    if (!scene.marks[i].box.inside(page)) found.push_back(i);
  return found;
}

std::string to_text(const Scene& scene) {
  std::string out =
      fmt::format("scene {:.1f}x{:.1f} \"{}\"", scene.width, scene.height, scene.title);
  if (scene.clock_end > 0) out += fmt::format(" clock {:.1f}", scene.clock_end);
  out += '\n';
  for (const Group& group : scene.groups) {
    std::string story = group.story;
    replace_all(story, "\n", " | ");
    out += fmt::format("group [{}]", group.id);
    if (group.timed()) out += fmt::format(" {:.2f}..{:.2f}", group.begin, group.end);
    if (!story.empty()) out += ' ' + story;
    out += '\n';
  }
  for (const Mark& mark : scene.marks) append(out, mark, scene);
  return out;
}

}  // namespace rankscope
