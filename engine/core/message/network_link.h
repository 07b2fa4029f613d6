// A Link between processes: it has an address that the others must learn before they can send.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/message/link.h"

namespace rankscope {

/// A CURVE key pair, Z85 text of 40 characters each. A run has one pair: who holds it belongs to
/// it.
struct CurveKeys {
  std::string public_key;
  std::string secret_key;
};

struct LinkConfig {
  std::string transport;  ///< Its name in transports/factory.h.
  Rank rank = 0;
  int world_size = 1;
  std::uint64_t secret = 0;       ///< Of the run: frames with another one are dropped and counted.
  std::optional<CurveKeys> keys;  ///< Encrypts and authenticates; a must beyond loopback.

  std::string directory;           ///< ipc: where the sockets' files go (mode 0700).
  std::string host = "127.0.0.1";  ///< tcp: the address to bind.
  int port = 0;                    ///< tcp: 0 lets the system choose.
  std::string advertise;           ///< tcp: the name that peers use; empty: `host`.

  int memory_fd = -1;  ///< shm: the ranks' memory, which the link takes over.

  int io_threads = 1;
  std::size_t lend_from = std::size_t{32} << 10;
  int ipc_send_buffer = 512 << 10;  ///< ipc: SO_SNDBUF in bytes; 0 leaves the system's choice.
  int socket_buffer = 0;  ///< tcp: SO_SNDBUF and SO_RCVBUF in bytes; 0 leaves the system's choice.
};

/// Made bound, so that its endpoint can be sent to the others; sends once it knows theirs.
class NetworkLink : public Link {
 public:
  /// Where the others reach this rank: "tcp://127.0.0.1:40123", "ipc:///tmp/run/r0.data".
  virtual const std::string& endpoint() const noexcept = 0;
  /// The endpoints of all ranks, by world rank. Connections are made on first use. Throws UserError
  /// when they cannot be right (count, form, an open network without keys).
  virtual void set_peers(std::vector<std::string> endpoints) = 0;
  /// The clean end: returns when all that was sent went out, or at the deadline, when the rest is
  /// dropped (false). Every loan is released then; afterwards the link is as after abandon().
  virtual bool close(Deadline deadline) = 0;
  /// Addresses that tried to connect without the run's keys, each once; only the first ones.
  virtual std::vector<std::string> refused_peers() const = 0;
  /// How often that happened.
  virtual std::uint64_t refused() const noexcept = 0;
};

}  // namespace rankscope
