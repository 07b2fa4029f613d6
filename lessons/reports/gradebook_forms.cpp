// Writes the gradebook with the columns that Canvas, Moodle and Gradescope document (README.md).
#include "lessons/reports/gradebook_forms.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "lessons/course/course.h"
#include "lessons/lesson/expand.h"
#include "lessons/reports/csv.h"
#include "lessons/reports/report_text.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

RosterStudent student_of(const GradebookRow& row, const Roster& roster) {
  for (const std::string_view who : {std::string_view(row.student), std::string_view(row.id)})
    if (const RosterStudent* found = roster.find(who)) return *found;
  RosterStudent out;
  const auto blank = row.student.rfind(' ');
  out.last = blank == std::string::npos ? row.student : row.student.substr(blank + 1);
  out.first = blank == std::string::npos ? "" : row.student.substr(0, blank);
  return out;
}

/// Of all that is in the course so far: also where nobody has a mark for it yet.
double most_of(const std::vector<CourseEntry>& entries) {
  double out = 0;
  for (const CourseEntry& entry : entries)
    if (entry.lesson != nullptr) out += entry.item->points;
  return out;
}

/// A mark by hand is missing, or the grader did not grade all of it.
bool is_open(const GradebookRow& row, const std::vector<CourseEntry>& entries) {
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].lesson != nullptr && (i >= row.cells.size() || !row.cells[i].points))
      return true;
  return false;
}

bool waits_for_run(const GradebookRow& row, const std::vector<CourseEntry>& entries) {
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].coding != nullptr && (i >= row.cells.size() || !row.cells[i].points))
      return true;
  return false;
}

// An empty cell changes nothing in Canvas and Moodle: half a mark is not sent.
std::string total_of(const GradebookRow& row, const std::vector<CourseEntry>& entries) {
  return is_open(row, entries) ? "" : number_text(row.points);
}

std::string line_of(std::initializer_list<std::string> cells) {
  return joined(cells, ",", [](const std::string& one) { return csv_cell(one); }) + "\n";
}

std::string canvas_form(const std::vector<GradebookRow>& rows,
                        const std::vector<CourseEntry>& entries, const Course& course,
                        const Roster& roster) {
  std::string out =
      line_of({"Student", "ID", "SIS User ID", "SIS Login ID", "Section", course.title});
  out += line_of({"Points Possible", "", "", "", "", number_text(most_of(entries))});
  for (const GradebookRow& row : rows) {
    const RosterStudent one = student_of(row, roster);
    const std::string name = one.first.empty() ? one.last : one.last + ", " + one.first;
    out += line_of({name, one.canvas, one.id, one.login.empty() ? one.email : one.login,
                    one.section, total_of(row, entries)});
  }
  return out;
}

std::string moodle_form(const std::vector<GradebookRow>& rows,
                        const std::vector<CourseEntry>& entries, const Course& course,
                        const Roster& roster) {
  std::string out =
      line_of({"First name", "Last name", "ID number", "Email address", course.title});
  for (const GradebookRow& row : rows) {
    const RosterStudent one = student_of(row, roster);
    out += line_of({one.first, one.last, one.id, one.email, total_of(row, entries)});
  }
  return out;
}

std::string gradescope_form(const std::vector<GradebookRow>& rows,
                            const std::vector<CourseEntry>& entries, const Course&,
                            const Roster& roster) {
  std::string out = "First Name,Last Name,SID,Email,Sections,Total Score,Max Points,Status";
  for (const CourseEntry& entry : entries)
    if (entry.lesson != nullptr)
      out += "," + csv_cell(fmt::format("{}: {} ({} pts)", entry.number, title_of(entry),
                                        number_text(entry.item->points)));
  out += "\n";
  for (const GradebookRow& row : rows) {
    const RosterStudent one = student_of(row, roster);
    std::string line =
        line_of({one.first, one.last, one.id, one.email, one.section, total_of(row, entries),
                 number_text(most_of(entries)), is_open(row, entries) ? "Ungraded" : "Graded"});
    line.pop_back();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].lesson == nullptr) continue;
      const bool graded = i < row.cells.size() && row.cells[i].points;
      line += "," + (graded ? number_text(*row.cells[i].points) : std::string());
    }
    out += line + "\n";
  }
  return out;
}

constexpr std::array<GradebookForm, 3> kForms = {
    {{"canvas", canvas_form}, {"moodle", moodle_form}, {"gradescope", gradescope_form}}};

}  // namespace

std::span<const GradebookForm> gradebook_forms() noexcept { return kForms; }

std::vector<std::string> gradebook_remarks(const std::vector<GradebookRow>& rows,
                                           const std::vector<CourseEntry>& entries,
                                           const Roster& roster) {
  std::vector<std::string> unknown, by_hand, not_run;
  for (const GradebookRow& row : rows) {
    if (!roster.empty() && roster.find(row.student) == nullptr && roster.find(row.id) == nullptr)
      unknown.push_back(row.student);
    if (!is_open(row, entries)) continue;
    (waits_for_run(row, entries) ? not_run : by_hand).push_back(row.student);
  }
  constexpr std::size_t kMostNamed = 8;
  std::vector<std::string> out;
  const auto remark = [&](std::string_view says, const std::vector<std::string>& who) {
    if (!who.empty()) out.push_back(fmt::format("{}: {}", says, first_few(who, kMostNamed)));
  };
  remark("not in the roster, or twice, so without number and e-mail", unknown);
  remark("no total in the gradebooks to import, since points wait for a mark by hand", by_hand);
  remark(
      "no total in the gradebooks to import, since programs were not run (grade with --code, or "
      "give their points in marks.toml)",
      not_run);
  return out;
}

}  // namespace rankscope
