// The application without its window: its state, and the groups of commands that change it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/state/command/command.h"
#include "gui/state/model/app_state.h"
#include "gui/state/run/session.h"

namespace rankscope::gui {

/// What only a window can do.
struct WindowRequests {
  std::vector<std::string> screenshots;  ///< Files to be written once the next frame is drawn.
  std::vector<std::string> presenter_screenshots;  ///< The same of the presenter's window.
  /// Views whose picture put_on_clipboard() is to get then: a pane, or "": the one under the pointer.
  std::vector<std::string> copies;
  std::string clipboard;      ///< A text for it; empty: none.
  std::vector<Zoom> zooms;    ///< Of the pictures in the panes.
  bool look_changed = false;  ///< Theme or scale.
};

struct AppOptions {
  std::string worker_program;  ///< The `rankscope` command.
  bool remember = true;        ///< Read and write the settings file, and progress in lessons.
  std::function<void()> changed = [] {};  ///< From other threads: there is news.
  bool keep_settings = true;              ///< False: they are read, and not written.
};

class App {
 public:
  explicit App(AppOptions options);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  const AppState& state() const noexcept { return state_; }
  AppState& mutable_state() noexcept { return state_; }
  WindowRequests& requests() noexcept { return requests_; }
  const AppOptions& options() const noexcept { return options_; }

  /// Carries a command out. What is wrong with it is reported in state().message; false then.
  bool execute(const Command& command);
  /// Queues lines; they are carried out by update(), one after the other, and `wait` holds the rest back.
  void queue_script(const std::vector<std::string>& lines, const std::string& name);
  bool script_running() const noexcept;
  /// A line of a script failed (an `expect` or a wrong command).
  bool script_failed() const noexcept;
  /// A line's outcome, for `--script` on a terminal.
  std::function<void(const std::string& line, const std::string& error)> on_script_line;
  /// What `print` says.
  std::function<void(const std::string& text)> on_print;

  /// What has happened since the last call, `seconds` ago. True when there is something new to show.
  bool update(double seconds);
  /// Shows a run whose events come from elsewhere, as one of ours.
  void watch(const JobSpec& spec, Session::Source source);
  /// A PNG, in the background.
  void put_on_clipboard(std::string png);
  /// Somebody has moved a pane's border.
  void layout_changed() noexcept { settings_changed_ = true; }
  /// Files that were dropped on the window.
  void drop(const std::vector<std::string>& files);
  /// How it is to look in this window only: the user's own choice stays remembered. Throws UserError.
  void look_for_now(const std::string& theme, std::optional<double> scale);
  /// Something moves by itself: frames are wanted even without input.
  bool animating() const;
  /// See state_values.h. Throws UserError for an unknown key.
  std::string value_of(const std::string& key) const;

  /// A line for the status bar.
  void show_message(std::string message, bool is_error = false);
  /// An error that stays among the problems, too.
  void report(const std::string& what);

  /// All groups of commands, and the one of a class: for those who include groups.h.
  struct Groups;
  template <class Group>
  Group& group() const;

 private:
  void remember();

  AppOptions options_;
  AppState state_;
  WindowRequests requests_;
  std::unique_ptr<Groups> groups_;
  bool settings_changed_ = false;
  int within_ = 0;  ///< Recorded commands that are being carried out: one may carry out another.
  bool command_failed_ = false;  ///< The message tells why.
};

}  // namespace rankscope::gui
