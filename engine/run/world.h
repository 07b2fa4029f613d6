// The conductor's side of a world of worker processes: it starts them or lets them join, keeps the
// control and event planes, and notices who is dead, stopped or silent. Payload never passes here.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <zmq.hpp>

#include "engine/core/event.h"
#include "engine/run/control.h"
#include "engine/run/launcher.h"
#include "engine/run/run_directory.h"
#include "engine/run/sockets.h"

namespace rankscope {

class CurveGate;

struct WorldOptions {
  int world_size = 4;
  std::string transport = "ipc";  ///< Of the data plane: ipc or tcp.
  std::string program;            ///< Started as `program worker ...`; empty: this program.
  std::string join;               ///< "tcp://host:port": ranks join there, none is spawned.
  std::string key_file;           ///< Where the key for joiners is written (with `join`).
  double start_timeout_s = 60;
  bool pin = true;        ///< Spread spawned ranks over the processors when they must share them.
  int interrupt_fd = -1;  ///< Readable: the user wants to stop.
  /// Told about joining ranks and strangers (one line each).
  std::function<void(const std::string&)> notice;
};

struct Member {
  Rank rank = -1;
  std::string identity;  ///< Of its control connection; empty: not joined.
  std::string host, boot, endpoint;
  int pid = 0;
  std::optional<WorkerProcess> process;  ///< Of ranks that we spawned.
  Clock::time_point last_seen{};
  std::string last_status;  ///< From heartbeats, for ranks on other hosts.
  std::uint64_t reported_events = 0;
  std::int64_t clock_offset_ns = 0;  ///< Add to its clock to get ours.
  bool ready = false;

  RankStatus status() const { return process ? process->status() : RankStatus{}; }
  std::string describe() const { return process ? status().describe() : last_status; }
};

/// Not thread-safe: one thread calls everything.
class World {
 public:
  struct Listener {
    virtual ~Listener() = default;
    virtual void on_control(Member& member, const ControlMessage& message) = 0;
    virtual void on_events(EventBatch&& batch) = 0;
    /// A rank cannot go on: its process ended or is stopped, or it does not answer.
    virtual void on_lost(Member& member, const std::string& what) = 0;
  };

  /// Starts and greets all ranks. Throws UserError when that fails (nothing is left behind then).
  explicit World(WorldOptions options);
  ~World();

  /// Handles what arrives until the deadline or until something was handled. `extra` is one more
  /// descriptor to wake up for. Returns false when the user interrupts.
  bool pump(Deadline deadline, Listener& listener, int extra = -1);
  void send(const Member& member, const ControlMessage& message);
  void send_all(const ControlMessage& message);

  int size() const noexcept { return options_.world_size; }
  const WorldOptions& options() const noexcept { return options_; }
  std::vector<Member>& members() noexcept { return members_; }
  /// Measures clock offsets of ranks on other hosts (local ones share our clock).
  void measure_clocks();
  /// Messages of strangers that were dropped: wrong secret, wrong version, malformed.
  std::uint64_t refused() const noexcept { return refused_; }
  std::uint64_t next_epoch() noexcept { return ++epoch_; }
  /// Asks all workers to quit and gathers them in; kills those that do not.
  void shut_down() noexcept;

 private:
  struct Greeter;

  void bind_sockets();
  void make_keys();
  void spawn();
  void greet();
  void on_hello(const std::string& identity, const ControlMessage& hello);
  void refuse(const std::string& identity, const std::string& reason);
  void drain_control(Listener& listener);
  void drain_events(Listener& listener);
  void watch_processes(Listener& listener);
  void watch_silence(Listener& listener);
  std::vector<PollItem> poll_items(int extra);
  Member* member_of(const std::string& identity);
  void notice(const std::string& text) const;

  WorldOptions options_;
  RunDirectory directory_;
  Rendezvous rendezvous_;
  zmq::context_t zmq_;
  std::unique_ptr<CurveGate> curve_;
  zmq::socket_t control_;
  zmq::socket_t events_;
  std::string events_endpoint_;
  std::vector<Member> members_;
  std::atomic<std::uint64_t> refused_{0};  ///< Also the gate's thread counts.
  std::uint64_t epoch_ = 0;
  Clock::time_point next_watch_{};
  bool up_ = false;
};

}  // namespace rankscope
