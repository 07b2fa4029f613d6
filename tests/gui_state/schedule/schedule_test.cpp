// Schedules that are drawn, without the window: moves, undo, proofs, times, files, keys.
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "engine/diagrams/scene/ruler.h"
#include "gui/state/schedule/schedule_facts.h"
#include "gui/state/schedule/schedule_scene.h"
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

struct DrawnApp : Driven {
  void refused(const std::string& line, const char* because) {
    CHECK_FALSE(does(line));
    CHECK_THAT(message(), ContainsSubstring(because));
  }
  /// Exchanges between ranks whose numbers differ in a bit, of both chunks.
  void draw_doubling() {
    REQUIRE(does("schedule new allreduce 4 2"));
    for (const int bit : {1, 2})
      for (int rank = 0; rank < 4; ++rank)
        for (int chunk = 0; chunk < 2; ++chunk)
          REQUIRE(does(fmt::format("schedule add {} {} {} {} add", bit, rank, rank ^ bit, chunk)));
  }
  const ScheduleState& drawn() { return app.state().schedule; }
  std::vector<int> sources(int step, Rank rank, int chunk) {
    std::vector<int> out;
    for (const account::Share& one : drawn().facts->contents.at(step, rank, chunk))
      for (int k = 0; k < one.times; ++k) out.push_back(one.rank);
    return out;
  }
};

}  // namespace

TEST_CASE("schedule: drawn move by move, it is proved, and says what is where", "[gui_state]") {
  DrawnApp app;
  app.refused("schedule add 1 0 1 0", "schedule new");
  app.draw_doubling();
  CHECK(app.value("schedule") == "right");
  CHECK(app.value("view.main") == "schedule");
  CHECK(app.value("schedule.moves") == "16");
  CHECK(app.sources(0, 3, 1) == std::vector<int>{3});
  CHECK(app.sources(1, 3, 1) == std::vector<int>{2, 3});
  CHECK(app.sources(2, 3, 1) == std::vector<int>{0, 1, 2, 3});
  REQUIRE(app.does("schedule delete 2 1 3 0"));
  CHECK(app.value("schedule") == "wrong");
  const account::Fault& fault = app.drawn().facts->proof.faults.front();
  CHECK(fault.kind == account::Fault::Kind::missing);
  CHECK(fault.rank == 3);
  CHECK(fault.place == 0);
  CHECK_THAT(app.value("schedule.verdict"), ContainsSubstring("rank 3"));
  CHECK_FALSE(app.drawn().facts->contents.is_right(3, 0));
  CHECK(app.drawn().facts->contents.is_right(3, 1));
  REQUIRE(app.does("schedule undo"));
  CHECK(app.value("schedule") == "right");
  // A contribution twice: the moves on its way are marked.
  REQUIRE(app.does("schedule add 3 0 1 1 add"));
  CHECK(app.drawn().facts->proof.faults.front().kind == account::Fault::Kind::doubled);
  CHECK_FALSE(app.drawn().facts->marked.empty());
  CHECK(app.sources(3, 1, 1).size() == 8);
  REQUIRE(app.does("schedule kind keep"));
  CHECK(app.value("schedule") == "right");
  CHECK(app.value("schedule.move") == "3: 0 -> 1 chunk 1 keep");
}

TEST_CASE("schedule: every change is taken back and made again", "[gui_state]") {
  DrawnApp app;
  app.draw_doubling();
  const DrawnSchedule whole = app.drawn().editor->drawn();
  REQUIRE(app.does("schedule select 2 0 2 1"));
  REQUIRE(app.does("schedule step 3"));
  CHECK(app.value("schedule.move") == "3: 0 -> 2 chunk 1 add");
  REQUIRE(app.does("schedule step -1"));
  REQUIRE(app.does("schedule ranks 3"));
  CHECK(app.value("schedule.size") == "allreduce 3 2");
  CHECK(app.value("schedule.moves") == "8");
  REQUIRE(app.does("schedule chunks 1"));
  REQUIRE(app.does("schedule collective broadcast 2"));
  REQUIRE(app.does("schedule clear"));
  const auto undoable = app.drawn().editor->undoable();
  CHECK(undoable == 16 + 6);
  for (std::size_t i = 0; i < 6; ++i) REQUIRE(app.does("schedule undo"));
  CHECK(app.drawn().editor->drawn() == whole);
  for (std::size_t i = 0; i < 6; ++i) REQUIRE(app.does("schedule redo"));
  CHECK(app.value("schedule.moves") == "0");
  app.refused("schedule redo", "nothing to redo");
  for (std::size_t i = 0; i < undoable; ++i) REQUIRE(app.does("schedule undo"));
  app.refused("schedule undo", "nothing to undo");
}

TEST_CASE("schedule: what cannot be drawn is said, and changes nothing", "[gui_state]") {
  DrawnApp app;
  app.draw_doubling();
  const auto undoable = app.drawn().editor->undoable();
  app.refused("schedule add 1 0 1 0 add", "already");
  app.refused("schedule add 0 0 1 0 add", "steps");
  app.refused("schedule add 1 0 4 0 add", "no rank 4");
  app.refused("schedule add 1 0 0 0 add", "itself");
  app.refused("schedule add 1 0 1 2 add", "no chunk 2");
  app.refused("schedule add 1 0 1 -1 add", "0 or more");
  app.refused("schedule add 1 0 2 0 both", "add or keep");
  app.refused("schedule delete 1 0 2 0", "sends no chunk");
  app.refused("schedule ranks 40", "2 to 32");
  app.refused("schedule collective barrier", "not for \"barrier\"");
  app.refused("schedule network nowhere", "no topology");
  app.refused("schedule new", "not saved");
  CHECK(app.drawn().editor->undoable() == undoable);
  REQUIRE(app.does("schedule close discard"));
  app.refused("schedule open nothing.schedule allreduce 4", "cannot be read");
  app.refused("schedule open nothing", "ending");
}

