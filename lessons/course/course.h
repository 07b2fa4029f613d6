// A course: the exercises of an assignment, taken from lessons, with its points.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/toml/complaints.h"
#include "lessons/course/read_lesson.h"

namespace rankscope {

class TomlNode;

///   [feedback]
///   attempts = 5                        # judged answers to a question; 0 for any number
///   from = 2026-11-01T08:00:00+01:00    # and only from then
///   hints = 1                           # hints of each question in the copy; by default all
///   programs = true                     # the rules of code exercises go with the copy, to be run at home
struct CourseFeedback {
  int attempts = 0;
  std::string from;  ///< As written (written_date()); at once when empty.
  int hints = -1;    ///< -1 means all.
  bool programs = true;
};

/// Returns a date that time_of() can read, as it is written; complains about others.
std::string written_date(TomlNode& node, const char* key);

/// Reads `[feedback]`, and complains about mistakes; nothing when the course has no such section.
std::optional<CourseFeedback> read_feedback(TomlNode node);

///   [hand_in]
///   deadline = 2026-11-20T23:59:00+01:00
///   grace = 10                          # minutes after the deadline that do not count as late
///   penalty = 10                        # % of the points that were reached, for each started day
///   per = "day"                         # or "hour", "once"
///   most = 50                           # the largest penalty in %
///   closes = 2026-11-27T23:59:00+01:00  # later work gets 0 points
///   counts = "last"                     # which of several submissions counts; or "best"
///   names = "hidden"                    # reports without names, for anonymous marking; or "shown"
///   columns = ["id", "email"]           # of the gradebook, from the roster
///   without_boxes = "other-user"        # where no sandboxes can be made: programs run as other users; or "refuse"
///   [[hand_in.extension]]
///   student = "s4711"                   # number, login, e-mail address or name
///   until = 2026-11-24T23:59:00+01:00
struct HandInRules {
  struct Extension {
    std::string student;
    std::chrono::sys_seconds until{};
  };
  std::optional<std::chrono::sys_seconds> deadline, closes;
  std::chrono::minutes grace{0};
  double penalty = 0, most = 100;  ///< Percent.
  std::string per = "day", counts, names = "shown", without_boxes = "refuse";
  std::vector<std::string> columns;
  std::vector<Extension> extensions;
};
/// Reads `[hand_in]`, and complains about mistakes.
HandInRules read_hand_in(TomlNode node);

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

/// An exercise of a course or of a lesson.
struct CourseEntry {
  const CourseItem* item = nullptr;    ///< Null in a lesson.
  const Lesson* lesson = nullptr;      ///< Null for `later`.
  const Question* question = nullptr;  ///< Null for a coding exercise, or `later`.
  const CodingExercise* coding = nullptr;
  std::string number = {};  ///< "1.2": part and item; empty in a lesson.
  std::size_t part = 0;
  std::string heading = {};  ///< Of its part or page.
  std::string title = {};
  double points = 0;
};
std::vector<CourseEntry> entries_of(const Lesson& lesson);
/// `course` and `library` outlive the entries. `later`: those without an exercise, too.
std::vector<CourseEntry> entries_of(const Course& course, const LessonLibrary& library,
                                    bool later = false);

/// Reads a lesson by its name or number, or from a folder of one's own. Throws UserError with its mistakes.
Lesson lesson_named(const std::string& name);

}  // namespace rankscope
