// The menu of a right click.
#pragma once

#include <utility>

#include "gui/state/model/context_menu.h"
#include "gui/views/base/view.h"

namespace rankscope::gui {

class ContextPopup {
 public:
  /// The right button was pressed and let go without moving.
  static bool clicked();
  void open(ContextThing thing) {
    thing_ = std::move(thing);
    opens_ = true;
  }
  /// In the window in which it was opened, in every frame.
  void draw(ViewContext& context);

 private:
  ContextThing thing_;
  bool opens_ = false;
};

}  // namespace rankscope::gui
