// Answers given in the picture: messages drawn, slots tapped, lines marked, and where a wrong prediction parts.
#include <memory>

#include "gui/state/app/app.h"
#include "tests/gui_state/live.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

/// Page 2 or 3 of the ring's lesson: a prediction, contributions, a schedule.
struct Sketcher {
  explicit Sketcher(int page, const std::string& lesson = "ring-allreduce") {
    app.mutable_state().settings.layout = {};  // no run begins by itself
    REQUIRE(does("lesson " + lesson));
    REQUIRE(does("lesson page " + std::to_string(page)));
  }
  OwnHome home;
  App app{{rankscope_binary().string(), true, [] {}}};

  bool does(const std::string& line) {
    const bool done = app.execute(parse_command(line));
    INFO(line << ": " << app.state().message);
    CHECK(done);
    return until([&] { return !lesson().busy; });
  }
  bool refuses(const std::string& line) { return !app.execute(parse_command(line)); }
  bool until(const std::function<bool()>& condition) {
    return eventually([&] {
      app.update(0.005);
      return condition();
    });
  }
  const LessonState& lesson() const { return app.state().lesson; }
  std::string value(const std::string& key) const { return app.value_of(key); }
  std::string field(const std::string& question, const std::string& name) const {
    return field_text(lesson().question_state(question)->draft, name);
  }
};

}  // namespace

TEST_CASE("picture answers: a prediction is drawn, undone, and parts from the run", "[gui_state]") {
  Sketcher ada(2);
  CHECK(ada.refuses("ask finished"));  // a formula
  CHECK(ada.refuses("parting"));
  REQUIRE(ada.does("ask next-message"));
  REQUIRE(ada.until([&] { return ada.value("status") == "ok"; }));
  REQUIRE(ada.until([&] { return ada.value("lesson.asked") == "next-message"; }));
  CHECK(ada.value("view.main") == "stage");
  CHECK(ada.until([&] { return ada.value("moment") == "1.000"; }));
  REQUIRE(ada.does("draw next-message 0 1 2"));
  CHECK(ada.value("draft.next-message") == R"({"chunk":"2","from":"0","to":"1"})");
  REQUIRE(ada.does("draw next-message 0 3 1"));
  CHECK(ada.field("next-message", "/to") == "3");
  REQUIRE(ada.does("undo"));
  CHECK(ada.field("next-message", "/to") == "1");
  REQUIRE(ada.does("redo"));
  CHECK(ada.refuses("draw next-message 0 0 1"));
  CHECK(ada.value("parting").empty());
  REQUIRE(ada.does("check next-message"));
  CHECK(ada.value("verdict.next-message") == "wrong");
  CHECK(ada.value("parting") ==
        "Parts at step 2: you sent chunk 1 from rank 0 to rank 3, the run does not.");
  REQUIRE(ada.does("parting"));
  CHECK(ada.value("moment") == "1.000");  // what the run does next is the answer
  // Another answer: the ghost goes; a right one has none.
  REQUIRE(ada.does("answer next-message \"0 -> 3 chunk 0\""));
  CHECK(ada.value("parting").empty());
  REQUIRE(ada.does("check next-message"));
  CHECK(ada.value("verdict.next-message") == "right");
  CHECK(ada.value("parting").empty());
  CHECK(ada.refuses("draw next-message 1 0 1"));  // closed
  // Another run is nobody's answer.
  REQUIRE(ada.does("run allreduce.bde ranks=4"));
  CHECK(ada.until([&] { return ada.value("lesson.asked").empty(); }));
}

TEST_CASE("picture answers: an answer can be emptied, and saying nothing comes parts, too",
          "[gui_state]") {
  Sketcher ada(2);
  REQUIRE(ada.does("ask next-message"));
  REQUIRE(ada.until([&] { return ada.value("status") == "ok"; }));
  REQUIRE(ada.does("draw next-message 0 1 2"));
  REQUIRE(ada.does("answer next-message \"\""));
  CHECK(ada.field("next-message", "/from").empty());
  REQUIRE(ada.does("answer next-message none"));
  REQUIRE(ada.does("check next-message"));
  CHECK(ada.value("parting") == "Parts at step 2: the run sends a message that you left out.");
}

TEST_CASE("picture answers: letters of a field are undone at once", "[gui_state]") {
  Sketcher ada(2);
  for (const char* text : {"0", "0 ", "0 1"}) {
    Command command = cmd::fill("whose-data", "/0/0", text);
    command.typed = true;
    CHECK(ada.app.execute(command));
  }
  CHECK(ada.value("undo") == "1");
  REQUIRE(ada.does("undo"));
  CHECK(ada.field("whose-data", "/0/0").empty());
  REQUIRE(ada.does("redo"));
  CHECK(ada.field("whose-data", "/0/0") == "0 1");
  // Another student's answers are not brought back.
  REQUIRE(ada.does("lesson restart"));
  CHECK(ada.value("undo") == "0");
}

