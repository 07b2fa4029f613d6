// What lessons say of their simulated runs: choices that name the fastest, and figures in texts and notes.
#include <algorithm>

#include "tests/lessons/kind_bench.h"
#include "tests/lessons/lesson_folder.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

using namespace test;
using nlohmann::json;

class SimulatedLesson {
 public:
  explicit SimulatedLesson(const std::string& slug)
      : lesson_(library_.need(slug)),
        runs_([] { return make_runner(kThreadTransport); }, lesson_.runs) {}

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
  /// Of a choice with one right option: its number, from 0.
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
    usual.slow_ranks.clear();
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
      job.algorithm = name;
      times.push_back(lesson.time_s(job));
    }
    return least(times);
  };
  CHECK(fastest("small-winner") == lesson.right_option("small-data"));
  CHECK(fastest("large-winner") == lesson.right_option("large-data"));
  CHECK(lesson.job("small-winner").algorithm == "allreduce.hierarchical");
  CHECK(lesson.job("large-winner").algorithm == "allreduce.two_level_ring");
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
    job.shape = {16'000};
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
