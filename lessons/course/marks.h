// Marks that a TA gives by hand, in marks.toml, which is only ever read.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/toml/complaints.h"

namespace rankscope {

struct Course;
class LessonLibrary;

///   [anna]
///   comment = "Well done."                    # for the whole
///   student = "Anna Müller"                   # whose submission it is, whatever its name is
///   [anna."complexity/why"]
///   rubric = [2, 0, 1]                        # points for each row of the question's rubric
///   [anna."flat-allreduce/sums"]
///   override = 4                              # instead of the automatic mark, of the item's points
///   comment = "Right idea, see my note."
///   [anna."ring-allreduce/ring-allreduce"]
///   file = "ring (1).py"                      # what was handed in under another name
///   [["*"."flat-allreduce/sums"]]              # for all who ...
///   mistake = "forgets-own"                   # made this known mistake (of a program: whose feedback has these words)
///   comment = "Compare with page 2."
///   [["*"."flat-allreduce/sums"]]
///   not_right = true                          # do not have all points
///   comment = "We go through this on Monday."
struct ItemMarks {
  std::vector<double> rubric;
  std::optional<double> override_points;
  std::string comment;
  std::string file;  ///< The name under which a program was handed in, if not the one asked for.
  int line = 0;
};

struct StudentMarks {
  std::map<std::string, ItemMarks> items;  ///< By "lesson/id".
  std::string comment;
  std::string student;  ///< Whose submission it is, if its answer sheet may contradict its name.
  int line = 0;
  std::string digest_text;  ///< All of the table, to notice changes.
  /// Returns the marks of an exercise; null if there are none.
  const ItemMarks* find(const std::string& key) const;
};

/// A comment for all students to whom it applies.
struct BulkComment {
  std::string key;         ///< "lesson/id"; empty for a comment on everything, for everybody.
  std::string mistake;     ///< Only students who made this mistake; anyone when empty.
  bool not_right = false;  ///< Only students without all points.
  std::string comment;
  int line = 0;
};

class Marks {
 public:
  Marks() = default;
  /// Reads and checks the file; mistakes go into `complaints`, with their lines, and are left out.
  Marks(const std::filesystem::path& file, const Course& course, const LessonLibrary& library,
        Complaints& complaints);

  /// Returns a student's marks, by the name of the folder; null if there are none.
  const StudentMarks* find(const std::string& student) const;
  const std::vector<BulkComment>& bulk() const noexcept { return bulk_; }
  /// All comments for many, to notice changes.
  const std::string& bulk_digest() const noexcept { return bulk_digest_; }
  /// The file's name in complaints.
  const std::string& name() const noexcept { return name_; }
  /// Complains about students who are not among `students` (names of folders), and about names that several submissions
  /// share: `shared` has the folders of each (shared_names()).
  void check_students(const std::vector<std::string>& students,
                      const std::map<std::string, std::vector<std::string>>& shared,
                      Complaints& complaints) const;

 private:
  std::string name_, bulk_digest_;
  std::vector<BulkComment> bulk_;
  std::map<std::string, StudentMarks> students_;
};

}  // namespace rankscope
