// What a course file says beside its exercises: feedback in students' copies, and how work is handed in.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

class TomlNode;

///   [feedback]
///   attempts = 5                        # so often a copy says whether an answer is right; 0: as often as one likes
///   from = 2026-11-01T08:00:00+01:00    # and only from then
///   hints = 1                           # so many of each question's hints; without it: all
///   programs = true                     # the rules of code exercises go with the copy, to be run at home
struct CourseFeedback {
  int attempts = 0;
  std::string from;  ///< As written; empty: at once.
  int hints = -1;    ///< -1: all.
  bool programs = true;
};

/// Nothing: the course has no such section. What is wrong is complained about.
std::optional<CourseFeedback> read_feedback(TomlNode node);

///   [hand_in]
///   deadline = 2026-11-20T23:59:00+01:00
///   grace = 10                          # minutes that are not late
///   penalty = 10                        # % of the points that were reached, for each day that has begun
///   per = "day"                         # or "hour", "once"
///   most = 50                           # at most so many %
///   closes = 2026-11-27T23:59:00+01:00  # what comes later gets 0 points
///   counts = "last"                     # of several submissions of a student; or "best"
///   names = "hidden"                    # reports without names, for anonymous marking; or "shown"
///   columns = ["id", "email"]           # of the gradebook, from the roster
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
  std::string per = "day", counts, names = "shown";
  std::vector<std::string> columns;
  std::vector<Extension> extensions;
};
/// Without the section: no rules. What is wrong is complained about.
HandInRules read_hand_in(TomlNode node);

}  // namespace rankscope
