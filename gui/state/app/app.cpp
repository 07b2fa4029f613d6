// Runs commands, and takes in news from runs, files and background work once per frame.
#include "gui/state/app/app.h"

#include <utility>

#include <fmt/format.h>

#include "gui/state/app/groups.h"
#include "gui/state/files/settings.h"
#include "gui/state/model/state_values.h"

namespace rankscope::gui {

App::App(AppOptions options) : options_(std::move(options)) {
  std::string complaint;
  if (options_.remember) state_.settings = read_settings(&complaint);
  if (!complaint.empty()) show_message(complaint, true);
  state_.show_welcome = !state_.settings.welcomed;
  state_.lesson.student = state_.settings.student;
  if (auto& main = state_.settings.layout.at(Slot::main); main == "output")
    main = "stage";  // no program is open yet
  state_.lesson.sheet_name = state_.settings.sheet_name;
  state_.lesson.chosen_course = state_.settings.course;
  groups_ = std::make_unique<Groups>(*this);
}

App::~App() {
  // These end while the rest does.
  group<CodeCommands>().stop();
  group<ExecCommands>().stop();
  group<TrainingCommands>().stop();
  group<OverlapCommands>().stop();
  remember();
}

void App::remember() {
  if (!options_.remember || !options_.keep_settings || !settings_changed_) return;
  settings_changed_ = false;
  try {
    write_settings(group<DisplayCommands>().remembered());
  } catch (const UserError& e) {
    show_message(e.what(), true);
  }
}

void App::show_message(std::string message, bool is_error) {
  state_.message = std::move(message);
  state_.message_is_error = is_error;
}

void App::report(const std::string& what) {
  state_.problems.insert(state_.problems.begin(), {Problem::Severity::error, what, "", "", -1});
  fail(what);
}

void App::fail(const std::string& what) {
  show_message(what, true);
  state_.error = what;
  ++state_.errors;
}

namespace {

/// Counts recorded commands that are being carried out.
class Within {
 public:
  Within(int& count, int by) : count_(count), by_(by) { count_ += by_; }
  ~Within() { count_ -= by_; }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

 private:
  int& count_;
  const int by_;
};

}  // namespace

bool App::execute(const Command& command) {
  std::string wrong;
  try {
    if (const auto problem = command_problem(command); !problem.empty()) throw UserError(problem);
    if (const auto problem = closed_rest_problem(state_, command); !problem.empty())
      throw UserError(problem);
    const CommandInfo& info = *find_command_info(command.name);
    // The next command clears an error message.
    if (!info.is(kKeepsMessage)) {
      if (std::exchange(command_failed_, false)) show_message("");
      state_.error.clear();
    }
    if (within_ == 0) group<RecordCommands>().before(info, command);
    auto& changes = group<EditCommands>();
    std::optional<Edits> before;
    if (info.is(kUndoable)) before = changes.edits();
    {
      const Within within(within_, info.is(kUnrecorded) ? 0 : 1);
      info.run(*this, Arguments(command.words));
    }
    if (before) changes.note(std::move(*before), command);
    // Once the user moves the cursor, the start moment that was set for the next run no longer applies.
    if (info.is(kMovesCursor)) group<PlaybackCommands>().moved();
    settings_changed_ = true;
    if (within_ == 0) {  // else the outer one notes it
      group<RecordCommands>().note(info, command);
      group<SceneCommands>().note(info, command);
    }
    return true;
  } catch (const UserError& e) {
    wrong = e.what();
  } catch (const std::exception& e) {  // such as a folder that is gone: no error ends a lecture
    wrong = fmt::format("'{}' could not be done: {}", command.name, e.what());
  }
  fail(wrong);
  command_failed_ = true;
  return false;
}

bool App::update(double seconds) {
  bool news = false;
  groups_->for_each([&](auto& group) { group.update(seconds, news); });
  if (!state_.playback.playing) remember();
  return news;
}

bool App::animating() const {
  // A live run is no reason: the session reports its news.
  bool busy = state_.playback.playing;
  groups_->for_each([&](const auto& group) { busy = busy || group.busy(); });
  return busy;
}

void App::queue_script(const std::vector<std::string>& lines, const std::string& name) {
  group<ScriptCommands>().queue_first(lines, name);
}
bool App::script_running() const noexcept { return group<ScriptCommands>().running(); }
bool App::script_failed() const noexcept { return group<ScriptCommands>().any_failed(); }
void App::watch(const JobSpec& spec, Session::Source source) {
  group<RunCommands>().watch(spec, std::move(source));
}
void App::put_on_clipboard(std::string png) {
  group<ViewCommands>().put_on_clipboard(std::move(png));
}
void App::drop(const std::vector<std::string>& files) { group<FileCommands>().drop(files); }
void App::look_for_now(const std::string& theme, std::optional<double> scale) {
  group<DisplayCommands>().look_for_now(theme, scale);
}
std::string App::value_of(const std::string& key) const { return gui::value_of(state_, key); }

}  // namespace rankscope::gui
