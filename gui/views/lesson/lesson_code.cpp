// Draws a code exercise: contract, program field, grading progress and rule by rule results.
#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "gui/state/code/code_files.h"
#include "gui/views/base/compat.h"
#include "gui/views/lesson/lesson_parts.h"

namespace rankscope::gui {
namespace {

using Grading = CodeState::State;
using State = Verdict::State;

constexpr std::size_t kMostDiagnostics = 3000;

State mark_of(const CodeState::Rule& rule) {
  switch (rule.state) {
    case RuleVerdict::State::kept: return State::right;
    case RuleVerdict::State::partly: return State::partly;
    case RuleVerdict::State::broken: return State::wrong;
    case RuleVerdict::State::unearned:
    case RuleVerdict::State::not_judged: break;
  }
  return State::unanswered;
}

std::string place_of(const CodeState::Rule& rule) {
  return "with " + rule.run + (rule.site.empty() ? "" : " · " + rule.site);
}

const char* why_no_points(const CodeState::Rule& rule) {
  if (rule.state == RuleVerdict::State::unearned)
    return "It counts once the program does something of what is asked.";
  return rule.state == RuleVerdict::State::not_judged ? "No run shows it." : "";
}

// "1.5 of 3" at the right edge, so that the points stand below each other.
void rule_row(LessonContext& lesson, const CodeState::Rule& rule, double scale) {
  const Look& look = lesson.look();
  const auto& p = look.palette();
  const float left = look.px(24);
  float right = look.px(56);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float from = ImGui::GetCursorPosX();
  verdict_icon(look, {at.x + look.px(8), at.y + look.px(10)}, 7, mark_of(rule));
  if (rule.most > 0) {
    const std::string points =
        fmt::format("{} of {}", short_number(rule.points * scale), short_number(rule.most * scale));
    const auto face = look.face({12, Font::Weight::regular, false});
    const float wide = face.extent(points).x;
    right = std::max(right, wide + look.px(8));
    face.draw(*ImGui::GetWindowDrawList(), {at.x + lesson.width - wide, at.y + look.px(2)},
              rule.points < rule.most ? p.text : p.muted, points);
  }
  ImGui::SetCursorPosX(from + left);
  ImGui::BeginGroup();
  draw_words(look, rule.title, lesson.width - left - right, {14});
  const float room = lesson.width - left;
  if (!rule.says.empty()) {
    vertical_gap(look, 2);
    draw_words(look, rule.says, room, {14, verdict_color(look, mark_of(rule)), true});
    draw_words(look, place_of(rule), room, {12, p.muted});
  } else if (const std::string why = why_no_points(rule); !why.empty()) {
    draw_words(look, why, room, {12, p.muted});
  }
  ImGui::EndGroup();
  ImGui::SetCursorPosX(from);
  vertical_gap(look, 8);
}

// Draws the fault to look at first: its place, what would be right, and what to try.
void cause_card(LessonContext& lesson, const CodingExercise& exercise, const CodeState& code_state,
                const RootCause& cause) {
  const Look& look = lesson.look();
  const auto& p = look.palette();
  const CodeState::Rule& rule = *cause.rule;
  const float outside = lesson.width;
  const Card card = begin_card(lesson, ("cause-" + exercise.id).c_str(), p.panel, p.panel_edge,
                               verdict_color(look, mark_of(rule)));
  caption(look, "Look at this first");
  draw_words(look, rule.says, card.inner, {16, 0, true});
  vertical_gap(look, 4);
  draw_words(look, place_of(rule), card.inner, {12, p.muted});
  vertical_gap(look, 6);
  // This is the best clue, even if another rule comes first.
  for (const CodeState::Rule& one : code_state.rules)
    if (&one != &rule && !one.right_with.empty()) {
      draw_words(look, fmt::format("The results are {}.", one.right_with), card.inner, {14});
      vertical_gap(look, 4);
    }
  // An error breaks every rule, and this one least.
  if (rule.kind != "ends" || rule.failure == "deadlock") {
    draw_words(look, "Asked: " + rule.title, card.inner, {14});
    vertical_gap(look, 4);
  }
  // The run of a grading before this window is gone; one of this window was not kept because it has no message.
  const bool earlier = code_state.graded_hash.empty();
  if (const std::string advice = !cause.advice.empty() ? cause.advice
                                 : earlier             ? "Grade it again to look at its run."
                                                       : "";
      !advice.empty()) {
    draw_words(look, "Try: " + advice, card.inner, {14});
    vertical_gap(look, 8);
  }
  lesson.width = card.inner;
  lesson.right = card.low.x + outside - card.pad;
  const bool shows = !code_state.trace.empty();
  if (shows && ring_button(lesson, kShowFault, true))
    lesson.context.commands.push(cmd::show_fault(exercise.id));
  if (shows) hover_text("Opens the run that breaks a rule, at the event, with your line");
  if (!rule.site.empty()) {
    if (shows) next_button(lesson, "Open in the editor");
    if (ring_button(lesson, "Open in the editor"))
      lesson.context.commands.push(cmd::editor(exercise.id));
    hover_text("Your file, at this line");
  }
  lesson.width = outside;
  lesson.right = card.low.x + outside;
  end_card(lesson, card);
  vertical_gap(look, 10);
}

// Below a line that opens them.
void folded_rules(LessonContext& lesson, const CodingExercise& exercise, const char* id,
                  const std::string& title, const std::vector<const CodeState::Rule*>& rules,
                  double scale) {
  if (rules.empty()) return;
  const Look& look = lesson.look();
  ImGui::PushID(exercise.id.c_str());
  ImGui::PushID(id);
  bool* const open = ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("open"), false);
  const std::string label = fmt::format("{} {}", *open ? "−" : "+", title);
  if (ring_button(lesson, label.c_str())) *open = !*open;
  vertical_gap(look, 8);
  if (*open)
    for (const CodeState::Rule* rule : rules) rule_row(lesson, *rule, scale);
  ImGui::PopID();
  ImGui::PopID();
}

void grading_result(LessonContext& lesson, const CodingExercise& exercise,
                    const CodeState& code_state) {
  const Look& look = lesson.look();
  const bool full = code_state.points >= code_state.most;
  const double scale = lesson.lesson().course_scale(exercise.id, exercise.points);
  const CourseCard::Item* const item = lesson.lesson().item_of(exercise.id);
  const bool changed = item != nullptr && item->standing == ItemStanding::changed;
  const State mark = changed                 ? State::unanswered
                     : full                  ? State::right
                     : code_state.points > 0 ? State::partly
                                             : State::wrong;
  std::string says = code_state.capped.empty()
                         ? std::string()
                         : "What the exercise forbids gets no points: " + code_state.capped + ".";
  if (!code_state.trouble.empty())
    says +=
        fmt::format("{}The program was ended: {}.", says.empty() ? "" : " ", code_state.trouble);
  const std::string name = std::filesystem::path(code_state.graded_file).filename().string();
  verdict_box(
      lesson, mark,
      fmt::format("{} of {}{}", short_number(code_state.points * scale),
                  points_text(code_state.most * scale),
                  code_state.again ? ", grading again …"
                  : changed        ? ", its file has changed since"
                                   : ""),
      says,
      code_state.graded_file == code_state.file ? name : name + ", the program before this one");
  if (full) next_in_course(lesson, exercise.id);
  vertical_gap(look, 10);
  const RootCause cause = find_root_cause(code_state.rules, !code_state.trace.empty());
  if (cause.rule != nullptr) {
    cause_card(lesson, exercise, code_state, cause);
  } else if (!code_state.trace.empty()) {
    if (ring_button(lesson, kShowFault, true))
      lesson.context.commands.push(cmd::show_fault(exercise.id));
    vertical_gap(look, 10);
  }
  if (!code_state.diagnostics.empty()) {
    caption(look, "The compiler says", look.palette().warning, true);
    lesson.text("~~~~\n" + code_state.diagnostics.substr(0, kMostDiagnostics) + "\n~~~~",
                lesson.width);
    vertical_gap(look, 10);
  }
  std::vector<const CodeState::Rule*> kept;
  for (const auto& rule : code_state.rules)
    if (&rule != cause.rule && ranges::find(cause.follows, &rule) == cause.follows.end() &&
        ranges::find(cause.others, &rule) == cause.others.end())
      kept.push_back(&rule);
  for (const auto* rule : cause.others) rule_row(lesson, *rule, scale);
  folded_rules(lesson, exercise, "follows",
               counted(cause.follows.size(), "rule") + " not judged until this is mended",
               cause.follows, scale);
  if (cause.rule == nullptr) {
    for (const auto* rule : kept) rule_row(lesson, *rule, scale);
  } else {
    const auto open = static_cast<std::size_t>(ranges::count_if(
        kept, [](const auto* rule) { return rule->state != RuleVerdict::State::kept; }));
    folded_rules(lesson, exercise, "kept",
                 open == kept.size()
                     ? counted(open, "rule") + " not judged yet"
                     : counted(kept.size() - open, "rule") + " kept" +
                           (open == 0 ? "" : fmt::format(", {} not judged yet", open)),
                 kept, scale);
  }
  for (const auto& remark : code_state.remarks) {
    draw_words(look, remark, lesson.width, {12, look.palette().muted});
    vertical_gap(look, 4);
  }
}

void grading_bar(LessonContext& lesson, const CodeState& code_state) {
  const Look& look = lesson.look();
  const auto& p = look.palette();
  const std::string words =
      code_state.all > 0
          ? fmt::format("Run {} of {} …", std::min(code_state.done + 1, code_state.all),
                        code_state.all)
          : std::string("Starting …");
  draw_words(look, words, lesson.width, {14, p.muted});
  vertical_gap(look, 4);
  const ImVec2 size{lesson.width, look.px(6)};
  share_bar(look, ImGui::GetCursorScreenPos(), size,
            code_state.all > 0 ? static_cast<double>(code_state.done) / code_state.all : 0,
            p.accent);
  ImGui::Dummy(size);
  vertical_gap(look, 8);
  if (ring_button(lesson, "Stop")) lesson.context.commands.push(cmd::stop_grading());
}

// The field follows what was chosen elsewhere: a file that was dropped, a command, the notebook of an exercise before.
std::string& field_of(TypedPrograms& typed, const LessonState& lesson,
                      const CodingExercise& exercise, const CodeState* code_state) {
  TypedProgram& one = typed[exercise.id];
  const std::string chosen = code_state == nullptr ? "" : code_state->file;
  if (one.chosen != chosen) one.text = one.chosen = chosen;
  const CourseCard::Item* const item = lesson.item_of(exercise.id);
  if (chosen.empty() && item != nullptr && !std::exchange(one.offered, true))
    one.text = lesson.program_beside(*item);
  return one.text;
}

// The entries of a folder: the one above it, its folders, its programs.
void browser(LessonContext& lesson, const CodingExercise& exercise, const CodeBrowser& shown) {
  const Look& look = lesson.look();
  auto& commands = lesson.context.commands;
  const std::filesystem::path folder(shown.folder);
  vertical_gap(look, 8);
  draw_words(look, shown.folder, lesson.width, {12, look.palette().muted});
  ImGui::PushID(("browse-" + exercise.id).c_str());
  const float row = ImGui::GetFrameHeightWithSpacing();
  const auto rows = static_cast<float>(std::min<std::size_t>(shown.entries.size() + 1, 8));
  compat::begin_child("entries", {lesson.width, row * rows + look.px(8)});
  if (folder.has_parent_path() && folder.parent_path() != folder &&
      ImGui::Selectable(".. (the folder above)"))
    commands.push(cmd::browse(exercise.id, folder.parent_path().string()));
  for (const auto& entry : shown.entries) {
    const std::string path = (folder / entry.name).string();
    if (!ImGui::Selectable((entry.folder ? entry.name + "/" : entry.name).c_str())) continue;
    commands.push((entry.folder ? cmd::browse : cmd::program)(exercise.id, path));
  }
  if (shown.entries.empty()) ImGui::TextDisabled("no programs here");
  ImGui::EndChild();
  ImGui::PopID();
  if (ring_button(lesson, "Close the list")) commands.push(cmd::browse_with(exercise.id, kOff));
}

// Offers what to do when a file already stands in the starter's place.
void occupied_place(LessonContext& lesson, const CodingExercise& exercise,
                    const std::string& place) {
  const Look& look = lesson.look();
  auto& commands = lesson.context.commands;
  vertical_gap(look, 8);
  draw_words(look, place + " is there already, and was kept.", lesson.width, {14});
  vertical_gap(look, 4);
  if (ring_button(lesson, "Take that file")) commands.push(cmd::program(exercise.id, place));
  next_button(lesson, "Write over it");
  if (ring_button(lesson, "Write over it"))
    commands.push(cmd::starter_over(exercise.id, place, kReplace));
  hover_text("What stands in it is lost");
}

void file_buttons(LessonContext& lesson, const CodingExercise& exercise,
                  const CodeState* code_state, const std::string& text) {
  auto& commands = lesson.context.commands;
  for (const StarterLanguage& one : starter_languages(exercise)) {
    const std::string label = exercise.repair ? std::string("Copy the faulty program")
                                              : fmt::format("{} starter", one.name);
    const std::filesystem::path place(text.empty() ? starter_name(exercise) : text);
    if (ring_button(lesson, label.c_str()))
      commands.push(cmd::starter(
          exercise.id, std::filesystem::path(place).replace_extension(one.ending).string()));
    hover_text(text.empty() ? "Into the working folder" : "To the path above");
    next_button(lesson, "Notebook starter");
  }
  if (ring_button(lesson, "Browse …")) commands.push(cmd::browse_here(exercise.id));
  hover_text("Choose the program from a folder");
  const bool chosen = code_state != nullptr && !code_state->file.empty();
  const bool watched = chosen && code_state->watched;
  const char* label = watched ? "Stop watching###watch" : "Grade on save###watch";
  next_button(lesson, label);
  if (ring_button(lesson, label, false, 0, !text.empty())) {
    if (!chosen) commands.push(cmd::program(exercise.id, text));
    commands.push(cmd::watch(exercise.id, Turn::toggle));
  }
  hover_text("Grades it each time that your editor saves the file");
  if (!chosen) return;
  next_button(lesson, "Open in editor");
  if (ring_button(lesson, "Open in editor")) commands.push(cmd::editor_at({code_state->file, 1}));
  hover_text("Opens your file in your editor ($VISUAL, or one that is installed)");
}

void watch_line(LessonContext& lesson, const CodeState* code_state) {
  if (code_state == nullptr || !code_state->watched) return;
  const Look& look = lesson.look();
  const std::string name = std::filesystem::path(code_state->file).filename().string();
  const bool running = code_state->state == Grading::running;
  const std::string words =
      code_state->again ? fmt::format("{} was saved: it is graded next.", name)
      : running         ? fmt::format("{} is watched, and is being graded.", name)
      : code_state->saves == 0
          ? fmt::format("{} is watched: save it, and it is graded.", name)
          : fmt::format("{} is watched: graded after {}.", name,
                        counted(static_cast<std::uint64_t>(code_state->saves), "save"));
  vertical_gap(look, 6);
  draw_words(look, words, lesson.width, {12, look.palette().muted});
}

/// Shows a path that is longer than its field from its end, with the file's name, until one types in it.
void show_end(const Look& look, const std::string& text) {
  const auto face = look.face({14, Font::Weight::regular, true});
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax(),
               pad = ImGui::GetStyle().FramePadding;
  const float room = high.x - low.x - 2 * pad.x;
  if (ImGui::IsItemActive() || face.extent(text).x <= room) return;
  std::string end = text;
  do end.erase(0, 1);
  while (!end.empty() && ((static_cast<unsigned char>(end[0]) & 0xC0U) == 0x80U ||
                          face.extent("…" + end).x > room));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(low, high, ImGui::GetColorU32(ImGuiCol_FrameBg),
                     ImGui::GetStyle().FrameRounding);
  face.draw(list, {low.x + pad.x, low.y + pad.y}, look.palette().text, "…" + end);
}

void hand_in(LessonContext& lesson, TypedPrograms& typed, const CodingExercise& exercise,
             const CodeState* code_state) {
  const Look& look = lesson.look();
  auto& commands = lesson.context.commands;
  std::string& text = field_of(typed, lesson.lesson(), exercise, code_state);
  const CourseCard::Item* const item = lesson.lesson().item_of(exercise.id);
  const bool notebook = item != nullptr && item->file == "*.ipynb";
  draw_words(look,
             fmt::format("Your program ({}{}): type its path, or drop the file onto the window",
                         notebook ? "a notebook, or " : "", exercise.file),
             lesson.width, {12, look.palette().muted});
  bool entered = false;
  const std::string hint = item != nullptr && !item->file.empty() ? item->file
                           : exercise.starter.empty()             ? exercise.file
                                                                  : starter_name(exercise);
  // Both are seen at once, however long the task above them is.
  const float button = look.px(112);
  text_field(lesson, "##program", text, lesson.width - button - look.px(8), hint.c_str(), entered);
  show_end(look, text);
  ImGui::SameLine(0, look.px(8));
  const bool again = code_state != nullptr && code_state->state == Grading::graded;
  const bool press = ring_button(lesson, again ? "Grade again###grade" : "Grade###grade",
                                 !again || code_state->trace.empty(), button, !text.empty());
  hover_text("Runs it on several numbers of ranks, each rank in a box of its own");
  vertical_gap(look, 8);
  file_buttons(lesson, exercise, code_state, text);
  if (code_state != nullptr && !code_state->occupied.empty())
    occupied_place(lesson, exercise, code_state->occupied);
  if (code_state != nullptr && !code_state->browser.folder.empty())
    browser(lesson, exercise, code_state->browser);
  watch_line(lesson, code_state);
  const bool no_boxes =
      code_state != nullptr && code_state->state == Grading::failed && code_state->no_boxes;
  bool trust = false;
  if (no_boxes) {
    vertical_gap(look, 8);
    trust = ring_button(lesson, "Run without a sandbox");
    hover_text("The program then has your rights: it can read and delete your files");
  }
  if ((!entered && !press && !trust) || text.empty()) return;
  if (code_state == nullptr || text != code_state->file)
    commands.push(cmd::program(exercise.id, text));
  commands.push(trust ? cmd::grade_with(exercise.id, kNoSandbox) : cmd::grade(exercise.id));
}

constexpr int kLooksAtResult = 4;

// The result that was asked for comes into sight, from its points on.
void look_at_result(LessonContext& lesson, TypedProgram& one) {
  if (one.looks == 0) return;
  --one.looks;
  lesson.looks_at_verdict = true;
  ImGui::SetScrollHereY(0.25F);
  settle(lesson);
}

void work_on(LessonContext& lesson, TypedPrograms& typed, const CodingExercise& exercise) {
  const Look& look = lesson.look();
  const CodeState* code_state = lesson.lesson().program(exercise.id);
  TypedProgram& one = typed[exercise.id];
  if (code_state != nullptr && code_state->state == Grading::running) {
    one.awaited = !code_state->behind;
    return watch_line(lesson, code_state), grading_bar(lesson, *code_state);
  }
  const bool ended = code_state != nullptr &&
                     (code_state->state == Grading::graded || code_state->state == Grading::failed);
  if (one.awaited && ended) one.looks = kLooksAtResult;
  one.awaited = one.awaited && !ended;
  hand_in(lesson, typed, exercise, code_state);
  if (code_state == nullptr) return;
  if (code_state->state == Grading::stopped) {
    vertical_gap(look, 8);
    draw_words(look, "The grading was stopped.", lesson.width, {14, look.palette().muted});
  } else if (code_state->state == Grading::failed) {
    vertical_gap(look, 10);
    look_at_result(lesson, one);
    verdict_box(lesson, State::malformed, "It could not be graded", code_state->problem, "");
  } else if (code_state->state == Grading::graded) {
    vertical_gap(look, 10);
    look_at_result(lesson, one);
    grading_result(lesson, exercise, *code_state);
  }
}

}  // namespace

