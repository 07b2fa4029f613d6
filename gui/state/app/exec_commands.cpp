// The command exec: starts a program, follows its end, and shows its run beside the one before.
#include "gui/state/app/exec_commands.h"

#include <utility>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/run/run_difference.h"
#include "gui/state/app/groups.h"
#include "gui/state/files/file_choice.h"
#include "gui/state/files/files.h"

namespace rankscope::gui {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

/// A sign of work is seen within a fifth of a second after a save.
constexpr milliseconds kLook{50};
constexpr std::size_t kMostPast = 20;

bool is_open(const AppState& s) { return s.program.open() && !s.program.running(); }

}  // namespace

constexpr Row<Texts> cmd::exec(
    "exec FILE [ranks=N|own] [as=COLLECTIVE] [data=NAME] [python=FILE]",
    "Runs a student's program (.py, .cpp, .ipynb) as `rankscope exec` does, again each time that "
    "it is saved; without FILE changes how the open one runs",
    "", 1, 6, Curtain::keeps, does<&ExecCommands::exec>, kMovesCursor,
    menu(item(Menu::run, 0, "Run a program \u2026"),
         item(Menu::run, 0, "Run the program on 4 ranks", "ranks=4", is_open, nullptr, true)),
    file_box(NameBox::Files::open_program, "Run a program", "ring.py",
             "It runs on 4 ranks at first, and again each time that it is saved."),
    also("student, python, script, watch, torchrun, mpirun, notebook, c++"));

ExecCommands::ExecCommands(App& app)
    : CommandGroup(app), watch_(app.options().changed, kLook), child_(app.options().changed) {}

