// The conductor's side of a world of worker processes: it starts them or lets them join, keeps the
// control and event planes, and notices who is dead, stopped or silent. Payload never passes here.
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
#include "engine/run/conductor/run_directory.h"
#include "engine/run/conductor/sockets.h"
#include "engine/run/job/job.h"
#include "transports/factory.h"

namespace rankscope {

class CurveGate;

struct WorldOptions {
  int world_size = 4;
  std::string transport{kDefaultTransport};  ///< The data plane's: one between processes.
  std::string program;   ///< Started as `program worker ...`; empty: this program.
  std::string join;      ///< "tcp://host:port": ranks join there, none is spawned.
  std::string key_file;  ///< Where the key for joiners is written (with `join`).
  /// By rank: processes that somebody else started; none is spawned. They learn where to connect, and get the memory
  /// that the ranks share (-1: their transport has none), from `on_open`, which is called once they can.
  std::vector<WorkerProcess> adopted;
  std::function<void(const Rendezvous&, int memory)> on_open;
  double start_timeout_s = 60;  ///< For all ranks to come; 0: no limit.
  bool pin = true;        ///< Spread spawned ranks over the processors when they must share them.
  int interrupt_fd = -1;  ///< Readable: the user wants to stop.
  /// Called with one line for each rank that joins and each connection that is refused.
  std::function<void(const std::string&)> notice;
};

/// The ranks did not all come up, for a reason that belongs into a job's result.
class StartFailure : public UserError {
 public:
  using UserError::UserError;
  /// Returns nothing when the user interrupted.
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
  std::uint32_t reported_epoch = 0;  ///< The job that they belong to.
  std::int64_t clock_offset_ns = 0;  ///< Add to its clock to get ours.
  bool ready = false;

  std::string describe() const { return process ? process->status().describe() : last_status; }
  /// Events that it has recorded in a job, sent or not, as far as is known here.
  std::uint64_t recorded_events(std::uint32_t epoch) const;
};

/// Not thread-safe: one thread calls everything.
class World {
 public:
  struct Listener {
    virtual ~Listener() = default;
    virtual void on_control(Member& member, const ControlMessage& message) = 0;
    virtual void on_events(EventBatch&& batch) = 0;
    /// A rank cannot go on: its process ended or is stopped, or it does not answer.
    virtual void on_lost(Member& member, const std::string& what, RankLoss loss) = 0;
  };

  /// Starts and greets all ranks. Throws UserError when that fails (nothing is left behind then),
  /// StartFailure when a rank was lost meanwhile or the user interrupts.
  explicit World(WorldOptions options);
  ~World();

  /// Handles what arrives until the deadline or until something was handled. `extra` is one more
  /// descriptor to wake up for. Returns false when the user interrupts (and handles what arrived).
  bool pump(Deadline deadline, Listener& listener, int extra = -1);
  void send(const Member& member, const ControlMessage& message);
  void send_all(const ControlMessage& message);
  /// pump() no longer looks at interrupt_fd: the run is being ended already.
  void watch_interrupt(bool watch) noexcept { watches_interrupt_ = watch; }
  /// Says without waiting what is wrong with a rank ("rank 2 was killed by ..."); empty when nothing is.
  std::string describe_failed_rank();
  /// The ranks are of no more use: shut_down() will not wait for them.
  void shorten_grace() noexcept { short_grace_ = true; }

  int size() const noexcept { return options_.world_size; }
  const WorldOptions& options() const noexcept { return options_; }
  std::vector<Member>& members() noexcept { return members_; }
  /// Measures clock offsets of ranks on other hosts (local ones share our clock).
  void measure_clocks();
  /// Messages of strangers that were dropped: wrong secret, wrong version, malformed.
  std::uint64_t refused() const noexcept { return refused_ + refused_by_gate_; }
  std::uint64_t next_epoch() noexcept { return ++epoch_; }
  /// Asks all workers to quit and gathers them in; kills those that do not.
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
  Member* member_of(const std::string& identity);
  void notice(const std::string& text) const;
  void complain(const std::string& text);

  WorldOptions options_;
  RunDirectory directory_;
  Fd memory_;  ///< Memory that the ranks share, where their transport needs it.
  Rendezvous rendezvous_;
  zmq::context_t zmq_;
  std::unique_ptr<CurveGate> curve_;
  zmq::socket_t control_;
  zmq::socket_t events_;
  std::string events_endpoint_;
  std::filesystem::path key_file_;  ///< To be removed: of no use after this world.
  std::vector<Member> members_;
  std::uint64_t refused_ = 0, refused_by_gate_ = 0;
  std::size_t refused_reported_ =
      0;  ///< Addresses of refused peers that were reported to the user.
  int complaints_ = 0;
  std::uint64_t epoch_ = 0;
  Clock::time_point next_watch_{}, next_rings_{};
  Clock::time_point last_pump_ = Clock::now();
  bool watches_interrupt_ = true;
  bool short_grace_ = true;  ///< Until the ranks are up.
  bool closing_ = false;
};

}  // namespace rankscope
