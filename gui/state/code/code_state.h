// A program for a code exercise, its grade, and the broken rule to look at first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "lessons/grading/coding_grade.h"

namespace rankscope::gui {

/// A folder from which a program is chosen.
struct CodeBrowser {
  struct Entry {
    std::string name;
    bool folder = false;
  };
  std::string folder;  ///< Empty while the list is closed.
  std::vector<Entry> entries;
  std::string problem;
};

struct CodeState {
  enum class State : std::uint8_t { none, running, stopped, failed, graded };
  struct Rule {
    std::string title;
    RuleVerdict::State state = RuleVerdict::State::not_judged;
    double points = 0, most = 0;
    std::string says, run;        ///< Where it is broken first.
    std::string site;             ///< The line; empty without one, or if `says` names it.
    std::string failure;          ///< The run's failure, if that breaks it (RuleVerdict::failure).
    std::string right_with = {};  ///< RuleVerdict::right_with.
    std::string kind = {};        ///< "ends", "values", "ring" ...
    int run_number = 0;           ///< The number of `run`, from 0.
    std::int64_t event = -1;      ///< The event there, or -1.
  };
  std::string file;  ///< The chosen file or folder, if any.
  State state = State::none;
  int done = 0, all = 0;  ///< Runs, while it is graded.
  std::string problem;    ///< Why it could not be graded.
  bool watched = false;   ///< Each time its file is saved, it is graded.
  int saves = 0;          ///< Seen since then.
  bool again = false;     ///< It was saved while something was graded: it is next.
  bool behind = false;    ///< Graded since another exercise's grading met its file changed.
  std::string occupied;   ///< A file that is in the starter's way, if any.
  CodeBrowser browser;
  bool trusted = false;   ///< The user lets this program run without a box.
  bool no_boxes = false;  ///< It could not, because this machine allows no boxes.

  // The last grading:
  std::string graded_file, graded_hash;
  double points = 0, most = 0;
  std::string capped;       ///< Why there are no points, if so.
  std::string trouble;      ///< Why the program was ended from outside, if so.
  std::string diagnostics;  ///< The compiler's output.
  std::vector<std::string> remarks;
  std::vector<Rule> rules;
  std::string trace;            ///< The run that breaks a rule, if any.
  nlohmann::json verdict = {};  ///< All of this, as `rankscope --json exercise` said it.
};
std::string_view to_string(CodeState::State state) noexcept;

/// The button that shows the run in which a rule is broken.
inline constexpr const char* kShowFault = "Show where it goes wrong";

/// The broken rule to look at first, and those that follow from it.
struct RootCause {
  const CodeState::Rule* rule = nullptr;  ///< Null if every rule is kept.
  std::vector<const CodeState::Rule*>
      others;  ///< Broken in ways of their own, in the order of the exercise.
  /// Cannot be judged until the first one is mended: broken by the same failure, or by what it does to the values.
  std::vector<const CodeState::Rule*> follows;
  std::string advice;  ///< Empty if only a run would show more, and there is none.
};

/// Returns the first rule by cause: a run that broke off comes first, as it keeps no rule; then rules with a place in a run, and
/// earlier runs before later ones. `has_run`: there is a run to open.
RootCause find_root_cause(const std::vector<CodeState::Rule>& rules, bool has_run = true);

}  // namespace rankscope::gui
