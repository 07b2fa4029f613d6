// Pictures of the runs that questions ask about, for reports.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/diagrams/scene/scene.h"
#include "lessons/reports/course_report.h"

namespace rankscope {

struct ReportPicture {
  Scene scene;
  std::string data_url;  ///< The scene as SVG in an <img>'s src: ids of several do not clash.
};

/// Drawn once for each run and its numbers. Thread-safe.
class ReportPictures {
 public:
  explicit ReportPictures(CourseGrader& grader) : grader_(grader) {}
  /// Null if the question asks about no run, or about one without rounds, with too many rounds or ranks, or that did not
  /// end (its picture would differ from time to time).
  std::shared_ptr<const ReportPicture> of(const ItemReport& item);
  /// The lesson's words on the run: two questions may share a picture, but not its caption.
  static std::string caption_of(const ItemReport& item);

 private:
  std::shared_ptr<const ReportPicture> draw(const ItemReport& item, const LessonRun& known);
  CourseGrader& grader_;
  std::mutex mutex_;
  std::map<std::pair<std::string, JobSpec>, std::shared_ptr<const ReportPicture>> made_;
};

}  // namespace rankscope
