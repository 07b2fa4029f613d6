// Questions made in a test, without files.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lessons/grading/grade.h"
#include "lessons/kinds/kind.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope::test {

class KindBench {
 public:
  explicit KindBench(std::vector<LessonRun> known = {}) : known_(std::move(known)), runs(known_) {}

  static Question question(const std::string& kind, nlohmann::json data) {
    Question out;
    out.id = "q";
    out.kind = find_kind(kind);
    out.points = 1;
    out.data = std::move(data);
    return out;
  }
  Verdict grade(const Question& question, const nlohmann::json& answer, Values values = {}) {
    return rankscope::grade(question, {0, std::move(values)}, answer, runs);
  }
  nlohmann::json key(const Question& question, Values values = {}) {
    return question.kind->key(question, {0, std::move(values)}, runs);
  }
  AnswerForm form(const Question& question) { return question.kind->form(question, {}, runs); }

 private:
  std::vector<LessonRun> known_;

 public:
  LessonRuns runs;
};

inline LessonRun run_of(std::string id, nlohmann::json job) {
  return {std::move(id), std::move(job), "", "", ""};
}

}  // namespace rankscope::test
