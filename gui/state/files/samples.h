// The sample runs of the first page.
#pragma once

#include <span>
#include <string_view>

#include "engine/run/job/job.h"
#include "gui/state/run/document.h"

namespace rankscope::gui {

struct Sample {
  std::string_view name;   ///< In commands: "tree".
  std::string_view title;  ///< "Tree broadcast"
  std::string_view what;   ///< A line on what there is to see.
  std::string_view job;    ///< "broadcast.binomial ranks=8 count=16"
};

std::span<const Sample> samples() noexcept;
/// The samples that are cards of the first page.
inline constexpr std::size_t kSampleCards = 6;
std::span<const Sample> sample_cards() noexcept;
/// Returns the sample's job, with other fields of `job` except network, sends, delays and root. Throws UserError.
JobSpec job_of(const Sample& sample, JobSpec job = {});
/// Runs the job on threads of this process, or in virtual time where it has much data, for a card. Takes some milliseconds: not for
/// the window's thread.
DocumentPtr small_run_of(JobSpec job);
/// Throws UserError that names them all.
const Sample& sample_named(std::string_view name);

}  // namespace rankscope::gui
