// Shifts, places, stacks and trims scenes, and adds or removes captions.
#include "engine/diagrams/scene/compose.h"

#include <algorithm>

#include "engine/diagrams/scene/drawing.h"

namespace rankscope {
namespace {

constexpr double kPageMargin = 24, kLine = 20, kLeastWidth = 400, kLongestTitle = 640;
constexpr std::size_t kMostOfTitle = 3, kMostLines = 8;  // of one text

Box bounds(const Scene& scene) noexcept {
  if (scene.marks.empty()) return {};
  Box all = scene.marks[0].box;
  for (const Mark& mark : scene.marks) all = united(all, mark.box);
  return all;
}

}  // namespace

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
