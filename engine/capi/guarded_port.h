// A boxed rank: it has one socket to its agent, which carries out all its verbs.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "engine/capi/port.h"
#include "engine/capi/wire.h"

namespace rankscope::capi {

/// The process's only connection, shared by its sessions.
class AgentLine {
 public:
  explicit AgentLine(int socket);
  /// Sends a request and waits for the answer. Throws the error that the agent reports.
  WireMessage ask(const nlohmann::json& request, std::span<const std::byte> body = {});
  /// The longest that one wait may occupy the connection, because other threads use it too.
  int longest_ms() const noexcept { return virtual_ ? kForEverMs : several_ ? 5 : 1000; }
  /// The limit sent in virtual time for a wait without one.
  static constexpr int kForEverMs = 1'000'000'000;
  /// Returns whether the agent's time is virtual (`rankscope exec --sim`): only the agent knows when a time has passed.
  bool in_virtual_time() const noexcept { return virtual_; }
  void set_several(bool several) noexcept { several_ = several; }

 private:
  const bool virtual_, reports_cpu_;
  std::atomic<bool> several_{false};
  std::mutex mutex_;
  Wire wire_;
};

/// Throws UserError.
std::unique_ptr<Port> open_guarded(int socket, const rs_join_options& options);

/// For a program that starts its ranks itself: waits until all are there, and gets its socket from the process
/// listening at `path`. Throws UserError.
std::unique_ptr<Port> open_explored(const std::string& path, const rs_join_options& options);

}  // namespace rankscope::capi
