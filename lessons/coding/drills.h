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
  std::string right;               ///< The program that it was made of.
  std::string kind, says;          ///< "wrong-neighbour", and what that is in one sentence.
  int line = 0;  ///< The first line that differs, from 1; where one is missing, where it stood.
  std::string before, after;  ///< The changed lines: as they are right, and as they stand.
  std::string finding;        ///< The grader's first finding.
  std::string in_case;        ///< "4 ranks, [8], float32"
  Shows shows = Shows::values;
  double points = 0, most = 0;  ///< In the quick cases.
};
/// Returns the symptom that a run shows, without its place, for a question's text.
std::string_view symptom_of(Drill::Shows shows) noexcept;

struct DrillOptions {
  CodeBoxesOptions boxes;  ///< Their submission is made here.
  std::filesystem::path
      solutions;  ///< A folder for each exercise, with right programs: lessons/drills.
  std::vector<std::string> exercises;  ///< Ids; empty for all that have solutions.
  int count = 200;
  bool sheet =
      false;  ///< No two drills alike: neither kind, nor exercise and line; exercises, where there are enough.
  std::uint64_t seed =
      1;  ///< Decides which drills, their order, and the inputs that they are run with.
  std::function<void(int done, int all)> on_progress;
};

struct DrillsMade {
  std::vector<Drill> drills;
  int tried = 0;      ///< Mutants that were run.
  int unnoticed = 0;  ///< Those that no run told from a right program.
  int senseless = 0;  ///< Those that only name what is not there.
  std::vector<std::string>
      refused;  ///< Solutions that are not judged right, with the reason: not used.
  bool interrupted = false;
};

/// The exercises with solutions in a folder, in order.
std::vector<std::string> drill_exercises(const std::filesystem::path& solutions);

/// Fewer drills than asked for where there are no more. Throws UserError for an exercise without solutions, and when no
/// box can be had.
DrillsMade make_drills(const LessonLibrary& library, const DrillOptions& options);

/// "001-my-broadcast.py"
std::string drill_file_name(const Drill& drill, std::size_t number, std::size_t all);
/// The exercise of a drill's file by its name; empty if it is none.
std::string drill_exercise_of(const std::filesystem::path& file);

/// Markdown. The questions' page has each program with its lines numbered, and nothing of the key.
std::string drill_questions(const std::vector<Drill>& drills, const LessonLibrary& library);
std::string drill_key(const std::vector<Drill>& drills, std::uint64_t seed);
nlohmann::json drill_key_json(const std::vector<Drill>& drills, std::uint64_t seed);

}  // namespace rankscope
