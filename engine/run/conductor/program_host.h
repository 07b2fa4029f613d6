// Runs programs that are no algorithms of ours: any process that finds this host in its environment
// becomes a rank. Ranks that name the same world meet, and are one run with one trace.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/run/conductor/local_socket.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/run/conductor/run_directory.h"
#include "transports/zeromq/wake_fd.h"

namespace rankscope {

/// One run of a program: a world from its first rank's arrival to its last one's leave.
struct ProgramRun {
  int number = 0;    ///< 1, 2, ... in the order in which the worlds were complete.
  std::string key;   ///< By which its ranks met.
  std::string test;  ///< The test that it ran in, where something says so (pytest).
  JobSpec spec;
  JobResult result;
  std::vector<std::string> hosts;
  std::vector<std::int64_t> clock_offsets_ns;
};

struct ProgramHostOptions {
  /// Send mode (unless the platform is to choose), trace level, time-out, delays, transport.
  JobSpec base;
  bool platform_chooses_mode = true;  ///< torch and Ray: rendezvous; MPI: eager up to a limit.
  std::uint64_t mpi_eager_limit = 4096;
  /// By world size: microseconds before each message verb, per rank.
  std::function<std::vector<double>(int)> delays;
  int copies = 0;  ///< Copies that become one rank each; 0 when the program starts its ranks.
  double gather_timeout_s = 60;  ///< For the other ranks of a world to come.
  /// Where a run's events go. Called in the run's own thread, before its ranks begin.
  std::function<std::unique_ptr<EventSink>(const ProgramRun&)> open;
  /// The run is over. Called in its thread; `sink` is what `open` made.
  std::function<void(const ProgramRun&, EventSink& sink)> ended;
  std::function<void(const std::string&)> notice;
  std::function<void(const ProgramRun&, const RunProgress&)> on_progress;
};

/// The job of a world of `size` ranks of a program; `platform`, `program`: what its first rank says, may be empty.
JobSpec program_spec(const ProgramHostOptions& options, const std::string& platform,
                     const std::string& program, int size);

class ProgramHost {
 public:
  /// Throws UserError.
  explicit ProgramHost(ProgramHostOptions options);
  /// Ends what still runs.
  ~ProgramHost();

  /// The variable that programs need in their environment: "RANKSCOPE_EXEC=/path/of/the/socket".
  std::string variable() const;
  /// Ends all runs, and those that would begin.
  void interrupt() noexcept;
  /// Runs that go on, and worlds that wait for ranks.
  int active() const;
  int started() const;
  /// Runs that go on.
  int running() const;
  /// Not empty: why all was ended, since the program cannot be run as it was asked for.
  std::string misuse() const;
  /// One line for each world that still waits for ranks: who is there, who is not.
  std::vector<std::string> waiting() const;
  /// Waits until no run goes on. Worlds that are not complete are refused.
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
  WakeFd wake_;       ///< For the serving thread.
  WakeFd interrupt_;  ///< Never drained: every run sees it.
  mutable std::mutex mutex_;
  std::list<Fd> unidentified_;  ///< Connected, and silent so far.
  std::map<std::string, Gathering> gathering_;
  std::list<Active> active_;
  int started_ = 0;
  std::string misuse_;
  bool closing_ = false, refusing_ = false;
  std::thread server_;
};

/// What a rank gets from the host. Throws UserError: no host, or a refusal with its reason.
struct RankAssignment {
  std::string rendezvous;
  Rank rank = -1;
  int size = 0;
  Fd lifeline, status;
  Fd memory;  ///< Only of transports whose ranks share memory.
};
struct ProgramApplication {
  Rank rank = -1;  ///< -1: any.
  int size = 0;
  std::string key, platform, program, test;
  int copy =
      -1;  ///< The copy of the program that this process is, or that it comes from; -1: none.
};
RankAssignment request_rank(const std::string& host, const ProgramApplication& application);

}  // namespace rankscope
