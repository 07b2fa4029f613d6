// Taking changes back.
#include <utility>

#include "engine/core/base/error.h"
#include "gui/state/app/app.h"

namespace rankscope::gui {
namespace {

constexpr std::size_t kMostUndo = 200;

JobSpec without_delays(JobSpec job) {
  job.delays_us.clear();
  return job;
}

}  // namespace

Edits App::edits() const {
  return {state_.bookmarks, state_.breakpoints, state_.settings.job, state_.settings.layout};
}

void App::note_change(Edits before, const Command& command) {
  const std::string gesture = command.text().substr(0, command.text().rfind(' '));
  const bool goes_on = gesture == gesture_ && !undo_.empty();
  Change change{std::move(before), edits()};
  const bool changed = changes_anything(change);
  if (!command.more || !goes_on) gesture_.clear();
  if (!changed) return;
  if (command.more) gesture_ = gesture;
  redo_.clear();
  if (goes_on) undo_.back().after = std::move(change.after);
  else undo_.push_back(std::move(change));
  if (!changes_anything(undo_.back())) {  // dragged back to where it began
    undo_.pop_back();
    gesture_.clear();
  }
  if (undo_.size() > kMostUndo) undo_.erase(undo_.begin());
}

void App::bring_back(const Edits& from, const Edits& to) {
  Edits now = edits();
  carry_over(now, from, to);
  state_.bookmarks = std::move(now.bookmarks);
  state_.settings.layout = std::move(now.layout);
  if (state_.breakpoints != now.breakpoints) {
    state_.breakpoints = std::move(now.breakpoints);
    send_breakpoints();
  }
  if (to_json(state_.settings.job) == to_json(now.job)) return;
  state_.settings.job = std::move(now.job);
  const auto& job = state_.settings.job;
  // What is shown is what the panel says: a change was run at once, and so is taking it back.
  if (!started_ || !(state_.live.running || state_.result)) return;
  if (state_.live.running && to_json(without_delays(job)) == to_json(without_delays(*started_)))
    return session_->set_delays(job.delays_us);
  if (to_json(job) != to_json(*started_)) start_run(state_.live.stepping);
}

void App::undo(const Words&) {
  if (undo_.empty()) throw UserError("there is nothing to undo");
  const Change change = std::move(undo_.back());
  undo_.pop_back();
  redo_.push_back(change);
  gesture_.clear();
  bring_back(change.after, change.before);
}

void App::redo(const Words&) {
  if (redo_.empty()) throw UserError("there is nothing to redo");
  const Change change = std::move(redo_.back());
  redo_.pop_back();
  undo_.push_back(change);
  gesture_.clear();
  bring_back(change.before, change.after);
}

}  // namespace rankscope::gui
