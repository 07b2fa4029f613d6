// Local worker processes: started with posix_spawn, watched through a lifeline, read through a
// status page that survives them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "engine/core/base/fd.h"
#include "engine/core/run/outcome.h"
#include "engine/core/trace/event_ring.h"
#include "engine/core/trace/status_page.h"

namespace rankscope {

/// The memory that a worker shares with its conductor. It has no name, so nothing is left behind, whichever process
/// dies.
class SharedStatusPage {
 public:
  /// Makes a new page with its ring. Throws UserError if the system lacks memory.
  SharedStatusPage();
  /// Maps the page and ring of an inherited descriptor.
  explicit SharedStatusPage(int fd);
  SharedStatusPage(SharedStatusPage&& other) noexcept;
  SharedStatusPage& operator=(SharedStatusPage&&) = delete;
  ~SharedStatusPage();
  StatusPage& page() const noexcept { return memory_->page; }
  EventRing& ring() const noexcept { return memory_->ring; }
  int fd() const noexcept { return fd_.get(); }

 private:
  struct Memory {
    StatusPage page;
    alignas(4096) EventRing ring;
  };
  Fd fd_;
  Memory* memory_ = nullptr;
};

/// A process's state or end, as the operating system reports it.
struct ProcessState {
  bool running = true;
  bool stopped = false;
  bool debugged = false;  ///< A debugger has stopped it, so it counts as alive.
  std::string what =
      {};  ///< "was killed by signal 9 (Killed)", "exited with code 3", "is stopped ..."
  RankLoss loss = RankLoss::unknown;
};

/// A worker process. Destroying the object kills and reaps it, unless it was adopted.
class WorkerProcess {
 public:
  static constexpr int kLifelineFd =
      3;  ///< In the worker: a socket that closes with the conductor.
  static constexpr int kStatusFd = 4;
  static constexpr int kMemoryFd = 5;  ///< Only for transports whose ranks share memory.

  /// Starts `argv` with `environment` ("NAME=value") added, and `memory` (-1: none) inherited. Throws UserError on
  /// failure.
  WorkerProcess(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
                int memory = -1);
  /// The two descriptors to pass to an adopted process.
  struct PassedDescriptors {
    Fd lifeline;
    int status = -1;  ///< Owned by the WorkerProcess.
  };
  /// Wraps a process started elsewhere, which is never reaped or killed; sets `theirs`.
  WorkerProcess(pid_t pid, PassedDescriptors& theirs);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  ~WorkerProcess();

  pid_t pid() const noexcept { return pid_; }
  bool adopted() const noexcept { return adopted_; }
  int lifeline() const noexcept { return lifeline_.get(); }
  RankStatus status() const { return read_status(status_.page()); }
  EventRingReader& events() noexcept { return events_; }
  /// Does not block. Once the process has ended, the state no longer changes.
  ProcessState poll();
  /// At the last poll().
  bool running() const noexcept { return state_.running; }
  bool debugged() const noexcept { return state_.debugged; }
  void kill() noexcept;

 private:
  ProcessState poll_adopted();
  SharedStatusPage status_;
  EventRingReader events_{status_.ring()};
  Fd lifeline_;
  pid_t pid_ = -1;
  bool adopted_ = false;
  ProcessState state_;
};

/// The grouping of ranks when several share a processor. Each group is a run of neighbours. rank_0_first begins the
/// first group at rank 0, which suits trees. rank_0_amid puts rank 0 in the middle of its group: in a flat collective
/// rank 0 answers rank 1 first, and the next ranks start sooner on another processor than the one that is still
/// sending.
enum class ProcessorShares : std::uint8_t { rank_0_first, rank_0_amid };

/// Binds the calling thread, and the threads that it will start, to the share of this machine's processors for `rank`
/// of `ranks` local ones. If there are fewer processors than ranks, neighbours in a ring share one, a rank's threads
/// wake each other on the same processor, no message waits for a migration, and run times are reproducible. Has no
/// effect where it is not possible.
void keep_to_share(Rank rank, int ranks, ProcessorShares shares) noexcept;

/// Returns whether the calling thread may use fewer than `ranks` processors.
bool must_share_processors(int ranks) noexcept;

/// During its lifetime, the calling thread (and permanently the threads that it starts meanwhile) does not preempt a
/// running thread: it waits until that thread has posted its messages, instead of running after each one. Used by ranks
/// that share processors and by threads that read their reports.
class BatchScheduling {
 public:
  BatchScheduling() noexcept;
  BatchScheduling(const BatchScheduling&) = delete;
  /// May be called in any thread.
  ~BatchScheduling();

 private:
  /// The thread whose policy was changed; 0 if its policy is not the default and was kept.
  int thread_ = 0;
};

/// Moves a descriptor above the numbers under which a worker inherits descriptors.
Fd above_inherited(Fd fd);

/// Returns this program's own file, for starting workers.
std::string own_program();
/// Returns a program beside this one, else on the PATH; nothing if there is none.
std::optional<std::string> program_beside(std::string_view name);

/// Allows this process (and its children) to open this many files: ZeroMQ aborts when it runs out of descriptors.
/// Throws UserError if the system does not allow it.
void need_descriptors(std::size_t count);

}  // namespace rankscope
