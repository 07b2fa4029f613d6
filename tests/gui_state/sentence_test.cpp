// What is run as a sentence, what people say of it, and what Inspect says of what is selected.
#include "gui/state/run/sentence.h"

#include "engine/collectives/algorithm.h"
#include "gui/state/app/race_commands.h"
#include "gui/state/files/samples.h"
#include "gui/state/model/inspection.h"
#include "gui/state/model/state_chip.h"
#include "gui/state/run/question_parser.h"
#include "gui/state/search/palette.h"
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

JobSpec ring_job() {
  JobSpec job;
  job.call.algorithm = "allreduce.ring";
  job.world.size = 4;
  job.call.shape = {16};
  return job;
}

std::string said(std::string_view text) { return sentence_text(parse_job(ring_job(), text).job); }

}  // namespace

TEST_CASE("sentence: a job is a sentence", "[gui_state]") {
  CHECK(sentence_text(ring_job()) ==
        "Allreduce by ring on 4 ranks with 16 float32, added up, over ipc.");
  CHECK(said("barrier") == "Barrier by dissemination on 4 ranks over ipc.");
  CHECK(said("reduce to 2") ==
        "Reduce by binomial on 4 ranks with 16 float32, added up, to rank 2 over ipc.");
}

TEST_CASE("sentence: what people say becomes a job", "[gui_state]") {
  CHECK(said("ring 16") == "Allreduce by ring on 16 ranks with 16 float32, added up, over ipc.");
  CHECK(said("broadcast from 2") ==
        "Broadcast by binomial on 4 ranks with 16 float32 from rank 2 over ipc.");
  CHECK(said("Recursive doubling on 8 ranks") ==
        "Allreduce by bde on 8 ranks with 16 float32, added up, over ipc.");
  CHECK(said("all-to-all, 3 workers") ==
        "All-to-all by pairwise on 3 ranks with 16 float32 over ipc.");
  CHECK(said("mean of 5 doubles over tcp, rendezvous") ==
        "Allreduce by ring on 4 ranks with 5 float64, averaged, over tcp with rendezvous sends.");
  CHECK(said("8 32 max") ==
        "Allreduce by ring on 8 ranks with 32 float32, taking the maximum, over ipc.");
  CHECK(said("bcast by star from rank 1 on 5 ranks") ==
        "Broadcast by flat on 5 ranks with 16 float32 from rank 1 over ipc.");
  CHECK(said("double tree") ==
        "Allreduce by double_tree on 4 ranks with 16 float32, added up, over ipc.");
  CHECK(said("two-level ring 16") ==
        "Allreduce by two_level_ring on 16 ranks with 16 float32, added up, over ipc.");
  CHECK(parse_job(ring_job(), "slow rank").job.world.delays_us == std::vector<double>{0, 20000});
  CHECK(
      said("slow ranks 1 and 3") ==
      "Allreduce by ring on 4 ranks with 16 float32, added up, over ipc with slow ranks 1 and 3.");
  CHECK(sentence_text(parse_job(parse_job(ring_job(), "slow rank").job, "fast").job) ==
        sentence_text(ring_job()));
  // In any order, and only ranks are slow.
  CHECK(said("slow rank 7 on 8 ranks") ==
        "Allreduce by ring on 8 ranks with 16 float32, added up, over ipc with slow rank 7.");
  CHECK(parse_job(ring_job(), "slow rank 1, 16 ranks").job.world.delays_us ==
        std::vector<double>{0, 20000});
  CHECK(parse_job(ring_job(), "slow rank 2").job.world.delays_us ==
        std::vector<double>{0, 0, 20000});
}

