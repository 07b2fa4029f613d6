// The ranks of a program that starts them itself, under --explore: each asks here for a socket to its agent.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/run/conductor/local_socket.h"
#include "engine/run/conductor/run_directory.h"

namespace rankscope::cli {

class OwnRanks {
 public:
  OwnRanks() : listener_(listen_at(directory_.path() / "agents")) {}

  /// What the program needs in its environment.
  std::string variable() const;

  /// The first group whose ranks are all there.
  struct Group {
    std::string platform;
    std::vector<Fd> connections;  ///< By rank.
    int size() const noexcept { return static_cast<int>(connections.size()); }
  };
  /// Nothing: `give_up`, asked a few times a second, said so first.
  std::optional<Group> gather(const std::function<bool()>& give_up);
  /// Gives each rank its socket; our ends, by rank. Ranks that come afterwards are refused.
  std::vector<Fd> admit(const Group& group);
  /// Ranks were refused: the program makes several groups.
  bool refused() const noexcept { return refused_; }
  /// Of gather() that gave up: "of 4 ranks, 0, 1 came"; empty: none came.
  const std::string& missing() const noexcept { return missing_; }

 private:
  RunDirectory directory_;
  Fd listener_;
  std::string missing_;
  std::atomic<bool> refused_{false};
  std::jthread refuser_;
};

}  // namespace rankscope::cli
