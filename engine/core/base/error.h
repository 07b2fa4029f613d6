// Errors. A user's mistake is a UserError (exit code 2); a failed communication is a CommError,
// which carries where it happened. Bugs are assertions.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

#include "engine/core/base/types.h"

namespace rankscope {

/// A request that cannot be carried out; the message says what to do instead.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file or stream with invalid contents (truncated, checksum, unknown version).
class FormatError : public UserError {
 public:
  using UserError::UserError;
};

/// A line of source code that called a verb. The pointers live as long as the program.
struct CallSite {
  const char* file = "";
  const char* function = "";
  unsigned line = 0;

  static CallSite from(const std::source_location& where) noexcept {
    return {where.file_name(), where.function_name(), where.line()};
  }
};

/// A failed communication: a peer died, a message did not fit, a deadline passed, or the run was stopped. Ranks are
/// world ranks; `peer` is kAnyRank if no single peer is to blame.
class CommError : public std::runtime_error {
 public:
  enum class Reason { truncated, deadline, stopped, peer_lost, mismatch, protocol };

  CommError(Reason reason, Rank rank, Rank peer, const CallSite& site, const std::string& what);

  Reason reason() const noexcept { return reason_; }
  Rank rank() const noexcept { return rank_; }
  Rank peer() const noexcept { return peer_; }
  const CallSite& site() const noexcept { return site_; }
  /// Returns the description, without rank and call site.
  const std::string& words() const noexcept { return words_; }

 private:
  Reason reason_;
  Rank rank_;
  Rank peer_;
  CallSite site_;
  std::string words_;
};

/// "engine/collectives/allreduce_ring.cpp:21", shortened to the part inside the project.
std::string short_location(const CallSite& site);
std::string short_file(std::string_view path);
/// "void rankscope::allreduce_ring(Communicator&, const Args&)" -> "allreduce_ring".
std::string short_function(std::string_view pretty);

}  // namespace rankscope
