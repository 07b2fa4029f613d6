// A rank's side of a run: it greets the conductor, runs the control and event planes, and holds what a rank needs to
// take part in a job. Workers and programs in other languages use it to be ranks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <nlohmann/json_fwd.hpp>
#include <zmq.hpp>

#include "engine/core/message/network_link.h"
#include "engine/core/message/rank_context.h"
#include "engine/run/conductor/control.h"
#include "engine/run/conductor/launcher.h"
#include "engine/run/job/job.h"
#include "engine/run/worker/event_pipe.h"
#include "transports/zeromq/wake_fd.h"

namespace rankscope {

/// The connection to the conductor of a worker that joined over the network. (A spawned worker has its lifeline
/// instead.)
class ConductorWatch {
 public:
  /// Must be constructed before `control` connects.
  ConductorWatch(zmq::context_t& context, zmq::socket_t& control);
  /// Readable if there is something to drain().
  zmq::socket_t& socket() noexcept { return events_; }
  void drain();
  /// Returns whether the conductor rejected our key or speaks another protocol.
  bool refused() const noexcept { return refused_; }
  /// Returns whether a connected conductor has disappeared.
  bool gone() const noexcept { return gone_; }

 private:
  zmq::socket_t events_;
  int failures_ = 0;
  bool connected_ = false, refused_ = false, gone_ = false;
};

struct SessionOptions {
  Rendezvous rendezvous;
  int rank = -1;         ///< -1 to let the conductor choose.
  int world_size = -1;   ///< The size given by the launcher; must equal the conductor's.
  int lifeline_fd = -1;  ///< Closes with the conductor; only for a rank that the conductor started.
  int status_fd = -1;
  int memory_fd = -1;       ///< Memory that the ranks share, if the transport uses it.
  bool in_program = false;  ///< The rank lives in a user's program, which continues after the run.
  /// Returns whether another thread may still act for the rank; then there is no deadlock.
  std::function<bool()> other_thread_may_act;
  std::function<void()>
      own_thread_begins;  ///< Called at the start of each thread that the session starts.
};

enum class SessionEnd { quit, abandoned, refused };

class RankSession : private StepGate::Listener {
 public:
  struct Job {
    JobSpec spec;
    std::uint32_t epoch = 0;
  };

  explicit RankSession(const SessionOptions& options);
  ~RankSession() override;

  /// Says hello and waits for the welcome; returns how the session ended if this rank is refused. To be called once.
  std::optional<SessionEnd> join();
  /// Waits for the next job; returns nothing once the conductor quits or is gone.
  std::optional<Job> next_job();
  void report(const Job& job, const RankOutcome& outcome);
  /// Waits at most 2 s for the conductor's `quit`.
  void await_end();
  /// Waits for the conductor's `quit`, and sends the remaining events. Returns how the session ended.
  SessionEnd leave();
  /// Why this rank was refused, or that the conductor was lost.
  const std::string& complaint() const noexcept { return complaint_; }

  RankContext& context() noexcept { return *context_; }
  NetworkLink& link() noexcept { return *link_; }

 private:
  void say_hello();
  std::optional<SessionEnd> receive_welcome();
  void open_link(const nlohmann::json& welcome);
  void serve_control();
  bool conductor_is_gone(const std::vector<bool>& ready);
  void end_without_conductor();
  SessionEnd refused(const std::string& reason);
  void on_control(const ControlMessage& message);
  void on_job(const nlohmann::json& body);
  void heartbeat();
  void look_for_standstill();
  void report_standstill(std::uint64_t round);
  void drain_outbox();
  void post(ControlMessage message);
  void end(SessionEnd session_end);
  StatusPage& page() { return status_ ? status_->page() : own_status_; }
  void on_places(const StrandPlaces& places, const GateStamp& stamp,
                 std::vector<Receipt> received) noexcept override;

  const SessionOptions options_;
  Fd lifeline_;  ///< Closed here if the rank is in a user's program.
  zmq::context_t zmq_{1};
  zmq::socket_t control_;
  std::optional<ConductorWatch> watch_;  ///< Only for a rank that joined over the network.
  WakeFd wake_;
  std::optional<SharedStatusPage> status_;
  StatusPage own_status_;  ///< Only for a rank without a conductor on this machine.
  std::unique_ptr<EventPipe> events_;
  std::unique_ptr<NetworkLink> link_;
  std::unique_ptr<StepGate> gate_;
  std::unique_ptr<RankContext> context_;
  std::thread control_thread_;
  std::string complaint_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::deque<ControlMessage> outbox_;
  std::optional<SessionEnd> ended_;
  Clock::time_point next_heartbeat_ = Clock::now();
  std::optional<std::uint64_t>
      asleep_;  ///< The gate's move counter when all strands were last seen asleep.
  bool look_again_ = false;
  bool events_wait_ = false;          ///< Waiting for room in the memory that the conductor reads.
  std::atomic<bool> working_{false};  ///< True while a job runs.
  nlohmann::json reported_;  ///< The standstill last reported to the conductor; null if none.
};

}  // namespace rankscope
