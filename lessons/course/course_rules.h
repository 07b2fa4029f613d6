// The rules of a course: feedback in students' copies, and deadlines.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace rankscope
