// The live session, on real worker processes.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/trace/trace_file.h"
#include "gui/state/run/problems.h"
#include "gui/state/run/recording.h"
#include "tests/gui_state/live.h"

using namespace rankscope;
using namespace rankscope::test;
using State = RankView::State;

namespace {

constexpr double kLong = 300'000;  // a run of seconds, if nobody stops it

std::uint64_t sends_of(const Trace& trace) {
  std::uint64_t sends = 0;
  for (std::uint64_t k = 0; k < trace.size(); ++k)
    sends += trace[k].kind == EventKind::posted && is_send(trace[k].verb);
  return sends;
}

}  // namespace

TEST_CASE("session: one collective after the other on the same processes", "[gui_state]") {
  Live live;
  std::vector<int> pids;
  for (const auto* name : {"allreduce.ring", "broadcast.binomial", "alltoall.pairwise"}) {
    INFO(name);
    live.session.start(job(name), false);
    CHECK(live.session.running());
    const auto result = live.finish();
    CHECK(result.ok());
    if (!pids.empty()) CHECK(result.pids == pids);
    pids = result.pids;
    const auto document = live.session.take_document();
    REQUIRE(document);
    CHECK(document->trace().meta().algorithm == name);
    CHECK(document->trace().meta().complete);
    CHECK(document->trace().size() == result.events);
    CHECK(document->path().empty());
    CHECK_FALSE(live.session.take_document());
    CHECK_FALSE(live.session.take_result());
    CHECK(TraceReader::open(live.session.trace_file()).size() == result.events);
    CHECK(gui::problems_of(result, document.get()).empty());
  }
  CHECK(live.news > 0);
}

