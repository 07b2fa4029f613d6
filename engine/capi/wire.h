// The messages between a boxed rank and its agent over one socket: a JSON head and a body of bytes. The
// agent believes nothing of it: sizes are bounded, and whatever does not fit ends the rank's part.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/core/base/deadline.h"

namespace rankscope::capi {

struct WireMessage {
  nlohmann::json head;
  std::vector<std::byte> body;
};

class Wire {
 public:
  static constexpr std::uint32_t kMostHead = 64 * 1024;
  static constexpr std::uint64_t kMostBody = std::uint64_t{256} << 20;

  /// Does not own the socket.
  explicit Wire(int socket) : socket_(socket) {}

  /// Throws UserError when the other side is gone, does not read, or speaks something else.
  void send(const nlohmann::json& head, std::span<const std::byte> body = {});
  /// Nothing when no message has begun at the deadline, or `give_up` (asked a few times a second) says
  /// so; throws as send does, and for a message that is not there as a whole soon after it has begun.
  /// Something came, or the other side is gone.
  bool ready(Deadline deadline) const;
  std::optional<WireMessage> receive(Deadline deadline, const std::function<bool()>& give_up = {});

 private:
  void write_all(std::span<const std::byte> data);
  bool read_all(std::span<std::byte> data, bool may_end, Deadline limit);
  int socket_;
};

}  // namespace rankscope::capi
