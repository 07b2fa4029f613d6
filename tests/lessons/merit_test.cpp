// Points follow merit: slips, other algorithms and bonuses.
#include <fstream>
#include <map>
#include <sstream>

#include "tests/lessons/graded_programs.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

using namespace test;
using Status = CaseRun::Status;

TEST_CASE("Another algorithm gets 40 % at most, and the report says so", "[lessons][coding]") {
  const struct {
    const char *lesson, *id, *algorithm;
  } kOthers[] = {{"07-reduce-scatter", "my-reduce-scatter", "allreduce.ring"},
                 {"09-mst-allreduce", "mst-all-reduce", "allreduce.flat"},
                 {"09-mst-allreduce", "mst-all-reduce", "allreduce.bde"},
                 {"10-bde-allreduce", "bde-all-reduce", "allreduce.tree"},
                 {"11-tree-allreduce", "tree-allreduce", "allreduce.flat"},
                 {"12-ring-allreduce", "ring-allreduce", "allreduce.tree"}};
  for (const auto& other : kOthers) {
    INFO(other.id << " by " << other.algorithm);
    const CodingExercise one = exercise(other.lesson, other.id);
    const CodingVerdict verdict = graded(one, other.algorithm);
    CHECK(verdict.points <= kMostOfOtherAlgorithm * one.points + 1e-9);
    CHECK(verdict.other_algorithm != "");
    CHECK(has(verdict_text(one, verdict),
              ": at most 40 % where the algorithm is not the one that is asked for: it does not "
              "keep \""));
    CHECK(to_json(one, verdict)["other_algorithm"] == verdict.other_algorithm);
  }
  const CodingExercise one = exercise("12-ring-allreduce", "ring-allreduce");
  const CodingVerdict to_the_right = graded(one, "allreduce.ring");
  CHECK(to_the_right.other_algorithm == "");
  CHECK(to_the_right.points > one.points / 2);
}

TEST_CASE("Who is right for the listed numbers of ranks only gets 40 % at most",
          "[lessons][coding]") {
  const CodingExercise one = exercise("10-bde-allreduce", "bde-all-reduce");
  Programs programs{one};
  programs.run("allreduce.bde");
  CaseRun& drawn = programs.runs.back();
  drawn.drawn = true;
  CHECK(programs.grade().points == Approx(8));
  drawn.values = "rank 4's result lacks rank 2";
  drawn.status = Status::failed;
  const CodingVerdict verdict = programs.grade();
  CHECK(verdict.points == Approx(3.2));
  CHECK(has(verdict.other_algorithm, "only with the numbers of ranks that the exercise names"));
}

TEST_CASE("Values that are nearly right count half, and tell no other algorithm",
          "[lessons][coding]") {
  const CodingExercise one = exercise("05-flat-allreduce", "my-allreduce");
  Programs programs{one};
  programs.run("allreduce.flat", false, [](int n) { return n == 1 ? "" : "rank 0 is left out"; });
  CHECK(programs.grade().points == 0);
  for (CaseRun& run : programs.runs) run.known_way = true;
  CHECK(programs.grade().points == Approx(2));  // all but the values'
  for (CaseRun& run : programs.runs) run.near_values = 0.5;
  const CodingVerdict near = programs.grade();
  // Half of the values' 4, and all of the others'; 60 % count of what is above half of the points.
  CHECK(near.points == Approx(3.6));
  CHECK(near.rules[0].points == Approx(1.6));
  CHECK(near.other_algorithm == "");
  for (CaseRun& run : programs.runs)
    if (run.ranks > 2) run.near_values = 0;
  const CodingVerdict far = programs.grade();
  CHECK(far.other_algorithm != "");
  CHECK(far.points == Approx(2.4));
}

TEST_CASE("A rule counts by worlds, and in each by types", "[lessons][coding]") {
  const CodingExercise one = exercise("05-flat-allreduce", "my-allreduce");
  Programs programs{one};
  programs.run("allreduce.flat");
  // One of two types fails in all worlds, as with a buffer of float32.
  const std::size_t half = programs.runs.size();
  programs.run("allreduce.flat");
  for (std::size_t i = half; i < programs.runs.size(); ++i) {
    programs.runs[i].dtype = DType::int64;
    if (programs.runs[i].ranks > 1) programs.runs[i].values = "rounded on its way";
  }
  const CodingVerdict verdict = programs.grade();
  INFO(verdict_text(one, verdict));
  CHECK(verdict.rules[0].points ==
        Approx(1.6));  // half of 4, less 0.4 of what 4 points are above 3
  CHECK(verdict.rules[1].points == Approx(1.5));
}

