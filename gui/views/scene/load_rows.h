// Loads of links over time as rows of colour, the busiest first.
#pragma once

#include <string>
#include <vector>

#include "gui/views/view.h"

namespace rankscope::gui {

class LoadRows {
 public:
  /// Of as many rows as there are links to show and as the room allows; 0: it allows none.
  static float height(const ViewContext& context, float room);
  /// From the cursor on. A click moves the cursor.
  void draw(ViewContext& context, float width, float high);

 private:
  void make(const AppState& state, int rows, int columns);
  void draw_row(ViewContext& context, int row, ImVec2 low, float names, float width);
  void draw_time(ViewContext& context, ImVec2 low, ImVec2 size);

  std::string of_;            ///< What loads_ was made from.
  std::vector<float> loads_;  ///< By row and column.
  int columns_ = 0;
};

}  // namespace rankscope::gui