TEST_CASE("sentence: a run on a topology is simulated", "[gui_state]") {
  CHECK(said("ring 16 on torus-2d") ==
        "Allreduce by ring on 16 ranks with 16 float32, added up, simulated on torus-2d.");
  CHECK(said("ring 16 simulated") ==
        "Allreduce by ring on 16 ranks with 16 float32, added up, simulated.");
  // All ranks of the topology, where nothing is said of them.
  CHECK(parse_job(ring_job(), "bde on torus-2d").job.world.size == 16);
  CHECK(parse_job(ring_job(), "bde on torus-2d with 8 ranks").job.world.size == 8);
  // Behind "on" a name is a topology's, elsewhere an algorithm's.
  const JobSpec ring = parse_job(ring_job(), "tree on 8 ranks on ring").job;
  CHECK(ring.call.algorithm == "allreduce.tree");
  CHECK(ring.network.topology == "ring");
  CHECK(parse_job(ring_job(), "on star").job.network.topology == "star@4");
  // A network that all ranks filled, or that is too small, is made again; one that has no sizes gives way.
  CHECK(parse_job(ring, "tree 4").job.network.topology == "ring@4");
  CHECK(parse_job(ring, "tree 16").job.network.topology == "ring@16");
  CHECK(
      parse_job(parse_job(ring_job(), "ring 8 on puzzler").job, "16").job.network.topology.empty());
  // By itself, a run has only what is said of it.
  CHECK(job_to_run(ring, "tree 16").job.network.topology.empty());
  CHECK(
      job_to_run(parse_job(ring_job(), "slow rank 2").job, "ring 64").job.world.delays_us.empty());
  CHECK(job_to_run(ring_job(), "ring 64").job.call.shape == std::vector<Count>{64});
  CHECK(parse_job(ring, "tree 16").job.transport.name == kSimTransport);
  CHECK(parse_job(ring_job(), "hypercube 8").job.call.algorithm == "allreduce.bde");
  // One word says both: there is no network between processes, and none that is not simulated.
  const JobSpec torus = parse_job(ring_job(), "ring on torus-2d").job;
  CHECK(torus.is_simulated());
  CHECK(parse_job(torus, "over tcp").job.network.topology.empty());
  CHECK(parse_job(parse_job(torus, "4 ranks").job, "over ipc").job == ring_job());
  CHECK(parse_job(torus, "simulated").job.network.topology.empty());
  for (const char* text :
       {"ring 16 on torus-2d", "broadcast 8 from 2 on puzzler", "barrier simulated",
        "alltoall 8 on star", "mean of 5 doubles on 8 ranks, simulated"})
    CHECK(said(said(text)) == said(text));
  CHECK_THROWS_WITH(parse_job(ring_job(), "ring on torus-4d"), ContainsSubstring("'torus-2d'"));
}

TEST_CASE("sentence: topologies are completed in the palette", "[gui_state]") {
  Driven driven;
  std::vector<std::string> offered;
  for (const auto& line :
       palette_lines(driven.app.state().settings, driven.app.state().asked, "ring 8 on puz"))
    if (line.usage.starts_with("say ")) offered.push_back(line.usage);
  CHECK(offered ==
        std::vector<std::string>{"say ring 8 on puzzler", "say ring 8 on puzzler-measured"});
}

TEST_CASE("sentence: say simulates, and the chip says so", "[gui_state]") {
  Driven driven;
  REQUIRE(driven.does("say ring 8 on puzzler"));
  REQUIRE(driven.until([&] { return driven.value("status") == "ok"; }));
  const auto& state = driven.app.state();
  CHECK(state_chip(state).text == "simulated, virtual time");
  CHECK(ContainsSubstring("of virtual time").match(driven.message()));
  CHECK(ContainsSubstring("simulated on puzzler").match(state.document->headline()));
  const auto first = state.document->end(ClockBase::measured);
  REQUIRE(driven.does("run links=socket0:socket1=1GB/s"));
  REQUIRE(driven.until([&] {
    return driven.value("status") == "ok" && state.document->end(ClockBase::measured) != first;
  }));
  CHECK(state.document->end(ClockBase::measured) > first);
  CHECK_FALSE(driven.does("set ranks 16"));  // it has eight
  CHECK_FALSE(driven.does("live"));          // only processes are held
  for (const auto& job : jobs_of_race(state.settings.job, "ring tree 8 on star")) {
    CHECK(job.network.topology == "star");
    CHECK(job.is_simulated());
  }
  CHECK_FALSE(job_of(sample_named("sixteen"), state.settings.job).is_simulated());
  CHECK(driven.does("set transport ipc"));
  CHECK(state.settings.job.network.topology.empty());
  CHECK(driven.does("set alpha 1us"));
  CHECK(state.settings.job.is_simulated());
}

TEST_CASE("sentence: every job's own sentence leads back to it", "[gui_state]") {
  for (const auto& algorithm : algorithms()) {
    JobSpec job = ring_job();
    job.call.algorithm = algorithm.name;
    job.world.size = 8;
    if (algorithm.collective == Collective::alltoall) job.call.shape = {8, 4};
    if (reduces(algorithm.collective)) job.call.op = ReduceOp::min;
    if (has_root(algorithm.collective)) job.call.root = 3;
    const std::string text = sentence_text(job);
    INFO(text);
    // Whatever stood there before.
    CHECK(sentence_text(parse_job(ring_job(), text).job) == text);
  }
}

