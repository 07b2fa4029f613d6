// A question that is asked of the run on the screen, and its answer.
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;
using Catch::Matchers::StartsWith;

TEST_CASE("questions: one is answered beside the run before, and taken off again", "[gui_state]") {
  Driven driven;
  const auto& state = driven.app.state();
  const auto answered = [&] {
    return driven.until([&] { return !state.asked.answer.empty() && !state.asked.waits; });
  };
  driven.ring();
  REQUIRE(driven.does("say what if rank 2 is slow"));
  REQUIRE(answered());
  CHECK_THAT(driven.value("answer"), StartsWith("Rank 2 slow: "));
  CHECK(driven.value("changes") == "rank 2 slow");
  CHECK(state.other == state.asked.before);
  // The next question is of the run as it was: nobody asked for both.
  REQUIRE(driven.does("say 5 ranks"));
  REQUIRE(answered());
  CHECK(driven.value("changes") == "5 ranks");
  CHECK(state.settings.job.world.delays_us.empty());
  CHECK_THAT(driven.value("answer"), ContainsSubstring("8 steps instead of 6"));
  // Times of processes that have nothing to do are chance.
  CHECK_THAT(driven.value("answer"),
             ContainsSubstring("by the model") && !ContainsSubstring("measured"));
  REQUIRE(driven.does("say and rank 1 slow"));
  REQUIRE(answered());
  CHECK(driven.value("changes") == "5 ranks; rank 1 slow");
  CHECK_FALSE(driven.does("take-off root"));
  REQUIRE(driven.does("take-off ranks"));
  REQUIRE(answered());
  CHECK(driven.value("changes") == "rank 1 slow");
  CHECK(driven.value("job.ranks") == "4");
  REQUIRE(driven.does("take-off all"));
  REQUIRE(answered());
  CHECK(driven.value("changes").empty());
  // An unrelated run starts over, and another collective is no what-if.
  REQUIRE(driven.does("say doubling 8"));
  REQUIRE(answered());
  CHECK(driven.value("changes").empty());
  CHECK(driven.value("job.algorithm") == "allreduce.bde");
  REQUIRE(driven.does("say broadcast from 2"));
  REQUIRE(driven.until([&] { return driven.value("status") == "ok"; }));
  CHECK_FALSE(state.asked.any);
}

TEST_CASE("questions: what is not understood changes nothing", "[gui_state]") {
  Driven driven;
  driven.ring();
  const auto shown = driven.app.state().document;
  CHECK_FALSE(driven.does("say rank 2 slouched"));
  CHECK_THAT(driven.app.state().error, ContainsSubstring("\"slouched\" is not understood"));
  CHECK_FALSE(driven.does("say does that work"));
  CHECK_THAT(driven.app.state().error, ContainsSubstring("\"work\" is not understood"));
  CHECK_FALSE(driven.does("say what if rank 3 has the data"));
  CHECK_THAT(driven.app.state().error, ContainsSubstring("rank 3 slow"));
  CHECK_FALSE(driven.does("say from 2"));
  CHECK_THAT(driven.app.state().error, ContainsSubstring("has no root"));
  CHECK_FALSE(driven.app.state().asked.any);
  CHECK(driven.app.state().document == shown);
}

TEST_CASE("questions: a reading is said, and more ranks than a window shows are answered",
          "[gui_state]") {
  Driven driven;
  const auto& state = driven.app.state();
  driven.ring();
  const auto shown = state.document;
  REQUIRE(driven.does("say how long would 100 of these take, folks?"));
  CHECK_THAT(driven.value("answer"), StartsWith("100 ranks: ") && ContainsSubstring("model"));
  CHECK(state.asked.read_as == "Read as: 100 ranks (without \u201Cfolks\u201D)");
  CHECK(state.asked.near == "100 elements");
  CHECK(state.document == shown);
  REQUIRE(driven.does("take-off all"));
  REQUIRE(driven.until([&] { return driven.value("answer.waits") == "no"; }));
  CHECK(driven.value("changes").empty());
  // Processes would need more memory than any machine has here.
  REQUIRE(driven.does("say 4000 GB"));
  CHECK_THAT(driven.value("answer"),
             ContainsSubstring("TB: ") && ContainsSubstring("by the model"));
  CHECK(state.asked.job.is_simulated());
  REQUIRE(driven.until([&] { return driven.value("answer.waits") == "no"; }));
  REQUIRE(driven.does("say what if rank 2 is slwo"));
  CHECK(state.asked.read_as == "Read as: rank 2 slow (\u201Cslwo\u201D as \u201Cslow\u201D)");
}

