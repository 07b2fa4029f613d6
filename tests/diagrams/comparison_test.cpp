// Comparisons of two runs, and where they diverge.
#include "engine/diagrams/spacetime/comparison.h"

#include "engine/account/messages.h"
#include "engine/core/base/error.h"
#include "engine/diagrams/run/run_difference.h"
#include "engine/diagrams/scene/drawing.h"
#include "tests/diagrams/graph_runs.h"
#include "tests/support/runs.h"

using namespace rankscope;
using test::registry_trace;

namespace {

std::vector<Box> lanes(const Scene& scene) {
  std::vector<Box> found;
  for (const Mark& mark : scene.marks)
    if (mark.kind == Mark::Kind::box && mark.fill && mark.fill->tone == Tone::lane)
      found.push_back(mark.box);
  return found;
}

}  // namespace

TEST_CASE("two runs are compared on one clock", "[diagrams]") {
  const auto clock = GENERATE(SpacetimeOptions::Clock::rounds, SpacetimeOptions::Clock::measured);
  const bool portrait = GENERATE(false, true);
  const TraceAnalysis ring(registry_trace("allreduce.ring", 12)),
      tree(registry_trace("allreduce.tree", 4));
  ComparisonOptions options;
  options.clock = clock;
  options.portrait = portrait;
  const Scene scene = comparison(ring, tree, options, system_ruler());
  test::check_tidy(scene);
  const auto all = lanes(scene);
  REQUIRE(all.size() == 16);
  for (const Box& lane : all) {
    CHECK((portrait ? lane.y : lane.x) == Approx(portrait ? all[0].y : all[0].x));
    CHECK((portrait ? lane.height : lane.width) == Approx(portrait ? all[0].height : all[0].width));
  }
  CHECK(std::ranges::count(scene.groups, "a-first-difference", &Group::id) == 1);
  CHECK(std::ranges::count(scene.groups, "b-first-difference", &Group::id) == 1);
  if (clock == SpacetimeOptions::Clock::rounds) CHECK(scene.clock_end == 22);
}

TEST_CASE("where two runs part", "[diagrams]") {
  const TraceAnalysis ring(registry_trace("allreduce.ring", 4));
  CHECK(find_divergence(ring, TraceAnalysis(registry_trace("allreduce.ring", 4))).text.empty());
  const Divergence tree = find_divergence(ring, TraceAnalysis(registry_trace("allreduce.tree", 4)));
  CHECK(tree.text ==
        "Round 1: in the first run, rank 0 sends 16 B to rank 1; in the second, rank 1 sends "
        "64 B to rank 0.");
  REQUIRE(tree.a);
  REQUIRE(tree.b);
  CHECK(ring.messages()[*tree.a].from == 0);

  // The same messages in the first round, and then no more.
  const auto run = [](int times) {
    return test::trace_of(2, [times](Communicator& comm) {
      Buffer data = Buffer::of(std::vector<std::int64_t>(4, 1));
      for (int i = 0; i < times; ++i)
        if (comm.rank() == 0) comm.send(1, data);
        else comm.recv(0, data);
    });
  };
  const Divergence longer = find_divergence(TraceAnalysis(run(1)), TraceAnalysis(run(2)));
  CHECK_FALSE(longer.a);
  CHECK(longer.b);
  CHECK_THAT(longer.text, ContainsSubstring("nothing more"));
}

TEST_CASE("an edit of a program is said by its first message that differs", "[diagrams]") {
  const auto run = [](Rank to, std::int64_t value, int times, int tag) {
    return TraceAnalysis(test::trace_of(3, [=](Communicator& comm) {
      Buffer data = Buffer::of(std::vector<std::int64_t>{1, value});
      comm.watch("data", data);
      for (int i = 0; i < times; ++i)
        if (comm.rank() == 0) comm.send(to, data, tag);
        else if (comm.rank() == to) comm.recv(0, data, tag);
    }));
  };
  const auto says = [&](const TraceAnalysis& now, const std::string& printed = "") {
    return edit_in_words(run(1, 5, 1, 0), now, printed);
  };
  CHECK(says(run(1, 5, 1, 0)) == "The same messages and values as before");
  CHECK(says(run(1, 5, 1, 0), "prints 3") == "Now prints 3; the messages are the same as before");
  CHECK_THAT(says(run(2, 5, 1, 0)), ContainsSubstring("rank 0 sends to rank 2 instead of rank 1"));
  CHECK_THAT(says(run(1, 5, 1, 7)), ContainsSubstring("rank 0 sends tag 7 instead of 0 to rank 1"));
  CHECK_THAT(says(run(1, 6, 1, 0)), ContainsSubstring(" 6 instead of 5 "));
  CHECK_THAT(says(run(1, 5, 2, 0)),
             ContainsSubstring("rank 0 sends 16 B to rank 1; before, it did not"));
  CHECK_THAT(says(run(1, 5, 0, 0)), ContainsSubstring("rank 0 no longer sends 16 B to rank 1"));
  const TraceAnalysis in_vain(test::trace_of(3, [](Communicator& comm) {
    Buffer data = Buffer::of(std::vector<std::int64_t>{1, 5});
    if (comm.rank() == 0) (void)comm.irecv(1, data);
  }));
  CHECK_THAT(
      edit_in_words(in_vain, run(1, 5, 1, 0), ""),
      ContainsSubstring("rank 0 sends 16 B to rank 1; before, it waited for 16 B from rank 1"));
  // Where the first program's text says where.
  CHECK_THAT(says(run(1, 6, 1, 0)), ContainsSubstring("Now differs from before in line "));

  ComparisonOptions options;
  options.edit = true;
  const TraceAnalysis before = run(1, 5, 1, 0), now = run(1, 6, 1, 0);
  const Scene pane = comparison_pane(now, before, options, 900, 500, system_ruler());
  const auto written = [&](const std::string& text) {
    return std::ranges::any_of(
        pane.marks, [&](const Mark& mark) { return mark.text.find(text) != std::string::npos; });
  };
  CHECK(written("now · "));
  CHECK(written("before · "));
  CHECK(std::ranges::any_of(pane.marks, [](const Mark& mark) { return mark.text == "before"; }));
  CHECK(written("Now differs from before"));
}

