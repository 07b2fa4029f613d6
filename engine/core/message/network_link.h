// A Link between processes; the other ranks must learn its address before they can send.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/message/link.h"

namespace rankscope {

/// A CURVE key pair, as Z85 text of 40 characters each. A run has one pair, and anyone who holds it belongs to the run.
struct CurveKeys {
  std::string public_key;
  std::string secret_key;
};

struct LinkConfig {
  std::string transport;  ///< Its name in transports/factory.h.
  Rank rank = 0;
  int world_size = 1;
  std::uint64_t secret = 0;  ///< The run's secret: frames with another one are dropped and counted.
  std::optional<CurveKeys> keys;  ///< For encryption and authentication; required beyond loopback.

  std::string directory;           ///< ipc: the folder of the socket files (mode 0700).
  std::string host = "127.0.0.1";  ///< tcp: the address to bind.
  int port = 0;                    ///< tcp: 0 lets the system choose.
  std::string advertise;           ///< tcp: the name that peers use; empty: `host`.

  int memory_fd = -1;  ///< shm: the ranks' memory, which the link takes over.

  int io_threads = 1;
  std::size_t lend_from = std::size_t{32} << 10;
  int ipc_send_buffer = 512 << 10;  ///< ipc: SO_SNDBUF in bytes; 0 leaves the system's choice.
  int socket_buffer = 0;  ///< tcp: SO_SNDBUF and SO_RCVBUF in bytes; 0 leaves the system's choice.
};

/// A link that is bound when constructed, so that its endpoint can be sent to the others; it sends once it knows
/// theirs.
class NetworkLink : public Link {
 public:
  /// The address at which the others reach this rank: "tcp://127.0.0.1:40123", "ipc:///tmp/run/r0.data".
  virtual const std::string& endpoint() const noexcept = 0;
  /// Sets the endpoints of all ranks, by world rank. Connections are made on first use. Throws UserError if the
  /// endpoints cannot be right (count, form, an open network without keys).
  virtual void set_peers(std::vector<std::string> endpoints) = 0;
  /// Closes in order: returns once everything sent has left, or returns false at the deadline and drops the rest. Every
  /// loan is then released; afterwards the link is as after abandon().
  virtual bool close(Deadline deadline) = 0;
  /// Addresses that tried to connect without the run's keys, each listed once; only the first few.
  virtual std::vector<std::string> refused_peers() const = 0;
  /// The number of attempts to connect without the keys.
  virtual std::uint64_t refused() const noexcept = 0;
};

}  // namespace rankscope
