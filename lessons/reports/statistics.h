// Item analysis for the TA: how a class answered the questions of a course.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lessons/reports/results_json.h"

namespace rankscope {

struct ItemStatistics {
  const CourseEntry* entry = nullptr;
  std::size_t students =
      0;  ///< Those with points for it, even 0, but not those who wait for a mark by hand.
  /// The mean share of the points: the classical difficulty, large for an easy question.
  double difficulty = 0;
  /// Correlation of the points with those of all other questions, -1 to 1: do those who know the rest know
  /// this? The item itself is taken out of the total (Henrysson, "Correction of item-total correlations in
  /// item analysis", Psychometrika 28(2), 1963). Nothing below kFewest students, or where all have the same.
  std::optional<double> discrimination;
  /// Mean share in the best 27 % less that in the worst 27 %, by the total (Kelley, "The selection of upper and
  /// lower groups for the validation of test items", J. Educ. Psychol. 30(1), 1939).
  std::optional<double> upper_lower;
  std::map<std::string, std::size_t> misconceptions;  ///< Number of answers by the mistake's id.

  static constexpr std::size_t kFewest = 10;  ///< Fewer tell nothing.
};

/// Statistics of the questions and exercises that somebody was graded for, in the course's order.
std::vector<ItemStatistics> item_statistics(const std::vector<GradebookRow>& rows,
                                            const std::vector<CourseEntry>& entries);
/// A page beside the class page; "what to look at" first.
std::string statistics_html(const std::vector<ItemStatistics>& items, const Course& course,
                            std::size_t students);
std::string statistics_csv(const std::vector<ItemStatistics>& items);

}  // namespace rankscope
