// All boxes of one submission, under one set of limits.
//
// A box is bubblewrap with namespaces of its own. It "stands" when its program waits at the gate, where it stays
// until all boxes stand. A thread looks at all processes of all boxes, reads their output, and ends all of them
// when a limit is crossed. No process can leave its box's PID namespace, which ends with its first process, so
// nothing is left behind.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "engine/box/box_process.h"
#include "engine/box/box_spec.h"
#include "engine/box/cgroup.h"
#include "engine/box/spawn.h"
#include "engine/box/support.h"
#include "engine/core/base/deadline.h"
#include "engine/core/base/fd.h"

namespace rankscope {

class BoxGroup {
 public:
  /// Throws NoBoxes when there is no support (see require_boxes). Without boxes (as_other_user()), a program of ours may
  /// start `others` programs, each as one more user.
  BoxGroup(const BoxSupport& support, const BoxLimits& limits, int others = 0);
  /// Ends what runs and waits until nothing is left of it.
  ~BoxGroup();
  BoxGroup(const BoxGroup&) = delete;
  BoxGroup& operator=(const BoxGroup&) = delete;

  /// The programs' user outside of their boxes: one of their own when this process is root's, else this process's. It must
  /// be able to read their files and to search the folders above.
  uid_t uid() const noexcept { return user_.uid(); }
  gid_t gid() const noexcept { return user_.gid(); }
  /// The users of those others; empty where there are boxes.
  const std::vector<uid_t>& others() const noexcept { return other_uids_; }

  /// Called by the supervising thread when a box has ended and nothing is left of it. Set before start.
  std::function<void(std::size_t box, const BoxOutcome&)> on_end;

  /// Starts all boxes, and lets their programs begin together; to be called once. The descriptors in the specs may be
  /// closed afterwards. A box that cannot be started gets an outcome. Throws UserError for a caller's mistake or a
  /// failing cgroup.
  void start(std::vector<BoxSpec> specs);
  /// Returns the entrance of the first box, if its spec is `enterable`, once; nothing if it does not stand in time.
  std::optional<BoxEntrance> entrance(std::chrono::milliseconds limit);
  /// Moves a process into the group's cgroup, if there is one, before it enters. Returns false if it must not enter.
  bool admit(pid_t process);
  /// Returns the seconds for which threads of running processes, of all boxes, ran or waited for a processor so far;
  /// nothing while no box stands, or where the kernel does not count them.
  std::optional<double> runnable_s();
  /// True when all boxes have ended. Callable from several threads.
  bool wait(std::chrono::milliseconds limit);
  /// Ends all that still runs; `words` say why. Does not wait.
  void stop(const std::string& words);
  /// After wait() returned true.
  const BoxGroupOutcome& outcome() const noexcept { return outcome_; }

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
  std::uint64_t exact_memory(const std::vector<BoxLook>& looks);
  void end_for_memory();
  void end_all(BoxEnd why, const std::string& words);
  std::string all_ranks() const;

  const BoxSupport support_;
  const BoxLimits limits_;
  const OwnUid user_;
  std::vector<OwnUid> other_users_;
  std::vector<uid_t> other_uids_;
  std::unique_ptr<Cgroup> cgroup_;
  Fd wake_;

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
  bool all_started_ = false, stands_ = false, done_ = false, stop_wanted_ = false;
  std::optional<BoxEntrance> entrance_;
  std::vector<Fd> procs_;  // of the boxes that stand
  std::string stop_words_;
  std::exception_ptr mistake_;
  BoxGroupOutcome outcome_;  // read by others once done_
  std::thread thread_;
};

}  // namespace rankscope
