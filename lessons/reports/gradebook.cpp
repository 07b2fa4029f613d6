// Writes the gradebook as CSV and the overview of a class as HTML.
#include "lessons/reports/gradebook.h"

#include <array>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/paint/svg.h"
#include "lessons/course/course.h"
#include "lessons/lesson/expand.h"
#include "lessons/reports/csv.h"
#include "lessons/reports/report_html.h"
#include "lessons/text/date_time.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

/// A link to a student's folder.
std::string link_of(const GradebookRow& row) {
  std::string out;
  for (const char c : row.id)
    if (c == '%' || c == '#' || c == ' ') out += fmt::format("%{:02X}", static_cast<int>(c));
    else out += c;
  return xml_escaped(out);
}

/// Returns an item's row: the numbers of right, partly right, wrong, missing and still open answers, and the mean.
std::string item_row(const std::vector<GradebookRow>& rows, const CourseEntry& entry,
                     std::size_t index) {
  std::size_t right = 0, some = 0, none = 0, unanswered = 0, open = 0;
  double sum = 0;
  for (const GradebookRow& row : rows) {
    if (index >= row.cells.size()) continue;
    const auto& cell = row.cells[index];
    open += cell.state == ItemState::to_be_marked;
    if (!cell.points) continue;
    sum += *cell.points;
    if (cell.state == ItemState::unanswered) ++unanswered;
    else if (*cell.points >= entry.item->points) ++right;
    else if (*cell.points > 0) ++some;
    else ++none;
  }
  const std::size_t graded = right + some + none + unanswered;
  const std::string mean =
      graded > 0 && entry.item->points > 0
          ? fmt::format("{:.0f} %", 100 * sum / (static_cast<double>(graded) * entry.item->points))
          : "";
  return fmt::format(
      "<tr><td>{} {}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
      "<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
      entry.number, xml_escaped(title_of(entry)), right, some, none, unanswered, open, mean);
}

bool has_times(const std::vector<GradebookRow>& rows) {
  return ranges::any_of(rows, [](const GradebookRow& row) { return row.hand_in.time.has_value(); });
}

/// The time of handing in, the delay, the points that it cost, and the extension.
std::string time_cells(const GradebookRow& row) {
  const HandIn& when = row.hand_in;
  const auto time = std::chrono::sys_seconds(std::chrono::seconds(when.time.value_or(0)));
  return fmt::format(",{},{},{},{}", when.time ? time_text(time) : "",
                     when.late > 0 ? duration_text(std::chrono::seconds(when.late)) : "",
                     row.penalty > 0 ? number_text(row.penalty) : "", when.extension);
}

/// The remarks on a student, and what every item without points lacks.
std::string remarks_of(const GradebookRow& row, const std::vector<CourseEntry>& entries) {
  std::vector<std::string> out = row.complaints, none, wrong;
  for (std::size_t i = 0; i < row.cells.size() && i < entries.size(); ++i) {
    const auto& cell = row.cells[i];
    if (!cell.points || *cell.points > 0 || entries[i].item->points <= 0) continue;
    if (!cell.why.empty())
      out.push_back(fmt::format("{}: 0 points: {}", entries[i].number, cell.why));
    else (cell.state == ItemState::unanswered ? none : wrong).push_back(entries[i].number);
  }
  if (!none.empty()) out.push_back(fmt::format("no answer: {}", fmt::join(none, ", ")));
  if (!wrong.empty()) out.push_back(fmt::format("wrong: {}", fmt::join(wrong, ", ")));
  return fmt::format("{}", fmt::join(out, "; "));
}

std::string by_hand(const std::vector<GradebookRow>& rows,
                    const std::vector<CourseEntry>& entries) {
  std::string out;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].question == nullptr) continue;
    std::string who;
    for (const GradebookRow& row : rows)
      if (i < row.cells.size() && row.cells[i].state == ItemState::to_be_marked)
        who += fmt::format("{}<a href=\"{}/report.html#i{}\">{}</a>", who.empty() ? "" : ", ",
                           link_of(row), entries[i].number, xml_escaped(row.student));
    if (who.empty()) continue;
    out += fmt::format("<h3><span>{} {}</span><span>{}</span></h3>\n<table>\n", entries[i].number,
                       xml_escaped(title_of(entries[i])), xml_escaped(entries[i].item->key()));
    for (const RubricRow& one : rubric_of(*entries[i].question))
      out += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td></tr>\n", xml_escaped(one.text),
                         points_text(one.points));
    out += fmt::format("</table>\n<p>{}</p>\n", who);
  }
  if (out.empty()) return out;
  return "<h2><span>To be marked by hand</span></h2>\n<p>Points go into marks.toml beside this "
         "page, one number for each row of the rubric; then grade again.</p>\n"
         "<pre>[anna.&quot;lesson/question&quot;]\nrubric = [2, 0, 1]\ncomment = "
         "&quot;...&quot;</pre>\n" +
         out;
}

