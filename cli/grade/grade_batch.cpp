// The threads that grade a class: the queue of students, writing each result, and what happens on
// an error.
#include "cli/grade/grade_batch.h"

#include <chrono>
#include <cmath>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/sizes.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/paint/cairo_painter.h"
#include "lessons/reports/gradebook.h"
#include "lessons/reports/report_html.h"
#include "lessons/reports/report_pages.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::pair<std::string_view, std::string_view> kFiles[] = {
    {"junit", "junit.xml"},
    {"html", "report.html"},
    {"pdf", "report.pdf"},
    {"results", "results.json"},  // written last, so that its existence shows that all are there
};

/// Makes a folder; refuses a symbolic link, through which results would be written elsewhere.
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

std::string GradeBatch::kept_text() const {
  std::vector<std::string> parts;
  if (kept_ > 0) parts.push_back(fmt::format("{} as before", kept()));
  if (programs_kept_ > 0) parts.push_back(plural(programs_kept(), "program") + " not run again");
  return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, "; "));
}

void GradeBatch::work(const std::vector<SubmissionHead>& heads) {
  for (;;) {
    if (settings_.stop && settings_.stop()) stopped_ = true;
    const std::size_t i = stopped_ ? heads.size() : next_++;
    if (i >= heads.size()) return;
    std::string failure;
    try {
      rows_[i] = one(heads[i]);
    } catch (const GradingStopped&) {
      stopped_ = true;  // nothing of this student was written; the next grading does it
      return;
    } catch (const std::exception& error) {
      failure = error.what();
    }
    ++done_;
    if (failure.empty()) continue;
    rows_[i].id = heads[i].id;
    rows_[i].student = heads[i].student;
    rows_[i].submission = heads[i].submission;
    rows_[i].complaints = {failure};
    fail(std::move(failure));
  }
}

void GradeBatch::fail(std::string why) {
  const std::lock_guard lock(mutex_);
  failures_.push_back(std::move(why));
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
  if (const auto hidden = settings_.hidden.find(head.id);
      marks == nullptr && hidden != settings_.hidden.end())
    marks = marks_.find(hidden->second);
  const HandIn hand_in = settings_.rules.judge(
      head.real_student.empty() ? head.student : head.real_student, head.handed_in);
  std::optional<std::uint64_t> seed = settings_.seed;
  if (const auto own = settings_.seeds.find(head.id); !seed && own != settings_.seeds.end())
    seed = own->second;
  // Without --code no program is run, so only earlier results are known.
  const bool fresh = settings_.again && grader_.runs_programs();
  KeptResults earlier = fresh ? KeptResults() : earlier_results_of(head.id);
  const std::string inputs = grader_.inputs(
      head, seed, marks,
      (settings_.brief ? " brief" : "") + marks_.bulk_digest() + digest_text(hand_in),
      !earlier.programs.empty());
  if (settings_.merge) return merged(head, std::move(earlier), inputs);
  const std::string digest = grader_.digest(inputs, settings_.program);
  if (!settings_.again && wants("results") && all_there(folder) && earlier.digest == digest) {
    ++kept_;
    return std::move(earlier.row);
  }
  StudentReport report = grader_.grade(head, seed, marks, earlier.programs);
  add_bulk_comments(marks_.bulk(), report);
  programs_kept_ += report.programs_kept;
  settings_.rules.apply(hand_in, report);
  report.inputs = inputs;
  report.digest = report.repeatable ? digest : "";  // without one it is graded the next time, too
  std::vector<std::string> lost = write(report, folder);
  GradebookRow row = row_of(report);
  for (std::string& one : lost) {
    row.complaints.push_back(one);
    fail(std::move(one));
  }
  return row;
}

GradebookRow GradeBatch::merged(const SubmissionHead& head, KeptResults kept,
                                const std::string& inputs) const {
  if (kept.inputs.empty())
    throw UserError(fmt::format("{}: no shard has graded it: run its shard again, then --merge",
                                escaped(head.submission)));
  if (kept.inputs != inputs || !all_there(settings_.out / head.id))
    throw UserError(
        fmt::format("{}: its answers, programs, marks or the options have changed since its shard "
                    "graded it: run that shard again, then --merge",
                    escaped(head.submission)));
  return std::move(kept.row);
}

KeptResults GradeBatch::earlier_results_of(const std::string& student) {
  const fs::path file = settings_.out / student / "results.json";
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(file, error))) return {};
  std::string fault;
  const std::string text = read_whole(file, kMostResults, fault, LinkRule::refuse);
  auto out = kept_results(text, settings_.key);
  fault = !out ? "is damaged" : out->fault;
  if (fault.empty()) return std::move(*out);
  const std::lock_guard lock(mutex_);
  not_taken_[fault].push_back(student);
  return {};
}

