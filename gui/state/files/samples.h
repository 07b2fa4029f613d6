// Runs worth a look: what the first page shows, moving.
#pragma once

#include <span>
#include <string_view>

#include "engine/run/job/job.h"
#include "gui/state/run/document.h"

namespace rankscope::gui {

struct Sample {
  std::string_view name;   ///< In commands: "tree".
  std::string_view title;  ///< "Tree broadcast"
  std::string_view what;   ///< What there is to see.
  std::string_view job;    ///< "broadcast.binomial ranks=8 count=16"
};

std::span<const Sample> samples() noexcept;
/// The first ones, each as a card of the first page.
inline constexpr std::size_t kSampleCards = 6;
std::span<const Sample> sample_cards() noexcept;
/// The job, whatever ran before; `job` gives what a sample does not name. Throws UserError.
JobSpec job_of(const Sample& sample, JobSpec job = {});
/// A run of it on threads of this process, for its card. Takes some milliseconds: not for the window's thread.
DocumentPtr small_run_of(const Sample& sample);
/// Throws UserError that names them all.
const Sample& sample_named(std::string_view name);

}  // namespace rankscope::gui
