// A rank's verbs on a RankContext of this process: ContextPort. DirectPort is the rank that has the sockets itself, for
// watching one's own code and for speed; the agent of a boxed rank uses ContextPort.
#pragma once

#include <atomic>
#include <mutex>
#include <set>

#include "engine/capi/arrays.h"
#include "engine/capi/outside_verbs.h"
#include "engine/capi/port.h"
#include "engine/run/conductor/launcher.h"
#include "engine/run/worker/rank_session.h"

namespace rankscope::capi {

class DirectComm;

class ContextPort : public Port {
 public:
  /// `rank` has started its job. `owner` keeps it alive as long as anything here refers to it.
  ContextPort(RankContext& rank, TraceLevel trace, std::shared_ptr<void> owner = {});
  ~ContextPort() override;

  PortComm& world() override;
  bool full_trace() const override { return trace_ == TraceLevel::full; }
  std::int64_t time_ns() override { return rank_.now_ns(); }
  void threads(int count) override;
  void set_idle(Idle idle, const Site& where) override;
  void was_at(const Site& where) override { outside_->was_at(where); }
  void watch_work(const std::function<void(const Told&)>& ask) override;
  std::optional<int> any_done(std::span<PortRequest* const> requests, Deadline deadline,
                              const Site& where) override;
  void leave(bool ok, const std::string& error) override;
  void stopped(const std::string& why) noexcept override;
  std::optional<std::string> next_task() override { return std::nullopt; }
  void task_input(int index, const rs_memory& memory) override;
  void task_result(const rs_memory* memory, const std::string& error) override;

  RankContext& context() noexcept { return rank_; }
  Arrays& arrays() noexcept { return arrays_; }
  /// Throws if this rank's part is over.
  void need_open() const;
  /// The same, for a call that the program makes; notes in the trace when a second thread makes one.
  void begins_call(Communicator& comm, const Site& where);
  void opened(class DirectRequest* request) {
    const std::lock_guard lock(requests_mutex_);
    requests_.insert(request);
  }
  void closed(class DirectRequest* request) noexcept {
    const std::lock_guard lock(requests_mutex_);
    requests_.erase(request);
  }
  void opened(class DirectWork* work) { works_.insert(work); }
  void closed(class DirectWork* work) noexcept { works_.erase(work); }
  /// Returns this rank's outcome, counted from the beginning of its part.
  RankOutcome outcome(bool ok, const std::string& error);

 protected:
  /// Called once, when the part is over, with the result.
  virtual void report(bool ok, const std::string& error) = 0;
  bool reported() const noexcept { return reported_; }

 private:
  void end(bool ok, const std::string& error);
  void drop_requests();

  const std::shared_ptr<void> owner_;
  RankContext& rank_;
  const TraceLevel trace_;
  const LinkCounters before_;
  const std::int64_t began_ns_;
  Arrays arrays_;
  std::unique_ptr<DirectComm> world_;
  std::optional<OutsideVerbs> outside_;  ///< Set until the port is gone.
  std::mutex requests_mutex_;
  std::set<class DirectRequest*> requests_;
  std::set<class DirectWork*> works_;
  bool reported_ = false;
  std::atomic<const char*> first_thread_ = nullptr;  ///< An address that only the first caller has.
  std::atomic<bool> several_threads_ = false;
  /// A strand that is never asleep and represents the program's other threads; 0 if it has none.
  std::uint16_t others_ = 0;
  bool stopped_ = false;  ///< Stopped by others, so its own report of the end is not a failure.
  std::string over_;      ///< The reason why nothing more can be done.
};

class DirectPort : public ContextPort {
 public:
  struct JoinedSession {
    std::shared_ptr<RankSession> session;
    RankSession::Job job;
    /// Active while the program is a rank; the earlier setting is restored afterwards.
    std::unique_ptr<BatchScheduling> turns;
  };
  explicit DirectPort(JoinedSession joined);
  ~DirectPort() override;
  void leave(bool ok, const std::string& error) override;
  void fail(const std::string& error) override;

 private:
  void report(bool ok, const std::string& error) override;
  std::shared_ptr<RankSession> session_;
  RankSession::Job job_;
  std::unique_ptr<BatchScheduling> turns_;
};

}  // namespace rankscope::capi
