// A rank's verbs on a RankContext of this process: ContextPort. DirectPort is the rank that has the sockets
// itself, for watching one's own code and for speed; the agent of a boxed rank uses the other one.
#pragma once

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
  /// `rank` has begun its job. `owner` keeps it alive as long as anything here refers to it.
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
  /// Throws when this rank's part is over.
  void need_open() const;
  void opened(class DirectRequest* request) { requests_.insert(request); }
  void closed(class DirectRequest* request) noexcept { requests_.erase(request); }
  void opened(class DirectWork* work) { works_.insert(work); }
  void closed(class DirectWork* work) noexcept { works_.erase(work); }
  /// This rank's outcome. Its numbers count from the beginning of its part.
  RankOutcome outcome(bool ok, const std::string& error);

 protected:
  /// Once, when the part is over, with what happened.
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
  std::optional<OutsideVerbs> outside_;  ///< Until the port is gone.
  std::set<class DirectRequest*> requests_;
  std::set<class DirectWork*> works_;
  bool reported_ = false;
  /// Stands for the program's other threads: a strand that is never asleep. 0: it has none.
  std::uint16_t others_ = 0;
  bool stopped_ = false;  ///< By others: what it says of its end is no failure of its own.
  std::string over_;      ///< Why nothing more can be done.
};

class DirectPort : public ContextPort {
 public:
  struct JoinedSession {
    std::shared_ptr<RankSession> session;
    RankSession::Job job;
    /// While the program is a rank; afterwards it goes on as it was.
    std::unique_ptr<BatchScheduling> turns;
  };
  explicit DirectPort(JoinedSession joined);
  ~DirectPort() override;
  void leave(bool ok, const std::string& error) override;

 private:
  void report(bool ok, const std::string& error) override;
  std::shared_ptr<RankSession> session_;
  RankSession::Job job_;
  std::unique_ptr<BatchScheduling> turns_;
};

}  // namespace rankscope::capi
