// Feeds a made-up run to the window at a given pace.
#include "gui/live_feed.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/run/job/made_up_run.h"

namespace rankscope::gui {

JobSpec job_of_feed() {
  JobSpec spec;
  spec.world_size = MadeUpRun::kRanks;
  spec.shape = {Count{8} * MadeUpRun::kRanks};
  return spec;
}

JobResult feed_live(const LiveFeed& feed, EventSink& sink, const std::function<bool()>& stopped) {
  using SteadyClock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kTick{5};
  const auto deliver = [&sink](const EventBatch& batch) {
    sink.deliver(decode_batch(encode(batch)));
  };
  MadeUpRun run;
  const auto began = SteadyClock::now();
  const double all = feed.seconds * feed.events_per_s;
  const auto given = [&run] { return static_cast<double>(run.delivered()); };
  while (given() < all && !stopped()) {
    std::this_thread::sleep_for(kTick);
    const auto passed = std::chrono::duration<double>(SteadyClock::now() - began).count();
    const double due = std::min(all, passed * feed.events_per_s);
    while (given() < due) run.step(deliver);
  }
  run.finish(deliver);
  sink.flush();
  JobResult result;
  result.status = JobResult::Status::ok;
  result.algorithm = job_of_feed().algorithm;
  result.events = run.delivered();
  result.elapsed_s = std::chrono::duration<double>(SteadyClock::now() - began).count();
  return result;
}

}  // namespace rankscope::gui
