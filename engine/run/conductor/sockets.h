// The conductor's and workers' own ZeroMQ sockets (control and events), and the folder in which a run has them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <zmq.hpp>

#include "engine/core/base/deadline.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/run/conductor/control.h"
#include "engine/run/conductor/launcher.h"

namespace rankscope {

enum class Side { client, server };
/// Returns a socket with the project's defaults, and with CURVE if the rendezvous has keys.
zmq::socket_t make_plane_socket(zmq::context_t& zmq, zmq::socket_type type,
                                const Rendezvous& rendezvous, Side side);

void send_text(zmq::socket_t& socket, std::string_view text);
/// Returns the last part of the next message, or nothing if none is waiting.
std::optional<std::string> receive_text(zmq::socket_t& socket);
/// Returns all parts of the next message; empty if none is waiting.
std::vector<zmq::message_t> receive_waiting(zmq::socket_t& socket);

/// A socket or a descriptor (-1: never ready) to wait for.
struct PollItem {
  zmq::socket_t* socket = nullptr;
  int fd = -1;
};
/// Sleeps until an item can be read, or the deadline. Returns which can, including descriptors whose other end closed.
std::vector<bool> poll_sockets(const std::vector<PollItem>& items, Deadline deadline);

/// Returns the address of this machine from which packets to a `tcp://host:port` endpoint leave (loopback for ipc).
/// Throws UserError if the host is unknown or cannot be reached.
std::string address_towards(const std::string& endpoint);

/// The private directory (mode 0700) that holds the sockets of one world.
class RunDirectory {
 public:
  /// Makes "rankscope.run-<pid>-<random>" under $XDG_RUNTIME_DIR, $TMPDIR or /tmp, and removes such directories of dead
  /// conductors, also of those in another container that share the folder. Throws UserError.
  RunDirectory();
  const std::filesystem::path& path() const noexcept { return folder_.path(); }
  std::string endpoint(const std::string& name) const {
    return "ipc://" + (path() / name).string();
  }

 private:
  ScratchFolder folder_;
};

/// Removes the directory that a dead conductor left behind, given one of its sockets' endpoints. Has no effect for
/// other endpoints.
void remove_run_directory_of(const std::string& endpoint) noexcept;

/// Returns 16 random hex digits from the system's generator.
std::string random_hex();

}  // namespace rankscope
