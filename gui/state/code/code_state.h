// A program for a code exercise, and what came of grading it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/grading/coding_grade.h"

namespace rankscope::gui {

/// A folder from which a program is chosen.
struct CodeBrowser {
  struct Entry {
    std::string name;
    bool folder = false;
  };
  std::string folder;  ///< Empty: closed.
  std::vector<Entry> entries;
  std::string problem;
};

struct CodeState {
  enum class State : std::uint8_t { none, running, stopped, failed, graded };
  /// A rule of the exercise.
  struct Rule {
    std::string title;
    RuleVerdict::State state = RuleVerdict::State::not_judged;
    double points = 0, most = 0;
    std::string says, run;    ///< Where it is broken first.
    std::string site;         ///< There; empty where there is none, or `says` names it.
    std::string kind = {};    ///< "ends", "values", "ring" ...
    int run_number = 0;       ///< Of `run`, from 0.
    std::int64_t event = -1;  ///< There; -1: it has no place of its own.
  };
  std::string file;  ///< Or folder, as it was chosen; empty: none yet.
  State state = State::none;
  int done = 0, all = 0;  ///< Runs, while it is graded.
  std::string problem;    ///< Why it could not be graded.
  bool watched = false;   ///< Each time its file is saved, it is graded.
  int saves = 0;          ///< Seen since then.
  bool again = false;     ///< It was saved while something was graded: it is next.
  std::string occupied;   ///< A file at the place where the starter was to go; empty: none.
  CodeBrowser browser;
  bool trusted = false;   ///< Somebody lets this program run without a box.
  bool no_boxes = false;  ///< It could not, because this machine allows no boxes.

  // Of the last grading:
  std::string graded_file;
  double points = 0, most = 0;
  std::string capped;       ///< Why there are no points; or empty.
  std::string trouble;      ///< Why the program was ended from outside; or empty.
  std::string diagnostics;  ///< Of the compiler; or empty.
  std::vector<std::string> remarks;
  std::vector<Rule> rules;
  std::string trace;  ///< The run that breaks a rule; empty: there is none.
};
std::string_view to_string(CodeState::State state) noexcept;

}  // namespace rankscope::gui
