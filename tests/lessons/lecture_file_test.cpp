// Lectures as files: read, written, and wrong ones with the lines of their mistakes.
#include "lessons/slides/lecture_file.h"

#include "tests/lessons/lesson_folder.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace rankscope;
using namespace rankscope::test;

namespace {

std::string wrong_with(const std::string& text) {
  LessonFolder folder;
  folder.write("x.lecture.toml", text);
  Complaints complaints;
  CHECK_FALSE(read_lecture(folder.path("x.lecture.toml"), complaints));
  return complaints.to_string();
}

std::string scene(const std::string& more) {
  return "lecture = 1\ntitle = \"T\"\n[[scene]]\ntitle = \"S\"\n" + more;
}

}  // namespace

TEST_CASE("lecture file: what is written is read as the same", "[lessons]") {
  LessonFolder folder;
  folder.write("p.py", "print(1)\n");
  folder.write("x.lecture.toml", R"(lecture = 1
title = "A lecture"
summary = "Of three scenes."

[[scene]]
title = "Held"
minutes = 1.5
run = { algorithm = "allreduce.ring", ranks = 4, count = 16, values = "=10*(r+1)+i", delays_ms = [0, 20] }
held = true
orders = ["release-round", "kill 2"]
question = { text = "Who can move?", before = "round 2", answered = "end", options = ["0", "1"] }
notes = '''
Two lines
of notes.
'''

[[scene]]
title = "Simulated"
curtain = "off"
clock = "measured"
[scene.run]
algorithm = "allreduce.ring"
ranks = 16
topology = "torus-2d"
links = "0:1=cut"
count = 1024
[scene.beside]
algorithm = "allreduce.ring"
ranks = 16
topology = "torus-2d"
count = 1024

[[scene]]
title = "A program"
run = { program = "p.py", ranks = 2, as = "allreduce" }
view = "code"
at = "round 1"
commands = ["values on"]
stops = ["round 2.5", { at = "end", commands = ["select rank 1"] }]
)");
  Complaints complaints;
  const auto lecture = read_lecture(folder.path("x.lecture.toml"), complaints);
  INFO(complaints.to_string());
  REQUIRE(lecture);
  REQUIRE(lecture->scenes.size() == 3);
  const LectureScene& held = lecture->scenes[0];
  CHECK(held.run.job.world.delays_us == std::vector<double>{0, 20000});
  CHECK(held.run.job.data.values[1][2] == 22);
  CHECK(held.question->before == SceneMoment{SceneMoment::Is::round, 2});
  CHECK(held.question->answered == SceneMoment{SceneMoment::Is::end});
  CHECK(lecture->scenes[1].run.job.is_simulated());
  CHECK(lecture->scenes[2].stops[0].at == SceneMoment{SceneMoment::Is::round, 2.5});
  CHECK(lecture->minutes() == 1.5);
  const std::string text = lecture_text(*lecture);
  folder.write("again.lecture.toml", text);
  const auto again = read_lecture(folder.path("again.lecture.toml"), complaints);
  INFO(complaints.to_string() << text);
  REQUIRE(again);
  CHECK(lecture_text(*again) == text);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(again->scenes[i].run.job == lecture->scenes[i].run.job);
    CHECK(again->scenes[i].beside.job == lecture->scenes[i].beside.job);
    CHECK(again->scenes[i].notes == lecture->scenes[i].notes);
    CHECK(again->scenes[i].line > 0);
  }
}

