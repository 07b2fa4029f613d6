// Lesson texts, and the check of every lesson and course.
#include "engine/core/run/job_json.h"
#include "engine/run/job/job_fields.h"
#include "lessons/course/check_lesson.h"
#include "lessons/course/course.h"
#include "lessons/grading/grade.h"
#include "lessons/lesson/lesson_runs.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

TEST_CASE("Texts are split into blocks", "[lessons]") {
  Complaints complaints;
  const auto blocks =
      split_blocks("Hello\n\n@run four\nmore\n::: reveal Why\nso\n:::\n```\n@run inside\n```\n",
                   "a.md", complaints);
  CHECK(complaints.to_string().empty());
  REQUIRE(blocks.size() == 5);
  CHECK(blocks[0].text == "Hello\n");
  CHECK(blocks[1].kind == Block::Kind::run);
  CHECK(blocks[1].id == "four");
  CHECK(blocks[3].kind == Block::Kind::reveal);
  CHECK(blocks[3].title == "Why");
  CHECK(blocks[4].text.find("@run inside") != std::string::npos);
}

TEST_CASE("A lesson's run can have every field that has a name in lessons", "[lessons]") {
  const nlohmann::json job = {{"algorithm", "alltoall.bruck"},
                              {"ranks", 8},
                              {"shape", {8, 8}},
                              {"dtype", "int64"},
                              {"op", "MAX"},
                              {"root", 3},
                              {"scatter_dim", 1},
                              {"gather_dim", 1},
                              {"segment", 4096},
                              {"group", 2},
                              {"radix", 3},
                              {"left_ring", true},
                              {"schedule", "1: 0 -> 1 all add"},
                              {"transport", "inproc"},
                              {"mode", "rendezvous"},
                              {"eager_limit", 64},
                              {"input", "index"},
                              {"seed", 9},
                              {"timeout", 2.5},
                              {"check", false},
                              {"iterations", 3},
                              {"topology", "torus-2d"},
                              {"links", "0:1=cut"},
                              {"placement", "1,0,2,3"},
                              {"alpha", 1e-6},
                              {"bandwidth", 2e9},
                              {"gamma", 1e-10},
                              {"ports", "half"},
                              {"ghost", true},
                              {"jitter", 0.125},
                              {"slow", "1=2"},
                              {"fail", "rank2@5ms"},
                              {"delays_ms", {0, 1.5}}};
  const nlohmann::json spec = json_of(LessonRuns::job_of(job, {}));
  for (const JobField& field : job_fields()) {
    if (field.lesson.empty()) continue;
    CAPTURE(field.lesson);
    REQUIRE(job.contains(std::string(field.lesson)));
    const auto& said = job[std::string(field.lesson)];
    const auto& got = spec[std::string(field.key)];
    if (field.lesson == "delays_ms") CHECK(got == nlohmann::json{0.0, 1500.0});
    else CHECK(got == said);
  }
  CHECK(LessonRuns::job_of({{"count", 7}}, {}).call.shape == std::vector<Count>{7});
}

TEST_CASE("Every lesson and course checks clean", "[lessons][content]") {
  const LessonLibrary library(lessons_folder());
  Complaints complaints = library.complaints();
  LessonRuns runs;
  for (const Lesson& lesson : library.lessons()) check_lesson(lesson, runs, complaints);
  for (const std::string& name : library.course_names())
    library.read_course(library.root() / "courses" / (name + ".toml"), complaints);
  INFO(complaints.to_string());
  CHECK(complaints.empty());
  CHECK(!library.lessons().empty());
}

TEST_CASE("The example of how an answer is written is not the answer", "[lessons][content]") {
  const LessonLibrary library(lessons_folder());
  int asked = 0;
  for (const Lesson& lesson : library.lessons()) {
    LessonRuns runs(lesson.runs);
    for (const Question& question : lesson.questions) {
      if (question.kind == nullptr || question.kind->marked_by_hand()) continue;
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        const Variant variant = variant_of(question, seed);
        const std::string example = question.kind->form(question, variant, runs).example;
        if (example.empty()) continue;
        ++asked;
        INFO(lesson.slug << '/' << question.id << ": " << example);
        CHECK(grade(question, variant, example, runs).state != Verdict::State::right);
      }
    }
  }
  CHECK(asked > 100);
}

}  // namespace
}  // namespace rankscope
