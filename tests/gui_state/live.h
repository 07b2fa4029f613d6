// A session on real worker processes, with a home of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include "gui/state/run/session.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace rankscope::test {

/// Living children of this process (zombies too).
std::set<int> children();

/// Settings and caches of tests are not the user's.
class OwnHome {
 public:
  OwnHome() {
    ::setenv("XDG_CONFIG_HOME", (folder_ / "config").c_str(), 1);
    ::setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    ::setenv("XDG_DATA_HOME", (folder_ / "data").c_str(), 1);
  }
  std::string operator/(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
};

struct Live {
  OwnHome home;
  std::atomic<int> news{0};
  gui::Session session{rankscope_binary().string(), [this] { ++news; }};

  /// Until the run has ended; its result.
  JobResult finish();
  bool all(RankView::State state) const;
  /// What the next order is answered with.
  std::string answer_to(const std::function<void()>& order);
};

JobSpec job(const std::string& algorithm, int ranks = 4, Count count = 16);
/// Ranks sleep before each message.
JobSpec slow_job(double delay_us);

}  // namespace rankscope::test
