// The connection to the program that starts an exercise's ranks (lessons/python/rankscope/ranks.py): it has loaded their
// libraries once, and forks each rank into a box of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/deadline.h"
#include "engine/core/base/fd.h"
#include "engine/core/run/outcome.h"

namespace rankscope {

/// A process in a rank's box that is not its program.
struct OtherProcess {
  int rank = -1;     ///< -1: of whichever rank; it had gone before it could be looked at.
  std::string name;  ///< The program's name for it, in one line.

  /// "rank 2 returned, and a process that it started goes on (sleep): ..."
  std::string words() const;
};

/// Returns whether an errno says that the machine lacked something.
bool is_lack(int error_number) noexcept;
/// Reads from the last line on a process's standard error whether the machine lacked something (machine) or not (own): a
/// process that dies leaves nothing else.
Cause cause_in(std::string_view last_line);

struct RankEnd {
  int rank = -1;
  int exit_code = 0;
  int signal = 0;    ///< The signal that ended it; 0 if none did.
  std::string said;  ///< The last line on its standard error.

  bool in_order() const noexcept { return exit_code == 0 && signal == 0; }
  /// "rank 2 ended with code 3: ...".
  std::string words() const;
  Cause cause() const;
};

class RankStarter {
 public:
  /// Throws UserError when there can be no sockets.
  RankStarter();
  /// The socket for the program in the box; close it once that has begun.
  Fd& theirs() noexcept { return theirs_; }

  /// Lets a process that will become the program enter its box. Returns false if it is gone.
  bool admit();
  /// Returns whether the libraries are loaded; false if not in time, or if the program is gone.
  bool up(Deadline limit);
  /// Starts one rank per socket, of which the rank keeps a copy. Returns false if the program is gone.
  bool start(const std::vector<int>& sockets);
  /// Ends what still runs.
  void end_all();
  /// True when no rank runs any more.
  bool all_ended(Deadline limit);
  /// Looks for what runs beside the ranks' programs until there is nothing, or the limit has passed: what the last
  /// look saw. No value: there is no answer.
  std::optional<std::vector<OtherProcess>> others(Deadline limit);
  /// Since the last start(), in the order in which they ended.
  const std::vector<RankEnd>& ends() const noexcept { return ends_; }
  bool gone() const noexcept { return gone_; }

 private:
  bool hear(Deadline limit);
  bool send(const std::string& order, const std::vector<int>& sockets = {});

  Fd ours_, theirs_;
  bool up_ = false, gone_ = false;
  std::size_t running_ = 0;
  std::vector<RankEnd> ends_;
  int looks_ = 0;
  std::optional<std::vector<OtherProcess>> others_;  ///< The answer to the last of them.
};

}  // namespace rankscope
