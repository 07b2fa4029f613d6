// How a run comes on the screen, how it comes again, and what ends it.
#include "gui/state/files/settings.h"
#include "tests/gui_state/driven.h"
#include "tests/support/paths.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

std::string kept_trace(const std::string& trace) {
  return quoted((source_root() / "tests/compat/files/traces" / (trace + ".rankscope")).string());
}

struct OnScreen : Driven {
  bool opens(const std::string& trace) {
    return does("open " + kept_trace(trace)) && until([&] { return app.state().loading.empty(); });
  }
  bool plays_out() {
    return until([&] { return value("playing") == "no" && !app.animating(); });
  }
};

}  // namespace

TEST_CASE("opening: a run plays its first step and stands", "[gui_state]") {
  OnScreen one;
  one.ring();
  CHECK(one.value("playing") == "yes");
  REQUIRE(one.plays_out());
  CHECK(one.value("moment") == "1.000");
  REQUIRE(one.opens("broadcast-binomial"));
  CHECK(one.value("playing") == "yes");
  REQUIRE(one.does("first"));  // somebody goes elsewhere
  REQUIRE(one.plays_out());
  CHECK(one.value("moment") == "0.000");
  REQUIRE(one.does("motion off"));
  REQUIRE(one.opens("broadcast-binomial"));
  CHECK(one.value("moment") == "1.000");
}

TEST_CASE("opening: what is to be predicted stands at its start", "[gui_state]") {
  for (const char* line : {"present on", "lecture on", "presenter on", "curtain on"}) {
    OnScreen one;
    INFO(line);
    REQUIRE(one.does(line));
    REQUIRE(one.opens("broadcast-binomial"));
    CHECK(one.value("playing") == "no");
    CHECK(one.value("moment") == "0.000");
    REQUIRE(one.opens("exec-as-wrong"));  // not led to what is wrong either
    CHECK(one.value("moment") == "0.000");
    REQUIRE(one.opens("exercise-deadlock"));
    CHECK(one.value("moment") == "0.000");
  }
}

TEST_CASE("this again: never another run in the place of the one that is shown", "[gui_state]") {
  OnScreen one;
  REQUIRE(one.does("set algorithm allreduce.tree"));
  REQUIRE(one.opens("broadcast-binomial"));
  REQUIRE(one.does("rerun"));
  REQUIRE(one.until([&] { return one.value("status") == "ok"; }));
  CHECK(one.value("algorithm") == "broadcast.binomial");
  REQUIRE(one.opens("exec-ring"));  // a program's trace
  const auto shown = one.app.state().document;
  REQUIRE(one.plays_out());
  REQUIRE(one.does("rerun"));
  CHECK(one.app.state().document == shown);
  CHECK(one.value("playing") == "yes");
  CHECK_FALSE(one.app.state().live.running);
}

TEST_CASE("quitting asks while processes are held", "[gui_state]") {
  OnScreen one;
  REQUIRE(one.does("live allreduce.ring ranks=4"));
  REQUIRE(one.until([&] { return !one.value("offers").empty(); }));
  CHECK_FALSE(one.does("quit"));
  CHECK_THAT(one.message(), ContainsSubstring("held"));
  CHECK_FALSE(one.app.state().quit_question.empty());
  CHECK(one.does("quit off"));
  CHECK(one.app.state().quit_question.empty());
  CHECK_FALSE(one.does("quit"));
  CHECK(one.does("quit"));
  CHECK(one.app.state().quit);
  CHECK(one.does("stop"));
}

TEST_CASE("views of earlier versions open the stage", "[gui_state]") {
  OnScreen one;
  REQUIRE(one.does("view side_lower graph"));  // the stage is there: nothing moves
  CHECK_THAT(one.message(), ContainsSubstring("the stage shows what it did"));
  CHECK(one.app.state().settings.layout == stage_layout());
  REQUIRE(one.does("view main matrix"));
  REQUIRE(one.does("view lower processes"));
  CHECK(one.value("view.lower") == "stage");
  std::string complaint;
  const Settings old = settings_from_json(
      R"({"layout": {"views": {"main": "graph", "lower": "processes", "side": "code"}}})",
      &complaint);
  CHECK(old.layout.at(Slot::main) == "spacetime");
  CHECK(old.layout.at(Slot::lower) == "buffers");
  CHECK(old.layout.at(Slot::side_lower) == "stage");
  CHECK_FALSE(old.layout.drawer);
  CHECK_THAT(complaint, ContainsSubstring("graph"));
  CHECK(settings_from_json("{}", nullptr).layout == stage_layout());
}

TEST_CASE("an error is said until the next command", "[gui_state]") {
  OnScreen one;
  REQUIRE(one.does("open no-such-file.rankscope"));
  REQUIRE(one.until([&] { return !one.app.state().error.empty(); }));
  CHECK_THAT(one.app.state().error, ContainsSubstring("no-such-file"));
  CHECK(one.does("print moment"));
  CHECK_FALSE(one.app.state().error.empty());
  CHECK(one.does("theme light"));
  CHECK(one.app.state().error.empty());
}
