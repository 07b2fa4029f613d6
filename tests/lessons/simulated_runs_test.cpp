// Runs of lessons on a network in virtual time: fields, times as answers, what is refused, and what the lessons themselves
// say of such runs: choices that name the fastest, and figures in texts and notes.
#include <algorithm>

#include "lessons/lesson/picture.h"
#include "tests/lessons/kind_bench.h"
#include "tests/lessons/lesson_folder.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

using namespace test;
using nlohmann::json;

const json kRing = {{"algorithm", "allreduce.ring"},
                    {"ranks", "=N"},
                    {"count", "=D/4"},
                    {"ghost", true},
                    {"alpha", "10us"},
                    {"bandwidth", "=GB*1e9"}};

json time_of(const std::string& run, const std::string& unit = "us") {
  return {{"run", run}, {"measure", "time"}, {"unit", unit}};
}

TEST_CASE("A run of a lesson that names a network is simulated", "[lessons]") {
  CHECK_FALSE(LessonRuns::job_of({{"algorithm", "allreduce.ring"}}, {}).is_simulated());
  const JobSpec job = LessonRuns::job_of(kRing, {{"N", 8}, {"D", 8000}, {"GB", 2}});
  CHECK(job.is_simulated());
  CHECK(job.network.alpha_s == 10e-6);
  CHECK(job.network.bandwidth == 2e9);
  CHECK(job.network.ghost);
  const JobSpec server = LessonRuns::job_of({{"topology", "puzzler"},
                                             {"links", "0:1={GB}GB/s"},
                                             {"placement", "0,1,4,5,2,3,6,7"},
                                             {"slow", "2=3.5"},
                                             {"gamma", "0.1ns"},
                                             {"ports", "none"}},
                                            {{"GB", 25}});
  CHECK(server.network.links == "0:1=25GB/s");
  CHECK(server.network.slow_ranks == "2=3.5");
  CHECK(server.network.gamma_s == Approx(1e-10));
  CHECK_THROWS_WITH(LessonRuns::job_of({{"ports", "some"}}, {}), ContainsSubstring("some"));
  CHECK_THROWS_WITH(LessonRuns::job_of({{"alpha", "soon"}}, {}), ContainsSubstring("soon"));
}

TEST_CASE("The time of a simulated run is the formula's, and always the same", "[lessons]") {
  KindBench bench({run_of("ring", kRing)});
  const Values values{{"N", 8}, {"D", 8000}, {"GB", 2}};
  const double us = bench.runs.measure(time_of("ring"), values).get<double>();
  CHECK(us == Approx(14 * (10 + 1000 / 2000.0)).epsilon(1e-6));
  CHECK(bench.runs.measure(time_of("ring", "ms"), values).get<double>() == Approx(us / 1000));
  KindBench again({run_of("ring", kRing)});
  CHECK(again.runs.measure(time_of("ring"), values).get<double>() == us);
  const Question question = KindBench::question(
      "number", {{"answer", time_of("ring")}, {"unit", "us"}, {"tolerance", 0.01}});
  CHECK(bench.grade(question, "147 us", values).state == Verdict::State::right);
  CHECK(bench.grade(question, "0.147 ms", values).state == Verdict::State::right);
  CHECK(bench.grade(question, "73.5 us", values).state == Verdict::State::wrong);
}

TEST_CASE("Each rank has a time of its own", "[lessons]") {
  KindBench bench({run_of("copies", {{"algorithm", "broadcast.schedule"},
                                     {"ranks", 8},
                                     {"count", 10'000'000},
                                     {"schedule", "1: 0 -> 1 all keep; 1: 0 -> 2 all keep"},
                                     {"topology", "puzzler"},
                                     {"ports", "none"},
                                     {"ghost", true}})});
  json query = time_of("copies", "ms");
  query["rank"] = 1;
  CHECK(bench.runs.measure(query, {}).get<double>() == Approx(40e6 / 100e9 * 1e3).epsilon(0.01));
  query["rank"] = 2;
  CHECK(bench.runs.measure(query, {}).get<double>() == Approx(40e6 / 15.75e9 * 1e3).epsilon(0.01));
  query["rank"] = 8;
  CHECK_THROWS_WITH(bench.runs.measure(query, {}), ContainsSubstring("no rank 8"));
  query["rank"] = 2;
  query["unit"] = "hours";
  CHECK_THROWS_WITH(bench.runs.measure(query, {}), ContainsSubstring("s, ms or us"));
}