RosterStudent student_of(const GradebookRow& row, const Roster& roster) {
  for (const std::string_view who : {std::string_view(row.student), std::string_view(row.id)})
    if (const RosterStudent* found = roster.find(who)) return *found;
  RosterStudent out;
  const auto blank = row.student.rfind(' ');
  out.last = blank == std::string::npos ? row.student : row.student.substr(blank + 1);
  out.first = blank == std::string::npos ? "" : row.student.substr(0, blank);
  return out;
}

/// The most points of all items that the course has so far, also of those without any mark yet.
double most_of(const std::vector<CourseEntry>& entries) {
  double out = 0;
  for (const CourseEntry& entry : entries)
    if (entry.lesson != nullptr) out += entry.item->points;
  return out;
}

/// Returns whether an item (or a program) has no points yet: it waits for a TA, or was not graded.
bool is_open(const GradebookRow& row, const std::vector<CourseEntry>& entries,
             bool is_program = false) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool asked = is_program ? entries[i].coding != nullptr : entries[i].lesson != nullptr;
    if (asked && (i >= row.cells.size() || !row.cells[i].points)) return true;
  }
  return false;
}

// Empty while an item is open, because an empty cell leaves the grade in Canvas and Moodle as it is.
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

void put_before(const std::string& comment, std::string& own) {
  own = own.empty() ? comment : comment + "\n" + own;
}

bool made_mistake(const ItemReport& item, const std::string& mistake) {
  if (item.entry->question != nullptr) return item.verdict.misconception == mistake;
  return ascii_lower(item.verdict.says).find(ascii_lower(mistake)) != std::string::npos;
}

/// Returns whether the comment applies. An item without points (ungraded, or waiting for a mark) is neither right nor
/// wrong.
bool is_for(const BulkComment& comment, const ItemReport& item) {
  if (item.later() || item.entry->item->key() != comment.key) return false;
  if (!comment.mistake.empty() && !made_mistake(item, comment.mistake)) return false;
  return !comment.not_right || (item.points && *item.points < item.most);
}

std::string shown(const BulkComment& comment) {
  if (!comment.mistake.empty())
    return fmt::format("{}, for the mistake '{}'", comment.key, comment.mistake);
  return comment.key + (comment.not_right ? ", for those who do not have all points" : "");
}

bool has_comment(const GradebookRow& row, const BulkComment& comment,
                 const std::vector<CourseEntry>& entries) {
  if (comment.key.empty()) return true;
  for (std::size_t i = 0; i < row.cells.size() && i < entries.size(); ++i)
    if (entries[i].lesson != nullptr && entries[i].item->key() == comment.key &&
        row.cells[i].comment.find(comment.comment) != std::string::npos)
      return true;
  return false;
}

}  // namespace

std::string gradebook_csv(const std::vector<GradebookRow>& rows,
                          const std::vector<CourseEntry>& entries, const ClassRules& rules) {
  const bool times = has_times(rows);
  std::string out = "student,folder,submission";
  for (const CourseEntry& entry : entries)
    if (entry.lesson != nullptr)
      out += "," + csv_cell(fmt::format("{} {} ({})", entry.number, entry.item->key(),
                                        number_text(entry.item->points)));
  for (const std::string& column : rules.rules().columns)
    out += column == "id" ? ",student id" : ",e-mail";
  if (times) out += ",handed in,late,penalty,extension";
  out += ",total,of,open by hand,remarks,comments\n";
  for (const GradebookRow& row : rows) {
    out +=
        fmt::format("{},{},{}", csv_cell(row.student), csv_cell(row.id), csv_cell(row.submission));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].lesson == nullptr) continue;
      out += ',';
      if (i >= row.cells.size()) continue;
      const auto& one = row.cells[i];
      out += one.points                             ? number_text(*one.points)
             : one.state == ItemState::to_be_marked ? "by hand"
                                                    : "not graded";
    }
    for (const std::string& column : rules.rules().columns) {
      const RosterStudent* student = rules.student(row.student);
      out += "," + csv_cell(student == nullptr ? ""
                            : column == "id"   ? student->id
                                               : student->email);
    }
    if (times) out += time_cells(row);
    out += fmt::format(",{},{},{},{},{}\n", number_text(row.points), number_text(row.most),
                       number_text(row.open), csv_cell(remarks_of(row, entries)),
                       csv_cell(comments_text(row, entries)));
  }
  return out;
}

