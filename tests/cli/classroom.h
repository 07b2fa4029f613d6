// A made lesson in a folder of its own, and students whose progress is kept there.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/command.h"
#include "lessons/course/course.h"
#include "lessons/grading/grade.h"
#include "lessons/lesson/lesson_runs.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

namespace rankscope::test {

class Classroom {
 public:
  Classroom() { REQUIRE(run({"new", lesson()}).exit_code == cli::kOk); }

  std::string lesson() const { return folder_ / "my-lesson"; }
  std::string at(const std::string& name) const { return folder_ / name; }
  std::filesystem::path progress(const std::string& student) const {
    return std::filesystem::path(folder_ / "data") / "rankscope" / "progress" / student /
           "my-lesson.json";
  }

  Finished run(std::vector<std::string> words, const std::string& input = "") const {
    words.insert(words.begin(), "lesson");
    return run_rankscope(
        words,
        {.input = input, .environment = {{"XDG_DATA_HOME", folder_ / "data"}, {"USER", "ada"}}});
  }

 private:
  TemporaryFolder folder_;
};

/// Right answers as a person types them, in the order of the pages.
inline std::string right_answers(const Lesson& lesson, std::uint64_t seed) {
  LessonRuns runs(lesson.runs);
  std::string out;
  for (const Step& step : lesson.steps)
    for (const Block& block : step.blocks) {
      if (block.kind != Block::Kind::question) continue;
      const Question& question = *lesson.find_question(block.id);
      const nlohmann::json key = question.kind->key(question, variant_of(question, seed), runs);
      out += key.is_null() ? "Some words.\n" : question.kind->show(question, key);
      out += "\n";
    }
  return out;
}

inline Lesson lesson_in(const std::string& folder) {
  Complaints complaints;
  Lesson lesson = read_lesson(folder, complaints);
  INFO(complaints.to_string());
  CHECK(complaints.empty());
  return lesson;
}

}  // namespace rankscope::test
