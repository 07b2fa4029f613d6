// All boxes of one submission, under one set of limits.
//
// A box is bubblewrap with namespaces of its own, in which the program waits at a gate until it is under
// supervision. A thread looks at all processes of all boxes, reads their output, and ends all of them when
// a limit is crossed. No process leaves its box's PID namespace, and all of that end with its first one:
// so nothing is left behind.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/box/box_spec.h"
#include "engine/box/support.h"

namespace rankscope {

class BoxGroup {
 public:
  /// Throws UserError when there is no support (see require_boxes).
  BoxGroup(const BoxSupport& support, const BoxLimits& limits);
  /// Ends what runs and waits until nothing is left of it.
  ~BoxGroup();
  BoxGroup(const BoxGroup&) = delete;
  BoxGroup& operator=(const BoxGroup&) = delete;

  /// Who the programs are, outside of their boxes: a user that nobody else is when this process is root's,
  /// else this process's own. Their files must be readable to this one, and the folders above searchable.
  uid_t uid() const noexcept;
  gid_t gid() const noexcept;

  /// Called by the supervising thread when a box has ended and nothing is left of it. Set before start.
  void on_end(std::function<void(std::size_t box, const BoxOutcome&)> callback);

  /// Starts all, at the same time; once. The descriptors in the specs may be closed afterwards. What cannot
  /// be started is an outcome, except for mistakes of the caller (UserError).
  void start(std::vector<BoxSpec> specs);
  /// True when all boxes have ended. Callable from several threads.
  bool wait(std::chrono::milliseconds limit);
  /// Readable once all boxes have ended: for a caller with a poll() of its own.
  int done_fd() const noexcept;
  /// Ends all that still runs; `words` tell why. Does not wait.
  void stop(const std::string& words);
  /// After wait() returned true.
  const BoxGroupOutcome& outcome() const;

 private:
  class Supervisor;
  std::unique_ptr<Supervisor> supervisor_;
};

}  // namespace rankscope
