// Commands about training: its settings, start and stop, and which folder's results are shown.
#pragma once

#include <chrono>
#include <future>
#include <string>
#include <vector>

#include "gui/state/app/command_group.h"
#include "gui/state/run/child_command.h"

namespace rankscope::gui {

class TrainingCommands : public CommandGroup {
 public:
  explicit TrainingCommands(App& app);
  void update(double seconds, bool& news);
  /// Ends the current training.
  void stop() { child_.stop(); }
  /// Returns whether results are being read.
  bool busy() const { return reading_.valid(); }

  // ---- The commands ----
  void set(const Arguments& words);
  void train();
  void stop_training();
  void show_folder(const Arguments& words);

 private:
  std::vector<std::string> words_of(const std::string& data, const std::string& folder) const;
  std::string require_pictures();
  void read();
  void take_results(bool& news);
  void take_end(bool& news);

  ChildCommand child_;
  std::string folder_;  ///< The folder whose results are shown.
  std::future<TrainingResults> reading_;
  bool read_again_ = true;
  TrainingPace pace_;
  bool first_look_ = true;  ///< Nothing has been read since the start.
  int done_ = 0;            ///< Runs of this start that were done when they were read last.
  std::chrono::steady_clock::time_point began_{}, read_at_{};
};

}  // namespace rankscope::gui
