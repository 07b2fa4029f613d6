// Gathers ranks whose messages go through agents in this process (under --sim, and under --explore if the program starts its
// ranks itself): each rank asks here for a socket to its agent.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/run/conductor/local_socket.h"
#include "engine/run/conductor/sockets.h"

namespace rankscope::cli {

class OwnRanks {
 public:
  OwnRanks() : listener_(listen_at(directory_.path() / "agents")) {}

  /// Returns the variable, "NAME=value", by which ranks find this.
  std::string variable() const;

  /// A complete group of ranks.
  struct Group {
    std::string key, platform, program, test;
    std::vector<Fd> connections;  ///< By rank.
    int size() const noexcept { return static_cast<int>(connections.size()); }
  };
  /// Waits for the next complete group; returns nothing once `give_up`, asked repeatedly, returns true.
  std::optional<Group> gather(const std::function<bool()>& give_up);
  /// Gives each rank its socket; returns our ends, by rank.
  static std::vector<Fd> admit(const Group& group);
  /// Refuses all ranks that ask from now on.
  void refuse_others();
  /// Returns whether ranks were refused, because the program makes several groups.
  bool refused() const noexcept { return refused_; }
  /// Returns "of 4 ranks only these joined: 0, 1" after gather() gave up; empty if none came.
  const std::string& missing() const noexcept { return missing_; }

 private:
  struct Gathering {
    int size = 0;
    std::map<int, Fd> came;
  };

  RunDirectory directory_;
  Fd listener_;
  std::map<std::string, Gathering> gathering_;  ///< By key: the incomplete groups.
  std::string missing_;
  std::atomic<bool> refused_{false};
  std::jthread refuser_;
};

}  // namespace rankscope::cli
