// One box: its processes, its output, its files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/types.h>

#include "engine/box/box_spec.h"
#include "engine/box/process_view.h"
#include "engine/box/spawn.h"
#include "engine/box/support.h"
#include "engine/core/base/fd.h"

namespace rankscope {

/// The way into a box whose spec is `enterable`.
struct BoxEntrance {
  Fd process;     ///< The box's own program, which waits in it: setns() takes its namespaces.
  Fd out, err;    ///< Pipes that the supervisor reads.
  uid_t uid = 0;  ///< The user that a process has to become before it enters.
  gid_t gid = 0;
  /// Resource limits that the process sets on itself before it becomes that user.
  std::vector<std::pair<int, unsigned long>> limits;
  unsigned long most_processes = 0;  ///< Limit of processes, set inside; 0: none.
};

/// A box's present use of processes, memory and files.
struct BoxLook {
  ProcessUse processes;
  FileUse tmp, shm;

  std::uint64_t disk() const noexcept { return tmp.bytes + shm.bytes; }
  std::uint64_t files() const noexcept { return tmp.files + shm.files; }
  /// Files in memory that are mapped are seen twice: as files, and as shared memory.
  std::uint64_t memory() const noexcept {
    return processes.anonymous + processes.sockets + std::max(processes.shared, disk());
  }
};

/// Used by one thread only: what it starts is that thread's child, and dies with it.
class BoxProcess {
 public:
  struct Setting {
    const BoxSupport& support;
    const BoxLimits& limits;
    const OwnUid& user;
    const std::vector<uid_t>& others;  ///< More users that processes of the group may become.
    std::size_t boxes;                 ///< In the group.
    int cgroup;                        ///< -1: none.
  };

  /// Starts it, up to its gate. Throws UserError when not even bubblewrap starts.
  BoxProcess(const Setting& setting, BoxSpec spec);
  ~BoxProcess();
  BoxProcess(const BoxProcess&) = delete;
  BoxProcess& operator=(const BoxProcess&) = delete;

  /// The descriptors to wait for; then serve() does what there is to do, without blocking.
  void add_to(std::vector<pollfd>& list) const;
  void serve();

  const std::string& name() const noexcept { return spec_.name; }
  /// The box stands, or will never: nothing to wait for before release().
  bool ready() const noexcept { return at_gate_ || started_ || reaped_; }
  /// Lets the program begin.
  void release();
  bool started() const noexcept { return started_; }  ///< The program runs, or has run.
  bool ended() const noexcept {
    return reaped_;
  }  ///< Its first process ended; others may still be there.
  bool gone() const noexcept { return gone_; }  ///< Nothing is left of it.
  BoxLook look();
  std::uint64_t exact_memory(const BoxLook& look);
  /// The /proc of a box that stands; empty without one.
  Fd proc() const { return view_.proc(); }
  std::uint64_t output() const noexcept { return outcome_.out_bytes + outcome_.err_bytes; }
  /// Kills all its processes; the box is gone() some time later. The first reason is kept.
  void end(BoxEnd why, const std::string& words);
  /// Complete when gone. Frees what the box's files took.
  BoxOutcome take_outcome();
  /// Returns the entrance of an enterable box that is ready, once; nothing if the box does not stand.
  std::optional<BoxEntrance> take_entrance();

 private:
  void start_boxed(const Setting& setting);
  void start_plain(const Setting& setting);
  std::vector<std::pair<int, unsigned long>> limits(const Setting& setting) const;
  void serve_gate();
  void reap();
  void judge(int status);

  BoxSpec spec_;
  const bool boxed_;
  const unsigned long most_processes_;
  const std::uint64_t output_kept_;
  Fd out_, err_, gate_;
  std::optional<BoxEntrance> entrance_;
  Spawned process_;  // with the box and all in it, or the program without a box
  ProcessView view_;
  FamilyView family_;
  bool at_gate_ = false, started_ = false, reaped_ = false, gone_ = false;
  BoxOutcome outcome_;
};

}  // namespace rankscope
