// A rank whose process has the sockets itself: for watching one's own code, and for speed.
#pragma once

#include <mutex>
#include <set>

#include "engine/capi/arrays.h"
#include "engine/capi/port.h"
#include "engine/run/rank_session.h"

namespace rankscope::capi {

class DirectComm;

class DirectPort : public Port {
 public:
  DirectPort(const std::string& host, const rs_join_options& options);
  ~DirectPort() override;

  PortComm& world() override;
  bool full_trace() const override;
  std::optional<int> any_done(std::span<PortRequest* const> requests, Deadline deadline,
                              const Site& where) override;
  void leave(bool ok, const std::string& error) override;
  void stopped(const std::string& why) noexcept override;
  std::optional<std::string> next_task() override { return std::nullopt; }
  void task_input(int index, const rs_memory& memory) override;
  void task_result(const rs_memory* memory, const std::string& error) override;

  RankContext& context() { return session_->context(); }
  Arrays& arrays() noexcept { return arrays_; }
  /// Throws when this rank's part is over.
  void need_open() const;
  void opened(class DirectRequest* request) { requests_.insert(request); }
  void closed(class DirectRequest* request) noexcept { requests_.erase(request); }

 private:
  void begin();
  void report(bool ok, const std::string& error);
  void drop_requests();

  std::unique_ptr<RankSession> session_;
  std::optional<RankSession::Job> job_;
  LinkCounters before_;
  std::int64_t began_ns_ = 0;
  Arrays arrays_;
  std::unique_ptr<DirectComm> world_;
  std::set<class DirectRequest*> requests_;
  bool reported_ = false;
  std::string over_;  ///< Why nothing more can be done.
};

}  // namespace rankscope::capi