std::vector<std::string> GradeBatch::remarks() const {
  std::vector<std::string> out;
  for (const auto& [fault, students] : not_taken_)
    out.push_back(fmt::format("results.json {}: nothing in it is used, and {} {} graded again",
                              fault, fmt::join(students, ", "),
                              students.size() == 1 ? "is" : "are"));
  return out;
}

std::vector<std::string> GradeBatch::write(const StudentReport& report, const fs::path& folder) {
  const bool any = wants("results") || wants("junit") || wants("html") || wants("pdf");
  if (!any) return {};
  make_folder(folder);
  // Removes an earlier grading's files, so that none stays beside the new ones.
  for (auto file = std::rbegin(kFiles); file != std::rend(kFiles); ++file) {
    std::error_code error;
    if (!wants(file->first) || file->first == "results") fs::remove(folder / file->second, error);
  }
  const Course& course = grader_.course();
  ReportPictures* pictures = settings_.brief ? nullptr : &pictures_;
  std::vector<std::string> lost;
  // A report that cannot be drawn costs no student the marks, which are in results.json.
  const auto attempt = [&](std::string_view format, std::string_view name,
                           const std::function<std::string()>& make) {
    if (!wants(format)) return;
    try {
      write_result(folder, name, make());
    } catch (const std::exception& error) {
      std::error_code ignored;
      fs::remove(folder / name, ignored);  // the one of an earlier grading
      lost.push_back(
          fmt::format("{} of '{}' could not be written: {}", name, report.student, error.what()));
    }
  };
  const StudentReport shown = report.shown();
  attempt("junit", "junit.xml", [&] { return junit_xml(shown, course); });
  attempt("html", "report.html", [&] { return report_html(shown, course, pictures); });
  attempt("pdf", "report.pdf", [&] {
    return to_pdf(report_pages(shown, course, pictures, system_ruler()), Theme(Theme::Kind::print));
  });
  if (wants("results"))
    write_result(folder, "results.json", results_text(report, course, settings_.key));
  return lost;
}

void GradeBatch::write_for_gradescope(const std::string& file, double seconds) const {
  if (rows_.size() != 1)
    throw UserError(
        fmt::format("--results: the results of one submission, and here are {}", rows_.size()));
  std::string fault;
  const std::string text = read_whole(settings_.out / rows_.front().id / "results.json",
                                      kMostResults, fault, LinkRule::refuse);
  if (!fault.empty()) throw UserError("--results: its results.json " + fault);
  nlohmann::json results = parse_json(text);
  constexpr double kTenth = 10;
  results["execution_time"] = std::round(seconds * kTenth) / kTenth;
  write_whole(file, dump_json(results, 1) + "\n");
}

std::set<std::string> formats_of(const std::string& list) {
  std::set<std::string> out;
  const std::vector<std::string> known(std::begin(GradeBatch::kFormats),
                                       std::end(GradeBatch::kFormats));
  for (const auto part : split_at(list, ",")) {
    const std::string word(part);
    if (word.empty()) continue;
    if (ranges::find(known, word) == known.end())
      throw UserError(fmt::format("--format: '{}' is none of {}{}", word, fmt::join(known, ", "),
                                  nearest_hint(word, known)));
    if (word == "pdf" && !has_cairo())
      throw UserError("--format: this rankscope was built without Cairo, so it writes no pdf");
    out.insert(word);
  }
  if (out.empty()) throw UserError("--format: say at least one of results,junit,html,pdf,csv");
  return out;
}

void write_result(const fs::path& folder, std::string_view name, std::string_view bytes) {
  const fs::path file = folder / name;
  std::error_code error;
  if (fs::is_symlink(file, error)) fs::remove(file, error);
  write_whole(file.string(), bytes);
}

std::optional<Shard> shard_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  constexpr int kMostShards = 100'000;
  const auto slash = text.find('/');
  if (slash == std::string::npos)
    throw UserError(
        fmt::format("--shard: '{}' is no part such as 3/8, the third of eight", escaped(text)));
  Shard out;
  out.of =
      static_cast<int>(parse_integer(text.substr(slash + 1), "--shard I/N: N", 1, kMostShards));
  out.number = static_cast<int>(parse_integer(text.substr(0, slash), "--shard I/N: I", 1, out.of));
  return out;
}

void Shard::keep_own(std::vector<SubmissionHead>& heads) const {
  std::vector<SubmissionHead> own;
  for (std::size_t i = static_cast<std::size_t>(number) - 1; i < heads.size();
       i += static_cast<std::size_t>(of))
    own.push_back(std::move(heads[i]));
  heads = std::move(own);
}

}  // namespace rankscope::cli