TEST_CASE("lecture file: a job is written as the run of a lesson that makes it", "[lessons]") {
  JobSpec job;
  job.call.algorithm = "allreduce.hierarchical";
  job.world = {8, {0, 2500}};
  job.call.shape = {64};
  job.call.dtype = DType::float64;
  job.call.segment_bytes = 65536;
  job.transport.mode = SendMode::rendezvous;
  job.data.input = InputPattern::rank;
  job.recording.timeout_s = 2;
  CHECK(LessonRuns::job_of(scene_run_of(job).written, {}) == job);
  JobSpec simulated;
  simulated.transport.name = std::string(kSimTransport);
  simulated.network.alpha_s = 2e-6;
  simulated.network.slow_ranks = "2=10";
  CHECK(LessonRuns::job_of(scene_run_of(simulated).written, {}) == simulated);
  JobSpec given;
  given.call.shape = {2};
  given.world.size = 2;
  given.data = {InputPattern::given, 1, {{1, 2}, {3, 4}}, true};
  CHECK(LessonRuns::job_of(scene_run_of(given).written, {}) == given);
}

TEST_CASE("lecture file: a mistake is named with its line", "[lessons]") {
  CHECK_THAT(wrong_with("title = \"T\"\n"), ContainsSubstring("lecture = 1"));
  CHECK_THAT(wrong_with("lecture = 2\n"),
             ContainsSubstring("x.lecture.toml:1: this lecture is of version 2"));
  CHECK_THAT(wrong_with("lecture = 1\ntitle = \"T\"\n"), ContainsSubstring("[[scene]]"));
  CHECK_THAT(wrong_with("lecture = 1\ntitle = \n"), ContainsSubstring("x.lecture.toml:2"));
  CHECK_THAT(wrong_with(scene("minutes = 2\n")),
             ContainsSubstring("x.lecture.toml:3: a scene says what it shows"));
  const std::string run = "run = { algorithm = \"allreduce.ring\", ranks = 4 }\n";
  CHECK_THAT(wrong_with(scene("run = { algorithm = \"allreduce.rng\" }\n")),
             ContainsSubstring("x.lecture.toml:5"));
  CHECK_THAT(wrong_with(scene("[scene.run]\nalgorithm = \"allreduce.ring\"\nrank = 4\n")),
             ContainsSubstring("x.lecture.toml:7: a run has no 'rank'; did you mean 'ranks'?"));
  CHECK_THAT(wrong_with(scene("[scene.run]\nalgorithm = \"allreduce.ring\"\nranks = 0\n")),
             ContainsSubstring("the world size must be"));
  CHECK_THAT(wrong_with(scene("run = { program = \"no.py\" }\n")),
             ContainsSubstring("there is no file"));
  CHECK_THAT(wrong_with(scene(run + "at = \"step 2\"\n")),
             ContainsSubstring("x.lecture.toml:6: 'at' is"));
  CHECK_THAT(wrong_with(scene(run + "stops = [\"round 3\",\n \"round 2\"]\n")),
             ContainsSubstring("x.lecture.toml:7: stops come in the order of time"));
  CHECK_THAT(wrong_with(scene(run + "held = true\nstops = [\"end\"]\n")),
             ContainsSubstring("held processes begin"));
  CHECK_THAT(wrong_with(scene(run + "orders = [\"kill 1\"]\n")), ContainsSubstring("held = true"));
  CHECK_THAT(wrong_with(scene(run + "held = true\norders = [\"quit\"]\n")),
             ContainsSubstring("not 'quit'"));
  CHECK_THAT(wrong_with(scene(run + "race = [\"allreduce.ring\"]\n")), ContainsSubstring("2 to 4"));
  CHECK_THAT(wrong_with(scene(run + "curtain = \"shut\"\n")),
             ContainsSubstring("\"on\" or \"off\""));
  CHECK_THAT(wrong_with(scene(run + "question = { text = \"?\", before = \"start\" }\n")),
             ContainsSubstring("before the start"));
  CHECK_THAT(wrong_with(scene(run + "question = { text = \"?\", before = \"round 2\", "
                                    "answered = \"round 1\" }\n")),
             ContainsSubstring("answered after the moment"));
  CHECK_THAT(wrong_with(scene(run + "tilte = 1\n")), ContainsSubstring("x.lecture.toml:6"));
}
