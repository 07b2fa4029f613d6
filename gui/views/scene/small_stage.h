// The stage of a run as the picture on a card.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/diagrams/stage/stage.h"
#include "gui/state/command/made_later.h"
#include "gui/state/run/document.h"
#include "gui/views/base/view.h"

namespace rankscope::gui {

/// Makes the run and its pictures in the background, one picture at a time: see MadeLater.
class SmallStage {
 public:
  /// Draws the run's moment (in rounds) into the box; a still picture of the first step until the run's end is known. `run`: called
  /// once; a card whose run throws stays empty. `awaited`: a screenshot waits for the picture of this moment, and not only for a first one.
  /// `shrunk`: how many times smaller than the stage that is laid out.
  void draw(ViewContext& context, const std::function<DocumentPtr()>& run, double moment,
            ImVec2 low, ImVec2 size, bool awaited, double shrunk = 1);
  double end() const noexcept { return end_; }  ///< In rounds; 0 until the run is made.
  bool stuck() const noexcept { return stuck_; }

 private:
  struct Made {
    DocumentPtr run;
    std::unique_ptr<Stage> stage;
    double width = 0, height = 0;
  };
  struct Picture {
    Scene scene;
    double end = 0;
    bool stuck = false;
    std::string error;
  };
  std::shared_ptr<Made> made_ = std::make_shared<Made>();
  MadeLater<Picture> picture_;
  double end_ = 0;
  bool stuck_ = false;
};

}  // namespace rankscope::gui
