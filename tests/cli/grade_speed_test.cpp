// A whole class through all courses: the marks are those stored with the answers, and how long it takes
// is printed.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"
#include "lessons/course/course.h"
#include "lessons/grading/grade.h"
#include "lessons/lesson/lesson_runs.h"
#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace rankscope;
using nlohmann::json;

namespace fs = std::filesystem;

namespace {

constexpr int kSeeds = 4;  // 0, 1, 2, 3: lessons are checked with these

struct Stored {
  json answer;
  double share = 0;
};

/// The stored answers of a question, with the numbers of a seed.
std::vector<Stored> stored_of(const Question& question, std::uint64_t seed, LessonRuns& runs) {
  std::vector<Stored> out;
  const Variant variant = variant_of(question, seed);
  const json key = question.kind->key(question, variant, runs);
  for (const StoredAnswer& one : question.stored)
    out.push_back({one.answer == "key" ? key : expand(one.answer, variant.values, &runs),
                   one.share.is_null() ? 1 : answer_number(expand(one.share, variant.values))});
  return out;
}

class ClassMaker {
 public:
  explicit ClassMaker(const LessonLibrary& library) : library_(library) {}

  /// One student's answers; the points that they have to get, by "lesson/question".
  std::map<std::string, double> write(const Course& course, int student, const fs::path& file) {
    json answers = json::object();
    std::map<std::string, double> points;
    std::size_t pick = static_cast<std::size_t>(student);
    const auto seed = static_cast<std::uint64_t>(student % kSeeds);
    for (const CoursePart& part : course.parts)
      for (const CourseItem& item : part.items) {
        const Lesson* lesson = library_.find(item.lesson);
        const Question* question = lesson != nullptr ? lesson->find_question(item.id) : nullptr;
        if (question == nullptr || question->kind->marked_by_hand()) continue;
        const std::vector<Stored>& all = stored(*lesson, *question, seed);
        if (all.empty()) continue;
        const Stored& one = all[pick++ % all.size()];
        answers[item.key()] = one.answer;
        points[item.key()] = one.share * item.points;
      }
    std::ofstream(file) << json{{"course", course.slug},
                                {"student", fmt::format("student {:03}", student)},
                                {"seed", seed},
                                {"answers", answers}};
    return points;
  }

 private:
  const std::vector<Stored>& stored(const Lesson& lesson, const Question& question,
                                    std::uint64_t seed) {
    const auto name = fmt::format("{}/{} {}", lesson.slug, question.id, seed);
    if (const auto found = made_.find(name); found != made_.end()) return found->second;
    runs_.know(lesson.runs);
    return made_[name] = stored_of(question, seed, runs_);
  }
  const LessonLibrary& library_;
  LessonRuns runs_;
  std::map<std::string, std::vector<Stored>> made_;
};

struct Taken {
  double seconds = 0;
  long peak_kib = 0;
};

Taken grade(const fs::path& root, const std::string& course, const std::string& subs,
            const std::string& out, const std::string& formats) {
  test::ProcessOptions options;
  options.environment = {{"RANKSCOPE_LESSONS", root.string()}};
  const auto begin = std::chrono::steady_clock::now();
  const auto done = test::run_rankscope(
      {"grade", course, subs, "--out", out, "--format", formats, "--json"}, options);
  CHECK(done.exit_code == 0);
  CHECK(done.err == "");
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
          done.peak_kib};
}

void grade_a_class(int students) {
  const test::TemporaryFolder folder;
  const fs::path root = lessons_folder();
  const LessonLibrary library(root);
  ClassMaker maker(library);
  const auto courses = library.course_names();
  REQUIRE(!courses.empty());
  const int each = students / static_cast<int>(courses.size());
  const char* formats = std::getenv("RANKSCOPE_GRADE_FORMATS");
  double total_s = 0;
  for (const std::string& name : courses) {
    const Course course = library.course(name);
    const std::string subs = folder / ("subs-" + name), out = folder / ("out-" + name);
    fs::create_directories(subs);
    std::vector<std::map<std::string, double>> points;
    for (int i = 0; i < each; ++i)
      points.push_back(maker.write(course, i, fs::path(subs) / fmt::format("{:03}.json", i)));
    const Taken taken =
        grade(root, name, subs, out, formats != nullptr ? formats : "results,junit,html,pdf,csv");
    total_s += taken.seconds;
    for (int i = 0; i < each; ++i) {
      const json results =
          parse_json(test::read(fmt::format("{}/student {:03}/results.json", out, i)));
      for (const json& test : results["tests"]) {
        const auto want =
            points[static_cast<std::size_t>(i)].find(test["extra_data"].value("exercise", ""));
        if (want == points[static_cast<std::size_t>(i)].end()) continue;
        INFO(name << " student " << i << ", " << want->first << ": " << test["output"]);
        CHECK(test.value("score", -1.0) == Approx(want->second));
      }
    }
    fmt::print("{}: {} submissions in {:.1f} s, peak {} MiB\n", name, each, taken.seconds,
               taken.peak_kib / 1024);
  }
  fmt::print("all: {} submissions in {:.1f} s\n", each * static_cast<int>(courses.size()), total_s);
}

}  // namespace

TEST_CASE("cli: a class of 60 gets the marks stored with its answers", "[slow]") {
  grade_a_class(60);
}

TEST_CASE("cli: a class of 300 gets the marks stored with its answers", "[slow][serial][full]") {
  grade_a_class(300);
}

TEST_CASE("cli: the memory of grading does not grow with the class", "[slow][serial][full]") {
  const test::TemporaryFolder folder;
  const fs::path root = lessons_folder();
  const LessonLibrary library(root);
  const Course course = library.course(library.course_names().front());
  const auto peak = [&](int students) {
    const std::string subs = folder / fmt::format("subs-{}", students);
    fs::create_directories(subs);
    for (int i = 0; i < students; ++i) {
      // Everybody has numbers of their own, and answers everything wrong: each has pictures drawn.
      json answers = json::object();
      for (const CoursePart& part : course.parts)
        for (const CourseItem& item : part.items)
          if (item.later.empty()) answers[item.key()] = "0";
      std::ofstream(fs::path(subs) / fmt::format("{:03}.json", i))
          << json{{"course", course.slug}, {"seed", i}, {"answers", answers}};
    }
    return grade(root, course.slug, subs, folder / fmt::format("out-{}", students),
                 "results,junit,html,pdf,csv")
        .peak_kib;
  };
  const long few = peak(30), many = peak(300);
  fmt::print("peak of 30 submissions: {} MiB, of 300: {} MiB\n", few / 1024, many / 1024);
  CHECK(many <= few * 3 / 2 + 16 * 1024);
}
