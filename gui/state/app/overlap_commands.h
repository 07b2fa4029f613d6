// Commands about the overlap of computing and communicating in a training step: its settings, and a real step.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>

#include "engine/core/base/scratch_folder.h"
#include "gui/state/app/command_group.h"
#include "gui/state/run/child_command.h"

namespace rankscope::gui {

class OverlapCommands : public CommandGroup {
 public:
  explicit OverlapCommands(App& app);
  void update(double seconds, bool& news);
  /// Ends the current step.
  void stop() { child_.stop(); }
  /// Returns whether a trace is being read.
  bool busy() const { return reading_.valid(); }
  /// Returns whether it is a temporary trace of this group.
  bool has_made(const std::string& file) const;

  // ---- The commands ----
  void set(const Arguments& words);
  void run();
  void stop_run();
  void show(const Arguments& words);
  void open_trace();

 private:
  struct Read {
    std::shared_ptr<const MeasuredOverlap> measured;
    std::string error;
  };
  void take_end(bool& news);
  void take_measured(bool& news);
  void fail(const std::string& problem);

  ChildCommand child_;
  std::optional<ScratchFolder> folder_;
  OverlapValues started_{};  ///< The values of the current or last step.
  std::string file_;         ///< Its trace.
  int number_ = 0;
  std::future<Read> reading_;
};

}  // namespace rankscope::gui
