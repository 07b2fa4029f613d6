// The messages between a boxed rank and its agent over one socket: a JSON head and a body of bytes. The agent trusts
// nothing in them: sizes are bounded, and an invalid message ends the rank's part.
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

  /// Throws UserError if the other side is gone, does not read, or speaks another protocol.
  void send(const nlohmann::json& head, std::span<const std::byte> body = {});
  /// Returns whether something has come, or the other side is gone, by the deadline.
  bool ready(Deadline deadline) const;
  /// Returns nothing if no message has started at the deadline, or once `give_up` (called a few times a second) returns
  /// true. Throws as send does, and for a message that is not complete soon after its start. Refuses a body of more than
  /// `most_body` bytes before it reads anything of it.
  std::optional<WireMessage> receive(Deadline deadline, const std::function<bool()>& give_up = {},
                                     std::uint64_t most_body = kMostBody);

 private:
  void write_all(std::span<const std::byte> data);
  bool read_all(std::span<std::byte> data, bool may_end, Deadline limit);
  int socket_;
};

}  // namespace rankscope::capi