std::string class_html(const std::vector<GradebookRow>& rows,
                       const std::vector<CourseEntry>& entries, const Course& course,
                       const std::vector<std::string>& complaints) {
  std::string out = fmt::format(
      "<h1>{}</h1>\n<p class=\"who\">{} submissions · <a href=\"statistics.html\">the "
      "questions</a></p>\n",
      xml_escaped(course.title), rows.size());
  out += complaints_html("About this batch", complaints);
  out +=
      "<h2><span>Students</span></h2>\n<div class=\"wide\"><table>\n<tr><th>student</th>"
      "<th class=\"n\">points</th><th class=\"n\">of</th><th class=\"n\">open by hand</th>"
      "<th>remarks</th></tr>\n";
  for (const GradebookRow& row : rows)
    out += fmt::format(
        "<tr><td><a href=\"{}/report.html\">{}</a></td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
        link_of(row), xml_escaped(row.student), number_text(row.points), number_text(row.most),
        row.open > 0 ? number_text(row.open) : "", xml_escaped(remarks_of(row, entries)));
  out += "</table></div>\n" + by_hand(rows, entries);
  out +=
      "<h2><span>Exercises</span></h2>\n<div class=\"wide\"><table>\n<tr><th>exercise</th><th "
      "class=\"n\">right</th><th class=\"n\">partly</th><th class=\"n\">wrong</th><th "
      "class=\"n\">no answer</th><th class=\"n\">by hand</th><th class=\"n\">points</th></tr>\n";
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].question != nullptr) out += item_row(rows, entries[i], i);
  return html_page(course.title, out + "</table></div>\n");
}

std::span<const GradebookForm> gradebook_forms() noexcept { return kForms; }

std::vector<std::string> gradebook_remarks(const std::vector<GradebookRow>& rows,
                                           const std::vector<CourseEntry>& entries,
                                           const Roster& roster) {
  std::vector<std::string> unknown, by_hand, not_run;
  for (const GradebookRow& row : rows) {
    if (!roster.empty() && roster.find(row.student) == nullptr && roster.find(row.id) == nullptr)
      unknown.push_back(row.student);
    if (!is_open(row, entries)) continue;
    (is_open(row, entries, true) ? not_run : by_hand).push_back(row.student);
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

void add_bulk_comments(const std::vector<BulkComment>& comments, StudentReport& report) {
  // Backwards, because each comment is put before those that are there.
  for (auto one = comments.rbegin(); one != comments.rend(); ++one) {
    if (one->key.empty()) put_before(one->comment, report.comment);
    else
      for (ItemReport& item : report.items)
        if (is_for(*one, item)) put_before(one->comment, item.comment);
  }
}

std::vector<std::string> unused_bulk_comments(const Marks& marks,
                                              const std::vector<GradebookRow>& rows,
                                              const std::vector<CourseEntry>& entries) {
  std::vector<std::string> out;
  for (const BulkComment& comment : marks.bulk())
    if (ranges::none_of(
            rows, [&](const GradebookRow& row) { return has_comment(row, comment, entries); }))
      out.push_back(fmt::format("{}:{}: nobody gets the comment on {}", marks.name(), comment.line,
                                shown(comment)));
  return out;
}

std::string comments_text(const GradebookRow& row, const std::vector<CourseEntry>& entries) {
  std::string out = row.comment;
  for (std::size_t i = 0; i < row.cells.size() && i < entries.size(); ++i) {
    if (row.cells[i].comment.empty()) continue;
    if (!out.empty()) out += "\n";
    out +=
        fmt::format("{} {}: {}", entries[i].number, entries[i].item->key(), row.cells[i].comment);
  }
  return out;
}

}  // namespace rankscope
