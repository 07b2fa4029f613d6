// Results as Gradescope reads them, and what a later grading takes from them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "lessons/course_report.h"

namespace rankscope {

/// A student in a gradebook.
struct GradebookRow {
  struct Cell {
    std::optional<double> points;  ///< Nothing: not graded, or open.
    std::string state;             ///< ItemReport::state().
  };
  std::string id, student, submission;
  std::vector<Cell> cells;  ///< In the order of the course's entries.
  double points = 0, most = 0, open = 0;
  std::vector<std::string> complaints;
};
GradebookRow row_of(const StudentReport& report);

/// results.json: score, output, visibility, tests with their feedback. What is not graded has no
/// score. Written answers that wait for a TA have none either; extra_data tells their rubric.
nlohmann::json results_json(const StudentReport& report, const Course& course);
/// The same as text.
std::string results_text(const StudentReport& report, const Course& course);

/// The row of a results.json that was made of the same things: same digest. Nothing for any other.
std::optional<GradebookRow> kept_row(std::string_view results, std::string_view digest);

}  // namespace rankscope
