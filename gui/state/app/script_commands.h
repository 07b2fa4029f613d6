// The commands of scripts: reading, waiting, and values of the state.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "gui/state/app/command_group.h"

namespace rankscope::gui {

struct ScriptLine {
  std::string text, where;
  int depth = 0;  ///< Depth of scripts within scripts.
};

class ScriptCommands : public CommandGroup {
 public:
  explicit ScriptCommands(App& app) : CommandGroup(app) {}
  void update(double seconds, bool& news);
  bool busy() const { return running() || !waiting_for_.empty(); }

  /// Add lines before or after those that wait to be carried out.
  void queue_first(const std::vector<std::string>& lines, const std::string& name);
  void queue_last(const std::vector<std::string>& lines, const std::string& name);
  bool running() const noexcept { return !script_.empty(); }
  /// Ends the wait for the presenter's click; returns whether a script waited for it.
  bool click();
  bool any_failed() const noexcept { return any_failed_; }
  /// Returns the script's line that is being carried out, if any.
  std::optional<ScriptLine> line_now() const;
  void line_failed(const ScriptLine& line, const std::string& why);
  /// Shows an error of work in the background, and marks the script's line that began the work, if any, as failed.
  void report(const std::optional<ScriptLine>& line, const std::string& why);

  // ---- The commands ----
  void script(const Arguments& words);
  void wait(const Arguments& words);
  void expect(const Arguments& words);
  void print(const Arguments& words);
  void screenshot(const Arguments& words);
  void rehearse(const Arguments& words);
  void queue(const std::string& line) { queue_last({"wait run", line}, "queue"); }

 private:
  bool await(bool& news);
  void run_line(ScriptLine line);

  static constexpr int kMostDepth = 5;
  std::deque<ScriptLine> script_;
  double wait_left_s_ = 0;
  enum class WaitCondition : std::uint8_t { now, run, still };
  WaitCondition waiting_until_ = WaitCondition::now;
  bool waiting_for_click_ = false;
  std::optional<double>
      rehearsal_;  ///< The factor of waits in a rehearsal, which waits for no clicks.
  std::vector<std::string> waiting_for_;  ///< Key and value, for at most wait_left_s_.
  int depth_ = 0;                         ///< Depth of the script whose line is being carried out.
  ScriptLine line_;                       ///< The line that was carried out last.
  bool any_failed_ = false;
};

}  // namespace rankscope::gui
