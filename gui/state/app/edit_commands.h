// Taking changes back, and making them again.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/state/app/command_group.h"
#include "gui/state/model/app_state.h"

namespace rankscope::gui {

struct Edits {
  std::vector<Bookmark> bookmarks;
  std::vector<std::pair<std::string, unsigned>> breakpoints;
  JobSpec job;
  Layout layout;
  std::map<std::string, nlohmann::json> drafts = {};  ///< Answers of the open lesson, by question.
};

/// What a command did.
struct Change {
  Edits before, after;
};
bool changes_anything(const Change& change);

/// Takes into `now` what differs between `from` and `to`, as it is in `to`; the rest stays: somebody may
/// have changed it since by what cannot be undone, such as the panes' borders.
void carry_over(Edits& now, const Edits& from, const Edits& to);
/// Bookmarks are a trace's: with it, they go from what undo brings back.
void forget_bookmarks(std::vector<Change>& changes);
/// Answers are those of an opening of a lesson.
void forget_drafts(std::vector<Change>& changes);

class EditCommands : public CommandGroup {
 public:
  explicit EditCommands(App& app) : CommandGroup(app) {}

  /// What undo would bring back.
  Edits edits() const;
  /// Of a command that was carried out.
  void note(Edits before, const Command& command);
  /// They are a trace's.
  void forget_bookmarks();
  /// They are an open lesson's.
  void forget_drafts();

  // ---- The commands ----
  void undo();
  void redo();

 private:
  /// The last change of one list goes to the other.
  Change take(std::vector<Change>& from, std::vector<Change>& to, const char* none);
  /// Undoes what led from the one to the other, or does it again.
  void bring_back(const Edits& from, const Edits& to);
  /// Into a question that is still open.
  void bring_back_answer(const std::string& question, const nlohmann::json& draft);
  void count() {
    state_.undoable = undo_.size();
    state_.redoable = redo_.size();
  }

  std::vector<Change> undo_, redo_;
  std::string gesture_;  ///< Whose next command is undone with the last one; empty: none goes on.
};

}  // namespace rankscope::gui
