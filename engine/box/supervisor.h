// The thread that is the parent of all boxes of a group, and watches them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/box/box_group.h"
#include "engine/box/box_process.h"
#include "engine/box/cgroup.h"
#include "engine/box/own_uid.h"
#include "engine/core/base/deadline.h"
#include "engine/core/base/fd.h"

namespace rankscope {

class BoxGroup::Supervisor {
 public:
  Supervisor(const BoxSupport& support, const BoxLimits& limits);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  const OwnUid& user() const noexcept { return user_; }
  void start(std::vector<BoxSpec> specs);
  bool wait(std::chrono::milliseconds limit);
  int done_fd() const noexcept { return done_signal_.get(); }
  void stop(const std::string& words);
  const BoxGroupOutcome& outcome() const noexcept { return outcome_; }
  std::function<void(std::size_t, const BoxOutcome&)> on_end;

 private:
  void run(std::vector<BoxSpec> specs);
  void start_all(std::vector<BoxSpec>& specs);
  void supervise();
  void wait_for_something();
  void release_together();
  void collect();
  void look();
  void check_time();
  void check_uses(const std::vector<BoxLook>& looks);
  void check_files(const std::vector<BoxLook>& looks);
  std::uint64_t exact_memory(const std::vector<BoxLook>& looks) const;
  void end_for_memory();
  void end_all(BoxEnd why, const std::string& words);
  std::string all_ranks() const;

  const BoxSupport support_;
  const BoxLimits limits_;
  const OwnUid user_;
  std::unique_ptr<Cgroup> cgroup_;
  Fd wake_, done_signal_;

  // The thread's own.
  std::vector<std::unique_ptr<BoxProcess>> boxes_;  // empty places: could not be started
  std::vector<bool> collected_;
  Clock::time_point began_, next_look_;  // began_: the programs, once all boxes stand
  bool released_ = false;
  std::string stopped_names_;
  double cpu_of_ended_ = 0;
  std::vector<double> cpu_;  // of each box, as last seen
  std::uint64_t output_of_ended_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool all_started_ = false, done_ = false, stop_wanted_ = false;
  std::string stop_words_;
  std::exception_ptr mistake_;
  BoxGroupOutcome outcome_;  // read by others once done_
  std::thread thread_;
};

}  // namespace rankscope