TEST_CASE("questions: an answer by the model is compared with the run that the question is of",
          "[gui_state]") {
  Driven driven;
  const auto& state = driven.app.state();
  const auto answered = [&] { return driven.until([&] { return !state.asked.answer.empty(); }); };
  driven.ring();
  // The run of so much data is simulated, and the question is of the ring of processes.
  REQUIRE(driven.does("say 4000 GB"));
  REQUIRE(answered());
  REQUIRE(driven.until([&] { return driven.value("answer.waits") == "no"; }));
  REQUIRE(driven.does("say 4096 ranks"));
  CHECK_THAT(driven.value("answer"),
             StartsWith("4,096 ranks: ") && ContainsSubstring("by the model"));
  // A slow rank has no formula: there is nothing to compare with.
  REQUIRE(driven.does("say ring 4, rank 2 slow"));
  REQUIRE(answered());
  REQUIRE(driven.does("say fast ranks"));
  REQUIRE(answered());
  CHECK_FALSE(driven.does("say 4096 ranks, fast ranks"));
  CHECK_THAT(state.error, ContainsSubstring("up to 64 ranks"));
}

TEST_CASE("questions: a long run is answered by the model first, and marked so", "[gui_state]") {
  Driven driven;
  driven.ring();
  REQUIRE(driven.does("say 32 MiB"));
  CHECK_THAT(driven.value("answer"), StartsWith("32 MiB: ") && ContainsSubstring("by the model"));
  REQUIRE(driven.until([&] { return driven.value("answer.waits") == "no"; }));
  CHECK_THAT(driven.value("answer"), !ContainsSubstring("model"));
}

TEST_CASE("questions: a network that only the question has is given to the run before",
          "[gui_state]") {
  Driven driven;
  const auto& state = driven.app.state();
  const auto answered = [&] { return driven.until([&] { return !state.asked.answer.empty(); }); };
  driven.ring();
  REQUIRE(driven.does("say 16 on a torus"));
  REQUIRE(answered());
  CHECK(state.settings.job.network.topology == "torus-2d");
  REQUIRE(state.asked.before->simulated());
  CHECK(state.asked.before->trace().meta().job->world.size == 4);
  CHECK(state.asked.note.find("both simulated") == 0);
  // The change applies to the network on the screen, not to the processes before it.
  const auto torus = state.document;
  REQUIRE(driven.does("say without link 0\u20131"));
  REQUIRE(answered());
  CHECK(state.settings.job.network.topology == "torus-2d");
  CHECK(state.settings.job.network.links == "0:1=cut");
  CHECK(state.asked.before == torus);
  CHECK(driven.value("changes") == "16 ranks; on torus-2d; without link 0\u20131");
  CHECK_THAT(driven.value("answer"),
             StartsWith("Without link 0\u20131: ") && ContainsSubstring("times as long"));
}

TEST_CASE("questions: an algorithm is compared with another on the same data", "[gui_state]") {
  Driven driven;
  const auto& state = driven.app.state();
  REQUIRE(driven.does("say ring 16 simulated, 256 KiB"));
  REQUIRE(driven.until([&] { return driven.value("status") == "ok"; }));
  REQUIRE(driven.does("say for tiny messages like 1 KB, does doubling beat the ring?"));
  REQUIRE(driven.until([&] { return driven.value("answer.waits") == "no"; }));
  REQUIRE(state.asked.before);
  CHECK(state.asked.before->trace().meta().job->call.algorithm == "allreduce.ring");
  CHECK(state.asked.before->trace().meta().job->call.shape == std::vector<Count>{250});
  CHECK_THAT(driven.value("answer"), StartsWith("By bde: 4 steps instead of 30"));
  CHECK(driven.value("changes") == "by bde; 1 kB");
  REQUIRE(driven.does("say would doubling need fewer messages than this?"));
  REQUIRE(driven.until([&] { return driven.value("answer.waits") == "no"; }));
  CHECK_THAT(driven.value("answer"), ContainsSubstring("64 messages instead of 480"));
}

TEST_CASE("questions: a network is as fast as asked for, and says so", "[gui_state]") {
  Driven driven;
  REQUIRE(driven.does("say ring 8 on ring"));
  REQUIRE(driven.until([&] { return driven.value("status") == "ok"; }));
  REQUIRE(driven.does("say twice as fast"));
  REQUIRE(driven.until([&] { return driven.value("answer.waits") == "no"; }));
  CHECK_THAT(driven.value("answer"), StartsWith("2 times as fast: 7 µs instead of 14 µs"));
  CHECK(driven.value("changes") == "2 times as fast");
}

TEST_CASE("questions: a run uses the network as it stands", "[gui_state]") {
  Driven driven;
  const auto& state = driven.app.state();
  REQUIRE(driven.does("say ring 16 on torus-2d"));
  REQUIRE(driven.until([&] { return driven.value("status") == "ok" && state.network.of_run; }));
  REQUIRE(driven.does("network cut 0 1"));
  REQUIRE(driven.does("rerun"));
  CHECK(state.settings.job.network.links == "0:1=cut");
  REQUIRE(driven.until([&] { return driven.value("status") == "ok" && !state.live.running; }));
  CHECK(state.document->trace().meta().job->network.links == "0:1=cut");
}
