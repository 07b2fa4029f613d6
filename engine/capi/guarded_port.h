// A boxed rank: it has one socket to its agent, which does everything for it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "engine/capi/port.h"
#include "engine/capi/wire.h"

namespace rankscope::capi {

/// The one connection of this process, shared by its sessions.
class AgentLine {
 public:
  explicit AgentLine(int socket);
  /// Asks and waits for the answer. Throws what the agent says went wrong.
  WireMessage ask(const nlohmann::json& request, std::span<const std::byte> body = {});
  /// How long one wait may hold the line: other threads have something to say, too.
  int longest_ms() const noexcept { return virtual_ ? kForEverMs : several_ ? 5 : 1000; }
  /// What a wait without a limit says in virtual time.
  static constexpr int kForEverMs = 1'000'000'000;
  /// The agent's time is virtual (`rankscope exec --sim`): it alone knows when a time is over.
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

/// Of a program that starts its ranks itself: waits until all are there, and gets its socket from who listens at `path`.
/// Throws UserError.
std::unique_ptr<Port> open_explored(const std::string& path, const rs_join_options& options);

/// JSON of what a verb works on, and of where it was called.
nlohmann::json memory_json(const rs_memory& memory);
nlohmann::json site_json(const Site& where);

}  // namespace rankscope::capi
