// One job on a world: sends it out, gathers events and outcomes, and ends it if something fails.
#pragma once

#include <functional>

#include "engine/run/conductor/deadlock.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/run/conductor/world.h"
#include "engine/run/step/step_controller.h"

namespace rankscope {

class JobSession : private World::Listener, private StepController::Gates {
 public:
  JobSession(World& world, const JobSpec& spec, EventSink& sink, const RunnerOptions& options);
  ~JobSession() override;
  JobResult run();
  /// Returns whether the world cannot be used again: a rank, its link or events were lost, or it did not stop.
  bool world_broken() const noexcept { return broken_; }

 private:
  struct Part {
    bool answered = false;
    bool lost = false;
    Clock::time_point missed{};  ///< When it was first reported lost.
    std::uint64_t received = 0;  ///< Events that arrived.
    std::uint64_t expected = 0;  ///< Events that it recorded; 0 until it answers.
    std::uint64_t next_seq = 0;
  };

  void send_job();
  bool complete() const;
  bool all_ended() const;
  void conduct();
  void tick();
  void stop_all(const std::string& reason);
  void fail(JobResult::Status status, const std::string& message, const std::string& reason);
  void give_up_on_events();
  void time_out();
  void show_progress();
  void settle();
  void count_lost_events();
  void finish();
  double running_time();
  void keep(const std::function<void()>& write);

  void on_control(Member& member, const ControlMessage& message) override;
  void on_events(EventBatch&& batch) override;
  void on_lost(Member& member, const std::string& what, RankLoss loss) override;
  void on_standstill(const Member& member, const ControlMessage& message);
  void seek_deadlock();
  void change_delays();
  GateOrders orders_for(Rank rank) const;
  void on_outcome(Member& member, const ControlMessage& message);
  void set_gate(Rank rank, GateOrders orders) override;
  void permit(Rank rank, OpId op) override;
  double delay_of(Rank rank) const;

  World& world_;
  const JobSpec& spec_;
  EventSink& sink_;
  const RunnerOptions& options_;
  StepController* const step_;
  const std::uint32_t epoch_;
  std::vector<Part> parts_;
  std::vector<double> delays_us_;
  DeadlockWatch deadlock_;
  JobResult result_;
  std::int64_t requested_ns_ = 0;
  Clock::time_point last_tick_;
  Clock::time_point next_flush_, next_progress_;
  Clock::time_point last_event_ = Clock::now();
  std::chrono::duration<double> running_{0};  ///< Excludes the time that ranks were held.
  bool stopping_ = false;
  bool sink_failed_ = false;
  bool broken_ = false;
};

}  // namespace rankscope
