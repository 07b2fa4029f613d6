// The scenes of the open lecture in a row, to jump to one, move or skip it: over the window (Ctrl+T), and in the presenter's window.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "gui/views/base/view.h"
#include "gui/views/scene/small_stage.h"

namespace rankscope::gui {

class SceneStrip {
 public:
  /// Draws the strip over the foot of the window, while it is open.
  void draw_over(ViewContext& context);
  /// Draws the row into the current window, and keeps the shown scene in sight.
  void draw(ViewContext& context, ImVec2 size);
  /// Takes the keys that choose a scene while the strip is open.
  bool takes_key(const AppState& state, CommandQueue& commands, std::string_view key);
  static float height(const Look& look);

 private:
  void card(ViewContext& context, std::size_t place, ImVec2 size);
  void picture(ViewContext& context, std::size_t which, ImVec2 low, ImVec2 size);
  void press(ViewContext& context, std::size_t place, ImVec2 low, ImVec2 size);
  void drop(ViewContext& context, ImVec2 begin, float step);

  std::size_t chosen_ = 0, shown_ = 0;  ///< Places in the order of the scenes.
  std::optional<std::size_t> dragged_;
  std::shared_ptr<const Lecture> of_;           ///< The lecture of the pictures.
  std::map<std::size_t, SmallStage> pictures_;  ///< By number of the scene in the file.
  bool was_open_ = false, follows_ = true;
};

}  // namespace rankscope::gui
