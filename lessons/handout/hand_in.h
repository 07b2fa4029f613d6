// Checks and collects what a student hands in for a course: the answer sheet, programs and other files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/course/progress.h"
#include "lessons/reports/course_report.h"

namespace rankscope {

/// The state of an item of a course.
enum class ItemStanding : std::uint8_t {
  open,        ///< Not answered yet.
  right,       ///< All points.
  partly,      ///< Some.
  wrong,       ///< None.
  shown,       ///< The right answer was shown: no more points.
  by_hand,     ///< A person marks it.
  readable,    ///< Of the right form, in a copy that has no answers.
  unreadable,  ///< Not of the form asked for.
  not_begun,   ///< A program that is missing, or still the starter.
  ungraded,    ///< A program that was never graded.
  changed,     ///< A program that was graded before its file changed: its points are those of then.
  not_graded,  ///< Cannot be graded: a mistake of the lesson.
};
/// "open", "best so far", "waits for the teaching assistant" ...: also in JSON.
std::string_view to_string(ItemStanding standing) noexcept;

/// An item of a course as it would be handed in.
struct HandInItem {
  const CourseEntry* entry = nullptr;  ///< Owned by the grader.
  std::string key;
  std::string title;  ///< The course's, else that of the question or exercise, else the id.
  double most = 0;    ///< The course's points for it.
  /// The points that `grade` will give; unset if unknown here.
  std::optional<double> points;
  ItemStanding standing = ItemStanding::open;
  std::string says;  ///< Its fault and the next step; empty if there is none.
  std::string
      file;  ///< A program's path in the submission; from check_progress() the student's own file.

  /// Returns whether it is missing or unreadable.
  bool lacks() const noexcept {
    return standing == ItemStanding::open || standing == ItemStanding::not_begun ||
           standing == ItemStanding::unreadable;
  }
};

struct SheetCheck {
  std::string course, student;
  std::vector<HandInItem> items;
  std::vector<std::string> remarks;  ///< Complaints about the whole file, with line numbers.

  double points() const noexcept;  ///< The sum of the known points.
};

/// Reads an answer file, or a folder or archive with one and with programs, as `grade` does, and returns each item's state and points.
/// Programs are not run: `programs` has the points of those that were graded, by key.
SheetCheck check_sheet(CourseGrader& grader, const std::string& submission,
                       const std::map<std::string, ProgramProgress>& programs = {});

/// Returns each item's state and points, as `grade` would see the student's progress.
SheetCheck check_progress(CourseGrader& grader, const ProgressStore& store,
                          const std::string& student);

struct HandInOptions {
  std::string student;         ///< The student whose progress is handed in.
  std::filesystem::path to;    ///< A folder to make, or a zip file.
  std::filesystem::path from;  ///< A folder whose files are all handed in; may be empty.
  std::string name = {};       ///< On the sheet; the student's if empty.
};

struct HandInReceipt {
  SheetCheck check;
  std::vector<std::string> files;  ///< Below the folder, sorted; without the receipt itself.
  std::string checksum;            ///< A hash of their names and bytes.
  std::string text;                ///< The text of receipt.txt.
};

/// Writes the folder or zip file to hand in, with the answers from the student's progress. Replaces an unchanged earlier one or
/// an empty folder; throws UserError if anything else is there.
HandInReceipt hand_in(CourseGrader& grader, const ProgressStore& store, LessonRuns& runs,
                      const HandInOptions& options);

/// Returns the answers in a student's progress, by key, and sets the seed of their numbers. `remarks` gets the lessons that were
/// answered with another seed, or whose progress cannot be read.
std::map<std::string, nlohmann::json> answers_given(const LessonLibrary& library,
                                                    const Course& course,
                                                    const ProgressStore& store,
                                                    const std::string& student, std::uint64_t& seed,
                                                    std::vector<std::string>& remarks);

}  // namespace rankscope
