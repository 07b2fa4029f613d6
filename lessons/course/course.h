// A course: the exercises of an assignment, taken from lessons, with its points.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/toml/complaints.h"
#include "lessons/course/course_rules.h"
#include "lessons/course/read_lesson.h"

namespace rankscope {

struct CourseItem {
  std::string lesson, id;  ///< The lesson is empty for a row that is `later`.
  std::string title;       ///< In the course: "Q1. Broadcast values".
  double points = 0;       ///< As printed in the assignment; scales the question's own.
  std::string later;  ///< A row of the list of exercises that does not exist yet, such as "C9".
  /// Until then (written_date()) students' reports show neither points nor remarks; empty if at once.
  std::string hidden_until = {};
  /// Returns its name in answer files, reports and gradebooks: "flat-allreduce/d4".
  std::string key() const { return lesson + "/" + id; }
};

struct CoursePart {
  std::string title;
  double points = 0;  ///< As printed, so with those of `later` items, which are not graded.
  std::vector<CourseItem> items;
};

/// Returns whether students' reports keep the item back now.
bool is_hidden(const CourseItem& item);

/// A file that the assignment names, and the exercises whose programs it holds.
struct CourseFile {
  std::string path;                ///< "src/collectives.py"; "*.ipynb" is a notebook of any name.
  std::vector<std::string> holds;  ///< Keys of exercises.
};

struct Course {
  std::string slug, title, summary;
  std::vector<CoursePart> parts;
  std::vector<CourseFile> files;
  bool counts_bonus = false;  ///< Exercises' bonus points are added, also beyond an item's points.
  std::optional<CourseFeedback> feedback = {};  ///< In students' copies; unset if they give none.
  HandInRules hand_in = {};
  double points() const noexcept;  ///< The sum of all parts, as printed.
};

/// All lessons of a root folder, read once.
class LessonLibrary {
 public:
  /// Reads content/*; complaints are kept for check().
  explicit LessonLibrary(std::filesystem::path root);
  const std::filesystem::path& root() const noexcept { return root_; }
  const std::vector<Lesson>& lessons() const noexcept { return lessons_; }
  const Complaints& complaints() const noexcept { return complaints_; }
  /// Those about one lesson.
  Complaints complaints_about(const Lesson& lesson) const;
  /// Complains about lessons that `lesson` builds on and that do not exist.
  void unknown_prerequisites(const Lesson& lesson, Complaints& complaints) const;
  /// Finds a lesson by its slug ("ring-allreduce"), number ("12") or folder; null when there is none.
  const Lesson* find(std::string_view name) const noexcept;
  /// The same, but throws UserError with the nearest names.
  const Lesson& need(std::string_view name) const;
  std::vector<std::string> course_names() const;
  /// Reads a course by its name (courses/NAME.toml) or path. Throws UserError when it cannot be read or has mistakes.
  Course course(std::string_view name) const;
  /// The file of a course's name or path, which may be missing.
  std::filesystem::path course_file(std::string_view name) const;
  /// Reads a course; mistakes go into `complaints`.
  Course read_course(const std::filesystem::path& file, Complaints& complaints) const;

 private:
  /// Tells the questions of courses with a date until when their answers are kept back.
  void keep_answers_back();

  std::filesystem::path root_;
  std::vector<Lesson> lessons_;
  Complaints complaints_;
};

/// Reads a lesson by its name or number, or from a folder of one's own. Throws UserError with its mistakes.
Lesson lesson_named(const std::string& name);

}  // namespace rankscope
