// Local worker processes: started with posix_spawn, watched through a lifeline, read through a
// status page that survives them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "engine/core/base/fd.h"
#include "engine/core/run/cause.h"
#include "engine/core/trace/event_ring.h"
#include "engine/core/trace/status_page.h"

namespace rankscope {

/// The memory that a worker shares with its conductor, without a name, so that nothing is left behind, no
/// matter which process dies.
class SharedStatusPage {
 public:
  /// A new page with its ring. Throws UserError when the system has no room.
  SharedStatusPage();
  /// Those behind an inherited descriptor.
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

/// How a process ended or stands, as the operating system tells it.
struct ProcessState {
  bool running = true;
  bool stopped = false;
  std::string what;  ///< "was killed by signal 9 (Killed)", "exited with code 3", "is stopped ..."
  RankLoss loss = RankLoss::unknown;
};

/// One spawned worker. Destroying it kills the process and reaps it.
class WorkerProcess {
 public:
  static constexpr int kLifelineFd =
      3;  ///< In the worker: a socket that closes with the conductor.
  static constexpr int kStatusFd = 4;
  static constexpr int kMemoryFd = 5;  ///< Only of transports whose ranks share memory.

  /// Starts `argv` with `environment` ("NAME=value") added, and `memory` (-1: none) inherited. Throws UserError when
  /// that fails.
  WorkerProcess(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
                int memory = -1);
  /// A process that somebody else started, and that is a rank for a while: it is not reaped, and never
  /// killed. `theirs` gets the two descriptors that it is to be handed: lifeline and status page.
  struct PassedDescriptors {
    Fd lifeline;
    int status = -1;  ///< Stays ours; a copy of it is handed over.
  };
  WorkerProcess(pid_t pid, PassedDescriptors& theirs);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  ~WorkerProcess();

  pid_t pid() const noexcept { return pid_; }
  bool adopted() const noexcept { return adopted_; }
  int lifeline() const noexcept { return lifeline_.get(); }
  RankStatus status() const { return read_status(status_.page()); }
  EventRingReader& events() noexcept { return events_; }
  /// Does not block. Once ended, the state stays.
  ProcessState poll();
  /// As of the last poll().
  bool running() const noexcept { return state_.running; }
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

/// Which ranks share a processor: runs of neighbours, either from rank 0 on, as trees of halves have them, or with
/// rank 0 amid its run. Rank 0 of a flat collective answers rank 1 first, and where messages have a thread of their
/// own, the next ranks begin sooner if they need not wait for the processor that still sends to the others.
enum class Shares : std::uint8_t { rank_0_first, rank_0_amid };

/// Binds the calling thread, and those that it will start, to the share of this machine's processors
/// that falls to `rank` of `ranks` local ones. So neighbours in a ring share a processor when there are
/// fewer than ranks, a rank's threads wake each other where they are, no message waits for a migration,
/// and a run takes as long as the one before. Without effect where it is not possible.
void keep_to_share(Rank rank, int ranks, Shares shares) noexcept;

/// Whether the calling thread may use fewer processors than so many ranks.
bool must_share_processors(int ranks) noexcept;

/// While it lives, the calling thread, and for good those that it starts meanwhile, take no processor from a thread that
/// runs: they wait until that one has posted what it has to post, instead of running after each message. For ranks that
/// share processors, and for who reads what ranks report, as they may need all processors.
class BatchScheduling {
 public:
  BatchScheduling() noexcept;
  BatchScheduling(const BatchScheduling&) = delete;
  /// In any thread.
  ~BatchScheduling();

 private:
  /// The thread whose policy was changed; 0 when it keeps one that is not the usual.
  int thread_ = 0;
};

/// Moved up, so that it is none of the numbers under which a worker inherits descriptors.
Fd above_inherited(Fd fd);

/// This program's own file, for starting workers.
std::string own_program();

/// Lets this process (and what it starts) open so many files: ZeroMQ aborts when it cannot. Throws
/// UserError when the system does not allow it.
void need_descriptors(std::size_t count);

}  // namespace rankscope
