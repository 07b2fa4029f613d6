// The commands undo and redo, and the list of changes behind them.
#include "gui/state/app/edit_commands.h"

#include "gui/state/app/groups.h"

namespace rankscope::gui {
namespace {

constexpr std::size_t kMostUndo = 200;

}  // namespace

// ---- The commands ----

constexpr Row<> cmd::undo("undo", "Takes the last change back", "Ctrl+Z", 0, 0, Curtain::keeps,
                          does<&EditCommands::undo>,
                          menu(item(Menu::edit, 0, "Undo", "",
                                    [](const AppState& s) { return s.undoable > 0; })));
constexpr Row<> cmd::redo("redo", "Makes the last undone change again", "Ctrl+Shift+Z", 0, 0,
                          Curtain::keeps, does<&EditCommands::redo>,
                          menu(item(Menu::edit, 0, "Redo", "",
                                    [](const AppState& s) { return s.redoable > 0; })));

Edits EditCommands::edits() const {
  Edits now{state_.bookmarks, state_.breakpoints, state_.settings.job, state_.settings.layout};
  now.program = app_.group<ExecCommands>().shown_run();
  for (const auto& [question, answered] : state_.lesson.question_states)
    if (answered.ready) now.drafts[question] = answered.draft;
  return now;
}

void EditCommands::note(Edits before, const Command& command) {
  Command without_value = command;
  if (!without_value.words.empty()) without_value.words.pop_back();
  const std::string gesture = without_value.text();
  const bool one_of_several = command.more || command.typed;
  const bool goes_on = gesture == gesture_ && !undo_.empty();
  Change change{std::move(before), edits()};
  const bool changed = changes_anything(change);
  if (!one_of_several || !goes_on) gesture_.clear();
  if (!changed) return;
  if (one_of_several) gesture_ = gesture;
  redo_.clear();
  if (goes_on) undo_.back().after = std::move(change.after);
  else undo_.push_back(std::move(change));
  if (!changes_anything(undo_.back())) {  // dragged back to where it began
    undo_.pop_back();
    gesture_.clear();
  }
  if (undo_.size() > kMostUndo) undo_.erase(undo_.begin());
  count();
}

void EditCommands::bring_back(const Edits& from, const Edits& to) {
  Edits now = edits();
  carry_over(now, from, to);
  state_.bookmarks = std::move(now.bookmarks);
  state_.settings.layout = std::move(now.layout);
  if (state_.breakpoints != now.breakpoints) {
    state_.breakpoints = std::move(now.breakpoints);
    app_.group<RunCommands>().send_breakpoints();
  }
  auto& room = app_.group<LessonCommands>().room();
  for (const auto& [question, draft] : now.drafts) room.bring_back(question, draft);
  if (from.program != to.program) app_.group<ExecCommands>().bring_back(to.program);
  if (state_.settings.job == now.job) return;
  state_.settings.job = std::move(now.job);
  app_.group<RunCommands>().follow_job();
}

void EditCommands::forget_drafts() {
  forget([](Change& change) {
    change.before.drafts.clear();
    change.after.drafts.clear();
  });
  gesture_.clear();
}

void EditCommands::forget_bookmarks() {
  forget([](Change& change) {
    change.before.bookmarks.clear();
    change.after.bookmarks.clear();
  });
}

void EditCommands::forget_program(const DocumentPtr& run) {
  forget([&](Change& change) {
    if (change.before.program == run || change.after.program == run)
      change.before.program = change.after.program = nullptr;
  });
}

void EditCommands::forget_programs() {
  forget([](Change& change) { change.before.program = change.after.program = nullptr; });
}

EditCommands::History EditCommands::exchange(History others) {
  History mine{std::exchange(undo_, std::move(others.undo)),
               std::exchange(redo_, std::move(others.redo))};
  gesture_.clear();
  count();
  return mine;
}

Change EditCommands::take(std::vector<Change>& from, std::vector<Change>& to, const char* none) {
  if (from.empty()) throw UserError(none);
  Change change = std::move(from.back());
  from.pop_back();
  to.push_back(change);
  gesture_.clear();
  count();
  return change;
}

void EditCommands::undo() {
  const Change change = take(undo_, redo_, "there is nothing to undo");
  bring_back(change.after, change.before);
}

void EditCommands::redo() {
  const Change change = take(redo_, undo_, "there is nothing to redo");
  bring_back(change.before, change.after);
}

namespace {

template <typename T>
void carry(T& now, const T& from, const T& to) {
  if (!(from == to)) now = to;
}

void carry_layout(Layout& now, const Layout& from, const Layout& to) {
  carry(now.view, from.view, to.view);  // all of them: each is in one pane
  for (const auto& [name, of] : kShares) carry(now.*of, from.*of, to.*of);
  for (const auto& [name, open] : kPanels) carry(now.*open, from.*open, to.*open);
  carry(now.drawer, from.drawer, to.drawer);
  carry(now.maximized, from.maximized, to.maximized);
}

}  // namespace

bool changes_anything(const Change& change) {
  const auto& [a, b] = change;
  return a.bookmarks != b.bookmarks || a.breakpoints != b.breakpoints || a.layout != b.layout ||
         a.job != b.job || a.drafts != b.drafts || a.program != b.program;
}

void carry_over(Edits& now, const Edits& from, const Edits& to) {
  carry(now.bookmarks, from.bookmarks, to.bookmarks);
  carry(now.breakpoints, from.breakpoints, to.breakpoints);
  carry_layout(now.layout, from.layout, to.layout);
  if (from.job != to.job) now.job = to.job;
  for (const auto& [question, draft] : to.drafts) {
    const auto before = from.drafts.find(question);
    if (before != from.drafts.end() && before->second != draft) now.drafts[question] = draft;
  }
}

}  // namespace rankscope::gui
