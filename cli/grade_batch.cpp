#include "cli/grade_batch.h"

#include <chrono>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "cli/write_file.h"
#include "engine/core/error.h"
#include "engine/core/utf8.h"
#include "engine/diagrams/cairo_painter.h"
#include "lessons/junit.h"
#include "lessons/report_html.h"
#include "lessons/report_pages.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::pair<std::string_view, std::string_view> kFiles[] = {
    {"junit", "junit.xml"},
    {"html", "report.html"},
    {"pdf", "report.pdf"},
    {"results", "results.json"},  // the last one: it says that all are there
};

std::string text_of(const fs::path& file) {
  std::error_code error;
  if (fs::is_symlink(file, error) || !fs::is_regular_file(file, error)) return "";
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder of our own: results are not written through anybody's link.
void make_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_symlink(folder, error))
    throw UserError(fmt::format("cannot write into {}: it is a symbolic link. Remove it.",
                                escaped(folder.string())));
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder))
    throw UserError(fmt::format("cannot make the folder {}: {}", escaped(folder.string()),
                                error ? error.message() : "a file has this name"));
}

}  // namespace

void GradeBatch::run(const std::vector<SubmissionHead>& heads) {
  rows_.resize(heads.size());
  std::vector<std::thread> workers;
  const auto threads = std::min<std::size_t>(static_cast<std::size_t>(std::max(settings_.jobs, 1)),
                                             std::max<std::size_t>(heads.size(), 1));
  std::atomic<std::size_t> running{threads};
  for (std::size_t i = 0; i < threads; ++i)
    workers.emplace_back([&] {
      work(heads);
      --running;
    });
  while (running > 0) {
    if (settings_.progress) settings_.progress(done_, heads.size());
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  for (std::thread& worker : workers) worker.join();
}

void GradeBatch::work(const std::vector<SubmissionHead>& heads) {
  for (;;) {
    if (settings_.stop && settings_.stop()) stopped_ = true;
    const std::size_t i = stopped_ ? heads.size() : next_++;
    if (i >= heads.size()) return;
    std::string failure;
    try {
      rows_[i] = one(heads[i]);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    ++done_;
    if (failure.empty()) continue;
    const std::lock_guard lock(mutex_);
    failures_.push_back(std::move(failure));
    rows_[i].id = heads[i].id;
    rows_[i].student = heads[i].student;
    rows_[i].submission = heads[i].submission->name;
    rows_[i].complaints = {failures_.back()};
  }
}

bool GradeBatch::all_there(const fs::path& folder) const {
  std::error_code error;
  for (const auto& [format, file] : kFiles)
    if (wants(format) && !fs::is_regular_file(folder / file, error)) return false;
  return true;
}

GradebookRow GradeBatch::one(const SubmissionHead& head) {
  const fs::path folder = settings_.out / head.id;
  const StudentMarks* marks = marks_.find(head.id);
  const std::string digest = grader_.digest(head, settings_.seed, marks,
                                            settings_.program + (settings_.brief ? " brief" : ""));
  if (wants("results") && all_there(folder))
    if (auto row = kept_row(text_of(folder / "results.json"), digest)) {
      ++kept_;
      return std::move(*row);
    }
  StudentReport report = grader_.grade(head, settings_.seed, marks);
  report.digest = digest;
  write(report, folder);
  return row_of(report);
}

void GradeBatch::write(const StudentReport& report, const fs::path& folder) {
  const bool any = wants("results") || wants("junit") || wants("html") || wants("pdf");
  if (!any) return;
  make_folder(folder);
  // Nothing of an earlier grading stays beside the new files.
  for (auto file = std::rbegin(kFiles); file != std::rend(kFiles); ++file) {
    const fs::path old = folder / file->second;
    std::error_code error;
    const bool link = fs::is_symlink(old, error);
    if (link || !wants(file->first) || file->first == "results") fs::remove(old, error);
  }
  const Course& course = grader_.course();
  ReportPictures* pictures = settings_.brief ? nullptr : &pictures_;
  const auto path = [&](std::string_view name) { return (folder / name).string(); };
  if (wants("junit")) write_whole(path("junit.xml"), junit_xml(report, course));
  if (wants("html")) write_whole(path("report.html"), report_html(report, course, pictures));
  if (wants("pdf")) {
    const std::vector<Scene> pages = report_pages(report, course, pictures, system_ruler());
    std::vector<const Scene*> all;
    for (const Scene& page : pages) all.push_back(&page);
    write_whole(path("report.pdf"), to_pdf(all, Theme(Theme::Kind::print)));
  }
  if (wants("results")) write_whole(path("results.json"), results_text(report, course));
}

}  // namespace rankscope::cli
