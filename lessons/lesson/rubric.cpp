// Collects the rubric rows of an exercise.
#include "lessons/lesson/rubric.h"

#include "lessons/lesson/lesson.h"

namespace rankscope {

std::vector<RubricRow> rubric_of(const Question& question) {
  std::vector<RubricRow> out;
  const auto rubric = question.data.find("rubric");
  if (!question.data.is_object() || rubric == question.data.end() || !rubric->is_array())
    return out;
  for (const auto& row : *rubric)
    if (row.is_object()) out.push_back({row.value("text", ""), row.value("points", 0.0)});
  return out;
}

}  // namespace rankscope
