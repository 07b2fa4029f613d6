// Buffer grids of real runs: what they say, and that it can be read.
#include "engine/diagrams/grid/buffer_grid.h"

#include <set>

#include <fmt/format.h>

#include "engine/analysis/events/rounds.h"
#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "tests/diagrams/scenes.h"
#include "tests/support/golden.h"
#include "tests/support/job_traces.h"
#include "tests/support/runs.h"

using namespace rankscope;
using test::kRuler;
using test::says;
using test::trace_of;
using test::trace_of_job;
using Show = BufferGridOptions::Show;

namespace {

void look(const Scene& scene, const std::string& name) {
  for (const auto kind : {Theme::Kind::light, Theme::Kind::dark, Theme::Kind::print})
    test::look(scene, fmt::format("{}-{}", name, to_string(kind)), kind);
}

void check_readable(const Scene& scene) {
  test::check_readable(scene);
  std::set<std::string> ids;
  for (const auto& group : scene.groups) CHECK(ids.insert(group.id).second);
}

const Group* find(const Scene& scene, const std::string& id) {
  const auto found = std::ranges::find(scene.groups, id, &Group::id);
  return found == scene.groups.end() ? nullptr : &*found;
}

std::string story(const Scene& scene, const std::string& id) {
  const auto* group = find(scene, id);
  return group == nullptr ? "(no such group)" : group->story;
}

Trace homework_ring() {
  JobSpec spec;
  spec.call.algorithm = "allreduce.ring";
  spec.world.size = 4;
  spec.call.shape = {8};
  spec.call.left_ring = true;
  return trace_of_job(spec);
}

}  // namespace

TEST_CASE("grid: look", "[.][look]") {
  const auto& ruler = system_ruler();
  BufferGridOptions options;
  for (const int n : {2, 4, 5, 8, 9, 16})
    for (const auto show : {Show::contributions, Show::values}) {
      options = {};
      options.show = show;
      options.round = n - 1;
      options.in_flight = true;
      look(buffer_grid(TraceAnalysis(trace_of_job("allreduce.ring", n, 2 * n)), options, ruler),
           fmt::format("ring-{}-{}", n, show == Show::values ? "values" : "contrib"));
    }
  options = {};
  options.round = 3;
  options.chunks = 64;
  look(buffer_grid(TraceAnalysis(trace_of_job("allreduce.ring", 16, 128)), options, ruler),
       "ring-16x64");
  for (const auto* name :
       {"allgather.ring", "gather.binomial", "scatter.binomial", "alltoall.pairwise",
        "broadcast.binomial", "reduce_scatter.halving", "barrier.dissemination"})
    for (const int round : {0, 1, BufferGridOptions::kEnd}) {
      options = {};
      options.in_flight = true;
      options.round = round;
      look(buffer_grid(TraceAnalysis(trace_of_job(name, 4, 8)), options, ruler),
           fmt::format("{}-{}", name, round + 1));
    }
  for (const auto* name : {"allreduce.bucketed", "alltoall.bruck", "alltoall.linear",
                           "allreduce.hierarchical", "allgather.bruck", "allreduce.rabenseifner"}) {
    options = {};
    options.in_flight = true;
    options.round = 1;
    look(buffer_grid(TraceAnalysis(trace_of_job(name, 8, 16)), options, ruler), name);
  }
  options.chunks = 7;
  look(buffer_grid(TraceAnalysis(trace_of_job("allreduce.ring", 5, 40)), options, ruler), "parts");
  options.show = Show::values;
  look(buffer_grid(TraceAnalysis(trace_of_job("allreduce.ring", 4, 4000)), options, ruler),
       "large");
  BufferStripOptions strip;
  strip.rounds = {0, 1, 2, 3};
  look(buffer_strip(TraceAnalysis(homework_ring()), strip, ruler), "strip-homework");
  strip = {};
  look(buffer_strip(TraceAnalysis(trace_of_job("allreduce.ring", 4, 8)), strip, ruler),
       "strip-ring");
  strip.rounds = {1, 2, 3};
  strip.grid.width = 640;
  look(buffer_strip(TraceAnalysis(trace_of_job("allgather.ring", 4, 8)), strip, ruler),
       "strip-allgather");
  strip = {};
  strip.grid.show = Show::values;
  look(buffer_strip(TraceAnalysis(trace_of_job("allreduce.ring", 4, 8)), strip, ruler),
       "strip-values");
}