TEST_CASE("session: a run is shown while it goes on", "[gui_state]") {
  Live live;
  live.session.start(slow_job(60'000), false);
  std::vector<std::uint64_t> sizes, ids;
  bool pids_known = false;
  while (live.session.running()) {
    const auto state = live.session.live();
    pids_known |= state.pids.size() == 4 && state.pids[0] > 0 && state.ranks.size() == 4;
    if (const auto document = live.session.take_document()) {
      sizes.push_back(document->trace().size());
      ids.push_back(document->id());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (const auto document = live.session.take_document()) sizes.push_back(document->trace().size());
  const auto result = live.finish();
  CHECK(result.ok());
  CHECK(pids_known);
  CHECK(sizes.size() >= 2);
  CHECK(std::ranges::is_sorted(sizes));
  CHECK(sizes.back() == result.events);
  CHECK(std::ranges::is_sorted(ids));
}

TEST_CASE("session: a run of many events ends with a document of them all", "[gui_state]") {
  Live live;
  JobSpec spec = job("allreduce.ring");
  spec.recording.iterations = 300;
  spec.recording.trace_every = true;
  live.session.start(spec, false);
  const auto result = live.finish();
  CHECK(result.ok());
  const auto document = live.session.take_document();
  REQUIRE(document);
  CHECK(document->trace().size() == result.events);
  CHECK(document->trace().meta().complete);
}

TEST_CASE("session: a long run is stopped, and the next one is well", "[gui_state]") {
  Live live;
  live.session.start(slow_job(kLong), false);
  REQUIRE(eventually([&] { return live.session.live().events > 0; }));
  live.session.stop();
  CHECK(live.finish().status == JobResult::Status::interrupted);
  CHECK(live.session.live().pids.empty());
  live.session.start(job("allreduce.tree"), false);
  CHECK(live.finish().ok());
  live.session.stop();  // nothing goes on
  CHECK_FALSE(live.session.running());
}

TEST_CASE("session: a new run ends the one that goes on", "[gui_state]") {
  Live live;
  live.session.start(slow_job(kLong), false);
  REQUIRE(eventually([&] { return live.session.live().events > 0; }));
  live.session.start(slow_job(kLong), true);  // never comes to run
  live.session.start(job("allgather.ring"), false);
  REQUIRE(eventually([&] { return !live.session.running(); }));
  const auto result = live.session.take_result();
  REQUIRE(result);
  CHECK(result->ok());
  CHECK(result->algorithm == "allgather.ring");
}

TEST_CASE("session: held ranks go message by message, then to the end", "[gui_state]") {
  Live live;
  live.session.start(job("allreduce.ring"), true);
  REQUIRE(eventually([&] { return live.all(State::held); }));
  CHECK(live.session.live().stepping);
  const auto answer = live.answer_to([&] { live.session.release_message(2); });
  CHECK_THAT(answer, ContainsSubstring("message 2 -> 3 released"));
  CHECK(eventually([&] {  // the one that was released, and nobody else's
    const auto document = live.session.take_document();
    return document && sends_of(document->trace()) == 1;
  }));
  CHECK_FALSE(live.all(State::done));
  CHECK_THAT(live.answer_to([&] { live.session.step_rank(9); }), ContainsSubstring("no rank 9"));
  CHECK_THAT(live.answer_to([&] { live.session.release_round(); }), ContainsSubstring("round"));
  live.session.resume();
  CHECK(live.finish().ok());
  CHECK_FALSE(live.session.live().stepping);
  CHECK(live.session.live().places.empty());
  const auto document = live.session.take_document();
  REQUIRE(document);
  CHECK(document->rounds().count == 6);
  CHECK_THAT(live.answer_to([&] { live.session.release_message(); }), ContainsSubstring("over"));
}

TEST_CASE("session: a breakpoint stops a run that was let go", "[gui_state]") {
  Live live;
  live.session.set_breakpoints({{"allreduce_ring.cpp", 0, "allgather", 1}});
  live.session.start(job("allreduce.ring"), true);
  live.session.resume();
  const auto hit = [&] { return std::ranges::any_of(live.session.live().places, &RankView::hit); };
  REQUIRE(eventually(hit));
  REQUIRE(eventually([&] { return !live.session.live().resumed; }));
  CHECK(live.session.live().answer == "stopped at a breakpoint");
  live.session.set_breakpoints({});
  live.session.resume();
  CHECK(live.finish().ok());
}

TEST_CASE("session: a run that was let go is paused, and breakpoints are set meanwhile",
          "[gui_state]") {
  Live live;
  live.session.start(slow_job(50'000), true);
  live.session.resume();
  REQUIRE(eventually([&] { return live.session.live().resumed; }));
  live.session.set_breakpoints({{"none.cpp", 1, "", -1}});
  live.session.pause();
  REQUIRE(eventually([&] { return live.session.live().answer == "paused"; }));
  CHECK(eventually([&] { return !live.session.live().resumed; }));
  CHECK(live.session.running());
  live.session.stop();  // while they are held
  CHECK(live.finish().status == JobResult::Status::interrupted);
}

TEST_CASE("session: orders without a held run are answered", "[gui_state]") {
  Live live;
  CHECK_THAT(live.answer_to([&] { live.session.release_message(); }),
             ContainsSubstring("no run is held"));
  live.session.resume();
  live.session.pause();
  CHECK_FALSE(live.session.kill_rank(0));
}

TEST_CASE("session: a killed rank is a problem that names it", "[gui_state]") {
  Live live;
  const bool stepping = GENERATE(false, true);
  live.session.start(slow_job(kLong), stepping);
  CHECK(eventually([&] { return live.session.kill_rank(2); }));
  const auto result = live.finish();
  CHECK(result.status == JobResult::Status::failed);
  const auto document = live.session.take_document();
  const auto problems = gui::problems_of(result, document.get());
  REQUIRE_FALSE(problems.empty());
  CHECK(problems.front().severity == gui::Problem::Severity::error);
  CHECK(problems.front().rank == 2);
  CHECK_THAT(problems.front().what, ContainsSubstring("rank 2 was killed by signal 9"));
  CHECK_FALSE(problems.front().where.empty());
  CHECK_FALSE(problems.front().advice.empty());
  CHECK_FALSE(live.session.kill_rank(2));
  live.session.start(job("allreduce.ring"), false);  // on new processes
  CHECK(live.finish().ok());
}

TEST_CASE("session: nothing is left behind", "[gui_state]") {
  const auto before = children();
  const int kind = GENERATE(0, 1, 2, 3);
  OwnHome home;
  {
    gui::Session session(rankscope_binary().string(), [] {});
    if (kind > 0) session.start(slow_job(kLong), kind == 2);
    if (kind == 1) REQUIRE(eventually([&] { return session.live().events > 0; }));
    if (kind == 2) session.resume();
  }
  CHECK(eventually([&] { return children() == before; }));
  CHECK(std::filesystem::is_empty(gui::cache_folder()));
}

TEST_CASE("session: what a dead session left in the cache is removed", "[gui_state]") {
  namespace fs = std::filesystem;
  OwnHome home;
  const auto dead = gui::cache_folder() / "session-1-0",
             living = gui::cache_folder() / "session-2-0";
  for (const auto& folder : {dead, living}) {
    fs::create_directories(folder);
    std::ofstream(folder / "run-1.rankscope") << "events";
  }
  const int lock = ::open(living.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(::flock(lock, LOCK_EX) == 0);
  {
    gui::Session session(rankscope_binary().string(), [] {});
    CHECK_FALSE(fs::exists(dead));
    CHECK(fs::exists(living / "run-1.rankscope"));
  }
  ::close(lock);
}

TEST_CASE("session: threads of this process, too", "[gui_state]") {
  Live live;
  JobSpec spec = slow_job(kLong);
  spec.transport.name = "inproc";
  CHECK_THROWS_AS(live.session.start(spec, true), UserError);
  live.session.start(spec, false);
  REQUIRE(eventually([&] { return !live.session.live().ranks.empty(); }));
  CHECK_FALSE(live.session.kill_rank(0));
  live.session.stop();
  CHECK(live.finish().status == JobResult::Status::interrupted);
  spec.world.delays_us.clear();
  live.session.start(spec, false);
  CHECK(live.finish().ok());
  CHECK(live.session.take_document());
}

TEST_CASE("session: what cannot run is reported", "[gui_state]") {
  Live live;
  CHECK_THROWS_AS(live.session.start(job("allreduce.rnig"), false), UserError);
  CHECK_FALSE(live.session.running());
  gui::Session broken("/nowhere/rankscope", {});
  broken.start(job("allreduce.ring"), true);
  broken.release_message();
  REQUIRE(eventually([&] { return !broken.running(); }));
  const auto result = broken.take_result();
  const auto error = broken.take_error();
  CHECK((error || (result && !result->ok())));
  if (result) CHECK_FALSE(gui::problems_of(result, nullptr).empty());
}
