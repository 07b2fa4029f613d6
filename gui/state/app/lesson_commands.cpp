// The commands of lessons: opening, turning pages, answering, hints, runs and lectures.
#include "gui/state/app/lesson_commands.h"

#include <utility>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "gui/state/app/groups.h"
#include "gui/state/files/files.h"
#include "lessons/lesson/picture.h"

namespace rankscope::gui {
namespace {

/// Chunks of more elements have no room for them.
constexpr Count kMostOwnValues = 16;

bool lesson_is_open(const AppState& s) { return s.lesson.lesson != nullptr; }
bool has_next_page(const AppState& s) {
  return s.lesson.lesson && s.lesson.page() + 1 < s.lesson.pages();
}
bool has_page_before(const AppState& s) { return s.lesson.lesson && s.lesson.page() > 0; }
bool has_course(const AppState& s) { return !s.lesson.chosen_course.empty(); }
bool has_stopped(const AppState& s) {
  return !s.lesson.lesson &&
         (!s.lesson.stopped.slug.empty() || s.lesson.item_to_go_on() != nullptr);
}
bool has_figure(const AppState& s) {
  return ranges::any_of(s.lesson.blocks(),
                        [&](const Block& b) { return s.lesson.is_open_figure(b); });
}
bool is_enlarged(const AppState& s) { return s.lesson.enlarged_figure() != nullptr; }
bool lectures(const AppState& s) { return s.lesson.lecture; }
bool shows_notes(const AppState& s) { return s.lesson.lecturer; }

void require_course(const LessonState& lesson) {
  if (lesson.chosen_course.empty())
    throw UserError(
        "choose a course first: Ctrl+L shows all of them, `lesson course NAME` takes one");
}

}  // namespace

LessonCommands::LessonCommands(App& app)
    : CommandGroup(app), room_(state_.lesson, app.options().changed, app.options().remember) {}

// ---- The commands ----

constexpr Row<Text> cmd::lesson(
    "lesson [NAME|close|page N|page next|page back|to ID|item LESSON ID|go-on|restart "
    "[SEED]|list|course NAME]",
    "Opens a lesson, or a folder with one, where one stopped; without a name, shows all of them",
    "Ctrl+L", 0, kAnyNumber, Curtain::keeps, does<&LessonCommands::lesson>,
    menu(item(Menu::lesson, 0, "All lessons …"),
         item(Menu::lesson, 0, "Close this one", "close", lesson_is_open),
         item(Menu::lesson, 0, "Go on where you stopped", "go-on", has_stopped),
         item(Menu::lesson, 1, "Next page", "page next", has_next_page),
         item(Menu::lesson, 1, "Page before", "page back", has_page_before)),
    also("course, exercise, chapter, learn"));
constexpr Row<Turn> cmd::check_list(
    "check-list [on|off|toggle]",
    "Shows the course's questions and programs with your points, in the place of the page", "Q", 0,
    1, Curtain::keeps, does<&LessonCommands::check_list>,
    menu(item(Menu::lesson, 0, "The course's check list", "toggle", has_course)),
    also("course, progress, points, assignment"));
constexpr Row<Text> cmd::hand_in(
    "hand-in [FOLDER|ZIP|as NAME]",
    "Writes the folder or zip file to hand in for the course, without a name asks for it; with "
    "`as`, the name on the answer sheet",
    "", 0, kAnyNumber, Curtain::keeps, does<&LessonCommands::hand_in>,
    menu(item(Menu::lesson, 0, "Hand in …", "", has_course)),
    also("submit, receipt, answer sheet"));
constexpr Row<Text> cmd::show_run("show-run ID", "Runs what the lesson's text describes", "", 1, 1,
                                  Curtain::keeps, does<&LessonCommands::show_run>, kUndoable);
constexpr Row<Text> cmd::look_at(
    "look-at QUESTION",
    "Puts the run that a question is about on the stage, at the moment that it asks about", "", 1,
    1, Curtain::keeps, does<&LessonCommands::look_at>, kUnrecorded);
constexpr Row<Text> cmd::figure(
    "figure [ID|off]",
    "Enlarges a figure of the lesson's page: the one of the question in view, or the first; again, "
    "or Escape: back to the page",
    "E", 0, 1, Curtain::keeps, does<&LessonCommands::figure>,
    menu(item(Menu::lesson, 1, "Enlarge the figure", "", has_figure, is_enlarged, true)),
    also("picture, diagram, larger, zoom"));
constexpr Row<Text, Text> cmd::answer("answer QUESTION TEXT",
                                      "Writes an answer, as it is typed on one line", "", 2,
                                      kAnyNumber, Curtain::keeps, does<&LessonCommands::answer>,
                                      kUndoable);
constexpr Row<Text, Text, Text> cmd::fill(
    "fill QUESTION FIELD TEXT",
    "Writes into one field of an answer: /x/2, or /0/from of its first row", "", 3, kAnyNumber,
    Curtain::keeps, does<&LessonCommands::fill>, kUndoable);
constexpr Row<Text> cmd::check("check QUESTION", "Judges the answer that stands there", "", 1, 1,
                               Curtain::keeps, does<&LessonCommands::check>);
constexpr Row<Text> cmd::hint("hint QUESTION", "Opens the next hint", "", 1, 1, Curtain::keeps,
                              does<&LessonCommands::hint>, also("help me"));
constexpr Row<Text> cmd::reveal(
    "reveal QUESTION|ID",
    "Shows the right answer, for which there are no more points; opens what is hidden", "", 1, 1,
    Curtain::keeps, does<&LessonCommands::reveal>, also("solution, answer"));
constexpr Row<Text> cmd::unlock("unlock ID",
                                "Opens a run or figure that waits for an answer: for lecturers", "",
                                1, 1, Curtain::keeps, does<&LessonCommands::unlock>);
constexpr Row<Text> cmd::student("student NAME", "Whose answers and points they are", "", 1,
                                 kAnyNumber, Curtain::keeps, does<&LessonCommands::student>);
constexpr Row<Turn> cmd::lecture(
    "lecture [on|off|toggle]",
    "The lesson on the projector: nothing is graded, answers are hidden until revealed", "", 0, 1,
    Curtain::keeps, does<&LessonCommands::lecture>,
    menu(item(Menu::lesson, 2, "Lecture", "toggle", nullptr, lectures)), also("teach, class"));
constexpr Row<Text, Text, Text> cmd::hands("hands QUESTION LETTER [+N|-N]",
                                           "Counts a show of hands in a lecture", "", 2, 3,
                                           Curtain::keeps, does<&LessonCommands::hands>);
constexpr Row<Turn> cmd::lecturer("lecturer [on|off|toggle]", "Shows the notes for the lecturer",
                                  "", 0, 1, Curtain::keeps, does<&LessonCommands::lecturer>,
                                  menu(item(Menu::lesson, 2, "Notes for the lecturer", "toggle",
                                            nullptr, shows_notes)));

void LessonCommands::lesson(const Arguments& words) {
  auto& lesson = state_.lesson;
  const std::string& what = words[0];
  if (what.empty() || what == "list") {
    lesson.browser = words.empty() ? !lesson.browser : true;
    if (lesson.browser) {
      room_.list();
      state_.show_welcome = false;
    }
  } else if (what == "close") {
    room_.close();
    lesson.browser = false;
  } else if (what == "restart") {
    room_.restart(words.size() > 1 ? words.number<std::uint64_t>(1, "the seed") : 0);
  } else if (what == "course") {
    state_.settings.course = words[1] == "all" ? "" : words[1];
    room_.course(state_.settings.course);
    lesson.hand_in.open = false;
  } else if (what == "to") {
    room_.seek(words[1]);
  } else if (what == "item") {
    open_item(words[1], words.rest(2));
  } else if (what == "go-on") {
    room_.go_on();
    state_.show_welcome = lesson.browser = false;
    state_.settings.welcomed = true;
  } else if (what == "page") {
    turn_page(words.size() > 1 ? words[1] : "next");
  } else {
    room_.open(words.rest(0));
    state_.show_welcome = false;
    state_.settings.welcomed = true;
  }
}

void LessonCommands::turn_page(const std::string& where) {
  const auto& lesson = state_.lesson;
  if (where != "next" && where != "back")
    return room_.turn_to(number_of<int>(where, "the page") - 1);
  const int page = lesson.page() + (where == "next" ? 1 : -1);
  // Pressing a clicker once too often, at either end, is no mistake.
  if (!lesson.lesson || (page >= 0 && page < lesson.pages())) room_.turn_to(page);
  else show_message(where == "next" ? "this is the last page" : "this is the first page");
}

void LessonCommands::open_item(const std::string& lesson, const std::string& id) {
  state_.lesson.browser = false;
  if (state_.lesson.lesson && state_.lesson.lesson->slug == lesson) return room_.seek(id);
  room_.open(lesson, id);
  state_.show_welcome = false;
  state_.settings.welcomed = true;
}

void LessonCommands::check_list(const Arguments& words) {
  auto& lesson = state_.lesson;
  const bool on = words.switched(lesson.list_open);
  if (on) require_course(lesson);
  if (!lesson.lesson) {  // nothing to stand in the place of
    lesson.browser = true;
    return room_.list();
  }
  lesson.list_open = on;
  room_.leave();
  if (on && state_.settings.layout.drawer)
    app_.group<ViewCommands>().bring_in("lesson", Slot::side);
}

void LessonCommands::hand_in(const Arguments& words) {
  auto& lesson = state_.lesson;
  if (words.size() > 1 && words[0] == "as") {
    state_.settings.sheet_name = lesson.sheet_name = words.rest(1);
    lesson.hand_in.stale = true;
    return;
  }
  if (!words.empty()) {
    const std::string to = absolute_path(words.rest(0));
    return room_.hand_in(to);
  }
  require_course(lesson);
  if (lesson.hand_in.to.empty())
    lesson.hand_in.to = absolute_path(lesson.chosen_course + "-hand-in");
  lesson.hand_in.open = lesson.browser = true;
  state_.show_welcome = false;
  room_.list();
}

void LessonCommands::student(const Arguments& words) {
  room_.student(words.rest(0));
  app_.group<CodeCommands>().forget_programs();  // another's
  state_.lesson.lecturer = false;
  state_.settings.student = state_.lesson.student;
  state_.settings.sheet_name = state_.lesson.sheet_name = "";
  show_message(fmt::format("answers and points are now those of {}", state_.lesson.student));
}

void LessonCommands::hands(const Arguments& words) {
  const auto& letter = words[1];
  if (letter.size() != 1 || letter[0] < 'a' || letter[0] > 'z')
    throw UserError("say which choice by its letter: `hands QUESTION b +1`");
  const std::string number = words.size() < 3            ? "1"
                             : words[2].starts_with('+') ? words[2].substr(1)
                                                         : words[2];
  room_.hands(words[0], static_cast<std::size_t>(letter[0] - 'a'),
              number_of<int>(number, "how many hands"));
}

void LessonCommands::lecture(const Arguments& words) {
  state_.lesson.lecture = words.switched(state_.lesson.lecture);
  state_.lesson.revealed.clear();
  state_.lesson.lecturer = false;
  if (state_.lesson.lecture) app_.group<LectureCommands>().begin();
  show_message(state_.lesson.lecture
                   ? "lecture: answers are hidden until they are revealed, nothing is graded"
                   : "the lecture is over: answers are checked");
}
// Notes are off for the projector, the next student and the next start.
void LessonCommands::lecturer(const Arguments& words) {
  const bool on = words.switched(state_.lesson.lecturer);
  if (on && state_.lesson.lesson && state_.lesson.lesson->student_copy)
    throw UserError(std::string(kNotInCopy));
  if (on && state_.lesson.lecture)
    throw UserError(
        "in a lecture everybody would see the notes: `presenter` (F9) shows them in a window of "
        "their own");
  if (on && state_.lecture.presenter)
    throw UserError("the presenter's window shows the notes: here everybody would see them");
  state_.lesson.lecturer = on;
}

// Starts the lesson's run in real processes, with its cursor and its view.
void LessonCommands::show_run(const Arguments& words) {
  const LessonRun& run = room_.run(words[0]);
  if (const auto locking = state_.lesson.locking_run(run.id); !locking.empty())
    throw UserError(
        locked_words(*state_.lesson.lesson, {Block::Kind::run, "", run.id, "", 0}, locking));
  const JobSpec job = RunCommands::in_processes(room_.job(run.id));
  start(job);
  auto& playback = app_.group<PlaybackCommands>();
  if (run.at.empty()) playback.moved();
  else playback.begin_at(start_round(run.at).value_or(0));
  // A simulated run is about its times.
  state_.playback.clock = job.is_simulated() ? ClockBase::measured : ClockBase::rounds;
  state_.lesson.shown_run = run.id;
  // Values that the lesson chose are what its text speaks of; else slots say whose data it is.
  state_.settings.values = run.job.contains("values") && job.call.shape.size() == 1 &&
                           job.call.shape.front() <= kMostOwnValues;
  std::string view = ViewCommands::view_showing(run.view);
  // A prediction is drawn over ranks and time.
  if (app_.group<AnswerCommands>().compare_with(run) && view != "stage") view = "spacetime";
  auto& layout = state_.settings.layout;
  if (!layout.shows(view)) layout.at(Slot::main) = view;
  if (layout.maximized && layout.at(*layout.maximized) != view) layout.maximized.reset();
  show_message(run.caption.empty() ? fmt::format("showing {}", run.id) : run.caption);
}

// Returns whether the shown run is one that a lesson has put there, and not the student's own.
bool LessonCommands::has_lessons_run() const {
  if (!shown_job_ || !state_.has_trace()) return false;
  return state_.document->trace().meta().algorithm == shown_job_->call.algorithm &&
         state_.document->world_size() == shown_job_->world.size;
}

void LessonCommands::keep_own_job() {
  if (!has_lessons_run() && shown_job_ != state_.settings.job) own_job_ = state_.settings.job;
}

void LessonCommands::start(const JobSpec& job) {
  keep_own_job();
  app_.group<RunCommands>().start(job, false);
  shown_job_ = job;
}

// Takes a run off the stage that a lesson had put there, where it would be taken for another's.
void LessonCommands::leave_foreign_run() {
  const bool fault =
      state_.has_trace() && app_.group<CodeCommands>().has_made(state_.document->path());
  const bool asked = app_.group<AnswerCommands>().fits();
  if (state_.live.running || !(has_lessons_run() || asked || fault)) return;
  shown_job_.reset();
  state_.lesson.shown_run.clear();
  app_.group<RunCommands>().forget();
  if (own_job_) state_.settings.job = *std::exchange(own_job_, std::nullopt);
  if (state_.message_is_error) show_message("");  // of that run
}

void LessonCommands::look_at(const std::string& exercise) {
  if (!state_.lesson.lesson) throw UserError("no lesson is open: `lesson NAME` opens one");
  if (state_.lesson.lesson->find_coding(exercise) == nullptr) (void)room_.question(exercise);
  if (state_.lesson.in_view != exercise) room_.leave();
  state_.lesson.in_view = exercise;
}

void LessonCommands::figure(const Arguments& words) {
  auto& lesson = state_.lesson;
  const bool was = lesson.enlarged_figure() != nullptr;
  lesson.enlarged.clear();
  if (words[0] == "off" || (words.empty() && was)) return;
  const auto blocks = lesson.blocks();
  const LessonFigure* const here = lesson.figure_here();
  const std::string wanted = !words.empty() ? words[0] : here != nullptr ? here->id : "";
  const auto found = ranges::find_if(blocks, [&](const Block& block) {
    return (wanted.empty() || block.id == wanted) && lesson.is_open_figure(block);
  });
  if (found == blocks.end())
    throw UserError(wanted.empty() ? "this page has no figure that is open"
                                   : fmt::format("this page has no open figure {}", wanted));
  lesson.enlarged = found->id;
}

// The question or exercise that has come into view has its own picture beside it.
void LessonCommands::follow_view() {
  auto& lesson = state_.lesson;
  if (!lesson.lesson || lesson.in_view.empty() || state_.lecturing() || room_.busy()) return;
  const std::string now = lesson.lesson->slug + "/" + lesson.in_view;
  const bool went_there = sought_ != lesson.sought.times;
  if (staged_ == now && !went_there) return;
  const Question* const question = lesson.lesson->find_question(lesson.in_view);
  const QuestionState* const asked = lesson.question_state(lesson.in_view);
  if (question != nullptr && (asked == nullptr || !asked->ready)) return;
  const auto& runs = app_.group<RunCommands>();
  const bool running = runs.running() || state_.live.running;
  const bool lessons = shown_job_ == state_.settings.job && !state_.live.stepping;
  if (runs.ending() || (running && lessons)) return;  // the stage is put when it is over
  staged_ = now;
  lesson.staged = lesson.in_view;
  sought_ = lesson.sought.times;
  if (running) return;
  if (state_.has_trace() && !has_lessons_run() && !went_there) return;  // the student's own
  set_stage(question, lesson.in_view);
}

// Puts the question's own run on the stage, else the one that the text above it shows; an empty stage where there is neither, and
// beside a code exercise.
void LessonCommands::set_stage(const Question* question, const std::string& id) {
  auto& lesson = state_.lesson;
  auto& answers = app_.group<AnswerCommands>();
  auto& main = state_.settings.layout.at(Slot::main);
  if (!state_.has_trace() && (main == "output" || main == "network")) main = "stage";  // empty
  const bool others_own = !lesson.asked.question.empty() && lesson.asked.question != id;
  keep_own_job();
  if (question != nullptr && answers.show_beside(*question, has_lessons_run())) return;
  if (others_own) answers.stop_asking();
  // A program's card needs the room more than a picture.
  const Block* const above = question == nullptr ? nullptr : run_above(question, id);
  if (above == nullptr) return leave_foreign_run();
  const bool fault =
      state_.has_trace() && app_.group<CodeCommands>().has_made(state_.document->path());
  const bool lessons = has_lessons_run() || answers.fits();
  if (state_.has_trace() && !fault && (!lessons || lesson.shown_run == above->id)) return;
  show_beside_text(above->id);
}

// The nearest open run above a question or exercise on the page, with as many ranks as the question has, unless a drawing of the
// lesson lies between them: it is what the question asks about.
const Block* LessonCommands::run_above(const Question* question, const std::string& id) const {
  const auto& lesson = state_.lesson;
  const QuestionState* const asked = question ? lesson.question_state(question->id) : nullptr;
  const auto ranks = asked != nullptr ? asked->values.find("N") : Values::const_iterator{};
  const bool counts = asked != nullptr && ranks != asked->values.end();
  const Block* found = nullptr;
  for (const Block& block : lesson.blocks()) {
    if (is_exercise(block) && block.id == id) return found;
    if (lesson.is_open_figure(block) && !lesson.lesson->find_figure(block.id)->file.empty())
      found = nullptr;
    if (block.kind != Block::Kind::run || !lesson.locking_run(block.id).empty()) continue;
    try {
      const LessonRun* const run = lesson.lesson->find_run(block.id);
      if (run == nullptr) continue;
      const int size = LessonRuns::job_of(run->job, {}).world.size;
      if (!counts || size == static_cast<int>(ranks->second)) found = &block;
    } catch (const UserError&) {
      // A run with a question's own numbers.
    }
  }
  return nullptr;
}

// Starts the page's first run, unless something is shown already: an empty stage explains nothing.
void LessonCommands::show_first_run() {
  if (state_.has_trace() || state_.live.running) return;
  const auto blocks = state_.lesson.blocks();
  const auto first = ranges::find_if(blocks, [&](const Block& block) {
    return block.kind == Block::Kind::run && state_.lesson.locking_run(block.id).empty();
  });
  if (first != blocks.end()) show_beside_text(first->id);
}

// Shows a run without its view, which is one "show me" away.
void LessonCommands::show_beside_text(const std::string& run) {
  const std::string main = state_.settings.layout.at(Slot::main);
  app_.execute(cmd::show_run(run));
  app_.group<ViewCommands>().bring_in(main, Slot::main);
}

// Brings a lesson that opens to the drawer's front, if there is a drawer, and removes one that is closed.
void LessonCommands::follow_lesson() {
  const auto now = state_.lesson.lesson;
  if (now == followed_ || app_.group<RunCommands>().ending()) return;
  followed_ = now;
  auto& layout = state_.settings.layout;
  if (now != nullptr && layout.drawer) {
    app_.group<ViewCommands>().bring_in("lesson", Slot::side);
    leave_foreign_run();
    if (state_.lesson.in_view.empty()) show_first_run();
  } else if (now == nullptr && layout.drawer && layout.at(Slot::side) == "lesson")
    app_.group<ViewCommands>().bring_in("code", Slot::side);
}

void LessonCommands::update(double /*seconds*/, bool& news) {
  if (room_.update()) news = true;
  if (std::exchange(opening_, state_.lesson.openings) != state_.lesson.openings)
    app_.group<EditCommands>().forget_drafts();
  follow_lesson();
  follow_view();
  if (state_.lesson.enlarged_figure() == nullptr) state_.lesson.enlarged.clear();
  if (const auto error = room_.take_error()) {
    show_message(*error, true);
    if (line_) app_.group<ScriptCommands>().line_failed(*line_, *error);
  } else if (const auto message = room_.take_message()) {
    show_message(*message);
  }
  if (!busy()) line_.reset();
}

}  // namespace rankscope::gui
