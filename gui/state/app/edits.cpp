// Copies the undoable part of the state and decides which changes count as one.
#include "gui/state/app/edits.h"

namespace rankscope::gui {
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

bool same(const JobSpec& a, const JobSpec& b) { return to_json(a) == to_json(b); }

}  // namespace

bool changes_anything(const Change& change) {
  const auto& [a, b] = change;
  return a.bookmarks != b.bookmarks || a.breakpoints != b.breakpoints || a.layout != b.layout ||
         !same(a.job, b.job) || a.drafts != b.drafts;
}

void carry_over(Edits& now, const Edits& from, const Edits& to) {
  carry(now.bookmarks, from.bookmarks, to.bookmarks);
  carry(now.breakpoints, from.breakpoints, to.breakpoints);
  carry_layout(now.layout, from.layout, to.layout);
  if (!same(from.job, to.job)) now.job = to.job;
  for (const auto& [question, draft] : to.drafts) {
    const auto before = from.drafts.find(question);
    if (before != from.drafts.end() && before->second != draft) now.drafts[question] = draft;
  }
}

void forget_bookmarks(std::vector<Change>& changes) {
  for (auto& change : changes) {
    change.before.bookmarks.clear();
    change.after.bookmarks.clear();
  }
  std::erase_if(changes, [](const Change& change) { return !changes_anything(change); });
}

void forget_drafts(std::vector<Change>& changes) {
  for (auto& change : changes) {
    change.before.drafts.clear();
    change.after.drafts.clear();
  }
  std::erase_if(changes, [](const Change& change) { return !changes_anything(change); });
}

}  // namespace rankscope::gui
