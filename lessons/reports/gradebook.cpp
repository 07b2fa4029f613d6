// Writes the gradebook as CSV and the overview of a class as HTML.
#include "lessons/reports/gradebook.h"

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/paint/svg.h"
#include "lessons/lesson/expand.h"
#include "lessons/reports/bulk_comments.h"
#include "lessons/reports/csv.h"
#include "lessons/reports/report_html.h"
#include "lessons/reports/report_text.h"
#include "lessons/text/date_time.h"

namespace rankscope {
namespace {

/// Of a student's folder, as a link to it.
std::string link_of(const GradebookRow& row) {
  std::string out;
  for (const char c : row.id)
    if (c == '%' || c == '#' || c == ' ') out += fmt::format("%{:02X}", static_cast<int>(c));
    else out += c;
  return xml_escaped(out);
}

/// How one item went: how many were right, partly right, wrong, did not answer, wait for a TA.
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

/// When it was handed in, how late, the points that this took, until when an extension was.
std::string time_cells(const GradebookRow& row) {
  const HandIn& when = row.hand_in;
  const auto time = std::chrono::sys_seconds(std::chrono::seconds(when.time.value_or(0)));
  return fmt::format(",{},{},{},{}", when.time ? time_text(time) : "",
                     when.late > 0 ? duration_text(std::chrono::seconds(when.late)) : "",
                     row.penalty > 0 ? number_text(row.penalty) : "", when.extension);
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
         "page, "
         "one number for each row of the rubric; then grade again.</p>\n"
         "<pre>[anna.&quot;lesson/question&quot;]\nrubric = [2, 0, 1]\ncomment = "
         "&quot;...&quot;</pre>\n" +
         out;
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
                       number_text(row.open),
                       csv_cell(fmt::format("{}", fmt::join(row.complaints, "; "))),
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
  if (!complaints.empty()) {
    out += "<div class=\"box\"><strong class=\"wrong\">About this batch</strong><ul>\n";
    for (const std::string& one : complaints) out += fmt::format("<li>{}</li>\n", html_lines(one));
    out += "</ul></div>\n";
  }
  out +=
      "<h2><span>Students</span></h2>\n<div class=\"wide\"><table>\n<tr><th>student</th>"
      "<th class=\"n\">points</th><th class=\"n\">of</th><th class=\"n\">open by hand</th>"
      "<th>remarks</th></tr>\n";
  for (const GradebookRow& row : rows)
    out += fmt::format(
        "<tr><td><a href=\"{}/report.html\">{}</a></td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td>"
        "<td class=\"n\">{}</td><td>{}</td></tr>\n",
        link_of(row), xml_escaped(row.student), number_text(row.points), number_text(row.most),
        row.open > 0 ? number_text(row.open) : "",
        xml_escaped(fmt::format("{}", fmt::join(row.complaints, "; "))));
  out += "</table></div>\n" + by_hand(rows, entries);
  out +=
      "<h2><span>Exercises</span></h2>\n<div class=\"wide\"><table>\n<tr><th>exercise</th>"
      "<th class=\"n\">right</th><th class=\"n\">partly</th><th class=\"n\">wrong</th>"
      "<th class=\"n\">no answer</th><th class=\"n\">by hand</th><th "
      "class=\"n\">points</th></tr>\n";
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].question != nullptr) out += item_row(rows, entries[i], i);
  return html_page(course.title, out + "</table></div>\n");
}

}  // namespace rankscope