TEST_CASE("A run that broke off keeps what was right up to there", "[lessons][coding]") {
  const CodingExercise one = exercise("12-ring-allreduce", "ring-allreduce");
  Programs programs{one};
  programs.run("allreduce.ring", true);
  for (CaseRun& run : programs.runs)
    if (run.ranks > 1) run.status = Status::failed;
  const CodingVerdict failed = programs.grade();
  INFO(verdict_text(one, failed));
  // Half of the values' 5 and of the 1 for its end; the messages are all there. 60 % count of what is above half.
  CHECK(failed.points == Approx(7.5 + 0.6 * 4.5));
  for (CaseRun& run : programs.runs)
    if (run.ranks > 1) run.status = Status::deadlock;
  CHECK(programs.grade().points == Approx(9));
  for (CaseRun& run : programs.runs) run.right_ranks = 0.75;
  CHECK(programs.grade().points == Approx(7.5 + 0.6 * 5.25));
  for (CaseRun& run : programs.runs)
    if (run.ranks > 1) run.trace.reset();  // before any message
  CHECK(programs.grade().points == 0);
}

TEST_CASE("A mistake that was overlooked costs the end and half of the values",
          "[lessons][coding]") {
  const CodingExercise one = exercise("07-reduce-scatter", "my-reduce-scatter");
  Programs programs{one};
  programs.run("reduce_scatter.direct");
  for (CaseRun& run : programs.runs)
    if (run.ranks > 1) {
      run.overlooked = run.values = "the run broke off: rank 0: SelfSend";
      run.near_values = 0.5;
    }
  const CodingVerdict verdict = programs.grade();
  INFO(verdict_text(one, verdict));
  CHECK(verdict.rules[0].points == Approx(1.3));
  CHECK(verdict.rules[2].points == 0);
  CHECK(verdict.other_algorithm == "");
}

TEST_CASE("What is right with one number of ranks, or on one rank, is not the algorithm",
          "[lessons][coding]") {
  const CodingExercise one = exercise("05-flat-allreduce", "my-allreduce");
  Programs programs{one};
  programs.run("allreduce.flat", false, [](int n) { return n == 4 || n == 1 ? "" : "wrong"; });
  for (CaseRun& run : programs.runs) run.near_values = run.ranks == 4 ? 0 : 0.5;
  const CodingVerdict four = programs.grade();
  CHECK(four.points == Approx(2.4));
  CHECK(four.other_algorithm == "it is right only with 4 ranks");

  for (CaseRun& run : programs.runs)
    if (run.ranks > 1) {
      run.values = "rank 1's result lacks rank 0";
      run.other_collective = "rank 0 alone has the result and sends it to nobody: that is a reduce";
    }
  const CodingVerdict root = programs.grade();
  CHECK(root.points <= 2.4 + 1e-9);
  CHECK(has(root.other_algorithm, "that is a reduce"));
}

TEST_CASE("Points of the stored programs follow merit", "[lessons][coding]") {
  struct Range {
    double least, most;
  };
  const std::map<std::string, Range> kRanges = {{"right", {100, 100}},
                                                {"small slip", {50, 95}},
                                                {"wrong algorithm", {0, 40}},
                                                {"no attempt", {0, 0}}};
  constexpr double kRounded = 0.5;  // points are written with two digits
  std::ifstream table(source_root() / "tests/students/expected.tsv");
  std::string line;
  REQUIRE(std::getline(table, line));
  REQUIRE(line.starts_with("program\tclass\tpoints\tof\t"));
  std::map<std::string, int> programs;
  int foreign = 0;
  while (std::getline(table, line)) {
    std::istringstream row(line);
    std::string program, kind, points, of;
    for (std::string* cell : {&program, &kind, &points, &of}) std::getline(row, *cell, '\t');
    INFO(program << ": " << kind << ", " << points << " of " << of);
    REQUIRE(kRanges.contains(kind));
    REQUIRE_FALSE(points.empty());
    const double share = std::stod(of) > 0 ? 100 * std::stod(points) / std::stod(of) : 0;
    // In the last column, for single slips that the rules see as more, or as less.
    const bool explained =
        !line.ends_with('\t') && !line.ends_with("nobody has looked into it yet");
    if (!explained || kind != "small slip") {
      CHECK(share >= kRanges.at(kind).least - kRounded);
      CHECK(share <= kRanges.at(kind).most + kRounded);
    }
    if (kind == "right") CHECK(share == Approx(100));
    ++programs[kind];
    foreign += kind == "right" && program.find("/right_foreign_") != std::string::npos;
  }
  for (const auto& [kind, range] : kRanges) CHECK(programs[kind] > 0);
  CHECK(foreign >= 20);
}

TEST_CASE("Whose sends do not wait loses the rule on that, and no other", "[lessons][coding]") {
  const CodingExercise one = exercise("12-ring-allreduce", "ring-allreduce");
  Programs programs{one};
  programs.run("allreduce.ring", true);
  for (CaseRun& run : programs.runs)
    if (run.ranks > 1) run.blocked = "rank 0 and rank 1 both send first";
  const CodingVerdict verdict = programs.grade();
  CHECK(broken(one, verdict) == "ends");
  CHECK(verdict.points == Approx(14));
}

