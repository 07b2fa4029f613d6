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

struct WindowRequests {
  std::vector<std::string> screenshots;  ///< Files to be written once the next frame is drawn.
  std::vector<std::string> presenter_screenshots;  ///< The same for the presenter's window.
  /// Panes whose picture goes to put_on_clipboard() then; "" for the one under the pointer.
  std::vector<std::string> copies;
  std::string clipboard;      ///< A text for the clipboard, if any.
  std::vector<Zoom> zooms;    ///< Zooms of the panes' pictures.
  bool look_changed = false;  ///< Theme or scale.
};

struct AppOptions {
  std::string worker_program;  ///< The `rankscope` command.
  bool remember = true;        ///< Read and write the settings file, and progress in lessons.
  std::function<void()> changed = [] {};  ///< Called from other threads when there is news.
  bool keep_settings = true;              ///< Write changed settings, too.
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

  /// Carries a command out. Returns false if it failed; state().message says why.
  bool execute(const Command& command);
  /// Queues lines, which update() carries out in order; `wait` delays the lines after it.
  void queue_script(const std::vector<std::string>& lines, const std::string& name);
  bool script_running() const noexcept;
  /// Returns whether a line of a script has failed (an `expect` or a wrong command).
  bool script_failed() const noexcept;
  /// Gets each line's outcome, for `--script` on a terminal.
  std::function<void(const std::string& line, const std::string& error)> on_script_line;
  /// Gets the output of `print`.
  std::function<void(const std::string& text)> on_print;

  /// Takes in what has happened since the last call, `seconds` ago. Returns whether there is something new to show.
  bool update(double seconds);
  /// Shows a run whose events come from elsewhere like one of ours.
  void watch(const JobSpec& spec, Session::Source source);
  /// Copies a PNG, in the background.
  void put_on_clipboard(std::string png);
  /// Call it when a pane's border was moved.
  void layout_changed() noexcept { settings_changed_ = true; }
  /// Opens files that were dropped on the window.
  void drop(const std::vector<std::string>& files);
  /// Sets this window's look; the settings keep the user's own choice. Throws UserError.
  void look_for_now(const std::string& theme, std::optional<double> scale);
  /// Returns whether frames are needed even without input, because something moves by itself.
  bool animating() const;
  /// See state_values.h. Throws UserError for an unknown key.
  std::string value_of(const std::string& key) const;

  /// Shows a line in the status bar.
  void show_message(std::string message, bool is_error = false);
  /// Shows an error, which also stays among the problems.
  void report(const std::string& what);

  /// The groups of commands, for those who include groups.h.
  struct Groups;
  template <class Group>
  Group& group() const;

 private:
  void remember();
  void fail(const std::string& what);

  AppOptions options_;
  AppState state_;
  WindowRequests requests_;
  std::unique_ptr<Groups> groups_;
  bool settings_changed_ = false;
  int within_ = 0;               ///< Depth of recorded commands that carry out each other.
  bool command_failed_ = false;  ///< The message says why.
};

}  // namespace rankscope::gui
