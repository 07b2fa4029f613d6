// The conductor's side of a world of worker processes: it starts them or lets them join, runs the control and event
// planes, and detects dead, stopped or silent ones. Payload never passes through it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <zmq.hpp>

#include "engine/core/base/error.h"
#include "engine/core/trace/event.h"
#include "engine/run/conductor/control.h"
#include "engine/run/conductor/launcher.h"
#include "engine/run/conductor/sockets.h"
#include "engine/run/job/job.h"
#include "transports/factory.h"

namespace rankscope {

class CurveGate;

struct WorldOptions {
  int world_size = 4;
  std::string transport{kDefaultTransport};  ///< The data plane's; must be one between processes.
  std::string program;  ///< Started as `program worker ...`; empty to start this executable.
  std::vector<std::string> plugins;  ///< The options by which spawned ranks load plug-ins.
  std::string join;                  ///< "tcp://host:port": ranks join there; none is spawned.
  std::string key_file;  ///< The file to which the key for joiners is written (with `join`).
  /// By rank, processes started elsewhere, so that none is spawned. `on_open` is called once they can connect, with the
  /// address and the shared memory (-1 if the transport has none) to pass to them.
  std::vector<WorkerProcess> adopted;
  std::function<void(const Rendezvous&, int memory)> on_open;
  double start_timeout_s = 60;  ///< Time limit in seconds for all ranks to join; 0 for none.
  bool pin = true;              ///< Keep each spawned rank to its share of the processors.
  int interrupt_fd = -1;        ///< Becomes readable to stop the run.
  /// Called with one line for each rank that joins and each connection that is refused.
  std::function<void(const std::string&)> notice;
};

/// Thrown when a rank is lost or the user interrupts during the start; result() reports it like a job.
class StartFailure : public UserError {
 public:
  using UserError::UserError;
  /// Unset if the user interrupted.
  std::optional<RankFailure> lost;
  JobResult result() const;
};

struct Member {
  Rank rank = -1;
  std::string identity;  ///< Names its control connection; empty until it has joined.
  std::string host, boot, endpoint;
  int pid = 0;
  std::optional<WorkerProcess> process;  ///< Only for a rank that we spawned.
  Clock::time_point last_seen{};
  std::string last_status;  ///< From heartbeats, for ranks on other hosts.
  std::uint64_t reported_events = 0;
  std::uint32_t reported_epoch = 0;  ///< The job to which they belong.
  std::int64_t clock_offset_ns = 0;  ///< The offset to add to its clock to get ours.
  bool ready = false;

  std::string describe() const { return process ? process->status().describe() : last_status; }
  /// Returns the number of events that it has recorded in a job, sent or not, as far as known here.
  std::uint64_t recorded_events(std::uint32_t epoch) const;
};

/// Not thread-safe: all calls must come from one thread.
class World {
 public:
  struct Listener {
    virtual ~Listener() = default;
    virtual void on_control(Member& member, const ControlMessage& message) = 0;
    virtual void on_events(EventBatch&& batch) = 0;
    /// Called, perhaps repeatedly, for a rank that has ended, is stopped, or does not answer.
    virtual void on_lost(Member& member, const std::string& what, RankLoss loss) = 0;
  };

  /// Starts and greets all ranks. Throws UserError if that fails (nothing is left behind then), StartFailure if a rank
  /// is lost meanwhile or the user interrupts.
  explicit World(WorldOptions options);
  ~World();

  /// Waits for messages, until the deadline but at most 50 ms, and handles those that arrived. `extra`, if not -1, also
  /// ends the wait when readable. Returns false if the user interrupts.
  bool pump(Deadline deadline, Listener& listener, int extra = -1);
  void send(const Member& member, const ControlMessage& message);
  void send_all(const ControlMessage& message);
  /// watch_interrupt(false) makes pump() ignore interrupt_fd while the run is being stopped.
  void watch_interrupt(bool watch) noexcept { watches_interrupt_ = watch; }
  /// Returns, without blocking, the first failure of a rank ("rank 2 was killed by ..."); empty if there is none.
  std::string describe_failed_rank();
  /// Returns whether a debugger held a rank when the processes were last looked at.
  bool debugged() const;
  /// Declares the ranks unusable, so that shut_down() waits for them only 0.1 s.
  void shorten_grace() noexcept { short_grace_ = true; }

  int size() const noexcept { return options_.world_size; }
  const WorldOptions& options() const noexcept { return options_; }
  std::vector<Member>& members() noexcept { return members_; }
  /// Measures clock offsets of ranks on other hosts (local ones share our clock).
  void measure_clocks();
  /// Returns how many peers without the run's key were refused, and how many messages were refused or malformed.
  std::uint64_t refused() const noexcept { return refused_ + refused_by_gate_; }
  std::uint64_t next_epoch() noexcept { return ++epoch_; }
  /// Asks all workers to quit and reaps them; kills those that do not quit.
  void shut_down() noexcept;

 private:
  struct JoinListener;

  // world_join.cpp
  void make_keys();
  void bind_sockets();
  void bind_join();
  void write_key_file();
  void spawn();
  void adopt();
  void greet();
  std::string missing_ranks() const;
  void on_hello(const std::string& identity, const ControlMessage& hello);
  std::string objection(const std::string& who, const ControlMessage& hello) const;
  void welcome(Member& member);
  void refuse(const std::string& identity, const std::string& reason);

  void drain_control(Listener& listener);
  void on_message(const std::string& identity, const ControlMessage& message, Listener& listener);
  void drain_events(Listener& listener);
  void read_rings(Listener& listener);
  bool read_ring(Member& member, Listener& listener);
  void take_batch(std::span<const std::byte> data, const Member* of, Listener& listener);
  void watch_processes(Listener& listener);
  void watch_silence(Listener& listener);
  void watch_gate();
  void discount_pause(Clock::time_point before);
  std::vector<PollItem> poll_items(int extra);
  void send(const std::string& identity, const ControlMessage& message);
  Member* member_of(const std::string& identity);
  void notice(const std::string& text) const;
  void complain(const std::string& text);

  WorldOptions options_;
  RunDirectory directory_;
  Fd memory_;  ///< Memory shared by the ranks, if their transport needs it.
  Rendezvous rendezvous_;
  zmq::context_t zmq_;
  std::unique_ptr<CurveGate> curve_;
  zmq::socket_t control_;
  zmq::socket_t events_;
  std::string events_endpoint_;
  std::filesystem::path key_file_;  ///< Deleted with this object.
  std::vector<Member> members_;
  std::uint64_t refused_ = 0, refused_by_gate_ = 0;
  std::size_t refused_reported_ =
      0;  ///< Addresses of refused peers that were reported to the user.
  int complaints_ = 0;
  std::uint64_t epoch_ = 0;
  Clock::time_point next_watch_{}, next_rings_{};
  Clock::time_point last_pump_ = Clock::now();
  bool watches_interrupt_ = true;
  bool short_grace_ = true;  ///< True until the ranks are up.
  bool closing_ = false;
};

}  // namespace rankscope
