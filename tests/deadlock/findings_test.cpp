// Findings: what is wrong is named with its line, and right runs have none.
#include "engine/analysis/findings/findings.h"

#include <random>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/run/job/job.h"
#include "tests/support/catch.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;
using Severity = Finding::Severity;
using Catch::Matchers::Contains;
using Kind = Finding::Kind;

namespace {

Trace trace_of(const JobSpec& spec) {
  InprocRunner runner;
  CollectingSink sink;
  TraceMeta meta = meta_of(spec);
  add_outcome(meta, runner, runner.run(spec, sink));
  return make_trace(sink.take(), meta);
}

Trace trace_of(const std::string& algorithm, int ranks, SendMode mode = SendMode::buffered) {
  JobSpec spec;
  spec.call.algorithm = algorithm;
  spec.world.size = ranks;
  spec.transport.name = "inproc";
  spec.transport.mode = mode;
  spec.data.check = false;
  return trace_of(spec);
}

}  // namespace

TEST_CASE("findings: a circle is told as one, with the line of each of its ranks", "[findings]") {
  const Trace trace = trace_of("fault.recv_first", 3);
  const auto found = findings(trace);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Kind::deadlock);
  CHECK(found[0].ranks == std::vector<Rank>{0, 2, 1});
  CHECK(cycle_text(found[0]) == "0 → 2 → 1 → 0");
  CHECK_THAT(found[0].site, Contains("faulty.cpp:"));
  CHECK_THAT(found[0].what, Contains("rank 0 receives from rank 2 at faulty.cpp:"));
  REQUIRE(found[0].events.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(trace[found[0].events[i]].rank == found[0].ranks[i]);
    CHECK(trace[found[0].events[i]].verb == Verb::recv);
  }
}

TEST_CASE("findings: sends that wait for each other", "[findings]") {
  const auto found = findings(trace_of("fault.send_ring", 2, SendMode::rendezvous));
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Kind::deadlock);
  CHECK_THAT(found[0].what, Contains("rank 0 sends to rank 1"));
  CHECK_THAT(found[0].advice, Contains("Use sendrecv"));
  CHECK(findings(trace_of("fault.send_ring", 2)).empty());  // buffered: nothing is wrong
}

TEST_CASE("findings: ranks that wait for those of a circle are counted with it", "[findings]") {
  const auto found = findings(trace_of("fault.part_cycle", 4));
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Kind::deadlock);
  CHECK(cycle_text(found[0]) == "0 → 1 → 0");
  CHECK_THAT(found[0].what, Contains("; ranks 2 and 3 wait for these"));
  CHECK_THAT(findings(trace_of("fault.part_cycle", 3))[0].what,
             Contains("; rank 2 waits for these at faulty.cpp:"));
}

TEST_CASE("findings: a message and a receive that miss each other by their tags", "[findings]") {
  const Trace trace = trace_of("fault.tag_mismatch", 2);
  const auto found = findings(trace);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Kind::unmatched);
  CHECK(found[0].ranks == std::vector<Rank>{0, 1});
  CHECK_THAT(found[0].why, Contains("from rank 0 to rank 1 has tag 4 (sent at faulty.cpp:"));
  CHECK_THAT(found[0].why, Contains("takes tag 5 only"));
  CHECK_THAT(found[0].advice, Contains("the same tag"));
  CHECK(trace[found[0].events[1]].rank == 1);
  const auto returned = findings(trace_of("fault.from_returned", 2));
  REQUIRE(returned.size() == 1);
  CHECK(returned[0].kind == Kind::early_exit);
  CHECK_THAT(returned[0].advice, Contains("Add the send to rank 1"));
}

TEST_CASE("findings: a rank that was lost, and nothing of what was on its way", "[findings]") {
  JobSpec spec;
  spec.world.size = 2;
  spec.transport.name = "inproc";
  spec.call.algorithm = "fault.tag_mismatch";
  spec.data.check = false;
  InprocRunner runner;
  CollectingSink sink;
  JobResult result = runner.run(spec, sink);
  result.status = JobResult::Status::failed;
  result.failures = {{1, "was killed by signal 9 (Killed)", "blocked in recv", 0}};
  TraceMeta meta = meta_of(spec);
  add_outcome(meta, runner, result);
  const auto batches = sink.take();
  const auto found = findings(make_trace(batches, meta));
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Kind::lost_rank);
  CHECK(found[0].ranks == std::vector<Rank>{1});
  CHECK_THAT(found[0].what, Contains("rank 1 was killed by signal 9"));
  meta.complete = false;  // it still runs
  CHECK(findings(make_trace(batches, meta)).empty());
}

