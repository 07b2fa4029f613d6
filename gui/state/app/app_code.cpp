// Commands about code exercises: a program is chosen, graded, and its failing run is opened at the place.
#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/scratch_folder.h"
#include "gui/state/app/app.h"
#include "gui/state/files/files.h"
#include "lessons/grading/run_faults.h"

namespace rankscope::gui {

namespace fs = std::filesystem;

const CodingExercise& App::exercise(const std::string& id) const {
  const auto& lesson = state_.lesson.lesson;
  if (!lesson) throw UserError("no lesson is open: `lesson NAME` opens one, `lesson` lists them");
  std::string ids;
  for (const CodingExercise& one : lesson->coding) {
    if (one.graded() && one.id == id) return one;
    if (one.graded()) ids += (ids.empty() ? "" : ", ") + one.id;
  }
  throw UserError(ids.empty()
                      ? std::string("this lesson has no code exercise that is graded")
                      : fmt::format("this lesson has no code exercise \"{}\": {}", id, ids));
}

void App::program(const Words& words) {
  const CodingExercise& asked = exercise(words[0]);
  if (words[1].empty())
    throw UserError(
        fmt::format("name the file for {}: `program {} {}`", asked.title, asked.id, asked.file));
  std::error_code error;
  if (!fs::exists(words[1], error))
    throw UserError(
        fmt::format("there is no file {}: give the path of your {}", words[1], asked.file));
  CodeDesk& desk = state_.lesson.code[asked.id];
  if (desk.state == CodeDesk::State::running)
    throw UserError("the program is being graded: wait for it, or `stop-grading`");
  desk.file = absolute_path(words[1]);
  tell(fmt::format("{} is the program for {}", desk.file, asked.title));
}

void App::grade(const Words& words) {
  const CodingExercise& asked = exercise(words[0]);
  const bool no_sandbox = words.size() > 1;
  if (no_sandbox && words[1] != "no-sandbox")
    throw UserError(fmt::format("say no-sandbox, or nothing, not \"{}\"", words[1]));
  CodeDesk& desk = state_.lesson.code[asked.id];
  if (desk.file.empty())
    throw UserError(
        fmt::format("choose your program first: `program {} {}`", asked.id, asked.file));
  if (!graded_runs_) graded_runs_.emplace("graded");
  grading_->start({asked.id, desk.file, graded_runs_->path() / fmt::format("{}", ++grading_number_),
                   no_sandbox});
  desk.state = CodeDesk::State::running;
  desk.done = desk.all = 0;
  desk.problem.clear();
  desk.graded_file = desk.file;
  tell(fmt::format("{} is being graded", fs::path(desk.file).filename().string()));
}

void App::stop_grading(const Words&) {
  if (!grading_->running()) throw UserError("nothing is being graded");
  grading_->stop();
}

void App::show_fault(const Words& words) {
  const CodeDesk& desk = state_.lesson.code[exercise(words[0]).id];
  if (desk.state != CodeDesk::State::graded || desk.trace.empty())
    throw UserError("there is no run to show: `grade` a program that breaks a rule first");
  load(desk.trace, false);
}

void App::take_grading_news(bool& news) {
  if (!grading_->running()) return;
  const std::string& id = grading_->order().exercise;
  CodeDesk& desk = state_.lesson.code[id];
  if (!grading_->update(desk)) return;
  news = true;
  if (grading_->running()) return;
  if (desk.state == CodeDesk::State::failed) {
    tell(fmt::format("{} could not be graded: {}", id,
                     desk.problem.substr(0, desk.problem.find('\n'))),
         true);
  } else if (desk.state == CodeDesk::State::graded) {
    tell(fmt::format("{}: {} of {} points", id, desk.points, desk.most));
  } else {
    tell("the grading was stopped");
  }
}

// Where it can be seen already, it stays.
void App::bring_in(const std::string& view, Slot slot) {
  Layout& layout = state_.settings.layout;
  layout.maximized.reset();
  const auto here = std::ranges::find(layout.view, view);
  if (here == layout.view.end()) layout.at(slot) = view;
  else slot = static_cast<Slot>(here - layout.view.begin());
  if (slot == Slot::side || slot == Slot::side_lower) layout.right_open = true;
  if (slot == Slot::lower || slot == Slot::side_lower) layout.lower_open = true;
}

void App::lead_to_fault() {
  const auto faults = faults_in(state_.document->trace().meta());
  if (!faults || state_.document->empty()) return;
  bring_in("code", Slot::side);
  bring_in("problems", Slot::side_lower);
  const RunFault& first = faults->faults.front();
  const auto event = event_of(state_.document->trace(), first);
  if (event != kNoEvent) select({"event", fmt::format("{}", event)});
  // A message is seen whole once it has arrived.
  if (const auto message = state_.selection.message; message >= 0)
    move_to(state_.document->arrives(state_.playback.clock, static_cast<std::size_t>(message)));
  tell(fmt::format("{}: {}", faults->exercise, first.says));
}

}  // namespace rankscope::gui
