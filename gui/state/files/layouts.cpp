// The built-in layouts, and saving, finding and removing the user's own.
#include "gui/state/files/layouts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/suggest.h"

namespace rankscope::gui {
namespace {

std::vector<NamedLayout> make_built_in() {
  Layout lecture;  // seen from the last row: two pictures, nothing else
  lecture.view = {"spacetime", "buffers", "code", "graph"};
  lecture.left_open = lecture.right_open = false;
  Layout debug;  // who waits for whom, and where
  debug.view = {"spacetime", "processes", "code", "problems"};
  debug.right = 0.34;
  Layout code;  // the source, with what it does
  code.view = {"code", "spacetime", "buffers", "graph"};
  code.lower = 0.5;
  Layout
      stage;  // what the window begins with; recorded scripts begin with the standard one, which stays as it is
  stage.view = {"stage", "spacetime", "code", "problems"};
  stage.drawer = true;
  stage.right = 0.31;
  stage.lower = 0.27;
  return {
      {"stage", stage}, {"standard", {}}, {"lecture", lecture}, {"debug", debug}, {"code", code}};
}

}  // namespace

const std::vector<NamedLayout>& built_in_layouts() {
  static const auto all = make_built_in();
  return all;
}

std::vector<NamedLayout> layouts_of(const Settings& settings) {
  auto all = settings.layouts;
  for (const auto& one : built_in_layouts())
    if (ranges::find(all, one.name, &NamedLayout::name) == all.end()) all.push_back(one);
  return all;
}

Layout layout_named(const Settings& settings, const std::string& name) {
  const auto all = layouts_of(settings);
  const auto found = ranges::find(all, name, &NamedLayout::name);
  if (found != all.end()) return found->layout;
  std::vector<std::string> names;
  for (const auto& one : all) names.push_back(one.name);
  const auto guess = did_you_mean(name, nearest(name, names));
  throw UserError(fmt::format("there is no layout \"{}\": {}", name,
                              guess.empty() ? fmt::format("{}", fmt::join(names, ", ")) : guess));
}

void save_layout(Settings& settings, const std::string& name) {
  if (name.empty() || name == "save" || name == "remove")
    throw UserError(fmt::format("a layout cannot be called \"{}\": choose another name", name));
  auto& all = settings.layouts;
  const auto found = ranges::find(all, name, &NamedLayout::name);
  if (found != all.end()) found->layout = settings.layout;
  else if (all.size() < Settings::kMostLayouts) all.push_back({name, settings.layout});
  else throw UserError("no more layouts can be saved: remove one (layout remove NAME)");
}

void show_no_race(Layout& layout) {
  for (auto& view : layout.view)
    if (view == "race")
      view = ranges::find(layout.view, "stage") == layout.view.end() ? "stage" : "spacetime";
  layout.race.clear();
}

void remove_layout(Settings& settings, const std::string& name) {
  if (std::erase_if(settings.layouts, [&](const auto& one) { return one.name == name; }) > 0)
    return;
  throw UserError(fmt::format("no layout \"{}\" was saved", name));
}

}  // namespace rankscope::gui
