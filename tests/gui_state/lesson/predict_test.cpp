// Questions before a step: what is asked, hands that are counted, and the step that answers.
#include "gui/state/app/groups.h"
#include "gui/state/model/step_question.h"
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

TEST_CASE("predict: a question stands before its step, which answers it after the motion",
          "[gui_state]") {
  Driven one;
  REQUIRE(one.does("present on"));
  one.ring();
  CHECK(one.value("moment") == "0.000");
  REQUIRE(one.does("predict"));
  CHECK_THAT(one.value("prediction"), ContainsSubstring("tep 1"));
  const std::string first = one.value("prediction");
  REQUIRE(one.does("predict"));  // another one of the same step
  CHECK(one.value("prediction") != first);
  REQUIRE(one.does("predict 1"));
  REQUIRE(one.does("predict 1 +4"));
  REQUIRE(one.does("predict 2"));
  REQUIRE(one.does("predict back"));
  CHECK_THAT(one.value("prediction.hands"), Catch::Matchers::StartsWith("5 0"));
  CHECK_FALSE(one.does("predict 9"));
  CHECK_THAT(one.message(), ContainsSubstring("the choices are"));
  CHECK_FALSE(one.does("predict something else"));
  REQUIRE(one.does("next-stop"));
  CHECK(one.app.state().lecture.prediction.stands());  // while the messages travel
  REQUIRE(one.until([&] { return !one.app.state().playback.playing; }));
  one.app.update(0);
  CHECK(one.app.state().lecture.prediction.resolved);
  CHECK_THAT(one.value("prediction.says"), ContainsSubstring("of 5 hands"));
  REQUIRE(one.does("motion off"));
  REQUIRE(one.does("next-stop"));
  one.app.update(0);
  CHECK(one.value("prediction").empty());
  REQUIRE(one.does("last"));
  CHECK_FALSE(one.does("predict"));
  CHECK_THAT(one.message(), ContainsSubstring("nothing follows"));
}

TEST_CASE("predict: an answer may be typed, and each right one is what the run then shows",
          "[gui_state]") {
  Driven one;
  REQUIRE(one.does("motion off"));
  REQUIRE(one.does("curtain on"));
  for (const char* const run :
       {"run allreduce.ring ranks=4 count=16", "run broadcast.binomial ranks=8 count=16",
        "run allgather.ring ranks=4 count=16", "run allreduce.bde ranks=8 count=16",
        "run allreduce.ring ranks=8 count=4096 transport=sim"}) {
    REQUIRE(one.does(run));
    REQUIRE(one.until([&] { return one.value("status") == "ok"; }));
    const Document& document = *one.app.state().document;
    const int rounds = document.rounds().count;
    INFO(run);
    for (int done = 0; done < rounds; ++done) {
      const auto all = step_questions(document, ClockBase::rounds, done);
      INFO("after " << done);
      CHECK(all.size() >= 3);
      for (const StepQuestion& asked : all) {
        INFO(asked.text);
        REQUIRE(asked.right >= 0);
        REQUIRE(asked.right < static_cast<int>(asked.options.size()));
        CHECK(asked.options.size() >= 2);
        CHECK_THAT(asked.text, ContainsSubstring(std::to_string(done + 1)));
        const std::string& right = asked.options[static_cast<std::size_t>(asked.right)];
        // Small cards have no names of chunks: what names one shows its sign.
        const ChunkSigns& signs = asked.signs;
        CHECK((signs.by_option.size() == asked.options.size()) == right.starts_with("c"));
        for (std::size_t i = 0; i < signs.by_option.size(); ++i)
          CHECK(asked.options[i].starts_with("c" + std::to_string(signs.by_option[i]) + " "));
        const bool named_chunk = asked.text.find(" in c") != std::string::npos;
        CHECK(named_chunk == (signs.asked >= 0));
        if (named_chunk) CHECK(asked.text.ends_with(" in c" + std::to_string(signs.asked) + "?"));
        std::size_t sent = 0;
        std::uint64_t bytes = 0;
        bool named = false;
        for (std::size_t m = 0; m < document.rounds().messages.size(); ++m) {
          if (document.rounds().round[m] != done + 1) continue;
          const MessageRecord& message = document.rounds().messages[m];
          ++sent;
          if (asked.text.find("rank " + std::to_string(message.from)) == std::string::npos)
            continue;
          bytes += message.bytes;
          named = named || right.ends_with("rank " + std::to_string(message.to));
        }
        if (asked.text.starts_with("How many messages")) CHECK(right == std::to_string(sent));
        if (asked.text.starts_with("How many bytes")) CHECK(bytes > 0);
        if (asked.text.find("to whom") != std::string::npos) CHECK(named);
      }
    }
    CHECK(step_questions(document, ClockBase::rounds, rounds).empty());
  }
  REQUIRE(one.does("first"));
  REQUIRE(one.does("predict"));
  const auto& asked = one.app.state().lecture.prediction;
  REQUIRE(one.does("predict " + asked.options.at(static_cast<std::size_t>(asked.right))));
  CHECK(asked.hands.at(static_cast<std::size_t>(asked.right)) == 1);
}

TEST_CASE("predict: of held processes it asks for what their plan does next", "[gui_state]") {
  Driven one;
  REQUIRE(one.does("motion off"));
  REQUIRE(one.does("present on"));
  REQUIRE(one.does("live allreduce.ring ranks=4 count=16"));
  const auto& runs = one.app.group<RunCommands>();
  const auto rests = [&] {
    return runs.held() && runs.up_to_date() && one.app.state().has_trace();
  };
  REQUIRE(one.until(rests));
  REQUIRE(one.until([&] { return one.app.state().document->plan() != nullptr; }));
  REQUIRE(one.does("predict"));
  CHECK_THAT(one.value("prediction"), ContainsSubstring("tep 1"));
  CHECK(one.app.state().document->rounds().messages.empty());  // asking moves nothing
  REQUIRE(one.does("next-stop"));
  REQUIRE(one.until([&] { return one.app.state().lecture.prediction.resolved; }));
  REQUIRE(one.does("stop"));
}
