// The changes that a question makes to a job: lists them, takes one off, offers others, and estimates times.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/run/job/job.h"
#include "gui/state/run/document.h"
#include "gui/state/run/question_parser.h"

namespace rankscope::gui {

/// A setting in which a job differs from its base.
struct JobChange {
  std::string_view name;  ///< As take_off() takes it: "ranks".
  std::string label;      ///< "5 ranks"
  bool operator==(const JobChange&) const = default;
};

/// The run that is shown as an answer to "what if": the run of a job with changes.
struct WhatIfRun {
  bool any = false;         ///< A question was asked of the run that is open.
  bool of_program = false;  ///< The answer is what an edit of a student's program changed.
  bool of_race = false;     ///< All algorithms of a race run again.
  bool failed = false;      ///< The program's new text made no run; `answer` says why.
  JobSpec base, job;        ///< Without and with the changes.
  DocumentPtr base_run,
      before;           ///< The base's run, and the run to compare with; null until it is made.
  bool waits = false;   ///< The run of `job` has not ended yet.
  std::string words;    ///< The question as it was asked.
  std::string read_as;  ///< How it was read, if not all of its words were understood; else empty.
  std::string near;     ///< Another question that it could be; may be empty.
  std::string
      model;  ///< The model's estimate, marked as such, while a long run goes on; else empty.
  std::string answer;  ///< "Rank 2 slow: 264 ms instead of 3.5 ms"; empty until the run has ended.
  std::string note;    ///< What has to be known about the comparison; may be empty.
  std::uint64_t run = 0;  ///< The document that answers, by run_id(); 0 until it has ended.
};

/// Returns what the words run while `shown` is the job on the screen. A question changes the base, so earlier changes go; words
/// that add ("and 8 ranks") or change the network of a simulated run change the run on the screen.
ParsedJob parse_what_if(const WhatIfRun& asked, const JobSpec& shown, std::string_view text);

std::vector<JobChange> changes_between(const JobSpec& base, const JobSpec& job);
/// Returns the job without the change. Throws UserError for a name that changes_between() does not have.
JobSpec take_off(const JobSpec& base, const JobSpec& job, std::string_view name);

/// Returns at most `most` words that parse_job() understands and that change this job, as an audience is likely to ask; none of the
/// algorithms in `running`.
std::vector<std::string> likely_changes(const JobSpec& base, const JobSpec& job, std::size_t most,
                                        const std::vector<std::string>& running = {});

/// Returns the base in virtual time, to compare with a simulated job. If the job changes links, places or speed: on its network
/// without these changes; else on a link of the network's speed between each two ranks.
JobSpec simulated_base(const JobSpec& base, const JobSpec& job);

/// Returns the job's seconds by its algorithm's formula, on its own links if it is simulated, else on usual_links(). Nothing
/// with a topology, with slow ranks, or without a formula.
std::optional<double> seconds_by_model(const JobSpec& job);
/// "links of 10 GB/s and 5 µs"
std::string usual_links();
/// Returns whether all ranks together have 64 MB or more.
bool has_much_data(const JobSpec& job);
/// Returns whether it is not simulated and has much data.
bool is_long(const JobSpec& job);
/// Returns the job in virtual time, with a link between each two ranks and without data.
JobSpec in_virtual_time(JobSpec job);
/// Returns the job, by in_virtual_time() if it is long and this machine cannot run it.
JobSpec fit_to_memory(JobSpec job);

}  // namespace rankscope::gui
