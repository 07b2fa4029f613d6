// Runs that wait for an answer: closed, opened by an answer, by giving up and by a lecturer, and open ever after.
#include <memory>

#include "gui/state/app/app.h"
#include "gui/state/model/app_state.h"
#include "tests/gui_state/live.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

/// Of the ring's lesson: page 3 has a table that opens a run, page 2 a prediction.
struct Reader {
  explicit Reader(int page, std::shared_ptr<OwnHome> own = std::make_shared<OwnHome>())
      : home(std::move(own)) {
    app.mutable_state().settings.layout = {};  // no run begins by itself
    REQUIRE(does("lesson ring-allreduce"));
    REQUIRE(does("lesson page " + std::to_string(page)));
  }
  std::shared_ptr<OwnHome> home;
  App app{{rankscope_binary().string(), true, [] {}}};

  bool does(const std::string& line) {
    const bool done = app.execute(parse_command(line));
    INFO(line << ": " << app.state().message);
    CHECK(done);
    return until([&] { return !app.state().lesson.busy; });
  }
  bool refuses(const std::string& line) { return !app.execute(parse_command(line)); }
  bool until(const std::function<bool()>& condition) {
    return eventually([&] {
      app.update(0.005);
      return condition();
    });
  }
  std::string value(const std::string& key) const { return app.value_of(key); }
  std::string message() const { return app.state().message; }
};

constexpr const char* kWeights = "answer weights \"1, 3, 3, 1\"";

}  // namespace

TEST_CASE("locks: an answer opens the run, and a restart of the program leaves it open",
          "[gui_state]") {
  const auto home = std::make_shared<OwnHome>();
  {
    Reader ada(3, home);
    CHECK(ada.value("lesson.locked") == "sums");
    CHECK(ada.refuses("show-run sums"));
    CHECK_THAT(ada.message(), ContainsSubstring("Answer question"));
    REQUIRE(ada.does("lesson to weights"));
    CHECK(ada.app.state().lesson.sought.id == "weights");
    CHECK(ada.refuses("unlock sums"));  // a student
    CHECK(ada.value("lesson.locked") == "sums");
    // Nothing is no answer; a wrong one is one.
    REQUIRE(ada.does("check weights"));
    CHECK(ada.value("lesson.locked") == "sums");
    REQUIRE(ada.does(kWeights));
    REQUIRE(ada.does("check weights"));
    CHECK(ada.value("attempts.weights") == "1");
    CHECK(ada.value("lesson.locked").empty());
    REQUIRE(ada.does("show-run sums"));
    REQUIRE(ada.until([&] { return ada.value("status") != "running"; }));
    // What was answered is not undone.
    REQUIRE(ada.does("undo"));
    CHECK(ada.value("lesson.locked").empty());
  }
  Reader again(3, home);
  CHECK(again.value("lesson.locked").empty());
  REQUIRE(again.does("lesson restart"));
  REQUIRE(again.does("lesson page 3"));
  CHECK(again.value("lesson.locked") == "sums");
}

TEST_CASE("locks: giving up opens, and so does a lecturer", "[gui_state]") {
  Reader ada(3);
  REQUIRE(ada.does("reveal weights"));
  CHECK(ada.value("lesson.locked").empty());
  CHECK(ada.value("points.weights") == "0");
  REQUIRE(ada.does("lesson restart"));
  REQUIRE(ada.does("lesson page 3"));
  REQUIRE(ada.does("lecturer on"));
  CHECK(ada.refuses("unlock right"));  // nothing keeps it closed
  REQUIRE(ada.does("unlock sums"));
  CHECK(ada.value("lesson.locked").empty());
  // Whoever answers then has seen the run.
  REQUIRE(ada.does(kWeights));
  REQUIRE(ada.does("check weights"));
  CHECK(ada.app.state().lesson.progress.of("weights").seen);
}

TEST_CASE("locks: a lecture opens for the room, and leaves nobody's progress changed",
          "[gui_state]") {
  Reader ada(3);
  REQUIRE(ada.does("lecture on"));
  CHECK(ada.value("lesson.locked") == "sums");
  REQUIRE(ada.does("unlock sums"));
  CHECK(ada.value("lesson.locked").empty());
  REQUIRE(ada.does("show-run sums"));
  REQUIRE(ada.does("lecture off"));
  CHECK(ada.value("lesson.locked") == "sums");
}

