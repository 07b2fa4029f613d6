// Runs a session on real worker processes and waits for its states and answers.
#include "tests/gui_state/live.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace rankscope::test {

std::set<int> children() {
  std::set<int> found;
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    std::ifstream in(task.path() / "children");
    for (int pid = 0; in >> pid;) found.insert(pid);
  }
  return found;
}

JobResult Live::finish() {
  REQUIRE(eventually([&] { return !session.running(); }));
  const auto error = session.take_error();
  INFO(error.value_or("no error"));
  const auto result = session.take_result();
  REQUIRE(result);
  return *result;
}

bool Live::all(RankView::State state) const {
  const auto places = session.live().places;
  return !places.empty() &&
         std::ranges::all_of(places, [&](const RankView& view) { return view.state == state; });
}

std::string Live::answer_to(const std::function<void()>& order) {
  const auto before = session.live().answer;
  order();
  eventually([&] { return session.live().answer != before; });
  return session.live().answer;
}

JobSpec job(const std::string& algorithm, int ranks, Count count) {
  JobSpec spec;
  spec.call.algorithm = algorithm;
  spec.world.size = ranks;
  spec.call.shape = {count};
  return spec;
}

JobSpec slow_job(double delay_us) {
  JobSpec spec = job("allreduce.ring");
  spec.world.delays_us.assign(4, delay_us);
  return spec;
}

}  // namespace rankscope::test
