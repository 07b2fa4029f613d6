// A lesson in the window, from its first page to full marks.
#include <filesystem>

#include "tests/gui/picture.h"
#include "tests/gui/simulated_user.h"

using namespace rankscope::test;

namespace {

/// A question: what is typed into each of its fields, Tab between them, Enter at the end.
struct Typed {
  std::string question;
  std::vector<std::string> fields;
  int buttons_before = 0;  ///< Passed by Tab: "Show me", what can be opened.
};

const std::vector<std::vector<Typed>> kPages = {
    {{"running-sums", {"3, 6, 10"}, 1},
     {"final-values", {"10", "10", "10", "10"}},
     {"half-way", {"10", "10", "3", "4"}},
     {"plus-one", {"1", "10", "2", "10", "3", "10", "4", "10"}},
     {"lost-value", {"16"}, 1}},
    {{"messages", {"2(N-1)"}}, {"busiest", {"7 KiB"}}},
    {{"reference", {"8"}}, {"trials", {"N^k"}}, {"three-trials", {"160"}}, {"exact", {"9"}, 1}}};

}  // namespace

TEST_CASE("a lesson is gone through by keyboard and mouse to full marks", "[gui][slow]") {
  if (!can_see(true)) return;
  std::vector<std::string> lines = {"welcome off",
                                    "lesson flat-allreduce",
                                    "wait lesson flat-allreduce",
                                    "wait lesson.busy no",
                                    "wait 0.5",
                                    "screenshot @/first.png",
                                    "print lesson.pages",
                                    "wait lesson.run four",
                                    "wait run",
                                    "expect algorithm allreduce.flat",
                                    "print status"};
  for (std::size_t page = 0; page < kPages.size(); ++page) {
    for (const Typed& one : kPages[page]) {
      lines.push_back("wait verdict." + one.question + " right");
      lines.emplace_back("wait 0.4");  // nobody answers what is not on the screen yet
      lines.push_back("print points." + one.question);
    }
    lines.push_back("wait lesson.page " + std::to_string(page + 2));
    lines.emplace_back("wait lesson.busy no");
    lines.emplace_back("wait 0.3");
    lines.emplace_back("print lesson.page");
  }
  lines.insert(lines.end(), {"expect lesson.done 11", "expect lesson.points 14", "quit"});
  SimulatedUser user(lines);
  user.says("lesson.pages=4");
  user.look();
  const Picture picture(user.screen / "first.png");
  const auto show = picture.largest(0x4DA3FF, 400);
  INFO(show.x << " " << show.y << " " << show.width << " " << show.height);
  REQUIRE(show.width > 60);
  user.does({"mousemove", std::to_string(show.x + show.width / 2),
             std::to_string(show.y + show.height - 4), "sleep", "0.2", "mousedown", "1", "sleep",
             "0.1", "mouseup", "1"});
  user.says("status=ok");
  bool first = true;
  for (std::size_t page = 0; page < kPages.size(); ++page) {
    for (const Typed& one : kPages[page]) {
      // The mouse has left the focus at the first button.
      for (int i = first ? 1 : 0; i < one.buttons_before; ++i) user.keys({"Tab"});
      first = false;
      // Letters that come right behind Tab are the field's, and no shortcuts.
      for (const std::string& field : one.fields)
        user.does({"key", "Tab", "type", "--delay", "5", field});
      user.keys({"Return"});
      user.says("points." + one.question + "=");
    }
    // It scrolls first, and turns the page at its end.
    const std::string turned = "lesson.page=" + std::to_string(page + 2);
    for (int press = 0; press < 10; ++press) {
      user.keys({"Page_Down"});
      const auto there = [&] { return user.gui->out().find(turned) != std::string::npos; };
      if (eventually(there, std::chrono::seconds(4))) break;
    }
    user.says(turned);
  }
  user.ends_well();
}

TEST_CASE("a run that waits for its question is a closed card, and opens with the answer",
          "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  const Finished done = screen.script({"welcome off",
                                       "motion off",
                                       "lesson ring-allreduce",
                                       "wait lesson ring-allreduce",
                                       "lesson page 3",
                                       "wait lesson.busy no",
                                       "expect lesson.locked sums",
                                       "lesson to weights",
                                       "wait 0.5",
                                       "screenshot closed.png",
                                       "fill weights /x/0 24",
                                       "fill weights /x/1 20",
                                       "fill weights /x/2 16",
                                       "fill weights /x/3 20",
                                       "check weights",
                                       "wait verdict.weights right",
                                       "expect lesson.locked \"\"",
                                       "wait 0.5",
                                       "screenshot open.png",
                                       "show-run sums",
                                       "wait run",
                                       "expect lesson.run sums"});
  INFO(done.out << '\n' << done.err);
  REQUIRE_FALSE(done.timed_out);
  REQUIRE(done.exit_code == 0);
  const Picture closed(screen / "closed.png"), open(screen / "open.png");
  CHECK(closed.differences(open) > 2'000);
}

TEST_CASE("a course's check list is opened by a key, and leads to its questions", "[gui]") {
  if (!can_see(true)) return;
  SimulatedUser user({"welcome off",
                      "layout stage",
                      "lesson course homework",
                      "wait lesson.busy no",
                      "lesson item tree-allreduce steps",
                      "wait lesson tree-allreduce",
                      "wait lesson.busy no",
                      "wait 0.5",
                      "print status",
                      "wait check-list open",
                      "wait 0.3",
                      "print course.item",
                      "wait course.item \"tree-allreduce/partner: open\"",
                      "expect check-list closed",
                      "wait lesson.busy no",
                      "wait 0.5",
                      "print lesson",
                      "wait draft.partner ni",
                      "print draft.partner",
                      "wait check-list open",
                      "expect draft.partner ni",
                      "hand-in",
                      "expect lesson.browser open",
                      "expect hand-in open",
                      "hand-in @/out.zip",
                      "wait lesson.busy no",
                      "quit"});
  user.says("status=");
  user.look();
  user.keys({"q"});
  user.says("course.item=tree-allreduce/steps: open");
  // Tab goes through the items: the seven of Task 1, then the two of the tree.
  for (int item = 0; item < 9; ++item) user.does({"key", "Tab", "sleep", "0.15"});
  user.keys({"Return"});
  // Its field has the keyboard; Escape leaves it, and takes nothing back.
  user.says("lesson=tree-allreduce");
  user.keys({"n", "i"});
  user.says("draft.partner=ni");
  user.keys({"Escape", "q"});
  user.ends_well();
  CHECK(std::filesystem::is_regular_file(user.screen / "out.zip"));
}
