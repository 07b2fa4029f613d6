// Unix sockets that carry messages and file descriptors between processes of this machine.
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

/// Returns a listening socket. The path may have at most 107 bytes. Throws UserError.
Fd listen_at(const std::filesystem::path& path);
/// Returns an accepted connection; empty if none is waiting.
Fd accept_from(const Fd& listener);
/// Throws UserError if no process listens there.
Fd connect_to(const std::filesystem::path& path);

/// Returns false if there is nothing to read at the deadline; a descriptor of -1 is never ready.
bool wait_readable(int fd, Deadline deadline);

/// Returns false if the other side is gone, or does not read before the deadline.
bool send_message(const Fd& socket, const std::string& text,
                  const std::vector<int>& descriptors = {}, Deadline deadline = Deadline::now());
/// Waits until the deadline. Returns nothing if no message came, and an empty text if the other side has closed.
std::optional<LocalMessage> receive_message(const Fd& socket, Deadline deadline);
/// Returns the process at the other end, as reported by the kernel; -1 if unknown.
pid_t peer_of(const Fd& socket);

}  // namespace rankscope
