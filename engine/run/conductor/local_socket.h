// Messages with file descriptors between processes of this machine: a socket with a path.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/base/deadline.h"
#include "engine/run/conductor/launcher.h"

namespace rankscope {

struct LocalMessage {
  std::string text;
  std::vector<Fd> descriptors;
};

/// Throws UserError. The path may have at most 107 bytes.
Fd listen_at(const std::filesystem::path& path);
/// An accepted connection; empty when nobody waits.
Fd accept_from(const Fd& listener);
/// Throws UserError when nobody listens there.
Fd connect_to(const std::filesystem::path& path);

/// False when there is nothing to read at the deadline; -1: never.
bool wait_readable(int fd, Deadline deadline);

/// False when the other side is gone, or does not read before the deadline.
bool send_message(const Fd& socket, const std::string& text,
                  const std::vector<int>& descriptors = {}, Deadline deadline = Deadline::now());
/// Waits until the deadline. Nothing: no message by then. An empty text: the other side has closed.
std::optional<LocalMessage> receive_message(const Fd& socket, Deadline deadline);
/// The process at the other end, as the kernel knows it; -1: unknown.
pid_t peer_of(const Fd& socket);

}  // namespace rankscope