TEST_CASE("A bonus comes on top, and takes nothing", "[lessons][coding]") {
  const CodingExercise one = exercise("06-allgather", "my-allgather");
  CHECK(graded(one, "allgather.flat").bonus == 0);
  const CodingVerdict ring = graded(one, "allgather.ring");
  CHECK(ring.points == Approx(6));
  CHECK(ring.bonus == Approx(0.5));
  CHECK(has(verdict_text(one, ring), "6 of 6 points, and 0.5 points on top\n"));
  CHECK(graded(one, "allgather.bruck").bonus == Approx(0.5));

  Programs wrong{one};
  wrong.run("allgather.ring", false, [](int n) { return n == 5 ? "blocks are mixed up" : ""; });
  CHECK(wrong.grade().bonus == 0);
}

TEST_CASE("A slip in messages that are right is no other algorithm", "[lessons][coding]") {
  const CodingExercise one = exercise("12-ring-allreduce", "ring-allreduce");
  // The second phase begins with a wrong chunk, which is right with some numbers of ranks.
  for (const int right : {0, 3, 4}) {
    INFO("right with " << right << " ranks");
    Programs programs{one};
    programs.run("allreduce.ring", true,
                 [&](int n) { return n == 1 || n == right ? "" : "chunk 0"; });
    for (CaseRun& run : programs.runs) run.near_values = run.ranks > 3 ? 0.5 : 0;
    const CodingVerdict verdict = programs.grade();
    INFO(verdict_text(one, verdict));
    CHECK(verdict.other_algorithm == "");
    CHECK(verdict.points > one.points / 2);
    CHECK(verdict.points < 0.8 * one.points);
    for (CaseRun& run : programs.runs)
      if (run.ranks > 2) run.adds = run.values = "no sums";
    CHECK(programs.grade().points <= kMostOfOtherAlgorithm * one.points + 1e-9);
  }
}

TEST_CASE("A view with gaps costs nothing, and is praised", "[lessons][coding]") {
  const CodingExercise one = exercise("06-allgather", "my-allgather");
  Programs programs{one};
  programs.run("allgather.flat");
  CaseRun& view = programs.runs.back();
  view.view = true;
  CHECK(programs.grade().remarks.size() == 1);
  view.status = Status::failed;
  const CodingVerdict verdict = programs.grade();
  CHECK(verdict.points == Approx(6));
  CHECK(verdict.remarks.empty());
}

TEST_CASE("A result beside the argument is remarked on", "[lessons][coding]") {
  const CodingExercise one = exercise("05-flat-allreduce", "my-allreduce");
  Programs programs{one};
  programs.run("allreduce.flat");
  for (CaseRun& run : programs.runs)
    if (run.ranks == 2) run.aside = "rank 0 returns another tensor";
  const CodingVerdict verdict = programs.grade();
  CHECK(verdict.points == Approx(6));
  CHECK(has(verdict_text(one, verdict),
            "* With 2 ranks, [4], float32: rank 0 returns another tensor.\n"));
}

TEST_CASE("Equal dimensions of an all-to-all prove little", "[lessons][coding]") {
  const CodingExercise one = exercise("08-all-to-all", "my-all-to-all");
  const auto points = [&](int gather_dim) {
    Programs programs{one};
    programs.run("alltoall.pairwise");
    for (CaseRun& run : programs.runs) run.gather_dim = gather_dim;
    for (std::size_t i = 0; i < programs.runs.size(); ++i) {
      CaseRun& run = programs.runs[i];
      if (i % one.call.shapes.size() == 1 || run.ranks == 1) continue;
      run.gather_dim = 1;
      run.values = "joined along dimension 0, not 1";
      run.near_values = 0.5;
    }
    return programs.grade().rules[0].points;
  };
  CHECK(points(0) < points(1));
}

TEST_CASE("One cause stands first, and no sentence stands twice", "[lessons][coding]") {
  const CodingExercise one = exercise("12-ring-allreduce", "ring-allreduce");
  Programs programs{one};
  programs.run("allreduce.ring", true);
  for (CaseRun& run : programs.runs) {
    run.status = Status::failed;
    run.failure = "rank 0: NameError: name 'lfet' is not defined (ring_allreduce.py, line 9)";
    run.trace.reset();
  }
  const CodingVerdict verdict = programs.grade();
  const std::string text = verdict_text(one, verdict);
  INFO(text);
  CHECK(has(text,
            "0 of 15 points\nFirst of all: with 2 ranks, [8], float32: the run broke off: rank 0: "
            "NameError"));
  CHECK(text.find("NameError") == text.rfind("NameError"));
  CHECK(has(text, "for the same reason"));
}

}  // namespace
}  // namespace rankscope