TEST_CASE("findings: our algorithms have none", "[findings]") {
  for (const Algorithm& algorithm : built_in_algorithms())
    for (const int ranks : {1, 2, 3, 4, 5, 8})
      for (const Count count : {0, 1, 13})
        for (const SendMode mode : {SendMode::buffered, SendMode::rendezvous}) {
          JobSpec spec;
          spec.call.algorithm = algorithm.name;
          spec.world.size = ranks;
          spec.call.shape = {count};
          spec.transport.mode = mode;
          spec.transport.name = "inproc";
          try {
            validate(spec);
          } catch (const UserError&) {  // not for so many ranks
            continue;
          }
          const auto found = findings(trace_of(spec));
          INFO(algorithm.name << " on " << ranks << ": " << (found.empty() ? "" : found[0].what));
          CHECK(found.empty());
        }
}

namespace {

/// On four ranks, a chunk or more for each.
Trace trace_of_exercise(std::string_view name, SendMode mode) {
  JobSpec spec;
  spec.call.algorithm = fmt::format("exercise.{}", name);
  spec.world.size = name.starts_with("pair") ? 2 : 4;
  spec.call.shape = {8};
  spec.call.group_size = 2;
  spec.transport.mode = mode;
  spec.transport.name = "inproc";
  return trace_of(spec);
}

std::set<Kind> kinds_of(const Trace& trace) {
  std::set<Kind> kinds;
  for (const Finding& finding : findings(trace)) kinds.insert(finding.kind);
  return kinds;
}

}  // namespace

TEST_CASE("findings: the exercises with a fault in their messages", "[findings]") {
  struct Expected {
    std::string_view name;
    std::set<Kind> buffered;
    Kind rendezvous = Kind::deadlock;  ///< Among others that follow from it.
  };
  const std::set<Kind> circle{Kind::deadlock}, buffers{Kind::needs_buffering};
  const std::vector<Expected> expected{
      {"pair_b", {Kind::unreceived}},      {"pair_c", circle},     {"pair_d", buffers},
      {"ring_a", circle, Kind::self_send}, {"ring_e", buffers},    {"hierarchical_a", circle},
      {"tree_a", {Kind::unreceived}},      {"alltoall_c", buffers}};
  for (const auto& [name, buffered, rendezvous] : expected) {
    INFO(name);
    const auto one = trace_of_exercise(name, SendMode::buffered);
    for (const auto& finding : findings(one)) UNSCOPED_INFO(finding.what);
    CHECK(kinds_of(one) == buffered);
    const auto other = trace_of_exercise(name, SendMode::rendezvous);
    for (const auto& finding : findings(other)) UNSCOPED_INFO(finding.what);
    CHECK(kinds_of(other).contains(rendezvous));
  }
  // The others send and receive as they should: what is wrong with them is in their values.
  for (const Algorithm& exercise : exercises()) {
    const auto name = exercise.name.substr(exercise.name.find('.') + 1);
    if (std::ranges::find(expected, name, &Expected::name) != expected.end()) continue;
    for (const SendMode mode : {SendMode::buffered, SendMode::rendezvous}) {
      const auto found = findings(trace_of_exercise(name, mode));
      INFO(name << ": " << (found.empty() ? "" : found[0].what));
      CHECK(found.empty());
    }
  }
}

TEST_CASE("findings: the line that needs buffers, and a split of some ranks only", "[findings]") {
  const auto found = findings(trace_of_exercise("ring_e", SendMode::buffered));
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::warning);
  CHECK(cycle_text(found[0]) == "0 → 1 → 2 → 3 → 0");
  CHECK_THAT(found[0].what, Contains("rank 0 sends to rank 1 at exercise_ring_e.cpp:"));
  const auto split = findings(trace_of_exercise("hierarchical_a", SendMode::buffered));
  REQUIRE_FALSE(split.empty());
  CHECK_THAT(split[0].what, Contains("in split at exercise_hierarchical_a.cpp:"));
  CHECK_THAT(split[0].why, Contains("all ranks of its communicator"));
}

TEST_CASE("findings: our algorithms have none, whatever the order in which ranks come",
          "[findings]") {
  std::mt19937_64 random(6);
  std::size_t runs = 0;
  for (const Algorithm& algorithm : built_in_algorithms())
    for (const SendMode mode : {SendMode::buffered, SendMode::rendezvous})
      for (int seed = 0; seed < 4; ++seed) {
        JobSpec spec;
        spec.call.algorithm = algorithm.name;
        spec.world.size = int(2 + random() % 7);
        spec.call.shape = {Count(1 + random() % 40)};
        spec.transport.mode = mode;
        spec.data.seed = random();
        spec.transport.name = "inproc";
        for (int rank = 0; rank < spec.world.size; ++rank)
          spec.world.delays_us.push_back(double(random() % 300));
        try {
          validate(spec);
        } catch (const UserError&) {  // not for so many ranks
          continue;
        }
        ++runs;
        const auto found = findings(trace_of(spec));
        INFO(algorithm.name << " on " << spec.world.size << ": "
                            << (found.empty() ? "" : found[0].what));
        CHECK(found.empty());
      }
  CHECK(runs > 150);
}