TEST_CASE("schedule: saved and opened as a table and as MSCCL's XML", "[gui_state]") {
  DrawnApp app;
  app.draw_doubling();
  const DrawnSchedule whole = app.drawn().editor->drawn();
  for (const char* name : {"a.schedule", "a.xml", "a.goal"}) {
    INFO(name);
    const std::string file = app.home / name;
    REQUIRE(app.does("schedule save " + quoted(file)));
    REQUIRE(app.does("schedule close"));
    REQUIRE(app.does("schedule open " + quoted(file)));
    CHECK(app.drawn().editor->drawn() == whole);
    CHECK(app.value("schedule") == "right");
    const Finished proved =
        run_rankscope({"schedule", "prove", file, "--ranks", "4", "--collective", "allreduce"});
    INFO(proved.err);
    CHECK(proved.exit_code == 0);
  }
  std::ofstream(app.home / "plain.txt") << "1: 0 -> 1 all keep\n";
  app.refused("schedule open " + quoted(app.home / "plain.txt"), "--collective");
  REQUIRE(app.does("schedule open " + quoted(app.home / "plain.txt") + " broadcast 2"));
  CHECK(app.value("schedule.moves") == "2");
  CHECK(app.value("schedule") == "right");
}

TEST_CASE("schedule: timed on its network beside all algorithms, and run", "[gui_state]") {
  DrawnApp app;
  REQUIRE(app.does("schedule bytes 1KiB"));
  app.draw_doubling();
  const auto timed = [&] {
    REQUIRE(app.until([&] { return app.drawn().times_are_current(); }));
    return app.drawn().times;
  };
  const auto uniform = timed();
  REQUIRE(uniform->problem.empty());
  CHECK(uniform->rows.size() > 10);
  const auto seconds = [](const ScheduleTimes& times, const std::string& name) {
    for (const ScheduleTime& row : times.rows)
      if (row.name == name) return row.seconds;
    return -1.0;
  };
  // It is recursive doubling, in two messages where that has one.
  CHECK(seconds(*uniform, "this schedule") >= seconds(*uniform, "allreduce.bde"));
  CHECK(seconds(*uniform, "this schedule") <= 2 * seconds(*uniform, "allreduce.bde"));
  CHECK(seconds(*uniform, "allreduce.in_network") == -1);
  REQUIRE(app.does("schedule network nvswitch"));
  CHECK(seconds(*timed(), "allreduce.in_network") > 0);
  REQUIRE(app.does("schedule run"));
  REQUIRE(app.until([&] { return app.app.state().has_trace(); }));
  CHECK(app.app.state().document->world_size() == 4);
  CHECK(app.app.state().document->rounds().count >= 2);
  REQUIRE(app.does("schedule close discard"));
  REQUIRE(app.does("schedule of-run"));
  CHECK(app.value("schedule") == "right");
}

TEST_CASE("schedule: by keyboard, a chunk is picked up and dropped", "[gui_state]") {
  DrawnApp app;
  REQUIRE(app.does("schedule new allreduce 2 2"));
  app.refused("schedule pick", "cursor");
  REQUIRE(app.does("schedule cursor down"));  // shows it
  REQUIRE(app.does("schedule cursor down"));
  CHECK((app.drawn().cursor == ScheduleState::Place{0, 0, 1}));
  REQUIRE(app.does("schedule pick"));
  app.refused("schedule drop", "already");
  for (const char* word : {"down", "right", "up", "down"})
    REQUIRE(app.does(std::string("schedule cursor ") + word));
  REQUIRE(app.does("schedule cursor down"));
  CHECK((app.drawn().cursor == ScheduleState::Place{1, 1, 1}));
  REQUIRE(app.does("schedule drop"));
  CHECK(app.value("schedule.move") == "1: 0 -> 1 chunk 1 add");
  REQUIRE(app.does("schedule mode keep"));
  const DrawnSchedule& drawn = app.drawn().editor->drawn();
  // Behind the last step there is one more; a later column is a later step.
  CHECK(move_between(drawn, {2, 1, 0}, {2, 0, 0}, false).step == 2);
  CHECK(move_between(drawn, {0, 1, 0}, {2, 0, 1}, false).step == 2);
  CHECK(move_between(drawn, {0, 1, 0}, {0, 0, 1}, false).step == 1);
}

TEST_CASE("schedule: its picture has a chunk for each place, apart from each other",
          "[gui_state]") {
  DrawnApp app;
  app.draw_doubling();
  const PlainRuler ruler;
  const auto scene = schedule_scene(app.drawn(), ruler);
  CHECK(outside_page(scene).empty());
  CHECK(overlapping_texts(scene).empty());
  const Box box = box_of(scene, {1, 3, 1});
  REQUIRE_FALSE(box.empty());
  CHECK((place_in(scene, box.center()) == ScheduleState::Place{1, 3, 1}));
  CHECK_FALSE(place_in(scene, {box.right() + 30, box.center().y}));
  const auto errors = [&] {
    const auto made = schedule_scene(app.drawn(), ruler);
    return std::ranges::count_if(made.marks, [](const Mark& mark) {
      return mark.stroke && mark.stroke->tone == Tone::error;
    });
  };
  CHECK(errors() == 0);
  REQUIRE(app.does("schedule delete 2 1 3 0"));
  CHECK(errors() > 1);
}
