// Commands about runs: of the whole job, and of single ranks at the step gate; and the question who can move there.
#pragma once

#include <memory>
#include <optional>

#include "gui/state/app/command_group.h"
#include "gui/state/app/script_commands.h"
#include "gui/state/run/session.h"

namespace rankscope::gui {

class RunCommands : public CommandGroup {
 public:
  explicit RunCommands(App& app);
  void update(double seconds, bool& news);

  /// Throws UserError for a job that cannot run, or not in a window.
  static void require(const JobSpec& job);
  /// Returns the job on processes: threads cannot be held or killed.
  static JobSpec in_processes(JobSpec job);
  /// Starts a job, which is the settings' job from now on.
  void start(JobSpec job, bool stepping);
  void watch(const JobSpec& spec, Session::Source source);
  /// Runs the settings' job again after it was restored, so that the shown run is the panel's.
  void follow_job();
  void send_breakpoints();
  /// Lets a trace take the run's place; returns whether a run was ended for it.
  bool make_way();
  bool running() const { return session_->running(); }
  bool running_in_view() const { return running() && shown_; }
  /// Returns whether a run is being stopped, or its end is not taken in yet.
  bool ending() const { return (running() || state_.live.running) && !running_in_view(); }
  /// Returns whether every rank stands at its gate.
  bool held() const;
  /// Returns whether the shown document has all that was recorded of the run.
  bool up_to_date() const { return session_->up_to_date(); }
  /// Returns the file of the session's run; empty while something else is shown.
  std::string trace_file() const { return shown_ ? session_->trace_file() : std::string(); }

  /// A run whose processes are held, while another one is shown.
  struct Parked {
    std::unique_ptr<Session> session;
    std::optional<JobSpec> started;
  };
  /// Takes the run with its processes off the stage, which gets a session of its own.
  Parked park();
  /// Brings it back, in the place of the run that is shown.
  void unpark(Parked parked);

  /// Empties the stage: the run that was shown is over.
  void forget() {
    clear();
    state_.document.reset();
    state_.other.reset();
    state_.selection = {};
    state_.playback.moment = 0;
    state_.playback.playing = false;
  }
  // ---- The commands ----
  void run_words(const Arguments& words, bool stepping);
  void rerun();
  void stop();
  void set(const std::string& key, const std::string& value);
  void step_rank(const Arguments& words) { session_->step_rank(words.number<Rank>(0, "the rank")); }
  void release_round() { session_->release_round(); }
  void pause();
  void resume() { session_->resume(); }
  void say(const Arguments& words);
  void sample(const Arguments& words);
  void delay(const Arguments& words);
  void kill(const Arguments& words);
  void plugin(const Arguments& words);
  void release(const Arguments& words);
  void toggle_break(const Arguments& words);
  void clear_breakpoints();
  void ask(const Arguments& words);
  void moves(const Arguments& words);

 private:
  void start(bool stepping);
  void clear();
  void follow_session(bool& news);
  /// Ends the question who can move once a rank has moved.
  void follow_question(bool& news);
  void check();
  std::string places() const;

  std::unique_ptr<Session> session_;    ///< Never null.
  std::optional<JobSpec> started_;      ///< The last run of ours.
  std::optional<ScriptLine> asked_by_;  ///< The line that started the run.
  bool same_run_ = false;               ///< The next document is of the shown run.
  std::string asked_of_;                ///< places() when the question was asked.
  bool shown_ = true;                   ///< The session's run is shown, until a trace is opened.
};

}  // namespace rankscope::gui