TEST_CASE("picture answers: ranks of a slot", "[gui_state]") {
  CHECK(ranks_in_cell("0 2", 4) == std::vector<int>{0, 2});
  CHECK(ranks_in_cell("all, 1", 3) == std::vector<int>{0, 1, 1, 2});
  CHECK(ranks_in_cell("{1-3}", 4) == std::vector<int>{1, 2, 3});
  CHECK(ranks_in_cell("1-99999999 x", 3) == std::vector<int>{1, 2});
  CHECK(ranks_in_cell("none", 4).empty());
  CHECK(with_rank_toggled("", 2, 4) == "2");
  CHECK(with_rank_toggled("0 2", 1, 4) == "0 1 2");
  CHECK(with_rank_toggled("all", 0, 3) == "1 2");
  CHECK(with_rank_toggled("1 1", 1, 3).empty());
}

TEST_CASE("picture answers: a schedule is drawn step by step, and its own run is shown",
          "[gui_state]") {
  Sketcher ada(3);
  REQUIRE(ada.does("ask schedule"));
  REQUIRE(ada.until([&] { return ada.value("lesson.asked") == "schedule"; }));
  CHECK(ada.value("algorithm") == "allreduce.schedule");
  CHECK(ada.value("rounds") == "0");
  REQUIRE(ada.does("draw schedule 0 1 0"));
  REQUIRE(ada.does("draw schedule 1 2"));
  CHECK(ada.field("schedule", "/0/add") == "add");
  REQUIRE(ada.does("draw schedule 1 2 1"));  // the chunk of the same arrow
  CHECK(ada.field("schedule", "/1/chunk") == "1");
  CHECK(ada.refuses("draw schedule 1 2 1"));
  REQUIRE(ada.does("fill schedule /1/add keep"));
  REQUIRE(ada.does("ask schedule 2"));
  REQUIRE(ada.until([&] { return ada.value("rounds") == "1"; }));
  CHECK(ada.app.state().document->rounds().messages.size() == 2);
  // What is typed is seen as well.
  REQUIRE(ada.does("fill schedule /1 \"\""));
  REQUIRE(ada.until([&] { return ada.app.state().document->rounds().messages.size() == 1; }));
  REQUIRE(ada.does("undo"));
  REQUIRE(ada.until([&] { return ada.app.state().document->rounds().messages.size() == 2; }));
  // While the question is open, nobody sees how it would be right.
  REQUIRE(ada.does("check schedule"));
  CHECK(ada.value("verdict.schedule") == "wrong");
  CHECK(ada.value("parting").empty());
  REQUIRE(ada.does("reveal schedule"));
  REQUIRE(ada.until([&] { return !ada.value("parting").empty(); }));
  CHECK_THAT(ada.value("parting"), ContainsSubstring("Parts at step 1: "));
  REQUIRE(ada.until([&] { return ada.value("rounds") == "4"; }));
  REQUIRE(ada.does("ask off"));
  CHECK(ada.value("lesson.asked").empty());
}

TEST_CASE("picture answers: slots are tapped, and lines marked", "[gui_state]") {
  Sketcher ada(2);
  REQUIRE(ada.does("ask whose-data"));
  REQUIRE(ada.until([&] { return ada.value("lesson.asked") == "whose-data"; }));
  CHECK(ada.value("moment") == "0.000");  // what is asked for is not shown
  CHECK(ada.lesson().in_picture(AnswerPicture::Is::contributions) != nullptr);
  CHECK(ada.lesson().in_picture(AnswerPicture::Is::messages) == nullptr);
  REQUIRE(ada.does("lesson flat-allreduce"));
  CHECK(ada.value("lesson.asked").empty());
  REQUIRE(ada.does("ask lost-value"));
  REQUIRE(ada.until([&] { return ada.value("lesson.asked") == "lost-value"; }));
  CHECK(ada.app.state().settings.layout.shows("code"));
  REQUIRE(ada.does("fill lost-value /line 16"));
  REQUIRE(ada.does("check lost-value"));
  CHECK(ada.value("verdict.lost-value") == "right");
}

TEST_CASE("picture answers: all of the data is its only chunk", "[gui_state]") {
  Sketcher ada(2, "broadcast");
  REQUIRE(ada.does("ask two-rounds"));
  REQUIRE(ada.until([&] { return ada.value("lesson.asked") == "two-rounds"; }));
  for (const char* move : {"0 2 all 1", "0 1 all 2", "0 3 all 2"})
    REQUIRE(ada.does("draw two-rounds " + std::string(move)));
  CHECK(ada.field("two-rounds", "/0/add") == "keep");
  REQUIRE(ada.does("check two-rounds"));
  CHECK(ada.value("verdict.two-rounds") == "partly right");
  REQUIRE(ada.does("reveal two-rounds"));
  REQUIRE(ada.until([&] { return !ada.value("parting").empty(); }));
  CHECK_THAT(ada.value("parting"), ContainsSubstring("Parts at step 2: you sent all of the data"));
}
