// What undo brings back.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

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

}  // namespace rankscope::gui
