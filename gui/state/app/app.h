// The application without its window: carries out commands, moves the cursor, follows live runs.
#pragma once

#include <chrono>
#include <deque>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/base/scratch_folder.h"
#include "gui/state/app/app_state.h"
#include "gui/state/app/command.h"
#include "gui/state/app/edits.h"
#include "gui/state/code/code_check.h"
#include "gui/state/files/copied_picture.h"
#include "gui/state/lesson/lesson_room.h"
#include "gui/state/run/session.h"

namespace rankscope::gui {

/// What only a window can do.
struct WindowRequests {
  std::vector<std::string> screenshots;  ///< Files to be written once the next frame is drawn.
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

  /// Carries a command out. What is wrong with it is told in state().message; false then.
  bool execute(const Command& command);
  /// Queues the lines of a script; they are carried out by update(), one after the other, and `wait`
  /// holds the rest back. Throws UserError when the file cannot be read.
  void run_script(const std::string& path);
  void queue_script(const std::vector<std::string>& lines, const std::string& name);
  bool script_running() const noexcept { return !script_.empty(); }
  /// A line of a script failed (an `expect` or a wrong command).
  bool script_failed() const noexcept { return script_failed_; }
  /// A line's outcome, for `--script` on a terminal.
  std::function<void(const std::string& line, const std::string& error)> on_script_line;
  /// What `print` says.
  std::function<void(const std::string& text)> on_print;

  /// What has happened since the last call, `seconds` ago. True when there is something new to show.
  bool update(double seconds);
  /// Shows a run whose events come from elsewhere, as one of ours.
  void watch(const JobSpec& spec, Session::Source source);
  /// A PNG, in the background: what takes pictures is another program on each system.
  void put_on_clipboard(std::string png);
  /// Somebody has moved a pane's border.
  void layout_changed() noexcept { settings_changed_ = true; }
  /// What came of something that the window did: told, and among the problems.
  void report(const std::string& what) { complain(what); }
  /// Files that were dropped on the window: the first is opened, a second trace is beside it.
  void drop(const std::vector<std::string>& files);
  /// How it is to look in this window only: the user's own choice stays remembered. Throws UserError.
  void look_for_now(const std::string& theme, std::optional<double> scale);
  /// Something moves by itself: frames are wanted even without input.
  bool animating() const;

  /// A value of the state as text, for `expect`: "status", "events", "moment", "ranks", "problems" ...
  /// Throws UserError for an unknown key.
  std::string value_of(const std::string& key) const;
  /// Words of `expect`: a key, and the value or "*part of it*".
  bool meets(const std::vector<std::string>& words) const;

 private:
  using Words = std::vector<std::string>;
  struct Entry {
    std::string_view name;
    void (App::*run)(const Words&);
    bool undoable = false;
  };
  static const std::vector<Entry>& entries();

  // app_commands.cpp, app_files.cpp
  void run(const Words& words);
  void live(const Words& words);
  void rerun(const Words& words);
  void stop(const Words& words);
  void set(const Words& words);
  void release(const Words& words);
  void step_rank(const Words& words);
  void release_round(const Words& words);
  void gate_pause(const Words& words);
  void gate_resume(const Words& words);
  void kill(const Words& words);
  void delay(const Words& words);
  void toggle_break(const Words& words);
  void clear_breakpoints(const Words& words);
  void open(const Words& words);
  void compare(const Words& words);
  void save(const Words& words);
  void workspace(const Words& words);
  void export_view(const Words& words);
  void sample(const Words& words);
  void record(const Words& words);
  void script(const Words& words);
  void queue(const Words& words);
  void wait(const Words& words);
  void expect(const Words& words);
  void print(const Words& words);
  void screenshot(const Words& words);
  void undo(const Words& words);
  void redo(const Words& words);
  void quit(const Words& words);
  // app_playback.cpp
  void play(const Words& words);
  void pause(const Words& words);
  void toggle_play(const Words& words);
  void step(const Words& words);
  void step_back(const Words& words);
  void next_event(const Words& words);
  void previous_event(const Words& words);
  void seek(const Words& words);
  void first(const Words& words);
  void last(const Words& words);
  void speed(const Words& words);
  void faster(const Words& words);
  void slower(const Words& words);
  void loop(const Words& words);
  void bookmark(const Words& words);
  void remove_bookmark(const Words& words);
  void next_bookmark(const Words& words);
  void previous_bookmark(const Words& words);
  void select(const Words& words);
  void clock(const Words& words);
  // app_display.cpp
  void view(const Words& words);
  void maximize(const Words& words);
  void panel(const Words& words);
  void layout(const Words& words);
  void zoom_in(const Words& words);
  void zoom_out(const Words& words);
  void zoom_fit(const Words& words);
  void theme(const Words& words);
  void scale(const Words& words);
  void bigger(const Words& words);
  void smaller(const Words& words);
  void labels(const Words& words);
  void values(const Words& words);
  void portrait(const Words& words);
  void critical_path(const Words& words);
  void motion(const Words& words);
  void present(const Words& words);
  void palette(const Words& words);
  void shortcuts(const Words& words);
  void settings(const Words& words);
  void welcome(const Words& words);
  void tour(const Words& words);
  // app_views.cpp
  void filter(const Words& words);
  void copy_picture(const Words& words);
  void compare_clock(const Words& words);
  void zoom(const Words& words);

