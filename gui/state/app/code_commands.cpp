// The commands of programs: choosing one, grading it, opening a failing run, the user's editor.
#include "gui/state/app/code_commands.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "gui/state/app/groups.h"
#include "gui/state/code/code_files.h"
#include "gui/state/files/files.h"
#include "gui/state/run/code_places.h"
#include "lessons/grading/run_worth.h"
#include "lessons/lesson/expand.h"

namespace rankscope::gui {

namespace fs = std::filesystem;

CodeCommands::CodeCommands(App& app)
    : CommandGroup(app),
      check_(app.options().worker_program, app.options().changed),
      watch_(app.options().changed) {}

// ---- The commands ----

constexpr Row<Text, Text> cmd::program(
    "program EXERCISE FILE", "Chooses the program for a code exercise: a file, or a folder with it",
    "", 2, 2, Curtain::keeps, does<&CodeCommands::program>);
constexpr Row<Text> cmd::grade(
    "grade EXERCISE [no-sandbox]",
    "Runs the program for a code exercise in boxes, and grades it; no-sandbox: with your rights",
    "", 1, 2, Curtain::keeps, does<&CodeCommands::grade>);
constexpr Row<Text, Text> cmd::starter(
    "starter EXERCISE PLACE [replace]",
    "Writes the file to start from into a folder or a file (.py, .cpp, .ipynb), and chooses it; "
    "replace: over what is there",
    "", 2, 3, Curtain::keeps, does<&CodeCommands::starter>);
constexpr Row<Text, Text> cmd::browse("browse EXERCISE [FOLDER|off]",
                                      "Lists a folder's programs, to choose one", "", 1, 2,
                                      Curtain::keeps, does<&CodeCommands::browse>);
constexpr Row<Text, Turn> cmd::watch("watch EXERCISE on|off|toggle",
                                     "Grades the program each time that its file is saved", "", 2,
                                     2, Curtain::keeps, does<&CodeCommands::watch>);
constexpr Row<Turn> cmd::open_faults("open-faults [on|off|toggle]",
                                     "Opens a failing run by itself after grading", "", 0, 1,
                                     Curtain::keeps, turns<&Settings::open_faults>,
                                     menu(item(Menu::lesson, 3, "Open a failing run by itself",
                                               "toggle", nullptr, is_on<&Settings::open_faults>)));
constexpr Row<> cmd::stop_grading("stop-grading", "Ends the current grading", "", 0, 0,
                                  Curtain::keeps, does<&CodeCommands::stop_grading>);
constexpr Row<Text> cmd::show_fault(
    "show-fault EXERCISE", "Opens the run in which the program breaks a rule, at the place", "", 1,
    1, Curtain::keeps, does<&CodeCommands::show_fault>);

bool CodeCommands::has_made(const std::string& trace) const {
  return traces_ && trace.starts_with(traces_->path().string());
}

const CodingExercise& CodeCommands::exercise(const std::string& id) const {
  const auto& lesson = state_.lesson.lesson;
  if (!lesson) throw UserError("no lesson is open: `lesson NAME` opens one, `lesson` lists them");
  std::vector<std::string_view> ids;
  for (const CodingExercise& one : lesson->coding) {
    if (one.graded() && one.id == id) return one;
    if (one.graded()) ids.push_back(one.id);
  }
  throw UserError(ids.empty() ? std::string("this lesson has no code exercise that is graded")
                              : fmt::format("this lesson has no code exercise \"{}\": {}", id,
                                            fmt::join(ids, ", ")));
}

void CodeCommands::program(const Arguments& words) {
  const CodingExercise& asked = exercise(words[0]);
  if (words[1].empty())
    throw UserError(
        fmt::format("name the file for {}: `program {} {}`", asked.title, asked.id, asked.file));
  std::error_code error;
  if (!fs::exists(words[1], error))
    throw UserError(
        fmt::format("there is no file {}: give the path of your {}", words[1], asked.file));
  choose(asked, words[1]);
}

void CodeCommands::choose(const CodingExercise& asked, const std::string& file) {
  CodeState& code_state = state_.lesson.code[asked.id];
  if (code_state.state == CodeState::State::running)
    throw UserError("the program is being graded: wait for it, or `stop-grading`");
  const std::string path = absolute_path(file);
  if (path != code_state.file)
    code_state.trusted = false;  // who trusts one program has not seen another
  code_state.file = path;
  code_state.occupied.clear();
  code_state.browser = {};
  code_state.again = false;
  if (code_state.watched) watch_.set(asked.id, code_state.file);
  show_message(fmt::format("{} is the program for {}", code_state.file, asked.title));
}

void CodeCommands::starter(const Arguments& words) {
  const CodingExercise& asked = exercise(words[0]);
  const bool replace = words.size() > 2;
  if (replace && words[2] != "replace")
    throw UserError(fmt::format("say replace, or nothing, not \"{}\"", words[2]));
  if (asked.starter.empty())
    throw UserError(fmt::format("{} has no file to start from: begin with an empty {}", asked.title,
                                asked.file));
  const std::string to = absolute_path(starter_target(asked, words[1]).string());
  const std::string text = starter_text(asked, state_.lesson.lesson->folder, to);
  CodeState& code_state = state_.lesson.code[asked.id];
  std::error_code error;
  if (fs::exists(to, error) && !replace) {
    code_state.occupied = to;
    throw UserError(fmt::format(
        "{} is there already and was kept: `program {} FILE` takes it, `starter {} FILE replace` "
        "writes over it",
        to, asked.id, asked.id));
  }
  write_whole(to, text);
  choose(asked, to);
  show_message(
      fmt::format("{} is yours to edit: Grade on save grades it each time that you save", to));
}

void CodeCommands::browse(const Arguments& words) {
  const CodingExercise& asked = exercise(words[0]);
  CodeState& code_state = state_.lesson.code[asked.id];
  if (words.size() > 1 && words[1] == "off") {
    code_state.browser = {};
    return;
  }
  std::error_code error;
  fs::path folder = words.size() > 1 ? fs::path(words[1]) : fs::path(code_state.file).parent_path();
  if (folder.empty()) folder = fs::current_path(error);
  code_state.browser = browse_folder(folder);
  if (!code_state.browser.problem.empty()) throw UserError(code_state.browser.problem);
}

void CodeCommands::watch(const Arguments& words) {
  const CodingExercise& asked = exercise(words[0]);
  CodeState& code_state = state_.lesson.code[asked.id];
  const bool on = words.switched(code_state.watched, 1);
  if (on && code_state.file.empty())
    throw UserError(
        fmt::format("choose your program first: `program {} {}`", asked.id, asked.file));
  code_state.watched = on;
  code_state.saves = 0;
  code_state.again = false;
  watch_.set(asked.id, on ? code_state.file : "");
  show_message(on ? fmt::format("{} is graded each time that it is saved", code_state.file)
                  : "the file is no longer watched");
}

void CodeCommands::grade(const Arguments& words) {
  const CodingExercise& asked = exercise(words[0]);
  const bool no_sandbox = words.size() > 1;
  if (no_sandbox && words[1] != "no-sandbox")
    throw UserError(fmt::format("say no-sandbox, or nothing, not \"{}\"", words[1]));
  CodeState& code_state = state_.lesson.code[asked.id];
  if (code_state.file.empty())
    throw UserError(
        fmt::format("choose your program first: `program {} {}`", asked.id, asked.file));
  code_state.behind = false;
  const auto running = state_.lesson.code.find(check_.order().exercise);
  code_state.again = check_.running() && running != state_.lesson.code.end() &&
                     running->second.behind && running->first != asked.id;
  if (code_state.again) return show_message(fmt::format("{} is graded next", asked.title));
  begin_grading(asked.id, no_sandbox);
}

std::shared_ptr<const Lesson> CodeCommands::lesson_with(const std::string& id) const {
  if (state_.lesson.lesson && state_.lesson.lesson->find_coding(id) != nullptr)
    return state_.lesson.lesson;
  if (const CourseCard* const card = state_.lesson.course(); card != nullptr && card->library)
    for (const Lesson& lesson : card->library->lessons())
      if (lesson.find_coding(id) != nullptr) return {card->library, &lesson};
  return nullptr;
}

// The programs of the course that lie in the file of the one that was graded, and are not graded as they are now.
void CodeCommands::grade_others() {
  if (graded_.empty() || state_.lesson.busy) return;
  const CourseCard* const card = state_.lesson.course();
  const std::string id = std::exchange(graded_, {});
  if (card == nullptr) return;
  std::vector<const CourseCard::Item*> programs;
  for (const CourseCard::Part& part : card->parts)
    for (const CourseCard::Item& item : part.items)
      if (item.program && !item.own.empty()) programs.push_back(&item);
  const auto own = ranges::find(programs, id, [](const auto* item) { return item->id; });
  if (own == programs.end()) return;
  for (const CourseCard::Item* item : programs) {
    CodeState& code_state = state_.lesson.code[item->id];
    if (item->own != (*own)->own || item->id == id ||
        code_state.state == CodeState::State::running ||
        (item->standing != ItemStanding::changed && item->standing != ItemStanding::ungraded))
      continue;
    if (code_state.file.empty()) code_state.file = item->own;
    code_state.trusted = state_.lesson.code[id].trusted;
    code_state.again = code_state.behind = true;
  }
}

void CodeCommands::begin_grading(const std::string& id, bool no_sandbox) {
  CodeState& code_state = state_.lesson.code[id];
  const auto lesson = lesson_with(id);
  if (!lesson) throw UserError(fmt::format("open the lesson with {} to grade it", id));
  if (!traces_) traces_.emplace("graded");
  const std::string hash =
      LessonController::hash_of_program(*lesson->find_coding(id), code_state.file);
  graded_for_ = lesson;
  check_.start({id, code_state.file, traces_->path() / fmt::format("{}", ++number_), no_sandbox});
  code_state.state = CodeState::State::running;
  code_state.done = code_state.all = 0;
  code_state.problem.clear();
  code_state.graded_file = code_state.file;
  code_state.graded_hash = hash;
  code_state.trusted = no_sandbox;
  show_message(fmt::format("{} is being graded", fs::path(code_state.file).filename().string()));
}

void CodeCommands::forget_programs() {
  stop();
  graded_.clear();
  for (const auto& [id, program] : state_.lesson.code)
    if (program.watched) watch_.set(id, "");
  state_.lesson.code.clear();
}

void CodeCommands::stop_grading() {
  if (!check_.running()) throw UserError("nothing is being graded");
  for (auto& [id, program] : state_.lesson.code) program.again = program.again && !program.behind;
  check_.stop();
}

void CodeCommands::show_fault(const Arguments& words) {
  const CodeState& code_state = state_.lesson.code[exercise(words[0]).id];
  if (code_state.state != CodeState::State::graded || code_state.trace.empty())
    throw UserError("there is no run to show: `grade` a program that breaks a rule first");
  app_.group<FileCommands>().load(code_state.trace, false);
}

void CodeCommands::ended(const std::string& id, const CodeState& code_state) {
  if (code_state.state == CodeState::State::failed) {
    show_message(fmt::format("{} could not be graded: {}", id, first_line(code_state.problem)),
                 true);
  } else if (code_state.state == CodeState::State::graded) {
    const double scale = state_.lesson.course_scale(id, code_state.most, graded_for_.get());
    show_message(fmt::format("{}: {} of {}", graded_for_->find_coding(id)->title,
                             number_text(code_state.points * scale),
                             points_text(code_state.most * scale)));
    app_.group<LessonCommands>().room().note_program(*graded_for_, id, code_state);
    if (!code_state.behind) graded_ = id;
    // The fault of a program before this one is mended.
    if (code_state.trace.empty() && state_.lesson.looks_at(id) && state_.has_trace() &&
        has_made(state_.document->path()))
      app_.group<LessonCommands>().leave_foreign_run();
    // A run that is being stepped through stays, and so does one beside another page or question.
    if (state_.settings.open_faults && !code_state.trace.empty() && !state_.live.running &&
        state_.lesson.looks_at(id)) {
      opens_itself_ = code_state.trace;
      try {
        app_.group<FileCommands>().load(code_state.trace, false);
      } catch (const UserError&) {  // another trace is being read: its reader wants that one
        opens_itself_.clear();
      }
    }
  } else {
    show_message("the grading was stopped");
  }
}

// Grades saved programs, one after the other.
void CodeCommands::follow_saves(bool& news) {
  for (const std::string& id : watch_.take()) {
    const auto known = state_.lesson.code.find(id);
    if (known == state_.lesson.code.end() || !known->second.watched) continue;
    ++known->second.saves;
    known->second.behind = false;
    known->second.again = news = true;
  }
  if (check_.running()) return;
  for (auto& [id, program] : state_.lesson.code) {
    if (!program.again) continue;
    program.again = false;
    news = true;
    try {
      begin_grading(id, program.trusted);
    } catch (const UserError& e) {
      show_message(e.what(), true);
    }
    return;
  }
}

void CodeCommands::update(double /*seconds*/, bool& news) {
  if (check_.running()) {
    const std::string id = check_.order().exercise;
    CodeState& code_state = state_.lesson.code[id];
    if (check_.update(code_state)) {
      news = true;
      if (!check_.running()) ended(id, code_state);
    }
  }
  grade_others();
  follow_saves(news);
}

bool CodeCommands::declines(const Document& run) {
  if (opens_itself_.empty() || opens_itself_ != run.path() || !run.rounds().messages.empty())
    return false;
  opens_itself_.clear();
  const auto& faults = run.trace().meta().faults;
  show_message(fmt::format(
      "{} (no rank has sent a message: there is no run to show)",
      faults ? fmt::format("{}: {}", faults->exercise, first_line(faults->faults.front().says))
             : std::string("the program was graded")));
  return true;
}

void CodeCommands::lead_to_fault() {
  const auto& faults = state_.document->trace().meta().faults;
  if (!faults || state_.document->empty()) return;
  auto& views = app_.group<ViewCommands>();
  if (std::exchange(opens_itself_, {}) == state_.document->path() && state_.lesson.lesson) {
    views.bring_in("stage", Slot::main);  // beside the lesson, whose card says the rest
  } else {
    views.bring_in("problems", Slot::side_lower);
    views.bring_in("code", Slot::side);  // last: where there is one drawer, it shows the line
  }
  auto& playback = app_.group<PlaybackCommands>();
  const RunFault& first = faults->faults.front();
  const auto event = event_of(state_.document->trace(), first);
  if (event != kNoEvent) playback.select_thing(Thing::event, static_cast<std::int64_t>(event));
  // The whole message is visible once it has arrived.
  if (const auto message = state_.selection.message; message >= 0)
    playback.move_to(
        state_.document->arrives(state_.playback.clock, static_cast<std::size_t>(message)));
  show_message(fmt::format("{}: {}", faults->exercise, first.says));
}

namespace {

/// Splits "ring.py:12"; without a number the line is 1.
std::pair<std::string, unsigned> split_place(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return {text, 1};
  const auto line = as_number<unsigned>(std::string_view(text).substr(colon + 1));
  return line ? std::pair(text.substr(0, colon), *line) : std::pair(text, 1U);
}

}  // namespace

constexpr Row<Text> cmd::editor("editor [FILE:LINE|EXERCISE]",
                                "Opens a source in your editor, at the line: of the selected "
                                "event, or where an exercise's program goes wrong first",
                                "", 0, 1, Curtain::keeps, does<&CodeCommands::editor>,
                                menu(item(Menu::file, 4, "Open the line in your editor", "",
                                          has_trace)));
constexpr Row<Text> cmd::editor_command(
    "editor-command COMMAND|default",
    "The call that opens a line in your editor: code -g {file}:{line}", "", 1, kAnyNumber,
    Curtain::keeps, does<&CodeCommands::editor_command>);
constexpr Row<Turn> cmd::pseudocode(
    "pseudocode [on|off|toggle]",
    "Shows an algorithm of ours in the notation of a textbook, with the step at the cursor", "", 0,
    1, Curtain::keeps, turns<&Settings::pseudocode>,
    menu(item(Menu::view, 1, "Pseudocode", "toggle", nullptr, is_on<&Settings::pseudocode>)));
constexpr Row<Turn> cmd::fold_code(
    "fold-code [on|off|toggle]",
    "Folds what a source begins with: comments, imports, reading of arguments", "U", 0, 1,
    Curtain::keeps, turns<&Settings::fold_code>,
    menu(item(Menu::view, 1, "Fold imports and comments", "toggle", nullptr,
              is_on<&Settings::fold_code>)));

CodeCommands::Place CodeCommands::place_at_cursor() const {
  require_trace("there is no source: start a run, or open a trace");
  const Document& document = *state_.document;
  const auto& sources = document.trace().meta().sources;
  if (sources.empty()) throw UserError("the trace does not hold the program's source");
  if (state_.selection.event >= 0)
    if (const auto at = document.source_line(static_cast<std::uint64_t>(state_.selection.event)))
      return {sources[at->source].first, at->line};
  const auto cursors = document.cursors(state_.playback.clock, state_.playback.moment);
  const Rank rank = std::max(state_.selection.rank, 0);
  const auto at = static_cast<std::size_t>(rank);
  const unsigned line = at < cursors.size() ? document.code().line(rank, cursors[at]) : 0;
  return {sources[document.main_source()].first, std::max(line, 1U)};
}

CodeCommands::Place CodeCommands::place_of_exercise(const std::string& id) const {
  const CodeState* const code = state_.lesson.program(id);
  if (code == nullptr || code->file.empty())
    throw UserError(fmt::format("no program is chosen for {}: `program {} FILE`", id, id));
  const RootCause cause = find_root_cause(code->rules);
  if (cause.rule == nullptr || cause.rule->site.empty()) return {code->file, 1};
  const auto [name, line] = split_place(cause.rule->site);
  std::error_code error;
  const fs::path file(code->file);
  return {fs::is_directory(file, error) ? (file / name).string() : code->file, line};
}

// Searches a source beside the trace and the chosen programs, since a trace names it as the program did.
std::string CodeCommands::file_on_disk(const std::string& name) const {
  std::error_code error;
  std::vector<fs::path> places{fs::path(name)};
  if (state_.document) places.push_back(fs::path(state_.document->path()).parent_path() / name);
  for (const auto& [id, code] : state_.lesson.code) {
    const fs::path file(code.file);
    if (file.filename() == fs::path(name).filename()) places.push_back(file);
    places.push_back((fs::is_directory(file, error) ? file : file.parent_path()) /
                     fs::path(name).filename());
  }
  for (const fs::path& place : places)
    if (fs::is_regular_file(place, error)) return absolute_path(place.string());
  if (fs::is_directory(name, error))
    throw UserError(
        fmt::format("{} is a folder: name a file in it, as in `editor {}/ring.py:12`", name, name));
  const bool known = state_.document && ranges::any_of(state_.document->trace().meta().sources,
                                                       [&](const auto& source) {
                                                         return same_file(source.first, name);
                                                       });
  if (!known)
    throw UserError(fmt::format(
        "there is no file {}: check its path. `editor` alone opens the line at the cursor", name));
  throw UserError(
      fmt::format("{} is not here: its text is in the trace, but the file lies elsewhere. Name it: "
                  "`editor PATH/{}:1`",
                  name, fs::path(name).filename().string()));
}

void CodeCommands::editor(const Arguments& words) {
  const auto& lesson = state_.lesson.lesson;
  const bool exercise =
      lesson && ranges::any_of(lesson->coding, [&](const auto& one) { return one.id == words[0]; });
  Place place;
  if (words.empty()) place = place_at_cursor();
  else if (exercise) place = place_of_exercise(words[0]);
  else std::tie(place.file, place.line) = split_place(words[0]);
  const std::string file = file_on_disk(place.file);
  std::string how = state_.settings.editor;
  if (how.empty()) how = usual_editor(is_on_path);
  if (how.empty())
    throw UserError(
        "no editor was found: press Ctrl+P and type how yours opens a line, as in `editor-command "
        "\"code -g {file}:{line}\"`");
  start_editor(editor_call(how, file, place.line));
  show_message(fmt::format("{}:{} is opened in the editor", file, place.line));
}

void CodeCommands::editor_command(const Arguments& words) {
  const std::string how = words.rest(0);
  if (how == "default") {
    state_.settings.editor.clear();
    const std::string usual = usual_editor(is_on_path);
    show_message(usual.empty() ? "no editor was found" : "the editor is " + usual);
    return;
  }
  if (app_.group<ScriptCommands>().line_now())
    throw UserError("a script does not choose which program opens your files: do it yourself");
  (void)editor_call(how, "file", 1);
  state_.settings.editor = how;
  show_message("the editor is " + how);
}

}  // namespace rankscope::gui