TEST_CASE("A time of threads is no answer", "[lessons]") {
  KindBench bench({run_of("ring", {{"algorithm", "allreduce.ring"}, {"ranks", 4}})});
  CHECK_THROWS_WITH(bench.runs.measure(time_of("ring"), {}), ContainsSubstring("simulated"));
}

TEST_CASE("A simulated run is drawn by its clock, and its network with its loads", "[lessons]") {
  KindBench bench(
      {run_of("ring", {{"algorithm", "allreduce.ring"}, {"ranks", 8}, {"topology", "puzzler"}}),
       run_of("uniform", {{"algorithm", "allreduce.ring"}, {"ranks", 4}, {"alpha", "5us"}}),
       run_of("threads", {{"algorithm", "allreduce.ring"}, {"ranks", 4}})});
  const auto says = [](const Scene& scene, std::string_view words) {
    return std::ranges::any_of(
        scene.marks, [&](const Mark& mark) { return mark.text.find(words) != std::string::npos; });
  };
  CHECK(says(picture_of(bench.runs.run("uniform", {}), "spacetime"), "µs"));
  CHECK(says(picture_of(bench.runs.run("ring", {}), "network"), " %"));
  CHECK(picture_problem("network").empty());
  CHECK_THROWS_WITH(picture_of(bench.runs.run("uniform", {}), "network"),
                    ContainsSubstring("topology"));
  CHECK_THROWS_WITH(picture_of(bench.runs.run("threads", {}), "network"),
                    ContainsSubstring("topology"));
}

TEST_CASE("lesson check finds networks that cannot be, with their lines", "[lessons]") {
  const auto complaints = [](std::string_view fields) {
    LessonFolder folder;
    folder.lesson("01-a", "[run.a]\nalgorithm = \"allreduce.ring\"\n" + std::string(fields),
                  "Look:\n\n@run a\n");
    return folder.complaints();
  };
  CHECK(complaints("ranks = 8\ntopology = \"puzzler\"\n").empty());
  CHECK_THAT(
      complaints("ranks = 8\ntopology = \"puzler\"\n"),
      ContainsSubstring(
          "01-a/lesson.toml:2: run a: there is no topology 'puzler'; did you mean 'puzzler'"));
  CHECK_THAT(complaints("ranks = 16\ntopology = \"puzzler\"\n"),
             ContainsSubstring("lesson.toml:2: run a: the topology has 8 ranks, and the job 16"));
  CHECK_THAT(
      complaints("ranks = 8\ntopology = \"puzzler\"\nlinks = \"0:2=cut\"\n"),
      ContainsSubstring("lesson.toml:2: run a: links: there is no link between gpu0 and gpu2"));
  CHECK_THAT(complaints("ranks = 8\nslow = \"9=2\"\n"), ContainsSubstring("rank 9"));
  CHECK_THAT(complaints("ranks = 8\nalpha = -1\n"), ContainsSubstring("latency"));
  CHECK_THAT(complaints("ranks = 8\ntopology = \"puzzler\"\ntransport = \"inproc\"\n"),
             ContainsSubstring("choose the transport sim"));
}

class SimulatedLesson {
 public:
  explicit SimulatedLesson(const std::string& slug)
      : lesson_(library_.need(slug)), runs_(lesson_.runs) {}

  JobSpec job(const std::string& run) { return runs_.job(run, {}); }
  double time_s(const JobSpec& job) {
    const JobResult& result = runs_.run(job).result;
    REQUIRE(result.ok());
    return std::ranges::max(result.times_s());
  }
  double time_s(const std::string& run) { return time_s(job(run)); }
  double time_ms(const std::string& run, int rank) {
    return runs_.measure({{"run", run}, {"measure", "time"}, {"rank", rank}, {"unit", "ms"}}, {})
        .get<double>();
  }
  /// The number, from 0, of a choice's only right option.
  int right_option(const std::string& question) {
    const Question* const found = lesson_.find_question(question);
    REQUIRE(found != nullptr);
    const auto& options = found->data.at("options");
    const auto right =
        std::ranges::find_if(options, [](const json& one) { return one.value("right", false); });
    return static_cast<int>(right - options.begin());
  }

