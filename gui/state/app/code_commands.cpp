// The commands of code exercises: choosing the program, grading it, opening a failing run.
#include "gui/state/app/code_commands.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gui/state/app/groups.h"
#include "gui/state/files/files.h"
#include "lessons/grading/run_faults.h"

namespace rankscope::gui {

namespace fs = std::filesystem;

CodeCommands::CodeCommands(App& app)
    : CommandGroup(app), check_(app.options().worker_program, app.options().changed) {}

std::vector<CommandInfo> CodeCommands::commands() {
  using Self = CodeCommands;
  return {
      {"program EXERCISE FILE",
       "Chooses the program for a code exercise: a file, or a folder with it", "", 2, 2,
       does<&Self::program>},
      {"grade EXERCISE [no-sandbox]",
       "Runs the program for a code exercise in boxes, and grades it; no-sandbox: with your rights",
       "", 1, 2, does<&Self::grade>},
      {"stop-grading", "Ends the current grading", "", 0, 0, does<&Self::stop_grading>},
      {"show-fault EXERCISE", "Opens the run in which the program breaks a rule, at the place", "",
       1, 1, does<&Self::show_fault>}};
}

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
  CodeState& code_state = state_.lesson.code[asked.id];
  if (code_state.state == CodeState::State::running)
    throw UserError("the program is being graded: wait for it, or `stop-grading`");
  code_state.file = absolute_path(words[1]);
  show_message(fmt::format("{} is the program for {}", code_state.file, asked.title));
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
  if (!traces_) traces_.emplace("graded");
  check_.start(
      {asked.id, code_state.file, traces_->path() / fmt::format("{}", ++number_), no_sandbox});
  code_state.state = CodeState::State::running;
  code_state.done = code_state.all = 0;
  code_state.problem.clear();
  code_state.graded_file = code_state.file;
  show_message(fmt::format("{} is being graded", fs::path(code_state.file).filename().string()));
}

void CodeCommands::stop_grading() {
  if (!check_.running()) throw UserError("nothing is being graded");
  check_.stop();
}

void CodeCommands::show_fault(const Arguments& words) {
  const CodeState& code_state = state_.lesson.code[exercise(words[0]).id];
  if (code_state.state != CodeState::State::graded || code_state.trace.empty())
    throw UserError("there is no run to show: `grade` a program that breaks a rule first");
  app_.group<FileCommands>().load(code_state.trace, false);
}

void CodeCommands::update(double /*seconds*/, bool& news) {
  if (!check_.running()) return;
  const std::string& id = check_.order().exercise;
  CodeState& code_state = state_.lesson.code[id];
  if (!check_.update(code_state)) return;
  news = true;
  if (check_.running()) return;
  if (code_state.state == CodeState::State::failed) {
    show_message(fmt::format("{} could not be graded: {}", id, first_line(code_state.problem)),
                 true);
  } else if (code_state.state == CodeState::State::graded) {
    show_message(fmt::format("{}: {} of {} points", id, code_state.points, code_state.most));
  } else {
    show_message("the grading was stopped");
  }
}

void CodeCommands::lead_to_fault() {
  const auto faults = faults_in(state_.document->trace().meta());
  if (!faults || state_.document->empty()) return;
  auto& views = app_.group<ViewCommands>();
  views.bring_in("code", Slot::side);
  views.bring_in("problems", Slot::side_lower);
  auto& playback = app_.group<PlaybackCommands>();
  const RunFault& first = faults->faults.front();
  const auto event = event_of(state_.document->trace(), first);
  if (event != kNoEvent) playback.select(Arguments({"event", fmt::format("{}", event)}));
  // A message is seen whole once it has arrived.
  if (const auto message = state_.selection.message; message >= 0)
    playback.move_to(
        state_.document->arrives(state_.playback.clock, static_cast<std::size_t>(message)));
  show_message(fmt::format("{}: {}", faults->exercise, first.says));
}

}  // namespace rankscope::gui
