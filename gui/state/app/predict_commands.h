// Questions before a step is seen: predictions, votes, and who was right.
#pragma once

#include "gui/state/app/command_group.h"

namespace rankscope::gui {

class PredictCommands : public CommandGroup {
 public:
  explicit PredictCommands(App& app) : CommandGroup(app) {}
  /// Opens the question of a lecture's scene, and closes a question once its step has been seen.
  void update(double seconds, bool& news);

  // ---- The command ----
  void predict(const Arguments& words);

 private:
  void ask();
  void vote(const Arguments& words);
  void resolve();

  std::size_t next_ = 0;  ///< The question that the next command asks.
  int asked_after_ = -1;  ///< The number of steps that were over when the questions were made.
};

}  // namespace rankscope::gui
