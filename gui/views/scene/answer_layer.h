// An answer that is given on the stage: arrows that are drawn from rank to rank, slots that are tapped. Lies over the
// stage's scene; each gesture is a command.
#pragma once

#include <optional>
#include <vector>

#include "engine/diagrams/stage/stage.h"
#include "gui/views/scene/answer_arrows.h"

namespace rankscope::gui {

/// A stage at a moment, in rounds: cards may come near each other at the beginning of one.
struct StageNow {
  const Stage& stage;
  double moment = 0;
  Box card(Rank rank) const { return stage.card(rank, moment); }
  Box row(Rank rank, int chunk) const { return stage.row(rank, chunk, moment); }
  int chunks() const noexcept { return stage.chunks(); }
};

class AnswerLayer {
 public:
  /// Handles the mouse; returns whether it is over a part of the answer.
  bool takes_mouse(ViewContext& context, const StageNow& stage, const ScenePlace& place,
                   bool hovered);
  void draw(const ViewContext& context, ImDrawList& list, const Scene& scene, const StageNow& stage,
            const ScenePlace& place);
  /// Slots would be too small to be tapped.
  bool too_small() const noexcept { return too_small_; }

 private:
  /// A rank's card, or a chunk's row on it.
  struct Grip {
    Rank rank = -1;
    int chunk = -1;
  };
  struct Drawn {
    PredictedMessage message;
    AnswerArrow arrow;
  };
  struct Slot {
    Rank rank = -1;
    int chunk = -1, of = -1;
    bool operator==(const Slot&) const = default;
  };
  /// Over each rank's card its chunks, and in each a slot for every rank.
  struct SlotGrid {
    float size = 0;               ///< Size of a slot, in pixels; 0 without room.
    float names = 0, head = 0;    ///< Beside and above the slots.
    std::vector<PixelBox> cards;  ///< By rank.
    PixelBox slot(const Slot& which) const;
  };

  bool takes_arrows(ViewContext& context, const StageNow& stage, const ScenePlace& place,
                    bool hovered);
  bool takes_slots(ViewContext& context, const StageNow& stage, const ScenePlace& place,
                   bool hovered);
  void press_arrow(ViewContext& context, const Drawn& arrow, bool remove) const;
  void drop(ViewContext& context, const StageNow& stage, Grip to);
  static Grip grip_at(const ViewContext& context, const StageNow& stage, const ScenePlace& place,
                      ImVec2 at);
  std::vector<Drawn> arrows(const ViewContext& context, const StageNow& stage,
                            const ScenePlace& place) const;
  SlotGrid grid_of(const ViewContext& context, const ImDrawList& list, const StageNow& stage,
                   const ScenePlace& place);
  void draw_slots(const ViewContext& context, ImDrawList& list, const StageNow& stage,
                  const ScenePlace& place);
  void draw_drag(const ViewContext& context, ImDrawList& list, const StageNow& stage,
                 const ScenePlace& place) const;
  static void draw_ghosts(const ViewContext& context, ImDrawList& list, const Scene& scene,
                          const StageNow& stage, const ScenePlace& place);

  std::optional<Grip> from_;  ///< While it is dragged.
  Grip over_;
  int hovered_row_ = -2;  ///< Row of the arrow under the mouse; -1: the only one, -2: none.
  Slot hovered_slot_;
  bool too_small_ = false;
  std::vector<PixelBox>
      texts_;  ///< Texts of the scene that was drawn last, of which labels keep clear.
};

}  // namespace rankscope::gui