void ExecCommands::exec(const Arguments& words) {
  std::string file;
  std::vector<std::pair<std::string, std::string>> set;
  for (const std::string& word : words.all()) {
    const auto equals = word.find('=');
    const bool is_file = equals == std::string::npos || program_kind().takes(word);
    if (is_file && !file.empty())
      throw UserError(fmt::format("name one program, not {} and {}", file, word));
    if (is_file) file = absolute_path(word);
    else set.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  if (file.empty() && !state_.program.open())
    throw UserError("no program is open: name its file, as in exec ring.py ranks=4");
  ProgramChoice choice = state_.program.choice;
  if (!file.empty() && file != choice.file) {
    choice = usual_choice(file);
    const auto& known = state_.settings.programs;
    if (const auto found = ranges::find(known, file, &ProgramChoice::file); found != known.end())
      choice = *found;
  }
  for (const auto& [key, value] : set) set_choice(choice, key, value);
  start(std::move(choice));
}

bool ExecCommands::again() {
  if (!state_.program.open() || left()) return false;
  start(state_.program.choice);
  return true;
}

bool ExecCommands::stop_program() {
  if (!state_.program.running()) return false;
  restarts_ = false;
  child_.stop();
  show_message(fmt::format("{} is being ended", state_.program.name()));
  return true;
}

void ExecCommands::refuse_hold() const {
  if (!state_.program.open() || left()) return;
  throw UserError(fmt::format(
      "the processes of {} run freely and cannot be held: step through its recorded run with Right "
      "and Left, or give a rank of a C++ program to gdb with `rankscope exec --debug RANK`",
      state_.program.name()));
}

void ExecCommands::start(ProgramChoice choice) {
  (void)usual_choice(choice.file);  // is it still there?
  auto& program = state_.program;
  if (choice.file != program.choice.file) {
    leave();
    foreign_ = state_.document ? state_.document->run_id() : 0;
  }
  program.choice = std::move(choice);
  remember(program.choice);
  asked_by_ = app_.group<ScriptCommands>().line_now();
  watch();
  program.state = ProgramState::State::running;
  program.seconds = 0;
  program.problem.clear();
  state_.show_welcome = false;
  started_ = std::chrono::steady_clock::now();
  if (state_.has_trace()) {
    state_.asked = {};
    state_.asked.any = state_.asked.of_program = state_.asked.waits = true;
    state_.asked.words = program.running_words();
  } else {
    state_.problems.clear();
  }
  show_message(program.running_words());
  app_.group<RunCommands>().make_way();
  if (child_.running()) {  // an older text of it: its end begins this one
    restarts_ = true;
    child_.stop();
    return;
  }
  if (!traces_) traces_.emplace("programs");
  trace_ = (traces_->path() / fmt::format("{}-{}.rankscope", program.name(), ++number_)).string();
  std::vector<std::string> words = exec_words(program.choice, trace_);
  words.insert(words.begin(), app_.options().worker_program);
  child_.start(std::move(words));
}

void ExecCommands::remember(const ProgramChoice& choice) {
  auto& all = state_.settings.programs;
  std::erase_if(all, [&](const ProgramChoice& one) { return one.file == choice.file; });
  all.insert(all.begin(), choice);
  if (all.size() > ProgramChoice::kMostKept) all.resize(ProgramChoice::kMostKept);
  app_.group<FileCommands>().remember_file(choice.file);
}

// Its files are watched from before it is read: what is saved meanwhile runs again.
void ExecCommands::watch() {
  const auto files = files_of_program(state_.program.choice.file);
  for (const std::string& file : watched_)
    if (ranges::find(files, file) == files.end()) watch_.set(file, "");
  for (const std::string& file : files)
    if (ranges::find(watched_, file) == watched_.end()) watch_.set(file, file);
  watched_ = files;
}

void ExecCommands::follow_saves(bool& news) {
  if (watch_.take().empty() || !state_.program.open()) return;
  news = true;
  restart();
}

void ExecCommands::restart() {
  try {
    start(state_.program.choice);
  } catch (const std::exception& e) {  // it is gone again
    output_.clear();
    no_run(e.what());
  }
}

bool ExecCommands::has_made(const std::string& trace) const {
  return traces_ && trace.starts_with(traces_->path().string());
}

DocumentPtr ExecCommands::shown_run() const {
  return state_.program.open() && state_.has_trace() && has_made(state_.document->path())
             ? state_.document
             : nullptr;
}

// Another run stands on the stage, or is to come there.
bool ExecCommands::left() const {
  if (app_.group<RunCommands>().running_in_view() || state_.race.running) return true;
  if (!state_.document || state_.what_if.ghost()) return false;
  return !has_made(state_.document->path()) && state_.document->run_id() != foreign_;
}

void ExecCommands::leave() {
  if (child_.running()) child_.stop();
  for (const std::string& file : std::exchange(watched_, {})) watch_.set(file, "");
  restarts_ = false;
  reading_.clear();
  past_.clear();
  app_.group<EditCommands>().forget_programs();
  if (state_.asked.of_program) state_.asked = {};
  state_.program = {};
}

void ExecCommands::take_end(bool& news) {
  const auto ended = child_.take_end();
  if (!ended) return;
  news = true;
  if (!state_.program.open()) return;
  if (std::exchange(restarts_, false)) return restart();
  auto& program = state_.program;
  printed_ = output_ = ended->out;
  if (!output_.empty() && output_.back() != '\n') output_ += '\n';
  output_ += ended->errors;
  replace_all(output_, "; " + trace_, "");  // gone with the window
  const bool was_stopped = ended->was_stopped;
  std::error_code error;
  if (fs::exists(trace_, error)) {
    reading_ = trace_;
    asked_to_read_ = false;
    program.state = was_stopped ? ProgramState::State::stopped : ProgramState::State::ended;
  } else if (was_stopped) {
    program.state = ProgramState::State::stopped;
    program.output = output_;
    if (state_.asked.of_program) state_.asked = {};
    show_message(fmt::format("{} was ended before it made a run", program.name()));
  } else {
    no_run(ended->errors);
  }
}

void ExecCommands::no_run(const std::string& errors) {
  auto& program = state_.program;
  program.state = ProgramState::State::failed;
  program.output = output_;
  Problem problem = no_run_problem(program.choice, errors);
  program.problem = problem.what;
  state_.asked = {};
  if (state_.has_trace()) {
    state_.asked.any = state_.asked.of_program = state_.asked.failed = true;
    state_.asked.answer = problem.what;
    state_.asked.note =
        shown_run() ? "the picture is the run before" : "the picture is another run";
  }
  show_message(first_line(problem.what), true);
  state_.problems = {std::move(problem)};
  app_.group<ViewCommands>().show_problems();
  if (asked_by_) app_.group<ScriptCommands>().line_failed(*asked_by_, program.problem);
}

// Once no other file is read.
void ExecCommands::read_trace() {
  if (reading_.empty() || !state_.loading.empty()) return;
  if (std::exchange(asked_to_read_, true)) return reading_.clear();  // it could not be read
  app_.group<FileCommands>().load(reading_, false);
}

void ExecCommands::arrived(Edits before) {
  auto& program = state_.program;
  reading_.clear();
  if (!shown_run()) return;
  Past past{state_.document, before.program, {}, printed_, output_};
  ++program.runs;
  if (const auto then = ranges::find(past_, past.before, &Past::run);
      past.before && then != past_.end())
    past.says = edit_in_words(past.before->analysis(), state_.document->analysis(),
                              printed_difference(then->printed, past.printed));
  show_says(past);
  past_.push_back(std::move(past));
  auto& layout = state_.settings.layout;
  if (state_.problems.empty() && layout.drawer && layout.at(Slot::side) == "problems")
    app_.group<ViewCommands>().bring_in("code", Slot::side);  // it was mended
  auto& edits = app_.group<EditCommands>();
  if (before.program) edits.note(std::move(before), cmd::rerun());
  if (past_.size() > kMostPast) {
    edits.forget_program(past_.front().run);
    past_.erase(past_.begin());
  }
}

void ExecCommands::show_says(const Past& past) {
  auto& program = state_.program;
  program.says = past.says;
  program.output = past.output;
  state_.other = past.before;
  state_.asked = {};
  if (past.says.empty()) return;
  auto& asked = state_.asked;
  asked.any = asked.of_program = true;
  asked.words = "What differs from before";
  asked.answer = past.says;
  asked.before = past.before;
  asked.run = past.run->run_id();
  if (!state_.curtain() && state_.problems.empty()) show_message(past.says);
}

void ExecCommands::bring_back(const DocumentPtr& run) {
  const auto found = ranges::find(past_, run, &Past::run);
  if (found == past_.end()) return;
  app_.group<RunCommands>().make_way();
  app_.group<FileCommands>().show(run, false);
  app_.group<ViewCommands>().show_problems();
  show_says(*found);
  state_.program.problem.clear();
  if (!state_.program.running()) state_.program.state = ProgramState::State::ended;
  const bool last = found + 1 == past_.end();
  show_message(last ? "the run of the file as it was saved last"
                    : "the run before: F5 runs the file as it is now");
}

void ExecCommands::update(double /*seconds*/, bool& news) {
  take_end(news);
  if (!state_.program.open()) return;
  if (reading_.empty() && left()) {
    leave();
    news = true;
    return;
  }
  follow_saves(news);
  read_trace();
  if (!state_.program.running()) return;
  const auto since = std::chrono::steady_clock::now() - started_;
  const auto seconds =
      static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(since).count());
  news = news || seconds != state_.program.seconds;
  state_.program.seconds = seconds;
}

}  // namespace rankscope::gui
