// Grades a class by several threads, and writes each student's files as soon as the results are known.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/reports/class_rules.h"
#include "lessons/reports/course_report.h"
#include "lessons/reports/report_pictures.h"
#include "lessons/reports/results_json.h"
#include "lessons/submissions/submission_heads.h"

namespace rankscope::cli {

class GradeBatch {
 public:
  struct Settings {
    std::filesystem::path out;
    std::set<std::string> formats;  ///< Some of kFormats.
    std::optional<std::uint64_t> seed;
    std::map<std::string, std::uint64_t>
        seeds;  ///< Seeds of personal copies, by the folder's name.
    ClassRules rules = {};
    /// By the folder's name: the pseudonym, which marks.toml may also use.
    std::map<std::string, std::string> hidden = {};
    int jobs = 1;
    bool brief = false;          ///< Leaves explanations and pictures out.
    bool again = false;          ///< Takes no results of an earlier grading.
    bool merge = false;          ///< Takes what shards have graded, and grades nothing.
    std::string key;             ///< The key of the results' seals (results_text()).
    std::string program;         ///< A hash of this build; results of other builds are not taken.
    std::function<bool()> stop;  ///< Asked between two students.
    std::function<void(std::size_t done, std::size_t all)>
        progress;  ///< Called by run()'s own thread.
  };
  static constexpr std::string_view kFormats[] = {"results", "junit", "html", "pdf", "csv"};

  GradeBatch(CourseGrader& grader, const Marks& marks, Settings settings)
      : grader_(grader), marks_(marks), settings_(std::move(settings)), pictures_(grader) {}

  /// Grades all submissions, or those before `stop` returns true. Failures are in failures().
  void run(const std::vector<SubmissionHead>& heads);

  bool stopped() const noexcept { return stopped_; }
  std::size_t kept() const noexcept { return kept_; }
  /// The number of programs that were not run, because earlier results were taken.
  std::size_t programs_kept() const noexcept { return programs_kept_; }
  /// Both numbers, as " (2 as before; 12 programs not run again)"; may be empty.
  std::string kept_text() const;
  const std::vector<GradebookRow>& rows() const noexcept { return rows_; }
  /// Files that could not be written, one line each.
  const std::vector<std::string>& failures() const noexcept { return failures_; }
  /// Writes the only submission's results.json once more, with the time that grading took. Throws UserError.
  void write_for_gradescope(const std::string& file, double seconds) const;
  /// Earlier results that could not be taken, one line each.
  std::vector<std::string> remarks() const;

 private:
  void work(const std::vector<SubmissionHead>& heads);
  GradebookRow one(const SubmissionHead& head);
  void fail(std::string why);
  /// Returns a student's row as a shard graded it. Throws UserError with advice if it is missing or out of date.
  GradebookRow merged(const SubmissionHead& head, KeptResults kept,
                      const std::string& inputs) const;
  /// Reads a student's earlier results; those with another seal are left out, and remarks() names the student.
  KeptResults earlier_results_of(const std::string& student);
  bool all_there(const std::filesystem::path& folder) const;
  /// Writes the files of one student. Returns those that could not be written, one line each.
  std::vector<std::string> write(const StudentReport& report, const std::filesystem::path& folder);
  bool wants(std::string_view format) const {
    return settings_.formats.contains(std::string(format));
  }

  CourseGrader& grader_;
  const Marks& marks_;
  Settings settings_;
  ReportPictures pictures_;
  std::vector<GradebookRow> rows_;
  std::vector<std::string> failures_;
  std::map<std::string, std::vector<std::string>>
      not_taken_;  ///< Reason -> students whose earlier results were not taken.
  std::mutex mutex_;
  std::atomic<std::size_t> next_{0}, done_{0}, kept_{0}, programs_kept_{0};
  std::atomic<bool> stopped_{false};
};

/// The formats in "results,html". Throws UserError that names GradeBatch::kFormats.
std::set<std::string> formats_of(const std::string& list);

/// Writes a file into a folder of results: whole or not at all, and not through a symbolic link. Throws UserError.
void write_result(const std::filesystem::path& folder, std::string_view name,
                  std::string_view bytes);

/// Part `number` (from 1) of `of`.
struct Shard {
  int number = 1, of = 1;
  /// Keeps every `of`-th submission: neighbours, whose programs may cost alike, go to different parts.
  void keep_own(std::vector<SubmissionHead>& heads) const;
};

/// Reads "3/8"; nothing for "". Throws UserError.
std::optional<Shard> shard_of(const std::string& text);

}  // namespace rankscope::cli
