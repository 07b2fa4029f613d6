// Small tools around the conductor's and workers' own ZeroMQ sockets (control and events).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <zmq.hpp>

#include "engine/core/base/deadline.h"
#include "engine/run/conductor/control.h"
#include "engine/run/conductor/launcher.h"

namespace rankscope {

enum class Side { client, server };
/// A socket with the project's defaults, with CURVE when the rendezvous has keys.
zmq::socket_t make_plane_socket(zmq::context_t& zmq, zmq::socket_type type,
                                const Rendezvous& rendezvous, Side side);

void send_text(zmq::socket_t& socket, std::string_view text);
/// The next single-part message; nothing when none is waiting.
std::optional<std::string> receive_text(zmq::socket_t& socket);
/// All parts of the next message; empty when none is waiting.
std::vector<zmq::message_t> receive_waiting(zmq::socket_t& socket);

/// A socket or a descriptor (-1: never ready) to wait for.
struct PollItem {
  zmq::socket_t* socket = nullptr;
  int fd = -1;
};
/// Which items can be read; a descriptor whose other end closed counts. Sleeps until the deadline.
std::vector<bool> poll_sockets(const std::vector<PollItem>& items, Deadline deadline);

/// The address of this machine that packets to a `tcp://host:port` endpoint leave from (loopback for
/// ipc). Throws UserError when the host is unknown.
std::string address_towards(const std::string& endpoint);

}  // namespace rankscope
