// The base of the C interface: a rank's verbs, carried out in this process (DirectPort) or by a trusted agent outside
// of its box (GuardedPort).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/capi/rankscope.h"
#include "engine/core/base/deadline.h"
#include "engine/core/base/site.h"

namespace rankscope::capi {

/// A request under way. Destroying it unfinished drops it.
class PortRequest {
 public:
  virtual ~PortRequest() = default;
  /// Returns false if it is not done at the deadline.
  virtual bool wait(Deadline deadline, rs_status& status, const Site& where) = 0;
  virtual bool test() = 0;
  /// Returns false if no thread would call `then`.
  virtual bool when_done(const std::function<void(bool failed)>& then) {
    (void)then;
    return false;
  }
};
using PortRequestPtr = std::unique_ptr<PortRequest>;

class PortComm {
 public:
  virtual ~PortComm() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual int world_rank(int rank) const = 0;  ///< Returns -1 if there is none.
  virtual PortRequestPtr isend(int to, const rs_memory& memory, int tag, unsigned flags,
                               const Site& where) = 0;
  virtual PortRequestPtr irecv(int from, const rs_memory& memory, int tag, unsigned flags,
                               const Site& where) = 0;
  virtual bool probe(int from, int tag, rs_status& status) = 0;
  virtual PortRequestPtr collective(const rs_call& call, bool async, const Site& where) = 0;
  virtual std::unique_ptr<PortComm> split(int color, int key, const char* call,
                                          const Site& where) = 0;
  virtual std::unique_ptr<PortComm> group(const std::vector<int>& ranks, const std::string& key,
                                          const char* call, const Site& where) = 0;
  virtual void phase_begin(const char* name, const Site& where) = 0;
  virtual void phase_end() = 0;
  virtual void watch(const rs_memory& memory, const Site& where) = 0;
  virtual void note(int note, int peer, const Site& where) = 0;
};

class Port {
 public:
  virtual ~Port() = default;
  virtual PortComm& world() = 0;
  virtual bool has_world() const { return true; }
  virtual bool full_trace() const = 0;
  /// Returns whether the process is the user's program, and not one that the grader gives tasks.
  virtual bool runs_program() const { return true; }
  virtual void threads(int count) = 0;
  enum class Idle { awake, uncalled, waiting };
  /// The rank's clock, from an arbitrary origin; in virtual time if the run is.
  virtual std::int64_t time_ns() { return now_ns(); }
  /// See rs_idle() and rs_watch_work(). A boxed rank supports neither, an explored one only the first.
  virtual void set_idle(Idle, const Site&) {}
  using Told = std::function<void(const Site& where)>;
  virtual void was_at(const Site&) {}
  virtual void watch_work(const std::function<void(const Told&)>&) {}
  /// Returns the index of a request that is done, -1 if all are null, or nothing at the deadline.
  virtual std::optional<int> any_done(std::span<PortRequest* const> requests, Deadline deadline,
                                      const Site& where) = 0;
  virtual void leave(bool ok, const std::string& error) = 0;
  /// Leaves with an error, and joins no thread: for a process that can end none any more.
  virtual void fail(const std::string& error) { leave(false, error); }
  /// A verb found that the run is over. Reported at once, so that no other rank waits for this one.
  virtual void stopped(const std::string& why) noexcept = 0;
  virtual std::optional<std::string> next_task() = 0;
  virtual void task_input(int index, const rs_memory& memory) = 0;
  virtual void task_result(const rs_memory* memory, const std::string& error) = 0;
};

/// Throws UserError.
std::unique_ptr<Port> open_direct(const std::string& host, const rs_join_options& options);

}  // namespace rankscope::capi
