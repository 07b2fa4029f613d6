// Commands about lessons.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gui/state/app/app.h"
#include "gui/state/app/words.h"
#include "lessons/lesson/run_place.h"

namespace rankscope::gui {
namespace {

std::string joined(const std::vector<std::string>& words, std::size_t first) {
  return fmt::format(
      "{}", fmt::join(words.begin() + static_cast<std::ptrdiff_t>(std::min(first, words.size())),
                      words.end(), " "));
}

std::string view_named(const std::string& name) {
  if (name.empty() || name == "player") return "spacetime";
  return name == "grid" ? "buffers" : name;
}

}  // namespace

void App::lesson(const Words& words) {
  auto& lesson = state_.lesson;
  const std::string& what = words.empty() ? "" : words.front();
  if (what.empty() || what == "list") {
    lesson.browser = words.empty() ? !lesson.browser : true;
    if (lesson.browser) {
      lessons_->list();
      state_.show_welcome = false;
    }
  } else if (what == "close") {
    lessons_->close();
    lesson.browser = false;
  } else if (what == "restart") {
    lessons_->restart(words.size() > 1 ? number_of<std::uint64_t>(words[1], "the seed") : 0);
  } else if (what == "course") {
    lesson.chosen_course = words.size() > 1 && words[1] != "all" ? words[1] : "";
  } else if (what == "page") {
    turn_page(words.size() > 1 ? words[1] : "next");
  } else {
    lessons_->open(joined(words, 0));
    state_.show_welcome = false;
    state_.settings.welcomed = true;
  }
}

void App::turn_page(const std::string& where) {
  const auto& lesson = state_.lesson;
  if (where != "next" && where != "back")
    return lessons_->turn_to(number_of<int>(where, "the page") - 1);
  const int page = lesson.page() + (where == "next" ? 1 : -1);
  // At either end there is nowhere to go: a clicker pressed once too often is no mistake.
  if (!lesson.lesson || (page >= 0 && page < lesson.pages())) lessons_->turn_to(page);
  else tell(where == "next" ? "this is the last page" : "this is the first page");
}

void App::student(const Words& words) {
  lessons_->student(joined(words, 0));
  grading_->stop();
  state_.lesson.code.clear();  // another's programs
  state_.lesson.lecturer = false;
  state_.settings.student = state_.lesson.student;
  tell(fmt::format("answers and points are now those of {}", state_.lesson.student));
}

void App::answer(const Words& words) { lessons_->answer(words[0], joined(words, 1)); }
void App::fill(const Words& words) { lessons_->fill(words[0], words[1], joined(words, 2)); }
void App::check(const Words& words) { lessons_->check(words.front()); }
void App::hint(const Words& words) { lessons_->hint(words.front()); }
void App::reveal(const Words& words) { lessons_->reveal(words.front()); }
void App::hands(const Words& words) {
  const auto& letter = words[1];
  if (letter.size() != 1 || letter[0] < 'a' || letter[0] > 'z')
    throw UserError("say which choice by its letter: `hands QUESTION b +1`");
  const std::string number = words.size() < 3            ? "1"
                             : words[2].starts_with('+') ? words[2].substr(1)
                                                         : words[2];
  lessons_->hands(words[0], static_cast<std::size_t>(letter[0] - 'a'),
                  number_of<int>(number, "how many hands"));
}

void App::lecture(const Words& words) {
  state_.lesson.lecture = switched(state_.lesson.lecture, words);
  state_.lesson.revealed.clear();
  state_.lesson.lecturer = false;
  tell(state_.lesson.lecture
           ? "lecture: answers are hidden until they are revealed, nothing is graded"
           : "the lecture is over: answers are checked");
}
// Neither to the projector nor to the next student, nor to the next start: notes are asked for anew.
void App::lecturer(const Words& words) {
  const bool on = switched(state_.lesson.lecturer, words);
  if (on && state_.lesson.lecture)
    throw UserError("in a lecture everybody would see the notes: end the lecture first");
  state_.lesson.lecturer = on;
}

// The lesson's run in real processes, with its cursor and its view.
void App::show_run(const Words& words) {
  const LessonRun& run = lessons_->run(words.front());
  JobSpec job = lessons_->job(run.id);
  if (job.transport == "inproc") job.transport = "ipc";
  require_job(job);
  state_.settings.job = job;
  start_run(false);
  start_at_ = start_round(run.at).value_or(0);
  state_.playback.clock = ClockBase::rounds;
  state_.lesson.shown_run = run.id;
  const std::string view = view_named(run.view);
  auto& layout = state_.settings.layout;
  const bool seen = layout.at(Slot::main) == view ||
                    (layout.lower_open && layout.at(Slot::lower) == view) ||
                    (layout.right_open && layout.at(Slot::side) == view) ||
                    (layout.right_open && layout.lower_open && layout.at(Slot::side_lower) == view);
  if (!seen) layout.at(Slot::main) = view;
  if (layout.maximized && layout.at(*layout.maximized) != view) layout.maximized.reset();
  tell(run.caption.empty() ? fmt::format("showing {}", run.id) : run.caption);
}

void App::take_lessons(bool& news) {
  if (lessons_->update()) news = true;
  if (const auto error = lessons_->take_error()) {
    tell(*error, true);
    if (lesson_line_) line_failed(*lesson_line_, *error);
  } else if (const auto message = lessons_->take_message()) {
    tell(*message);
  }
  if (!lessons_->busy()) lesson_line_.reset();
}

}  // namespace rankscope::gui
