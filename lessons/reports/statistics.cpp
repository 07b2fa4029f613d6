// Computes item statistics of a class, and writes them for people and spreadsheets.
#include "lessons/reports/statistics.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/paint/svg.h"
#include "lessons/course/course.h"
#include "lessons/lesson/expand.h"
#include "lessons/reports/csv.h"
#include "lessons/reports/report_html.h"

namespace rankscope {
namespace {

constexpr double kGroup = 0.27;  // Kelley 1939
constexpr double kHard = 0.2, kEasy = 0.95, kTellsLittle = 0.1;

/// One student's points for an item, and for all other items.
struct ItemPoints {
  double own = 0, rest = 0;
};

std::optional<double> correlation(const std::vector<ItemPoints>& all) {
  if (all.size() < ItemStatistics::kFewest) return {};
  const auto n = static_cast<double>(all.size());
  double own = 0, rest = 0;
  for (const ItemPoints& one : all) {
    own += one.own / n;
    rest += one.rest / n;
  }
  double both = 0, own_squares = 0, rest_squares = 0;
  for (const ItemPoints& one : all) {
    both += (one.own - own) * (one.rest - rest);
    own_squares += (one.own - own) * (one.own - own);
    rest_squares += (one.rest - rest) * (one.rest - rest);
  }
  constexpr double kNothing = 1e-12;
  if (own_squares < kNothing || rest_squares < kNothing) return {};
  return both / std::sqrt(own_squares * rest_squares);
}

std::optional<double> upper_less_lower(std::vector<ItemPoints> all, double most) {
  if (all.size() < ItemStatistics::kFewest || most <= 0) return {};
  // By the total; students with equal totals keep their order.
  ranges::stable_sort(all, {}, [](const ItemPoints& one) { return one.own + one.rest; });
  const auto group =
      static_cast<std::size_t>(std::max(1.0, std::round(kGroup * static_cast<double>(all.size()))));
  double difference = 0;
  for (std::size_t i = 0; i < group; ++i) difference += all[all.size() - 1 - i].own - all[i].own;
  return difference / (static_cast<double>(group) * most);
}

std::string two_digits(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value) : "";
}

std::string words_of_mistake(const CourseEntry& entry, const std::string& id) {
  if (entry.question != nullptr)
    for (const Misconception& one : entry.question->misconceptions)
      if (one.id == id) return one.says;
  return {};
}

// Advice for a TA; empty if there is nothing to do.
std::string advice(const ItemStatistics& item) {
  if (item.discrimination && *item.discrimination < 0)
    return "those who know the rest get it wrong: check its key and its words";
  if (item.difficulty < kHard) return "hardly anybody has it: discuss it, and check its key";
  if (item.difficulty > kEasy) return "nearly all have it: it tells little";
  if (item.discrimination && *item.discrimination < kTellsLittle)
    return "it hardly goes with the rest: is it about something else, or guessed?";
  return {};
}

std::string item_line(const ItemStatistics& item) {
  std::string mistakes;
  for (const auto& [id, count] : item.misconceptions)
    mistakes += fmt::format("<li>{} × <code>{}</code>: {}</li>", count, xml_escaped(id),
                            xml_escaped(words_of_mistake(*item.entry, id)));
  if (!mistakes.empty()) mistakes = "<ul>" + mistakes + "</ul>";
  return fmt::format(
      "<tr><td>{} {}{}</td><td class=\"n\">{}</td><td class=\"n\">{:.0f} %</td><td "
      "class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
      item.entry->number, xml_escaped(title_of(*item.entry)), mistakes, item.students,
      100 * item.difficulty, two_digits(item.discrimination), two_digits(item.upper_lower),
      advice(item));
}

}  // namespace

std::vector<ItemStatistics> item_statistics(const std::vector<GradebookRow>& rows,
                                            const std::vector<CourseEntry>& entries) {
  std::vector<ItemStatistics> out;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].lesson == nullptr) continue;
    ItemStatistics item;
    item.entry = &entries[i];
    const double most = entries[i].item->points;
    std::vector<ItemPoints> all;
    for (const GradebookRow& row : rows) {
      if (i >= row.cells.size() || !row.cells[i].points) continue;
      const double own = *row.cells[i].points;
      // Without the penalty, which says nothing of the answers.
      all.push_back({own, row.points + row.penalty - own});
      if (most > 0) item.difficulty += own / most;
      if (!row.cells[i].misconception.empty()) ++item.misconceptions[row.cells[i].misconception];
    }
    if (all.empty()) continue;
    item.students = all.size();
    item.difficulty /= static_cast<double>(all.size());
    item.discrimination = correlation(all);
    item.upper_lower = upper_less_lower(std::move(all), most);
    out.push_back(std::move(item));
  }
  return out;
}

std::string statistics_html(const std::vector<ItemStatistics>& items, const Course& course,
                            std::size_t students) {
  std::string out = fmt::format(
      "<h1>{}: the questions</h1>\n<p class=\"who\">{} submissions · <a href=\"class.html\">the "
      "class</a></p>\n",
      xml_escaped(course.title), students);
  if (students < ItemStatistics::kFewest)
    out += fmt::format(
        "<p>With fewer than {} students there is no discrimination: it would be chance.</p>\n",
        ItemStatistics::kFewest);
  out +=
      "<div class=\"wide\"><table>\n<tr><th>question</th><th class=\"n\">students</th>"
      "<th class=\"n\">difficulty</th><th class=\"n\">discrimination</th><th class=\"n\">upper − "
      "lower</th><th>what to look at</th></tr>\n";
  for (const ItemStatistics& item : items) out += item_line(item);
  out +=
      "</table></div>\n<p><strong>Difficulty</strong> is the mean share of the points: a high one "
      "is an easy question. <strong>Discrimination</strong> is the correlation of a question's "
      "points with those of all others, without itself (Henrysson, Psychometrika 28(2), 1963); "
      "from 0.2 on a question tells students apart. <strong>Upper − lower</strong> is the mean "
      "share in the best 27 % less that in the worst 27 % (Kelley, J. Educ. Psychol. 30(1), "
      "1939).</p>\n";
  return html_page(course.title, out);
}

std::string statistics_csv(const std::vector<ItemStatistics>& items) {
  std::string out =
      "number,question,points,students,difficulty,discrimination,upper less lower,known mistakes\n";
  for (const ItemStatistics& item : items) {
    std::string mistakes;
    for (const auto& [id, count] : item.misconceptions)
      mistakes += fmt::format("{}{} x {}", mistakes.empty() ? "" : "; ", count, id);
    out += fmt::format(
        "{},{},{},{},{:.4f},{},{},{}\n", csv_cell(item.entry->number),
        csv_cell(item.entry->item->key()), number_text(item.entry->item->points), item.students,
        item.difficulty, item.discrimination ? fmt::format("{:.4f}", *item.discrimination) : "",
        item.upper_lower ? fmt::format("{:.4f}", *item.upper_lower) : "", csv_cell(mistakes));
  }
  return out;
}

}  // namespace rankscope
