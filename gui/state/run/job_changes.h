// What a question changes in the job of a run: named one by one, taken off again, and offered.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/run/job/job.h"
#include "gui/state/run/document.h"
#include "gui/state/run/said_job.h"

namespace rankscope::gui {

/// A setting in which a job differs from the one that it was made of.
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
  bool failed = false;      ///< Its new text made no run: the answer says why.
  JobSpec base, job;        ///< Without and with the changes.
  DocumentPtr base_run,
      before;  ///< The base's run, and the one that is compared with; null until it is made.
  bool waits = false;  ///< The run of `job` has not ended yet.
  std::string words;   ///< The question as it was asked.
  std::string
      read_as;       ///< How it was read, where not each of its words was understood; else empty.
  std::string near;  ///< Another question that it could be; may be empty.
  std::string
      model;  ///< What the model says while a long run goes on, marked as the model's; else empty.
  std::string answer;  ///< "Rank 2 slow: 264 ms instead of 3.5 ms"; empty until the run has ended.
  std::string note;    ///< What has to be known about the comparison; may be empty.
  std::uint64_t run = 0;  ///< The document that answers, by run_id(); 0 until it has ended.
};

/// Returns what the words run while `shown` is the job on the screen. A question is of the base, so that what was asked before does
/// not stay; what is added ("and 8 ranks") and what is asked of the network on the screen is of the run on the screen.
Said said_of(const WhatIfRun& asked, const JobSpec& shown, std::string_view text);

std::vector<JobChange> changes_between(const JobSpec& base, const JobSpec& job);
/// Returns the job without the change. Throws UserError for a name that changes_between() does not have.
JobSpec take_off(const JobSpec& base, const JobSpec& job, std::string_view name);

/// Returns words that job_said() understands and that change this job: what an audience is likely to ask of it, at most `most`; none of the
/// algorithms that run already.
std::vector<std::string> likely_changes(const JobSpec& base, const JobSpec& job, std::size_t most,
                                        const std::vector<std::string>& running = {});

/// Returns the base in virtual time, to be compared with a simulated job: on the job's network, without the job's changes of
/// links and places; where the network is the change, with a link of the same speed between each two ranks.
JobSpec simulated_base(const JobSpec& base, const JobSpec& job);

/// Returns the seconds that the job takes by its algorithm's formula: simulated without a network on its links, else on usual_links().
/// Nothing on a network, with slow ranks, or without a formula.
std::optional<double> seconds_by_model(const JobSpec& job);
/// "links of 10 GB/s and 5 µs"
std::string usual_links();
/// Returns whether all ranks together have so much data that processes take a while.
bool has_much_data(const JobSpec& job);
/// Returns whether processes would take a while for it.
bool is_long(const JobSpec& job);
/// Returns the job in virtual time, on links of its own for each two ranks and without data.
JobSpec in_virtual_time(JobSpec job);
/// Returns the job, in virtual time if it is long and this machine cannot run it.
JobSpec fit_to_memory(JobSpec job);
/// Returns the job, simulated on links without its data if this machine has too little memory for it.
JobSpec fit_to_memory(JobSpec job);

}  // namespace rankscope::gui
