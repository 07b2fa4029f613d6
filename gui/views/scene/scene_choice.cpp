// What is selected, in a scene's view: its group, and what is strong or pale with it.
#include <charconv>

#include <fmt/format.h>

#include "gui/views/scene/scene_view.h"

namespace rankscope::gui {

const std::vector<Emphasis>& SceneView::emphasis_of(const AppState& state, const Scene& scene,
                                                    const std::string& key) {
  const auto& chosen = state.selection;
  // A message's receiver is selected with it, and is not meant.
  const SceneChoice choice{chosen.message, chosen.message >= 0 ? -1 : chosen.rank, chosen.chunk};
  const auto cells = cell_meaning();
  const std::string wanted =
      choice.any() && cells
          ? fmt::format("{} {} {} {} {} {}", state.document->id(), key, choice.message, choice.rank,
                        choice.chunk, fmt::ptr(&scene))
          : "";
  if (wanted == emphasis_for_) return emphasis_;
  emphasis_for_ = wanted;
  emphasis_ = wanted.empty() ? std::vector<Emphasis>()
                             : emphasis(scene, state.document->analysis(), choice, *cells);
  return emphasis_;
}

std::string SceneView::selected_group(const ViewContext& context) const {
  const auto& selection = context.state.selection;
  if (selection.message >= 0) return fmt::format("m{}", selection.message);
  return selection.event >= 0 ? fmt::format("e{}", selection.event) : "";
}

Selection SceneView::selection_of(const std::string& group) const {
  Selection selection;
  std::int64_t number = -1;
  if (group.starts_with('m') || group.starts_with('e')) {
    const auto [end, error] =
        std::from_chars(group.data() + 1, group.data() + group.size(), number);
    if (error == std::errc() && end == group.data() + group.size())
      (group.front() == 'm' ? selection.message : selection.event) = number;
  }
  return selection;
}

}  // namespace rankscope::gui
