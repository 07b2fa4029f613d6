// The first page: six small runs that move, each a card that opens it, and the other ways to begin.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "gui/state/files/samples.h"
#include "gui/views/base/view.h"

namespace rankscope::gui {

class FirstPage {
 public:
  FirstPage();
  ~FirstPage();
  /// Draws the page at ImGui's cursor, in this size.
  void draw(ViewContext& context, ImVec2 size);
  /// Call it when the page is not shown: its runs go back to their start.
  void leave();
  /// Arrows choose a card, Enter opens it; true if the key was used.
  bool takes_key(CommandQueue& commands, std::string_view key);
  bool moves() const noexcept { return moves_; }

 private:
  struct Card;
  struct Grid {
    int columns = 3;
    ImVec2 card;
    float gap = 0;
  };
  void head(const ViewContext& context, float width);
  void cards(ViewContext& context, const Grid& grid);
  void card(ViewContext& context, std::size_t which, ImVec2 size);
  void picture(ViewContext& context, std::size_t which, ImVec2 low, ImVec2 size);
  void foot(ViewContext& context, float width);
  static void lectures(ViewContext& context, float width);

  std::array<std::unique_ptr<Card>, kSampleCards> cards_;
  int columns_ = 3, chosen_ = 0;
  float head_height_ = 0;
  double seconds_ = 0;  ///< For how long the page has moved.
  bool moves_ = false, by_keys_ = false;
};

}  // namespace rankscope::gui
