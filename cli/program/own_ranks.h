// The ranks of a program whose messages go through agents in this process, under --explore where it starts them itself,
// and under --sim: each asks here for a socket to its agent.
#pragma once

#include <atomic>
#include <functional>
#include <map>
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

  /// The program's additional environment.
  std::string variable() const;

  /// A group whose ranks are all there.
  struct Group {
    std::string key, platform, program, test;
    std::vector<Fd> connections;  ///< By rank.
    int size() const noexcept { return static_cast<int>(connections.size()); }
  };
  /// The next that is complete. Nothing: `give_up`, asked a few times a second, said so first.
  std::optional<Group> gather(const std::function<bool()>& give_up);
  /// Gives each rank its socket; our ends, by rank.
  static std::vector<Fd> admit(const Group& group);
  /// Those that come from now on.
  void refuse_others();
  /// Ranks were refused: the program makes several groups.
  bool refused() const noexcept { return refused_; }
  /// Why gather() gave up: "of 4 ranks, 0, 1 came"; empty if none came.
  const std::string& missing() const noexcept { return missing_; }

 private:
  struct Gathering {
    int size = 0;
    std::map<int, Fd> came;
  };

  RunDirectory directory_;
  Fd listener_;
  std::map<std::string, Gathering> gathering_;  ///< By key: those that are not complete.
  std::string missing_;
  std::atomic<bool> refused_{false};
  std::jthread refuser_;
};

}  // namespace rankscope::cli