TEST_CASE("locks: of a wrong prediction the run is open up to where it parts", "[gui_state]") {
  Reader ada(2);
  CHECK(ada.value("lesson.locked") == "left left-eight");
  REQUIRE(ada.does("ask next-message"));
  REQUIRE(ada.until([&] { return ada.value("lesson.asked") == "next-message"; }));
  REQUIRE(ada.until([&] { return ada.value("horizon") == "1"; }));
  CHECK(ada.value("curtain") == "down");
  CHECK(ada.refuses("curtain off"));
  CHECK(ada.refuses("clock measured"));
  // Nor is the rest written, listed, or shown by the same run without its question.
  for (const char* way : {"save rest.rankscope", "export rest.svg", "filter op:send", "rerun",
                          "compare keep", "copy-text message 3"}) {
    INFO(way);
    CHECK(ada.refuses(way));
    CHECK_THAT(ada.message(), ContainsSubstring("rest of the run"));
  }
  CHECK(is_closed_view(ada.app.state(), "events"));
  for (const char* way : {"step", "last", "seek 3", "play"}) {
    INFO(way);
    REQUIRE(ada.does(way));
    for (int frame = 0; frame < 50; ++frame) ada.app.update(0.1);
    CHECK(ada.value("moment") == "1.000");
  }
  REQUIRE(ada.does("answer next-message \"0 -> 1 chunk 2\""));
  REQUIRE(ada.does("check next-message"));
  REQUIRE(ada.until([&] { return !ada.value("parting").empty(); }));
  CHECK(ada.value("horizon") == "1");
  REQUIRE(ada.does("parting"));
  CHECK(ada.value("moment") == "1.000");
  REQUIRE(ada.does("ask off"));  // the run is still there, and so is its end
  REQUIRE(ada.does("step"));
  CHECK(ada.value("moment") == "1.000");
  REQUIRE(ada.does("answer next-message \"0 -> 3 chunk 0\""));
  REQUIRE(ada.does("check next-message"));
  REQUIRE(ada.until([&] { return ada.value("horizon").empty(); }));
  CHECK_FALSE(is_closed_view(ada.app.state(), "events"));
  REQUIRE(ada.does("filter op:send"));
  REQUIRE(ada.does("step"));
  CHECK(ada.value("moment") == "2.000");
}

TEST_CASE("locks: what was typed stands beside the run that it opens", "[gui_state]") {
  Reader ada(2);
  REQUIRE(ada.does("answer left-chunk \"(n+i-2) mod N\""));
  REQUIRE(ada.does("check left-chunk"));
  REQUIRE(ada.does("answer next-message \"0 -> 1 chunk 2\""));
  REQUIRE(ada.does("check next-message"));
  REQUIRE(ada.does("reveal whose-data"));
  CHECK(ada.value("lesson.locked") == "left");  // the prediction was wrong
  REQUIRE(ada.does("reveal next-message"));
  CHECK(ada.value("lesson.locked").empty());
  REQUIRE(ada.does("show-run left"));
  REQUIRE(ada.until([&] { return !ada.value("parting").empty(); }));
  CHECK(
      ada.value("parting") ==
      "Parts at step 2: you sent chunk 2 from rank 0 to rank 1, the run sends chunk 0 to rank 3.");
  CHECK(ada.value("view.main") == "spacetime");
  REQUIRE(ada.does("parting"));
  CHECK(ada.value("moment") == "1.500");
  // A prediction that came true is there, too.
  Reader grace(2);
  for (const char* line : {"answer next-message \"0 -> 3 chunk 0\"", "check next-message",
                           "reveal left-chunk", "reveal whose-data", "show-run left"})
    REQUIRE(grace.does(line));
  REQUIRE(grace.until([&] { return grace.app.state().lesson.prediction.came_true; }));
  CHECK(grace.app.state().lesson.prediction.messages.size() == 1);
  CHECK(grace.value("parting").empty());
}
