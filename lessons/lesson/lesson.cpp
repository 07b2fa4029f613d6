// Finds a lesson's parts by their ids.
#include "lessons/lesson/lesson.h"

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "lessons/text/date_time.h"

namespace rankscope {
namespace {

template <class T>
const T* find_by_id(const std::vector<T>& all, std::string_view id) noexcept {
  const auto found = ranges::find(all, id, &T::id);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::vector<RubricRow> rubric_of(const Question& question) {
  std::vector<RubricRow> out;
  const auto rubric = question.data.find("rubric");
  if (!question.data.is_object() || rubric == question.data.end() || !rubric->is_array())
    return out;
  for (const auto& row : *rubric)
    if (row.is_object()) out.push_back({row.value("text", ""), row.value("points", 0.0)});
  return out;
}

std::string model_answer(const Question& question) {
  const auto model = question.data.find("model");
  return model != question.data.end() && model->is_string() ? model->get<std::string>() : "";
}

std::vector<std::string> runs_asked(const Question& question) {
  std::vector<std::string> out;
  const nlohmann::json parts = question.data.flatten();
  for (const auto& [key, value] : parts.items())
    if (key.ends_with("/run") && value.is_string()) out.push_back(value.get<std::string>());
  return out;
}

std::string kept_back(const Question& question) {
  if (question.student_copy) return "the answers are not in this copy of the lesson";
  // Whole seconds: the clock's nanoseconds end in 2262.
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  if (!question.answer_from || now >= *question.answer_from) return "";
  return fmt::format("the answer is shown when the course closes, at {}",
                     time_text(*question.answer_from));
}

const LessonRun* Lesson::find_run(std::string_view id) const noexcept {
  return find_by_id(runs, id);
}
const LessonFigure* Lesson::find_figure(std::string_view id) const noexcept {
  return find_by_id(figures, id);
}
const Question* Lesson::find_question(std::string_view id) const noexcept {
  return find_by_id(questions, id);
}
int Lesson::number_of(const Question& question) const noexcept {
  int number = 0;
  for (const Step& step : steps)
    for (const Block& block : step.blocks) {
      if (block.kind == Block::Kind::question) ++number;
      if (block.kind == Block::Kind::question && block.id == question.id) return number;
    }
  return number;
}
const CodingExercise* Lesson::find_coding(std::string_view id) const noexcept {
  return find_by_id(coding, id);
}
int Lesson::items() const noexcept {
  return static_cast<int>(questions.size()) +
         static_cast<int>(ranges::count_if(coding, &CodingExercise::graded));
}

double Lesson::points() const noexcept {
  double out = 0;
  for (const Question& question : questions) out += question.points;
  for (const CodingExercise& exercise : coding) out += exercise.points;
  return out;
}

}  // namespace rankscope