TEST_CASE("grid: the homework's ring of 4 workers", "[grid]") {
  // Worker n begins with chunk n - 1, to the left; after phase I it holds chunk (n + 2) mod 4.
  const TraceAnalysis trace(homework_ring());
  BufferGridOptions options;
  options.round = 3;
  const Scene after_phase_1 = buffer_grid(trace, options, kRuler);
  for (int n = 0; n < 4; ++n)
    for (int c = 0; c < 4; ++c) {
      const auto text = story(after_phase_1, fmt::format("cell-{}-{}", n, c));
      INFO("worker " << n << ", chunk " << c << ": " << text);
      CHECK(text.ends_with("4 of 4 ranks: 0, 1, 2, 3: complete\nchanged in round 3") ==
            (c == (n + 2) % 4));
    }
  CHECK(after_phase_1.description ==
        "Contents of 4 ranks' buffers after round 3 of 6. Completely reduced: rank 0: chunk 2; "
        "rank 1: chunk 3; rank 2: chunk 0; rank 3: chunk 1.");
  options.round = 0;
  options.in_flight = true;
  const Scene start = buffer_grid(trace, options, kRuler);
  for (int n = 0; n < 4; ++n)
    CHECK(story(start, fmt::format("send-{}-0-to-{}", n, (n + 3) % 4)) ==
          fmt::format("in round 1, rank {} sends c{} (8 bytes) to rank {}", n, (n + 3) % 4,
                      (n + 3) % 4));
  CHECK(says(start, "c3 → 3"));
  BufferStripOptions strip;
  strip.rounds = {0, 1, 2, 3};
  test::check_golden("grid-homework-strip", to_text(buffer_strip(trace, strip, kRuler)));
}

TEST_CASE("grid: contributions and values of a ring allreduce", "[grid]") {
  const TraceAnalysis trace(trace_of_job("allreduce.ring", 4, 8));
  BufferGridOptions options;
  options.round = 2;
  options.in_flight = true;
  test::check_golden("grid-ring-contributions", to_text(buffer_grid(trace, options, kRuler)));
  options.show = Show::values;
  test::check_golden("grid-ring-values", to_text(buffer_grid(trace, options, kRuler)));
  options.round = BufferGridOptions::kEnd;
  const Scene end = buffer_grid(trace, options, kRuler);
  CHECK(story(end, "cell-0-1").find("complete") != std::string::npos);
}

TEST_CASE("grid: all algorithms at several sizes can be read", "[grid]") {
  const int n = GENERATE(2, 3, 4, 5, 8, 16);
  for (const auto& algorithm : algorithms()) {
    const TraceAnalysis trace(trace_of_job(std::string(algorithm.name), n, 2 * n));
    for (const auto show : {Show::contributions, Show::values})
      for (const int round : {0, 1, BufferGridOptions::kEnd}) {
        BufferGridOptions options;
        options.show = show;
        options.round = round;
        options.in_flight = true;
        if (round == 1 && trace.rounds().count == 0) continue;
        check_readable(buffer_grid(trace, options, kRuler));
        check_readable(buffer_grid(trace, options, system_ruler()));
      }
    BufferStripOptions strip;
    strip.grid.in_flight = n % 2 == 0;
    check_readable(buffer_strip(trace, strip, kRuler));
  }
}

TEST_CASE("grid: 2 to 16 ranks and 2 to 64 chunks can be read", "[grid]") {
  for (const int n : {2, 5, 11, 16}) {
    const TraceAnalysis trace(trace_of_job("allreduce.ring", n, 960));
    for (const int chunks : {2, 7, 16, 33, 64})
      for (const auto show : {Show::contributions, Show::values}) {
        BufferGridOptions options;
        options.show = show;
        options.chunks = chunks;
        options.round = 2;
        options.in_flight = true;
        const Scene scene = buffer_grid(trace, options, kRuler);
        check_readable(scene);
        check_readable(buffer_grid(trace, options, system_ruler()));
        CHECK(story(scene, fmt::format("cell-{}-{}", n - 1, chunks - 1)) != "(no such group)");
        if (show == Show::contributions) CHECK(scene.width <= 1400);
      }
  }
}

TEST_CASE("grid: what only moves says where it comes from", "[grid]") {
  BufferGridOptions options;
  options.round = BufferGridOptions::kEnd;
  const Scene alltoall =
      buffer_grid(TraceAnalysis(trace_of_job("alltoall.pairwise", 4, 8)), options, kRuler);
  CHECK(says(alltoall, "2→0"));
  CHECK(story(alltoall, "cell-0-2").find("data of rank 2 for rank 0") != std::string::npos);
  test::check_golden("grid-alltoall", to_text(alltoall));
  const Scene scatter =
      buffer_grid(TraceAnalysis(trace_of_job("scatter.binomial", 4, 8)), options, kRuler);
  CHECK(story(scatter, "cell-2-2").find("data of rank 0") != std::string::npos);
  CHECK(find(scatter, "cell-2-1") == nullptr);
  CHECK(says(scatter, "not in this rank's buffer"));
  options.round = 1;
  const Scene midway =
      buffer_grid(TraceAnalysis(trace_of_job("scatter.binomial", 4, 8)), options, kRuler);
  CHECK(story(midway, "cell-2-3").find("in the buffer \"subtree\"") != std::string::npos);
  options.round = 0;
  const Scene gather =
      buffer_grid(TraceAnalysis(trace_of_job("gather.flat", 4, 2)), options, kRuler);
  CHECK(story(gather, "cell-3-3").find("data of rank 3") != std::string::npos);
  CHECK(find(gather, "cell-3-0") == nullptr);
}