void draw_coding(LessonContext& lesson, TypedPrograms& typed, const CodingExercise& exercise) {
  const Look& look = lesson.look();
  const auto& p = look.palette();
  const float outside = lesson.width;
  const Card card = begin_card(lesson, exercise.id.c_str(), p.bar, p.panel_edge);
  const bool practice =
      lesson.lesson().course() != nullptr && lesson.lesson().item_of(exercise.id) == nullptr;
  caption(look,
          fmt::format("To program · {}{}",
                      practice ? std::string("practice, not part of your course")
                               : points_text(exercise.points * lesson.lesson().course_scale(
                                                                   exercise.id, exercise.points)),
                      exercise.graded() ? "" : " · not graded here"));
  draw_words(look, exercise.title, card.inner, {16, 0, true});
  vertical_gap(look, 4);
  lesson.text(exercise.contract, card.inner);
  const bool workable = exercise.graded() && !lesson.lesson().lecture;
  if (!exercise.starter.empty() && !workable) {  // else a button copies it
    vertical_gap(look, 6);
    const auto file = lesson.lesson().lesson->folder / exercise.starter;
    draw_words(look, fmt::format("{} {}", exercise.repair ? "Repair" : "Start from", file.string()),
               card.inner, {12, p.muted});
  }
  if (workable) {
    vertical_gap(look, 12);
    lesson.width = card.inner;
    lesson.right = card.low.x + outside - card.pad;
    work_on(lesson, typed, exercise);
    lesson.width = outside;
  }
  end_card(lesson, card);
}

}  // namespace rankscope::gui
