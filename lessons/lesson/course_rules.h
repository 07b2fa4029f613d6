// What a course file says about feedback in students' copies: its section [feedback].
#pragma once

#include <chrono>
#include <optional>
#include <string>

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

}  // namespace rankscope
