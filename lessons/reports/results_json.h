// Results as Gradescope reads them, and what a later grading takes from them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "lessons/reports/course_report.h"
#include "lessons/submissions/submission_choice.h"

namespace rankscope {

struct GradebookRow {
  struct Cell {
    std::optional<double> points;  ///< Unset if not graded, or open.
    ItemState state = ItemState::not_graded;
    std::string misconception = {};  ///< The id of a known mistake that the answer is.
    std::string comment = {};        ///< A TA's.
    std::string why = {};            ///< Why a program gets nothing.
  };
  std::string id, student, submission;
  std::vector<Cell> cells;  ///< In the order of the course's entries.
  double points = 0, most = 0, open = 0;
  std::vector<std::string> complaints;
  std::string comment = {};  ///< A TA's, for the whole.
  HandIn hand_in = {};
  double penalty = 0;  ///< Points that being late took.
};
GradebookRow row_of(const StudentReport& report);

/// results.json: score, output, visibility, tests with their feedback. What is not graded has no
/// score. Written answers that wait for a TA have none either; extra_data has their rubric.
nlohmann::json results_json(const StudentReport& report, const Course& course);
/// The same as text, with a seal: a hash of all of it with the grader's key. A later grading takes nothing from a file
/// with another seal.
std::string results_text(const StudentReport& report, const Course& course, std::string_view key);

/// The part of a results.json that a later grading takes.
struct KeptResults {
  std::string course, inputs, digest;
  GradebookRow row;
  KeptPrograms programs = {};
  std::string fault =
      {};  ///< Why nothing of it may be trusted, as a sentence without its subject; else empty.
};
/// Returns nothing for a file of another program, or a damaged one.
std::optional<KeptResults> kept_results(std::string_view results, std::string_view key);

struct EarlierResults {
  std::string folder;  ///< The folder's name.
  KeptResults kept;
};
/// Reads the earlier results in a folder, in the order of their folders' names.
std::vector<EarlierResults> earlier_results(const std::filesystem::path& out, std::string_view key);

/// A suite for each part, a case for each item; what is not graded is skipped. Points are properties:
/// JUnit has no partial marks.
std::string junit_xml(const StudentReport& report, const Course& course);

}  // namespace rankscope