  // app_lessons.cpp
  void lesson(const Words& words);
  void student(const Words& words);
  void answer(const Words& words);
  void fill(const Words& words);
  void check(const Words& words);
  void hint(const Words& words);
  void reveal(const Words& words);
  void hands(const Words& words);
  void lecture(const Words& words);
  void lecturer(const Words& words);
  void show_run(const Words& words);
  // app_code.cpp
  void program(const Words& words);
  void grade(const Words& words);
  void stop_grading(const Words& words);
  void show_fault(const Words& words);
  const CodingExercise& exercise(const std::string& id) const;
  void take_grading_news(bool& news);
  /// Of a run that a grader has found at fault: the cursor at the place, and what shows it.
  void lead_to_fault();
  void bring_in(const std::string& view, Slot slot);
  void turn_page(const std::string& where);
  void take_lessons(bool& news);

  struct Loaded;
  void start_run(bool stepping);
  void run_job(const Words& words, bool stepping);
  void send_breakpoints();
  void load(const std::string& path, bool as_other);
  void show(DocumentPtr document, bool keep_moment);
  void show_loaded(const Loaded& loaded);
  /// Of what is shown; empty: it has none.
  std::string trace_file() const;
  std::optional<int> round_of(const std::string& view) const;
  void remember_file(const std::string& path);
  /// Lets a document go, in the background: a large one takes longer than a frame may.
  void discard(DocumentPtr document);
  void move_to(double moment);
  void step_by(const std::vector<double>& stops, int direction);
  void take_news(bool& news);
  void take_loaded(bool& news);
  void play_on(double seconds, bool& news);
  void run_script_lines(bool& news);
  void tell(std::string message, bool is_error = false);
  /// An error that stays among the problems, too.
  void complain(const std::string& what);
  void remember();
  /// Throws UserError for what cannot run, or not in a window.
  void require_job(const JobSpec& job) const;

  Edits edits() const;
  /// Of a command that was carried out.
  void note_change(Edits before, const Command& command);
  /// Undoes what led from the one to the other, or does it again.
  void bring_back(const Edits& from, const Edits& to);

  AppOptions options_;
  AppState state_;
  WindowRequests requests_;
  std::vector<Change> undo_, redo_;
  std::string gesture_;  ///< Whose next command is undone with the last one; empty: none goes on.
  std::optional<JobSpec> started_;  ///< The last run of ours.
  std::optional<ThemeKind> own_theme_, theme_for_now_;
  std::optional<double> own_scale_, scale_for_now_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<LessonRoom> lessons_;
  std::unique_ptr<CodeCheck> grading_;
  std::optional<ScratchFolder> graded_runs_;  ///< Once there is one.
  int grading_number_ = 0;

  struct ScriptLine {
    std::string text, where;
    int depth = 0;    ///< Of scripts within scripts.
    int told_in = 0;  ///< The recording that has the command which brought this line; 0: none.
  };
  /// The line that is being carried out; null: somebody's keys or mouse.
  std::optional<ScriptLine> line_now() const;

  struct Loaded {
    DocumentPtr document;
    std::string error;
    bool as_other = false;
    std::optional<ScriptLine> line = {};  ///< Which asked for it.
  };
  std::future<Loaded> loading_;
  std::vector<DocumentPtr> discarded_;
  std::future<void> discarding_;
  struct Exported {
    std::string message;
    bool ok = false;
    std::optional<ScriptLine> line = {};
  };
  std::future<Exported> exporting_;
  std::future<CopiedPicture> copying_;
  void take_copied(bool& news);

  static constexpr int kMostDepth = 5;
  std::deque<ScriptLine> script_;
  double waiting_s_ = 0;
  enum class Until : std::uint8_t { now, run, still };
  Until waiting_until_ = Until::now;
  std::vector<std::string> waiting_for_;  ///< Key and value; waiting_s_ is the deadline.
  int depth_ = 0;                         ///< Of the script whose line is being carried out.
  ScriptLine line_;                       ///< The one that was carried out last.
  bool await(bool& news);
  bool held() const;
  void line_failed(const ScriptLine& line, const std::string& why);
  std::optional<ScriptLine> run_line_;     ///< Which started the run.
  std::optional<ScriptLine> lesson_line_;  ///< What is being done for a lesson is this one's.
  bool script_failed_ = false;
  std::ofstream recording_;
  std::string recording_path_;
  bool end_recording();
  int recording_number_ = 0;
  void record_line(const Command& command);
  /// The recording that has what brought the command that is being carried out.
  int told_in() const noexcept { return depth_ > 0 ? line_.told_in : 0; }
  bool settings_changed_ = false;
  bool command_failed_ = false;  ///< The message tells why.
  bool keep_moment_ = false;
  bool shows_session_ = true;       ///< The run that goes on; no longer once a trace was opened.
  std::string saved_as_;            ///< The file of a run of ours; empty: it has none.
  std::optional<double> start_at_;  ///< Where the cursor of the run that a lesson shows is to be.
  bool following_ = true;  ///< The cursor is at the end, and stays there while the run grows.
};

}  // namespace rankscope::gui
