// Runs a run's job once more, in virtual time on another network.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <utility>

#include "engine/core/base/scratch_folder.h"
#include "engine/network/topology.h"
#include "engine/run/job/job.h"
#include "gui/state/command/made_later.h"
#include "gui/state/run/document.h"

namespace rankscope::gui {

/// Returns the run's job on the network in `file`. Throws UserError for a program's run, a trace without a job, and more ranks
/// than the network has.
JobSpec job_simulated_on(const Document& document, const Topology& topology,
                         const std::string& file);

/// A job that is simulated in the background, into a trace that is gone at the end.
class SimulatedJob {
 public:
  /// `folder` and `name` begin the names of the temporary folder and of the traces in it.
  SimulatedJob(std::string folder, std::string name)
      : folder_name_(std::move(folder)), name_(std::move(name)) {}
  ~SimulatedJob() { stop(); }
  SimulatedJob(const SimulatedJob&) = delete;
  SimulatedJob& operator=(const SimulatedJob&) = delete;

  bool running() const { return simulating_.valid(); }
  bool ready() const { return is_ready(simulating_); }
  void stop() noexcept { stop_ = true; }
  /// Returns a file beside the next trace.
  std::string next_file(const std::string& name, const std::string& ending);
  void start(JobSpec job, std::function<void()> changed);
  /// Returns the error, or empty. Once, when it is ready.
  std::string take() { return simulating_.get(); }
  const std::string& trace() const noexcept { return trace_; }
  /// Returns whether the file is in the temporary folder.
  bool has_made(const std::string& file) const;

 private:
  std::string folder_name_, name_, trace_;
  std::optional<ScratchFolder> folder_;
  int number_ = 0;
  std::atomic<bool> stop_ = false;
  std::future<std::string> simulating_;
};

}  // namespace rankscope::gui
