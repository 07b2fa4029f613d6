// What a TA gives points for.
#pragma once

#include <string>
#include <vector>

namespace rankscope {

struct Question;

struct RubricRow {
  std::string text;
  double points = 0;  ///< Of the question's.
};
/// Empty for a question that has none.
std::vector<RubricRow> rubric_of(const Question& question);

}  // namespace rankscope