TEST_CASE("sentence: what cannot be meant is said", "[gui_state]") {
  const auto refused = [](std::string_view text, const std::string& why) {
    CHECK_THROWS_WITH(parse_job(ring_job(), text), ContainsSubstring(why));
  };
  refused("", "say what to run");
  refused("rong 16", "did you mean 'ring'");
  refused("broadcast by ring", "broadcast has no algorithm \"ring\": flat, binomial");
  refused("broadcast from", "which rank");
  Driven driven;
  CHECK_FALSE(driven.does("say ring 65"));
  CHECK(driven.value("job.ranks") == "4");
}

TEST_CASE("sentence: say runs it", "[gui_state]") {
  Driven driven;
  REQUIRE(driven.does("say broadcast 3 from 1"));
  REQUIRE(driven.until([&] { return driven.value("status") == "ok"; }));
  CHECK(driven.value("ranks") == "3");
  CHECK(driven.app.state().settings.job.call.root == 1);
}

TEST_CASE("inspect: a message, a rank and a chunk are explained", "[gui_state]") {
  Driven driven;
  driven.ring();
  CHECK(inspect(driven.app.state()).title.empty());
  REQUIRE(driven.does("select message 5"));
  const Inspection message = inspect(driven.app.state());
  const auto& record = driven.app.state().document->rounds().messages.at(5);
  CHECK(message.title == fmt::format("Message 5: rank {} → rank {}", record.from, record.to));
  CHECK(message.chunk >= 0);
  CHECK(message.places.size() == 2);
  REQUIRE(driven.does("select rank 2"));
  const Inspection rank = inspect(driven.app.state());
  CHECK(rank.title == "Rank 2");
  CHECK(rank.rows.size() == 12);  // six sent, six received
  REQUIRE(driven.does("select chunk 1"));
  CHECK(inspect(driven.app.state()).rows.size() == 6);
}

TEST_CASE("drawer: lessons and problems come to its front", "[gui_state]") {
  Driven driven;
  REQUIRE(driven.does("layout stage"));
  CHECK(driven.value("view.side") == "code");
  REQUIRE(driven.does("lesson 8"));
  REQUIRE(driven.until([&] { return driven.app.state().lesson.lesson != nullptr; }));
  CHECK(driven.until([&] { return driven.value("view.side") == "lesson"; }));
  CHECK(driven.until(
      [&] { return driven.value("status") == "ok"; }));  // its first run is on the stage
  CHECK(driven.value("view.main") == "stage");
  REQUIRE(driven.does("lesson close"));
  CHECK(driven.until([&] { return driven.value("view.side") != "lesson"; }));
  // What asks for the pane below gets the drawer, and no view is lost.
  REQUIRE(driven.does("layout stage"));
  REQUIRE(driven.does("view side inspect"));
  REQUIRE(driven.does("view side_lower matrix"));
  CHECK_FALSE(driven.app.state().settings.layout.drawer);
  REQUIRE(driven.does("undo"));
  CHECK(driven.app.state().settings.layout.drawer);
}

TEST_CASE("curtain: lessons and lectures cover what is to come", "[gui_state]") {
  Driven driven;
  driven.ring();
  CHECK(driven.value("curtain") == "up");
  REQUIRE(driven.does("curtain"));
  CHECK(driven.value("curtain") == "down");
  REQUIRE(driven.does("curtain toggle"));
  CHECK(driven.value("curtain") == "up");
  CHECK(driven.app.state().settings.curtain == "auto");  // lifted here, it falls again in a lecture
  CHECK_FALSE(driven.does("curtain half"));
  REQUIRE(driven.does("curtain auto"));
  REQUIRE(driven.does("lesson 8"));
  const auto& lesson = driven.app.state().lesson;
  REQUIRE(driven.until([&] { return lesson.lesson != nullptr; }));
  // A page that asks for something covers it until that was answered.
  const Question* asked = nullptr;
  for (int page = 0; page < lesson.pages() && asked == nullptr; ++page) {
    REQUIRE(driven.does(fmt::format("lesson page {}", page + 1)));
    REQUIRE(driven.until([&] { return lesson.page() == page; }));
    for (const auto& block : lesson.lesson->steps[static_cast<std::size_t>(page)].blocks)
      if (block.kind == Block::Kind::question) asked = lesson.lesson->find_question(block.id);
  }
  REQUIRE(asked != nullptr);
  CHECK(driven.value("curtain") == "down");
  for (const auto& block : lesson.lesson->steps[static_cast<std::size_t>(lesson.page())].blocks)
    if (block.kind == Block::Kind::question) {
      REQUIRE(driven.does("reveal " + block.id));
      REQUIRE(driven.until([&] { return lesson.closed(*lesson.lesson->find_question(block.id)); }));
    }
  CHECK(driven.value("curtain") == "up");
  REQUIRE(driven.does("lecture on"));
  CHECK(driven.value("curtain") == "down");
}
