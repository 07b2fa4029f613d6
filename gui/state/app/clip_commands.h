// `record last`: the window's last minute, kept while somebody lectures, as a GIF or a video.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/state/app/command_group.h"
#include "gui/state/app/script_commands.h"
#include "gui/state/lecture/frame_ring.h"

namespace rankscope::gui {

class ClipCommands : public CommandGroup {
 public:
  explicit ClipCommands(App& app) : CommandGroup(app) {}
  ~ClipCommands();
  void update(double seconds, bool& news);
  bool busy() const { return saving_.valid(); }

  /// `record last [SECONDS] FILE`.
  void save_last(const Arguments& words);
  /// `record on`, and its end.
  void keep(bool on);

  // ---- For the window, which has the pictures ----
  bool keeps_frames() const noexcept { return state_.lecturing() || state_.lecture.keeps_frames; }
  /// Seconds until the next picture is wanted; 0: now.
  double wants_frame_in() const;
  /// False: it was not taken, and may be offered again.
  bool take_frame(Pixels picture);

 private:
  FrameRing ring_;
  std::future<std::string> saving_;  ///< What went wrong; empty: nothing.
  std::string saving_file_;
  std::shared_ptr<std::atomic<bool>> stopped_ = std::make_shared<std::atomic<bool>>(false);
  std::optional<ScriptLine> asked_by_;
};

}  // namespace rankscope::gui
