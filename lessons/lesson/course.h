// Courses: an assignment's exercises, taken from lessons, with its points.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/toml/complaints.h"
#include "lessons/lesson/course_rules.h"
#include "lessons/lesson/lesson.h"

namespace rankscope {

struct CourseItem {
  std::string lesson, id;  ///< Empty lesson: `later`.
  std::string title;       ///< As the course calls it: "Q1. Broadcast values".
  double points = 0;       ///< As printed in the assignment; scales the question's own.
  std::string later;       ///< Row of the list of exercises that is not here yet: "C9".
  /// "flat-allreduce/d4": how answer files, reports and gradebooks name it.
  std::string key() const { return lesson + "/" + id; }
};

struct CoursePart {
  std::string title;
  double points = 0;  ///< As printed; what `later` items leave out is not graded here.
  std::vector<CourseItem> items;
};

struct Course {
  std::string slug, title, summary;
  std::vector<CoursePart> parts;
  std::optional<CourseFeedback> feedback = {};  ///< In students' copies; nothing: none.
  HandInRules hand_in = {};
  double points() const noexcept;  ///< Of all parts, as printed.
};

/// All lessons of a root folder, read once.
class LessonLibrary {
 public:
  /// Reads content/*; complaints are kept for check().
  explicit LessonLibrary(std::filesystem::path root);
  const std::filesystem::path& root() const noexcept { return root_; }
  const std::vector<Lesson>& lessons() const noexcept { return lessons_; }
  const Complaints& complaints() const noexcept { return complaints_; }
  /// What of them is about one lesson.
  Complaints complaints_about(const Lesson& lesson) const;
  /// Lessons that `lesson` builds on and that are not here.
  void unknown_prerequisites(const Lesson& lesson, Complaints& complaints) const;
  /// By slug ("ring-allreduce"), number ("12") or folder's name; null when there is none.
  const Lesson* find(std::string_view name) const noexcept;
  /// Throws UserError with the nearest names.
  const Lesson& need(std::string_view name) const;
  std::vector<std::string> course_names() const;
  /// By name (courses/NAME.toml) or path. Throws UserError when it cannot be read or has mistakes.
  Course course(std::string_view name) const;
  /// The file of such a name or path, which may be missing.
  std::filesystem::path course_file(std::string_view name) const;
  /// The same, for check(): whatever is wrong goes into `complaints`.
  Course read_course(const std::filesystem::path& file, Complaints& complaints) const;

 private:
  std::filesystem::path root_;
  std::vector<Lesson> lessons_;
  Complaints complaints_;
};

/// A lesson by its name or number, or of a folder of one's own. Throws UserError with what is wrong.
Lesson lesson_named(const std::string& name);

}  // namespace rankscope
