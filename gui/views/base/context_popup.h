// The menu of a right click.
#pragma once

#include <utility>

#include "gui/state/model/context_menu.h"
#include "gui/views/base/view.h"

namespace rankscope::gui {

class ContextPopup {
 public:
  /// Returns whether the right button was pressed and released in place.
  static bool clicked();
  void open(ContextThing thing) {
    thing_ = std::move(thing);
    opens_ = true;
  }
  /// Call it in every frame, in the window in which it was opened.
  void draw(ViewContext& context);

 private:
  ContextThing thing_;
  bool opens_ = false;
};

}  // namespace rankscope::gui
