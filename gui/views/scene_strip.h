// The scenes of the open lecture in a row, to jump to one: over the window (Ctrl+T), and in the presenter's window.
#pragma once

#include <cstddef>
#include <string_view>

#include "gui/views/base/view.h"

namespace rankscope::gui {

class SceneStrip {
 public:
  /// Over the foot of the window, while it is open.
  void draw_over(ViewContext& context);
  /// In the current window, as wide as this; the scene that is shown is kept in view.
  void draw(ViewContext& context, ImVec2 size);
  /// Takes the keys that choose a scene while the strip is open.
  bool takes_key(const AppState& state, CommandQueue& commands, std::string_view key);
  /// Returns the height of the row.
  static float height(const Look& look);

 private:
  void card(ViewContext& context, std::size_t which, ImVec2 size);

  std::size_t chosen_ = 0, shown_ = 0;
  bool was_open_ = false, follows_ = true;
};

}  // namespace rankscope::gui
