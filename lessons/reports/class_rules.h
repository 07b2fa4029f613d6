// A course's rules for handing in, applied: who is late, what it costs, and which of several submissions counts.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/reports/results_json.h"
#include "lessons/reports/roster.h"

namespace rankscope {

class ClassRules {
 public:
  ClassRules() = default;
  /// `roster` (may be empty) outlives it: it says that two names are one student.
  ClassRules(HandInRules rules, const Roster& roster)
      : rules_(std::move(rules)), roster_(&roster) {}

  const HandInRules& rules() const noexcept { return rules_; }
  /// Judges when this student handed in. Without a time, or a deadline, nothing is late.
  HandIn judge(std::string_view student, std::optional<std::chrono::sys_seconds> time) const;
  /// Takes the penalty, and adds a line about it to the report.
  void apply(const HandIn& hand_in, StudentReport& report) const;
  /// Returns each student's submission that counts ("last" or "best"), in the same order; all of them without such a
  /// rule, or where the last one is unknown. `lines` get a sentence for each student with several.
  std::vector<GradebookRow> counting(std::vector<GradebookRow> rows,
                                     std::vector<std::string>& lines) const;
  /// The rows, and one for each member of a team (roster) who has handed in nothing, with the row of the member who has
  /// (the best one of several). `lines` get a sentence for each team of which several have handed in: each keeps their
  /// own.
  std::vector<GradebookRow> with_teams(std::vector<GradebookRow> rows,
                                       std::vector<std::string>& lines) const;
  /// Null if not in the roster.
  const RosterStudent* student(std::string_view name) const;
  bool same_student(std::string_view a, std::string_view b) const;

 private:
  std::optional<std::chrono::sys_seconds> extension_of(std::string_view student) const;
  const GradebookRow& best_of(const std::vector<const GradebookRow*>& all) const;

  HandInRules rules_;
  const Roster* roster_ = nullptr;
};

/// All fields as text, so that a hash shows a change; empty without a time.
std::string digest_text(const HandIn& hand_in);
/// "10 hours 5 minutes late: 10 % less"; empty if in time.
std::string late_text(const HandIn& hand_in);

}  // namespace rankscope