TEST_CASE("what differs between two runs is said in a sentence", "[diagrams]") {
  const auto run = [](const char* algorithm, int ranks) {
    return TraceAnalysis(registry_trace(algorithm, ranks));
  };
  const TraceAnalysis ring = run("allreduce.ring", 4);
  CHECK_THAT(difference_in_words(ring, run("allreduce.ring", 5)),
             ContainsSubstring("8 steps instead of 6"));
  CHECK_THAT(difference_in_words(ring, run("allreduce.tree", 4)), ContainsSubstring("instead of"));
  CHECK_FALSE(difference_in_words(ring, run("allreduce.ring", 4)).empty());

  JobSpec before, now;
  before.call.algorithm = now.call.algorithm = "allreduce.ring";
  before.world.size = now.world.size = 4;
  CHECK(changes_of(before, now).empty());
  now.network.slow_ranks = "2=20";
  CHECK(changes_of(before, now) == std::vector<std::string>{"rank 2 computes 20 times as long"});
  now.network.slow_ranks.clear();
  now.world.delays_us = {0, 0, 20000};
  now.world.size = 5;
  now.call.left_ring = true;
  CHECK(changes_of(before, now) ==
        std::vector<std::string>{"5 ranks", "to the left", "rank 2 slow"});
  CHECK(changes_of(now, before) ==
        std::vector<std::string>{"4 ranks", "to the right", "no slow rank"});
  before = now;
  before.transport.name = now.transport.name = "sim";
  before.network.topology = now.network.topology = "torus-2d";
  now.network.links = "0:1=cut,2:3=1GB/s";
  CHECK(changes_of(before, now) ==
        std::vector<std::string>{"without link 0–1", "link 2–3 at 1 GB/s"});
  CHECK(changes_of(now, before) ==
        std::vector<std::string>{"link 0–1 as usual", "link 2–3 as usual"});
}

TEST_CASE("a wrong run and a right one are not the same", "[diagrams]") {
  TraceMeta meta;
  meta.world_size = 4;
  meta.outcome.emplace();
  meta.outcome->status = JobResult::Status::ok;
  meta.outcome->ranks.resize(4);
  const auto run = [&] {
    return TraceAnalysis(make_trace(test::record(4,
                                                 [](Communicator& comm) {
                                                   Buffer data = test::ring_input(comm.rank(), 4);
                                                   test::ring_allreduce(comm, data);
                                                 }),
                                    meta));
  };
  const TraceAnalysis right = run();
  meta.outcome->ranks[2].rank = 2;
  meta.outcome->ranks[2].mismatch = {0, "8", "10"};
  CHECK_THAT(difference_in_words(right, run()),
             ContainsSubstring("rong on 1 rank instead of right"));
  CHECK_THAT(difference_in_words(run(), right), ContainsSubstring("ight instead of wrong"));
}

TEST_CASE("comparing nothing is refused", "[diagrams]") {
  const TraceAnalysis ring(registry_trace("allreduce.ring", 2));
  CHECK_THROWS_AS(comparison(ring, TraceAnalysis(), {}, PlainRuler()), UserError);
  CHECK_THROWS_AS(comparison(TraceAnalysis(), ring, {}, PlainRuler()), UserError);
}

TEST_CASE("scenes are placed with their groups and clocks", "[diagrams]") {
  Scene a, b;
  for (Scene* scene : {&a, &b}) {
    scene->width = 100;
    scene->height = 40;
    scene->clock_end = scene == &a ? 2 : 3;
    Mark mark;
    mark.box = {10, 10, 20, 20};
    mark.group = scene->add_group({"cell", "", 0, 1});
    scene->marks.push_back(mark);
  }
  Scene row;
  place(a, {}, row, "a-");
  place(b, {108, 0}, row, "b-");
  CHECK(row.width == 208);
  CHECK(row.height == 40);
  CHECK(row.clock_end == 3);
  REQUIRE(row.groups.size() == 2);
  CHECK(row.groups[0].id == "a-cell");
  CHECK(row.groups[1].id == "b-cell");
  CHECK(row.marks[1].group == 1);
  CHECK(row.marks[1].box == Box{118, 10, 20, 20});
  const Scene column = stacked({a, b});
  CHECK(column.height == 80);
  CHECK(column.marks[1].box.y == 50);
  Scene trimmed = column;
  trim(trimmed, 4);
  CHECK(trimmed.width == 28);
  CHECK(trimmed.marks[0].box.x == 4);
}
