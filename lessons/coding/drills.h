// Faulty programs for practice and exams: right solutions of code exercises changed in one place, each kept only when
// a run shows its fault.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "lessons/coding/boxes.h"
#include "lessons/course/course.h"

namespace rankscope {

struct Drill {
  enum class Shows : std::uint8_t { blocked, error, timeout, values, rule };
  std::string exercise, solution;  ///< Ids: "my-broadcast", "binomial".
  std::string file;                ///< The exercise's name for it: "my_broadcast.py".
  std::string text;                ///< The faulty program.
  std::string right;               ///< The right program that it was made from.
  std::string kind, says;          ///< "wrong-neighbour", and its explanation in one sentence.
  int line = 0;  ///< The first line that differs, or the place of a missing one, from 1.
  std::string before, after;  ///< The changed lines in the right and in the faulty program.
  std::string finding;        ///< The grader's first finding.
  std::string in_case;        ///< "4 ranks, [8], float32"
  Shows shows = Shows::values;
  double points = 0, most = 0;  ///< In the quick cases.
};
/// Returns the symptom that a run shows, without its place, for a question's text.
std::string_view symptom_of(Drill::Shows shows) noexcept;

struct DrillOptions {
  CodeBoxesOptions boxes;  ///< Without `submission`, which make_drills() sets.
  std::filesystem::path
      solutions;  ///< A folder for each exercise, with right programs: lessons/drills.
  std::vector<std::string> exercises;  ///< Ids; if empty, all with solutions.
  int count = 200;
  /// No two drills have the same kind, or the same exercise and line; if possible, not even the same exercise.
  bool sheet = false;
  std::uint64_t seed = 1;  ///< Decides the drills, their order, and the inputs of their runs.
  std::function<void(int done, int all)> on_progress;
};

struct DrillsMade {
  std::vector<Drill> drills;
  int tried = 0;      ///< Mutants that were run.
  int unnoticed = 0;  ///< Mutants that no run distinguishes from a right program.
  int senseless = 0;  ///< Mutants that only use a name that is not defined.
  std::vector<std::string>
      refused;  ///< Solutions not used because they are not judged right, with the reason.
  bool interrupted = false;
};

/// Returns the exercises with solutions in a folder, in order.
std::vector<std::string> drill_exercises(const std::filesystem::path& solutions);

/// Makes as many drills as asked for, or as there are. Throws UserError for an exercise without solutions, and if there are no
/// boxes here.
DrillsMade make_drills(const LessonLibrary& library, const DrillOptions& options);

/// "001-my-broadcast.py"
std::string drill_file_name(const Drill& drill, std::size_t number, std::size_t all);
/// Returns the exercise that the name of a drill's file has; empty for another name.
std::string drill_exercise_of(const std::filesystem::path& file);

/// Return pages in Markdown. The questions show each program with numbered lines, and nothing of the key.
std::string drill_questions(const std::vector<Drill>& drills, const LessonLibrary& library);
std::string drill_key(const std::vector<Drill>& drills, std::uint64_t seed);
nlohmann::json drill_key_json(const std::vector<Drill>& drills, std::uint64_t seed);

}  // namespace rankscope