TEST_CASE("grid: what was added twice stands out", "[grid]") {
  const TraceAnalysis trace(trace_of(3, [](Communicator& comm) {
    Buffer data = Buffer::of(std::vector<std::int64_t>(6, comm.rank()));
    comm.watch("data", data);
    if (comm.rank() == 1) {
      comm.send(0, data);
      comm.send(0, data);
    } else if (comm.rank() == 0) {
      comm.recv_reduce(1, data, ReduceOp::sum);
      comm.recv_reduce(1, data, ReduceOp::sum);
    }
  }));
  BufferGridOptions options;
  options.round = BufferGridOptions::kEnd;
  const Scene scene = buffer_grid(trace, options, kRuler);
  CHECK(says(scene, "×2"));
  CHECK(says(scene, "rank 1 ×2"));
  CHECK(story(scene, "cell-0-0").find("0, 1 (×2)") != std::string::npos);
  CHECK_FALSE(says(scene, "complete"));
  check_readable(scene);
  look(buffer_grid(trace, options, system_ruler()), "twice");
}

TEST_CASE("grid: what the trace does not show is marked", "[grid]") {
  const TraceAnalysis trace(trace_of(2, [](Communicator& comm) {
    Buffer data = Buffer::of(std::vector<std::int64_t>(6, comm.rank()));
    comm.watch("data", data);
    if (comm.rank() == 0) comm.touch(data[{0, 3}]);
    if (comm.rank() == 0) comm.recv_reduce(1, data, ReduceOp::sum);
    else comm.send(0, data);
  }));
  BufferGridOptions options;
  options.round = BufferGridOptions::kEnd;
  const Scene scene = buffer_grid(trace, options, kRuler);
  CHECK(says(scene, "not known"));
  CHECK(story(scene, "cell-0-0").find("does not show") != std::string::npos);
  CHECK(story(scene, "cell-0-1").find("complete") != std::string::npos);
  check_readable(scene);
}

TEST_CASE("grid: cells get smaller for a narrow page", "[grid]") {
  const TraceAnalysis trace(trace_of_job("allreduce.ring", 8, 16));
  BufferGridOptions options;
  options.width = 640;
  const Scene narrow = buffer_grid(trace, options, kRuler);
  CHECK(narrow.width == 640);
  look(buffer_grid(trace, options, system_ruler()), "narrow");
  check_readable(narrow);
  options.ranks = {5, 2};
  options.heading = false;
  const Scene two = buffer_grid(trace, options, kRuler);
  CHECK(two.height < narrow.height / 2);
  CHECK(story(two, "cell-5-0") != "(no such group)");
  CHECK(story(two, "cell-0-0") == "(no such group)");
}

TEST_CASE("grid: long runs and many ranks are summarised", "[grid]") {
  const TraceAnalysis trace(trace_of(16, test::ring_of(64, 50), TraceLevel::light));
  BufferStripOptions strip;
  const Scene scene = buffer_strip(trace, strip, kRuler);
  check_readable(scene);
  CHECK(says(scene, "After round 1500 of 1500"));
  const Scene many = buffer_grid(TraceAnalysis(trace_of_job("allreduce.bde", 40, 40)), {}, kRuler);
  check_readable(many);
  look(buffer_grid(TraceAnalysis(trace_of_job("allreduce.bde", 40, 40)), {.round = 3},
                   system_ruler()),
       "many");
  look(buffer_strip(trace, strip, system_ruler()), "strip-long");
  CHECK(says(many, "8 more ranks are not shown"));
}

TEST_CASE("grid: runs without data say so", "[grid]") {
  const Scene barrier =
      buffer_grid(TraceAnalysis(trace_of_job("barrier.dissemination", 4, 4)), {}, kRuler);
  CHECK(says(barrier, "Nothing to show: no rank has any data in this run"));
  check_readable(barrier);
  const Scene empty = buffer_grid(TraceAnalysis(trace_of_job("allreduce.ring", 3, 0)), {}, kRuler);
  CHECK(says(empty, "Nothing to show"));
  JobSpec light;
  light.recording.trace = TraceLevel::light;
  BufferGridOptions options;
  options.show = Show::values;
  CHECK(says(buffer_grid(TraceAnalysis(trace_of_job(light)), options, kRuler),
             "recorded without contents"));
}

TEST_CASE("grid: what is not there is refused with advice", "[grid]") {
  const TraceAnalysis trace(trace_of_job("allreduce.ring", 3, 6));
  BufferGridOptions options;
  CHECK_THROWS_WITH(buffer_grid(TraceAnalysis(), options, kRuler),
                    ContainsSubstring("trace is empty"));
  options.round = 9;
  CHECK_THROWS_WITH(buffer_grid(trace, options, kRuler),
                    "there is no round 9: this run has 4 rounds (0 is the start)");
  options.round = 0;
  options.ranks = {3};
  CHECK_THROWS_WITH(buffer_grid(trace, options, kRuler), ContainsSubstring("ranks 0 to 2"));
  options.ranks = {};
  options.buffer = "work";
  CHECK_THROWS_WITH(buffer_grid(trace, options, kRuler), ContainsSubstring("there are: data"));
  options.buffer = "";
  options.chunks = 65;
  CHECK_THROWS_AS(buffer_grid(trace, options, kRuler), UserError);
}
