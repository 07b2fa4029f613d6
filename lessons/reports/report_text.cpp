// Formats scores, titles, remarks and feedback for all kinds of reports.
#include "lessons/reports/report_text.h"

#include <fmt/format.h>

#include "lessons/lesson/expand.h"

namespace rankscope {
namespace {

void add_line(std::string& text, const std::string& line) {
  if (line.empty()) return;
  if (!text.empty()) text += '\n';
  text += line;
}

/// Points of items in a state, as "10 points for coding exercises".
double sum_of(const StudentReport& report, Verdict::State state) {
  double out = 0;
  for (const ItemReport& item : report.items)
    if (!item.points && !item.later() && item.verdict.state == state) out += item.most;
  return out;
}

}  // namespace

std::string score_text(double points, double most) {
  return fmt::format("{} of {}", number_text(points), points_text(most));
}

std::string title_of(const CourseEntry& entry) {
  return entry.item->title.empty() ? entry.item->key() : entry.item->title;
}

std::string points_text(const ItemReport& item) {
  if (item.later()) return fmt::format("not yet here ({})", item.entry->item->later);
  if (!item.points) return fmt::format("{} ({})", item.state(), points_text(item.most));
  return score_text(*item.points, item.most);
}

std::string remarks_text(const ItemReport& item) {
  std::string out;
  if (item.later())
    return "This exercise is not yet here; it has no points and is not part of the score.";
  if (item.by_ta) add_line(out, "Marked by hand.");
  else if (item.verdict.state == Verdict::State::by_hand) add_line(out, "To be marked by hand.");
  else if (item.verdict.state == Verdict::State::right) add_line(out, "Right.");
  else if (item.verdict.state == Verdict::State::unanswered) add_line(out, "Not answered.");
  else if (item.verdict.state == Verdict::State::partly) add_line(out, "Partly right.");
  else if (item.verdict.state == Verdict::State::wrong && item.verdict.says.empty())
    add_line(out, "Wrong.");
  if (item.verdict.state != Verdict::State::by_hand) add_line(out, item.verdict.says);
  for (std::size_t i = 0; i < item.rubric_points.size() && i < item.rubric.size(); ++i)
    add_line(out, fmt::format("{}: {}", item.rubric[i].text,
                              score_text(item.rubric_points[i], item.rubric[i].points)));
  if (!item.comment.empty()) add_line(out, "Comment: " + item.comment);
  return out;
}

std::string feedback_text(const ItemReport& item) {
  std::string out;
  if (!item.answer.empty()) add_line(out, "Your answer: " + item.answer);
  add_line(out, remarks_text(item));
  return out;
}

std::string summary_text(const StudentReport& report, const Course& course) {
  std::string out = fmt::format("{}: {}", course.title, score_text(report.points(), report.most()));
  const double open = report.open(), code = sum_of(report, Verdict::State::not_graded);
  if (open > 0)
    add_line(out, fmt::format("To be marked by hand: {} more point{}.", number_text(open),
                              open == 1 ? "" : "s"));
  if (code > 0) add_line(out, fmt::format("Not graded here: {}.", points_text(code)));
  if (report.seed != 0) add_line(out, fmt::format("Numbers of seed {}.", report.seed));
  for (const std::string& complaint : report.complaints) add_line(out, complaint);
  if (!report.comment.empty()) add_line(out, "Comment: " + report.comment);
  return out;
}

}  // namespace rankscope
