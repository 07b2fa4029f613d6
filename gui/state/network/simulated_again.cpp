// Makes a simulated job of a run's job, and records it.
#include "gui/state/network/simulated_again.h"

#include <filesystem>

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/trace/trace_file.h"
#include "engine/run/sim/sim_runner.h"

namespace rankscope::gui {
namespace {

/// A file descriptor that is readable once the end was requested.
class EndAsked {
 public:
  EndAsked() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~EndAsked() {
    if (fd_ >= 0) ::close(fd_);
  }
  EndAsked(const EndAsked&) = delete;
  EndAsked& operator=(const EndAsked&) = delete;
  int fd() const noexcept { return fd_; }
  void ask() const noexcept {
    const std::uint64_t one = 1;
    if (write(fd_, &one, sizeof one) < 0) return;  // it is readable already
  }

 private:
  const int fd_;
};

/// Writes the trace of the job, unless `stopped` is set meanwhile. Returns the error, or empty.
std::string simulate_to(const std::string& trace, const JobSpec& job,
                        const std::atomic<bool>& stopped) noexcept {
  try {
    const EndAsked end;
    RunnerOptions options;
    options.interrupt_fd = end.fd();
    options.on_progress = [&](const RunProgress&) {
      if (stopped) end.ask();
    };
    SimRunner runner(std::move(options));
    TraceMeta meta = meta_of(job);
    TraceWriter writer(trace, meta);
    const JobResult result = runner.run(job, writer);
    add_outcome(meta, runner, result);
    writer.close(std::move(meta));
    return result.ok() || result.deadlock ? std::string() : result.message;
  } catch (const std::exception& e) {
    return e.what();
  }
}

}  // namespace

JobSpec job_simulated_on(const Document& document, const Topology& topology,
                         const std::string& file) {
  if (!document.trace().meta().job)
    throw UserError("this trace does not name its job: run one of rankscope's algorithms");
  JobSpec job = *document.trace().meta().job;
  if (job.is_program() || !job.call.program.empty())
    throw UserError(
        "this is a program's run: save the network (Ctrl+S) and run the program again with "
        "rankscope exec --sim FILE");
  if (job.world.size > topology.ranks())
    throw UserError(fmt::format("the run has {} ranks, and this network has {}: open a larger one",
                                job.world.size, topology.ranks()));
  const JobSpec usual;
  job.transport.name = kSimTransport;
  job.network.topology = file;
  job.network.alpha_s = usual.network.alpha_s;
  job.network.bandwidth = usual.network.bandwidth;
  job.network.ports = usual.network.ports;
  job.network.failures.clear();  // of links that may no longer be there
  job.network.links.clear();     // the file has them
  job.network.placement.clear();
  return job;
}

std::string SimulatedJob::next_file(const std::string& name, const std::string& ending) {
  if (!folder_) folder_.emplace(folder_name_);
  return (folder_->path() / fmt::format("{}{}{}", name, number_ + 1, ending)).string();
}

void SimulatedJob::start(JobSpec job, std::function<void()> changed) {
  trace_ = next_file(name_, ".rankscope");
  ++number_;
  stop_ = false;
  simulating_ = made_behind(
      std::move(changed), [this, job = std::move(job)] { return simulate_to(trace_, job, stop_); });
}

bool SimulatedJob::has_made(const std::string& file) const {
  return folder_ && std::filesystem::path(file).parent_path() == folder_->path();
}

}  // namespace rankscope::gui
