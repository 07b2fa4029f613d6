// What `rankscope grade` says of a class in the end, as text and as JSON.
#include "cli/grade/grade_summary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/terminal/text.h"
#include "engine/core/base/utf8.h"
#include "lessons/lesson/expand.h"

namespace rankscope::cli {

std::string class_text(const Console& console, const GradeBatch& batch, const std::string& folder) {
  const auto& rows = batch.rows();
  double sum = 0, open = 0;
  std::size_t with_remarks = 0;
  for (const GradebookRow& row : rows) {
    sum += row.most > 0 ? row.points / row.most : 0;
    open += row.open;
    with_remarks += !row.complaints.empty();
  }
  std::string out;
  constexpr std::size_t kMostShown = 20;
  std::size_t shown = 0;
  for (const GradebookRow& row : rows)
    for (const std::string& one : row.complaints)
      if (shown++ < kMostShown)
        out += fmt::format("{} {}: {}\n", console.out().warning("!"), row.student, one);
  if (shown > kMostShown) out += fmt::format("... and {} more lines\n", shown - kMostShown);
  out += fmt::format("{} graded{}: {:.0f} % of the points on average",
                     plural(rows.size(), "submission"), batch.kept_text(),
                     rows.empty() ? 0.0 : 100 * sum / static_cast<double>(rows.size()));
  if (with_remarks > 0) out += fmt::format(", {} with remarks", with_remarks);
  if (open > 0) out += fmt::format(", {} points to be marked by hand", number_text(open));
  return out + fmt::format(".\nResults are in {}.\n", escaped(folder));
}

nlohmann::json class_json(const Course& course, const GradeBatch& batch,
                          const std::vector<std::string>& lines, const std::string& out) {
  nlohmann::json students = nlohmann::json::array();
  for (const GradebookRow& row : batch.rows())
    students.push_back({{"student", row.student},
                        {"folder", row.id},
                        {"submission", row.submission},
                        {"points", row.points},
                        {"of", row.most},
                        {"open_by_hand", row.open},
                        {"remarks", row.complaints}});
  return {{"course", course.slug},
          {"out", out},
          {"students", students},
          {"kept", batch.kept()},
          {"programs_kept", batch.programs_kept()},
          {"remarks", lines},
          {"failures", batch.failures()}};
}

}  // namespace rankscope::cli
