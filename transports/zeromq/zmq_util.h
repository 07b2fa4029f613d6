// Helpers for all users of ZeroMQ here: a rank's data sockets and the conductor's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <zmq.hpp>

#include "engine/core/message/network_link.h"

namespace rankscope {

zmq::context_t make_zmq_context(int io_threads = 1);

/// Returns a socket with our defaults: no high-water marks (nothing is dropped, nothing blocks), LINGER 0 (a socket
/// that should flush sets it at the end), quick reconnects, a deep backlog.
zmq::socket_t make_zmq_socket(zmq::context_t& context, zmq::socket_type type);

/// Binds ipc://<path> and returns the endpoint. Unlike ZeroMQ it never takes the path from a living socket; the file of
/// a dead process is replaced. The caller unlinks the file at the end. Throws UserError (path too long, in use, missing
/// directory).
std::string bind_ipc(zmq::socket_t& socket, const std::string& path);

/// Binds tcp://<host>:<port> (port 0: any) and returns the endpoint that peers connect to, with
/// `advertise` in place of the host where given. Throws UserError (port in use, no such address; a
/// host beyond loopback without `encrypted`; all addresses bound and nothing to advertise).
std::string bind_tcp(zmq::socket_t& socket, std::string host, int port, bool encrypted,
                     const std::string& advertise = {});

/// Settings of a connecting socket that ZeroMQ has no option for.
struct ConnectionTuning {
  /// In bytes, at most what the system allows; 0 leaves the system's choice. With 208 KiB, its choice for ipc, a
  /// message of 1 MiB wakes its reader and its writer half a dozen times.
  int send_buffer = 0;
  /// For tcp between processes of one machine, where no network can be overloaded: avoids a congestion control that
  /// paces (BBR).
  bool unpaced = false;
  bool any() const noexcept { return send_buffer > 0 || unpaced; }
};
void connect_tuned(zmq::context_t& context, zmq::socket_t& socket, const std::string& endpoint,
                   const ConnectionTuning& tuning);

/// Throws UserError unless the endpoint is ipc:///path, or tcp://host:port on loopback or with `encrypted`.
void check_endpoint(const std::string& endpoint, bool encrypted);
bool is_loopback(std::string_view host) noexcept;
/// Returns whether tcp://host:port is on this machine.
bool is_loopback_endpoint(std::string_view endpoint);

/// Receives all parts of a message, which replace `parts`. Returns false if nothing is there (with
/// recv_flags::dontwait, or at the socket's own RCVTIMEO). Retries interrupted calls.
bool receive_parts(zmq::socket_t& socket, std::vector<zmq::message_t>& parts,
                   zmq::recv_flags flags = zmq::recv_flags::none);
/// Receives one part in the same way.
bool receive_part(zmq::socket_t& socket, zmq::message_t& part, zmq::recv_flags flags);

// CURVE: see also curve_gate.h.
/// Throws UserError if this libzmq was built without CURVE.
CurveKeys make_curve_keys();
/// Call these before bind or connect. The server needs a CurveGate in its context.
void set_curve_server(zmq::socket_t& socket, const CurveKeys& keys);
void set_curve_client(zmq::socket_t& socket, const CurveKeys& keys);

/// Lets the allocator keep large blocks instead of giving them back to the system: otherwise each
/// large message that arrives is mapped and page-faulted again. This affects the whole process, so a
/// worker's main() decides, and a library must not. No effect outside of glibc.
void tune_allocator() noexcept;

}  // namespace rankscope
