// Taking changes back, and making them again.
#pragma once

#include <map>
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
  DocumentPtr program = {};  ///< The run of a student's program, while it is on the stage.
};

/// The effect of a command.
struct Change {
  Edits before, after;
};
bool changes_anything(const Change& change);

/// Copies the parts of `to` that differ from `from` into `now`. The other parts stay, because they may have changed since then
/// in a way that cannot be undone, such as by dragging the panes' borders.
void carry_over(Edits& now, const Edits& from, const Edits& to);

class EditCommands : public CommandGroup {
 public:
  explicit EditCommands(App& app) : CommandGroup(app) {}

  /// Returns the undoable part of the state.
  Edits edits() const;
  /// Records the change of a command that was carried out.
  void note(Edits before, const Command& command);
  /// Removes bookmarks from the history, because their trace was closed.
  void forget_bookmarks();
  /// Removes answers from the history, because their lesson was closed.
  void forget_drafts();
  /// Remove all runs of a student's program, or one, from the history.
  void forget_programs();
  void forget_program(const DocumentPtr& run);
  /// The changes that can be undone, and those that can be redone.
  struct History {
    std::vector<Change> undo, redo;
  };
  /// Replaces the history and returns the old one, because each scene of a lecture has its own.
  History exchange(History others = {});

  // ---- The commands ----
  void undo();
  void redo();

 private:
  /// Moves the last change of one list to the other.
  Change take(std::vector<Change>& from, std::vector<Change>& to, const char* none);
  /// Clears a part of each change, and removes the changes that had no other part.
  template <typename Clear>
  void forget(const Clear& clear) {
    for (auto* const list : {&undo_, &redo_}) {
      for (Change& change : *list) clear(change);
      std::erase_if(*list, [](const Change& change) { return !changes_anything(change); });
    }
    count();
  }
  /// Applies the difference between two states.
  void bring_back(const Edits& from, const Edits& to);
  void count() {
    state_.undoable = undo_.size();
    state_.redoable = redo_.size();
  }

  std::vector<Change> undo_, redo_;
  std::string gesture_;  ///< The current gesture, whose commands are undone together.
};

}  // namespace rankscope::gui