 private:
  const LessonLibrary library_{lessons_folder()};
  const Lesson& lesson_;
  LessonRuns runs_;
};

int least(const std::vector<double>& times) {
  return static_cast<int>(std::ranges::min_element(times) - times.begin());
}

TEST_CASE("The three copies: nominal links give their order, the measured matrix their times",
          "[lessons][content]") {
  SimulatedLesson lesson("topology");
  CHECK(lesson.time_ms("copies", 1) < lesson.time_ms("copies", 4));
  CHECK(lesson.time_ms("copies", 4) < lesson.time_ms("copies", 2));
  CHECK(lesson.time_ms("copies-measured", 1) == Approx(4.5).epsilon(0.05));
  CHECK(lesson.time_ms("copies-measured", 2) == Approx(53.2).epsilon(0.05));
  CHECK(lesson.time_ms("copies-measured", 4) == Approx(8.8).epsilon(0.05));
  // "For GPU 1 and GPU 4 the links explain nearly all. For GPU 2 they do not."
  CHECK(lesson.time_ms("copies", 1) > 0.85 * 4.5);
  CHECK(lesson.time_ms("copies", 4) > 0.85 * 8.8);
  CHECK(lesson.time_ms("copies", 2) < 0.5 * 53.2);
}

TEST_CASE("A slow leaf holds up the ring and not the tree, as the lesson says",
          "[lessons][content]") {
  SimulatedLesson lesson("topology");
  const auto is_slower = [&](const std::string& run) {
    JobSpec usual = lesson.job(run);
    usual.network.slow_ranks.clear();
    return lesson.time_s(run) > 1.5 * lesson.time_s(usual);
  };
  CHECK_FALSE(is_slower("slow-leaf-tree"));
  CHECK(is_slower("slow-leaf-ring"));
  CHECK(lesson.right_option("slow-leaf") == 1);  // "the ring only"
}

TEST_CASE("The fastest on two levels is the one that the lesson names", "[lessons][content]") {
  SimulatedLesson lesson("topology");
  const auto fastest = [&](const std::string& run) {
    std::vector<double> times;
    for (const char* name :
         {"allreduce.ring", "allreduce.hierarchical", "allreduce.two_level_ring"}) {
      JobSpec job = lesson.job(run);
      job.call.algorithm = name;
      times.push_back(lesson.time_s(job));
    }
    return least(times);
  };
  CHECK(fastest("small-winner") == lesson.right_option("small-data"));
  CHECK(fastest("large-winner") == lesson.right_option("large-data"));
  CHECK(lesson.job("small-winner").call.algorithm == "allreduce.hierarchical");
  CHECK(lesson.job("large-winner").call.algorithm == "allreduce.two_level_ring");
}

TEST_CASE("Two trees end before a chain and before a tree of whole messages",
          "[lessons][content]") {
  SimulatedLesson lesson("bucketing-and-pipelining");
  CHECK(least({lesson.time_s("race-tree"), lesson.time_s("race-chain"),
               lesson.time_s("race-two-trees")}) == lesson.right_option("fastest"));
  // "For 64 kB the binomial tree is the fastest."
  std::vector<double> small;
  for (const char* run : {"race-tree", "race-chain", "race-two-trees"}) {
    JobSpec job = lesson.job(run);
    job.call.shape = {16'000};
    small.push_back(lesson.time_s(job));
  }
  CHECK(least(small) == 0);
}

TEST_CASE("At D* tree and ring end together", "[lessons][content]") {
  SimulatedLesson lesson("complexity");
  CHECK(lesson.time_s("tree-even") == Approx(lesson.time_s("ring-even")).epsilon(1e-3));
}

}  // namespace
}  // namespace rankscope
