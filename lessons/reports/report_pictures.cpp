// Draws each picture of a report once and keeps it.
#include "lessons/reports/report_pictures.h"

#include "engine/diagrams/paint/svg.h"
#include "lessons/lesson/expand.h"
#include "lessons/lesson/picture.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr std::size_t kMostPictures = 500;
constexpr int kMostRanks = 16, kMostRounds = 40;

/// The id of the run that a question is about: its own `run`, or one that its answer is measured on.
std::string run_of(const json& value, int levels = 6) {
  if (levels == 0) return "";
  if (value.is_object())
    if (const auto run = value.find("run"); run != value.end() && run->is_string())
      return run->get<std::string>();
  if (!value.is_structured()) return "";
  for (const auto& [key, one] : value.items()) {
    if (key == "stored" || key == "misconception") continue;
    std::string run = run_of(one, levels - 1);
    if (!run.empty()) return run;
  }
  return "";
}

Scene scene_of(const RunRecord& record, const std::string& view) {
  return picture_of(record, view == "graph" || view == "matrix" ? view : "spacetime");
}

}  // namespace

std::string ReportPictures::caption_of(const ItemReport& item) {
  const LessonRun* known = item.entry->lesson->find_run(run_of(item.entry->question->data));
  return known == nullptr ? "" : fill_in(known->caption, item.variant.values);
}

std::shared_ptr<const ReportPicture> ReportPictures::of(const ItemReport& item) {
  if (item.entry->question == nullptr) return nullptr;
  const std::string run = run_of(item.entry->question->data);
  if (run.empty()) return nullptr;
  const LessonRun* known = item.entry->lesson->find_run(run);
  if (known == nullptr) return nullptr;
  // The key is the job, so that two questions about the same run share a picture.
  std::pair<std::string, JobSpec> name;
  try {
    const auto runs = grader_.runs(*item.entry->lesson);
    name = {known->view, runs->job(run, item.variant.values)};
  } catch (const std::exception&) {
    return nullptr;  // grading the question has reported this already
  }
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = made_.find(name); found != made_.end()) return found->second;
    if (made_.size() > kMostPictures) made_.clear();
  }
  std::shared_ptr<const ReportPicture> picture;
  try {
    picture = draw(item, *known);
  } catch (const std::exception&) {  // a report without a picture is a report
  }
  const std::lock_guard lock(mutex_);
  return made_.emplace(std::move(name), std::move(picture)).first->second;
}

std::shared_ptr<const ReportPicture> ReportPictures::draw(const ItemReport& item,
                                                          const LessonRun& known) {
  const auto runs = grader_.runs(*item.entry->lesson);
  const RunRecord& record = runs->run(known.id, item.variant.values);
  const bool ended = record.result.status == JobResult::Status::ok ||
                     record.result.status == JobResult::Status::wrong_result;
  if (!ended || record.rounds().count == 0 || record.rounds().count > kMostRounds ||
      record.job.world.size > kMostRanks)
    return nullptr;
  auto out = std::make_shared<ReportPicture>();
  out->scene = scene_of(record, known.view);
  SvgOptions options;
  options.groups = false;  // their stories have measured times, which differ each time
  out->data_url = svg_data_url(to_svg(out->scene, Theme(Theme::Kind::light), options));
  return out;
}

}  // namespace rankscope
