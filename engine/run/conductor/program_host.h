// Runs programs that are not algorithms of ours: any process that finds this host in its environment becomes a rank.
// Ranks that name the same world meet, and form one run with one trace.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "engine/core/base/fd.h"
#include "engine/core/base/subprocess.h"
#include "engine/core/run/platform.h"
#include "engine/run/conductor/local_socket.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/run/conductor/sockets.h"
#include "transports/zeromq/wake_fd.h"

namespace rankscope {

/// One run of a program: a world, from its first rank's arrival until its last one leaves.
struct ProgramRun {
  int number = 0;    ///< 1, 2, ... in the order in which the worlds were completed.
  std::string key;   ///< The key by which its ranks met.
  std::string test;  ///< The test that it ran in, if reported (pytest).
  JobSpec spec;
  JobResult result;
  std::vector<std::string> hosts;
  std::vector<std::int64_t> clock_offsets_ns;
};

/// A process that failed before it was a rank.
struct ProgramFailure {
  int copy = -1;      ///< See ProgramApplication.
  std::string error;  ///< Its error, with the program's line.
};

struct ProgramHostOptions {
  /// Send mode (unless the platform chooses it), trace level, timeout, delays, transport.
  JobSpec base;
  bool platform_chooses_mode = true;  ///< torch and Ray: rendezvous; MPI: eager up to a limit.
  std::uint64_t mpi_eager_limit = kEagerLimit;
  /// Returns, for a world size, each rank's microseconds before each message verb.
  std::function<std::vector<double>(int)> delays;
  int copies = 0;  ///< Copies that become one rank each; 0 if the program starts its ranks itself.
  double gather_timeout_s = 60;  ///< Limit for the other ranks of a world to come.
  /// Returns the sink for a run's events. Called in the run's own thread, before its ranks start.
  std::function<std::unique_ptr<EventSink>(const ProgramRun&)> open;
  /// Called in the run's thread when it is over; `sink` is the one that `open` made.
  std::function<void(const ProgramRun&, EventSink& sink)> ended;
  std::function<void(const std::string&)> notice;
  /// Returns how a process ended ("exited with code 3"); empty if unknown. Called in a run's thread.
  std::function<std::string(pid_t)> how_ended;
  std::function<void(const ProgramRun&, const RunProgress&)> on_progress;
};

/// Returns the job of a program's world of `size` ranks; `platform` and `program` come from its first rank and may be
/// empty.
JobSpec program_spec(const ProgramHostOptions& options, const std::string& platform,
                     const std::string& program, int size);

class ProgramHost {
 public:
  /// Throws UserError.
  explicit ProgramHost(ProgramHostOptions options);
  /// Ends everything that still runs.
  ~ProgramHost();

  /// Returns the variable that programs need in their environment: "RANKSCOPE_EXEC=/path/of/the/socket".
  std::string variable() const;
  /// Ends all runs, and any that would start later.
  void interrupt() noexcept;
  /// Returns the number of active runs and of worlds that wait for ranks.
  int active() const;
  int started() const;
  /// Returns the number of active runs.
  int running() const;
  /// Returns why all was ended, if the program cannot run with these options; else empty.
  std::string misuse() const;
  /// Returns the errors of processes that ended before they were ranks. Complete after finish().
  std::vector<ProgramFailure> failures() const;
  /// Returns one line for each world that still waits for ranks: which are there, and which are missing.
  std::vector<std::string> waiting() const;
  /// Waits until no run is active. Incomplete worlds are refused.
  void finish();

 private:
  struct JoiningProcess {
    Fd connection;
    Rank rank = -1;
    pid_t pid = -1;
    int copy = -1;  ///< See ProgramApplication.
  };
  struct Gathering {
    ProgramRun run;
    std::vector<JoiningProcess> joining_processes;
    Clock::time_point since = Clock::now();
  };
  struct Active {
    std::thread thread;
    std::vector<std::pair<int, pid_t>> copies;  ///< Its ranks: copy and process.
    bool over = false;
  };

  void serve();
  void greet(Fd connection);
  void apply(Fd connection, const std::string& hello);
  void drop_gone();
  void refuse_incomplete_worlds();
  void refuse_ranks_apart();
  void reap();
  void begin(Gathering&& world);
  void conduct(Gathering world, Active& active);
  bool another_of(const JoiningProcess& joining) const;
  bool is_one_of_several(const JoiningProcess& joining) const;
  void end_misuse(const Fd& connection);
  static void refuse(const Fd& connection, const std::string& reason);
  static std::string missing(const Gathering& world);

  const ProgramHostOptions options_;
  RunDirectory directory_;
  Fd listener_;
  WakeFd wake_;       ///< Wakes the serving thread.
  WakeFd interrupt_;  ///< Never drained: every run sees it.
  mutable std::mutex mutex_;
  std::list<Fd> unidentified_;  ///< Connected, but have sent nothing yet.
  std::map<std::string, Gathering> gathering_;
  std::list<Active> active_;
  int started_ = 0;
  std::string misuse_;
  std::vector<ProgramFailure> failures_;
  bool closing_ = false, refusing_ = false;
  bool heard_all_ = false;  ///< All messages from before refusing_ was set are read.
  std::thread server_;
};

/// A rank's assignment from the host.
struct RankAssignment {
  std::string rendezvous;
  Rank rank = -1;
  int size = 0;
  Fd lifeline, status;
  Fd memory;  ///< Only for transports whose ranks share memory.
};
struct ProgramApplication {
  Rank rank = -1;  ///< -1: any.
  int size = 0;
  std::string key, platform, program, test;
  int copy = -1;  ///< The copy of the program that this process is or comes from; -1: none.
};
/// Asks the host for a rank. Throws UserError if there is no host, or if it refuses, with its reason.
RankAssignment request_rank(const std::string& host, const ProgramApplication& application);

/// PyTorch takes longer to load than a small program takes to run, so it is loaded once for all copies. The other end
/// is lessons/python/site/_stem.py. Only Children, which adopts the copies, uses it.
class ProgramStem {
 public:
  /// Starts a process that loads `modules`. All copies share `environment`. If a file in the program's `folder` hides a
  /// loaded module, nothing is forked. Throws UserError.
  ProgramStem(const std::vector<std::string>& argv, std::vector<std::string> environment,
              const std::vector<std::string>& modules, const std::string& folder);

  /// Waits, at most a minute, until copies can be forked. Returns false if they must be started instead, because a
  /// module cannot be loaded or starts a thread, or `interrupt_fd` became readable.
  bool wait_ready(int interrupt_fd);
  /// Forks a copy, which leads its own process group. Returns its process id, or -1.
  pid_t fork_copy(const std::vector<std::string>& environment,
                  const std::vector<SubprocessOptions::Descriptor>& descriptors);

  pid_t pid() const noexcept { return process_.pid(); }

 private:
  ProgramStem(const std::vector<std::string>& argv, std::vector<std::string> environment,
              const std::vector<std::string>& modules, const std::string& folder, FdPair channel);

  Fd channel_;
  Subprocess process_;
};

}  // namespace rankscope
