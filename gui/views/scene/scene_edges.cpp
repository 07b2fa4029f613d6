// Draws the edges of a scene that stay in sight: its caption, and names when only a part of it is shown.
#include <algorithm>

#include "engine/core/base/ranges.h"
#include "gui/views/scene/scene_view.h"

namespace rankscope::gui {

// Above and below the scene, which gets the rest of the pane.
void SceneView::write_caption(const ViewContext& context, const std::string& text, ImVec2& low,
                              ImVec2& size) {
  const Look& look = context.look;
  const float wrap = size.x;
  const auto break_at = std::min(text.find('\n'), text.size());
  const std::string head = text.substr(0, break_at),
                    notes = break_at < text.size() ? text.substr(break_at + 1) : "";
  look.push(12);
  const auto high = [&](const std::string& words) {
    return words.empty() ? 0 : ImGui::CalcTextSize(words.c_str(), nullptr, false, wrap).y;
  };
  const auto write = [&](const std::string& words, float y) {
    ImGui::GetWindowDrawList()->AddText(ImGui::GetFont(), ImGui::GetFontSize(), {low.x, y},
                                        look.palette().muted, words.c_str(), nullptr, wrap);
  };
  const float gap = look.px(4), above = high(head) + gap;
  float below = high(notes) + gap;
  if (size.y < look.px(200) || notes.empty()) below = 0;  // the picture comes first
  write(head, low.y);
  if (below > 0) write(notes, low.y + size.y - below + gap);
  Look::pop();
  low.y += above;
  size.y -= above + below;
}

// A phase of which a part is in sight is named there, when the middle of its band, and so its name, is not.
void SceneView::name_phases(const ViewContext& context, ImDrawList& list, const Scene& scene,
                            const ScenePlace& at, ImVec2 low, ImVec2 size) {
  if (scene.clock_axis->across.x != 0) return;
  const Look& look = context.look;
  look.push(12, Font::Weight::semibold);
  for (const Mark& band : scene.marks) {
    if (band.kind != Mark::Kind::box || !band.fill || band.fill->tone != Tone::phase) continue;
    const auto name = ranges::find_if(scene.marks, [&](const Mark& mark) {
      return mark.kind == Mark::Kind::text && mark.group == band.group &&
             mark.box.center().y > band.box.y && mark.box.center().y < band.box.bottom();
    });
    if (name == scene.marks.end()) continue;
    const float from = std::max(low.x, at.at(band.box.center()).x -
                                           static_cast<float>(band.box.width * at.zoom / 2)),
                to = std::min(low.x + size.x, at.at(band.box.center()).x +
                                                  static_cast<float>(band.box.width * at.zoom / 2));
    const ImVec2 middle = at.at(name->box.center());
    const float half = static_cast<float>(name->box.width * at.zoom / 2);
    if (middle.x + half > low.x && middle.x - half < low.x + size.x) continue;
    const std::string words = fitted_phase(name->text, to - from - look.px(8));
    const ImVec2 wide = ImGui::CalcTextSize(words.c_str());
    if (to - from > look.px(32))
      list.AddText({(from + to - wide.x) / 2, middle.y - wide.y / 2}, look.palette().text,
                   words.c_str());
  }
  Look::pop();
}

// Keeps the ranks' names at the edge of an enlarged picture.
void SceneView::pin_names(const ViewContext& context, ImDrawList& list, const Scene& scene,
                          const ScenePlace& at, ImVec2 low, ImVec2 size) const {
  if (zoom_ <= 1.0001 || !shows_time() || !scene.clock_axis || scene.clock_axis->across.x != 0)
    return;
  const Look& look = context.look;
  const Point zero = scene.clock_axis->knots.front().at;
  const double end = zero.y + scene.clock_axis->across.y;
  const auto face = look.face(Font{14, Font::Weight::semibold, false});
  const auto wide = [&](const Mark& mark) { return face.extent(mark.text).x; };
  std::vector<const Mark*> names;
  float widest = 0;
  for (const Mark& mark : scene.marks) {
    const double y = mark.box.center().y;
    if (mark.kind != Mark::Kind::text || mark.box.right() > zero.x || y < zero.y || y > end)
      continue;
    names.push_back(&mark);
    widest = std::max(widest, wide(mark));
  }
  const float strip = widest + look.px(12);
  if (names.empty() || at.at(zero).x >= low.x + strip) return;  // their own are in sight
  list.AddRectFilled(low, {low.x + strip, low.y + size.y}, look.palette().panel);
  for (const Mark* mark : names)
    face.draw(list, {low.x + widest - wide(*mark), at.at(mark->box.center()).y - face.size / 2},
              look.palette().text, mark->text);
}

// Keeps the names of the ranks in place when a part of the time is shown. Returns where the rest
// begins.
ImVec2 SceneView::head_of(const ViewContext& context, ImDrawList& list, const Scene& scene,
                          const ScenePlace& at, ImVec2 low, ImVec2 size) {
  constexpr double kBefore = 8;  // units of the scene: the line of the first moment has a width
  const bool down = scene.clock_axis->across.x != 0;
  ScenePlace still = at;
  (down ? still.origin.y : still.origin.x) = down ? low.y : low.x;
  const ImVec2 zero = still.at(scene.clock_axis->knots.front().at);
  const auto gap = static_cast<float>(kBefore * at.zoom);
  const ImVec2 rest{down ? low.x : zero.x - gap, down ? zero.y - gap : low.y};
  list.PushClipRect(low, {down ? low.x + size.x : rest.x, down ? rest.y : low.y + size.y}, true);
  paint(list, scene, context.look, still, {});
  list.PopClipRect();
  return rest;
}

const MadeScene* SceneCache::get(std::uint64_t source, const std::string& key, Make make) {
  return scenes_.get(source, key, [make = std::move(make)] {
    MadeScene made;
    try {
      made.scene = make();
      made.moving_messages = moving_messages(made.scene);
    } catch (const UserError& e) {
      made.error = e.what();
    }
    return made;
  });
}

// A right click on something in the picture, or on nothing in it.
void SceneView::ask_what_to_do(const ViewContext& context, const Scene& scene) {
  ContextThing thing;
  thing.slot = context.slot;
  if (hovered_ >= 0)
    if (const auto what =
            selection_of(scene.groups[static_cast<std::size_t>(hovered_)].id).thing()) {
      thing.kind = static_cast<ContextThing::Kind>(what->first);
      thing.number = what->second;
    }
  popup_.open(std::move(thing));
}

}  // namespace rankscope::gui
