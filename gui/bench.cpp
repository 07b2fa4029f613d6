// Measures frames and seeks on a trace, and frames of a live run.
#include "gui/bench.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/trace/streamed_trace.h"
#include "engine/model/statistics.h"
#include "engine/run/job/job.h"
#include "engine/run/job/made_up_run.h"
#include "gui/state/app/groups.h"
#include "gui/state/command/view_infos.h"

namespace rankscope::gui {
namespace {

struct LiveFeed {
  double events_per_s = 1e6;
  double seconds = 10;
};

JobSpec job_of_feed() {
  JobSpec spec;
  spec.world.size = MadeUpRun::kRanks;
  spec.call.shape = {Count{8} * MadeUpRun::kRanks};
  return spec;
}

/// Delivers events to `sink` as a conductor would, decoded from what workers send. Returns at the end;
/// falls behind its pace rather than dropping any.
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
  result.algorithm = job_of_feed().call.algorithm;
  result.events = run.delivered();
  result.elapsed_s = std::chrono::duration<double>(SteadyClock::now() - began).count();
  return result;
}

double end_of(MainLoop& loop) {
  const auto& state = loop.app().state();
  return state.document->end(state.playback.clock);
}

// Measures the CPU time of building a frame at each of `frames` moments, from the trace's start to its end.
Summary frame_costs(MainLoop& loop, int frames) {
  const double end = end_of(loop);
  std::vector<double> times;
  for (int i = 0; i < frames; ++i) {
    loop.window().poll();
    loop.app().execute(cmd::seek(end * i / frames));
    const double before = thread_seconds();
    loop.build();
    times.push_back(thread_seconds() - before);
  }
  return summarize(times);
}

// Measures the time from a seek to the frame that shows its moment.
Summary scrub_costs(MainLoop& loop, int seeks) {
  std::minstd_rand random;
  std::uniform_real_distribution<double> anywhere(0, end_of(loop));
  std::vector<double> times;
  for (int i = 0; i < seeks; ++i) {
    loop.window().poll();
    const double before = loop.age();
    loop.app().execute(cmd::seek(anywhere(random)));
    loop.build();
    times.push_back(loop.age() - before);
  }
  return summarize(times);
}

// Measures, for a run that is held in parts, the time from a seek until the events around it are there.
Summary part_costs(MainLoop& loop, int seeks) {
  std::minstd_rand random;
  std::uniform_real_distribution<double> anywhere(0, end_of(loop));
  std::vector<double> times;
  for (int i = 0; i < seeks; ++i) {
    const double moment = anywhere(random), before = loop.age();
    loop.app().execute(cmd::seek(moment));
    do {
      loop.window().poll();
      loop.app().update(0.001);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    } while (!loop.app().state().document->has_around(moment));
    times.push_back(loop.age() - before);
  }
  return summarize(times);
}

// Measures a frame in which the fonts are rebuilt in another size.
Summary scale_costs(MainLoop& loop) {
  std::vector<double> times;
  for (const double scale : {1.25, 2.0, 3.0, 1.0}) {
    loop.app().execute(cmd::scale(scale));
    const double before = loop.age();
    loop.frame();
    times.push_back(loop.age() - before);
    loop.settle();
  }
  return summarize(times);
}

// Returns the process's CPU time, which is about its age while nothing has waited.
double process_age() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

void print(std::string_view what, const Summary& s) {
  fmt::print("{:<32} {:8.3f} ms (median) {:8.3f} ms (99 %) {:8.3f} ms (at most)\n", what,
             s.median * 1e3, s.p99 * 1e3, s.max * 1e3);
}

// Measures, for a run whose sums are an estimate, the time until all of its events are counted. Frames are built as if somebody
// moved the mouse, and painted if there is news.
void count_costs(MainLoop& loop, MainLoop::Costs& costs) {
  costs.built.clear();
  costs.updated.clear();
  while (loop.app().group<FileCommands>().counts()) {
    constexpr double kFrame = 1.0 / 60;
    const double used = thread_seconds();
    loop.window().poll();
    const bool news = loop.app().update(kFrame);
    costs.updated.push_back(thread_seconds() - used);
    if (news) loop.frame();
    else loop.build();
    loop.window().wait(kFrame);
  }
  fmt::print("all events are counted {:.3f} s after the start\n", loop.age());
  print("while they were counted", summarize(costs.built));
  print("news, meanwhile", summarize(costs.updated));
}

}  // namespace

int bench(MainLoop& loop, int frames) {
  constexpr int kFramesOfAView = 60, kSeeks = 100;
  MainLoop::Costs costs;
  loop.costs = &costs;
  loop.frame();
  const double built = costs.built.back(), done = process_age();
  fmt::print(
      "first frame {:.3f} s of processor time after the start: ours {:.3f} s (the application with "
      "its first letters {:.3f} s, the frame {:.3f} s), the window and the driver {:.3f} s\n",
      done, loop.start_cost() + built, loop.start_cost(), built, done - loop.start_cost() - built);
  loop.settle();
  if (!loop.app().state().has_trace()) throw UserError("--bench-frames needs a trace to play");
  const Document& shown = *loop.app().state().document;
  fmt::print("{} events are shown {:.3f} s after the start\n",
             shown.run() ? shown.run()->events() : shown.trace().size(), loop.age());
  costs.built.erase(costs.built.begin());  // the first one makes fonts and windows
  print("while it was opened, or ran", summarize(costs.built));
  print("news, meanwhile", summarize(costs.updated));
  if (loop.app().group<FileCommands>().counts()) count_costs(loop, costs);
  loop.app().execute(cmd::first());
  loop.settle();
  print("a frame", frame_costs(loop, frames));
  print("from a seek to its frame", scrub_costs(loop, kSeeks));
  if (loop.app().state().document->run()) {
    constexpr int kParts = 30;
    print("from a seek to its events", part_costs(loop, kParts));
  }
  costs.fonts.clear();
  print("a change of the size", scale_costs(loop));
  print("of it the fonts", summarize(costs.fonts));
  for (const auto& view : kViews) {
    loop.app().execute(cmd::view(Slot::main, view.name));
    loop.settle();
    print(fmt::format("a frame with {}", view.name), frame_costs(loop, kFramesOfAView));
  }
  loop.costs = nullptr;
  return 0;
}

int bench_live(MainLoop& loop, double seconds) {
  constexpr double kFrame = 1.0 / 60;
  loop.settle();
  MainLoop::Costs costs;
  loop.costs = &costs;
  LiveFeed feed;
  feed.seconds = seconds;
  loop.app().watch(job_of_feed(), [feed](EventSink& sink, const std::function<bool()>& stopped) {
    return feed_live(feed, sink, stopped);
  });
  const auto& state = loop.app().state();
  do {  // a frame each time, as if somebody moved the mouse
    const double began = loop.age(), used = thread_seconds();
    loop.window().poll();
    loop.app().update(kFrame);
    costs.updated.push_back(thread_seconds() - used);
    loop.frame();
    const double left = kFrame - (loop.age() - began);
    if (left > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left));
  } while (state.live.running && !MainLoop::stop_requested());
  loop.costs = nullptr;
  if (!state.result || !state.has_trace()) throw UserError("the made-up run has left no trace");
  const auto sent = state.result->events, shown = state.document->trace().size();
  fmt::print("{} events sent in {:.1f} s ({:.0f} a second), {} received, {} lost, {} frames\n",
             sent, state.result->elapsed_s, static_cast<double>(sent) / state.result->elapsed_s,
             shown, sent - shown, costs.built.size());
  print("a frame, built", summarize(costs.built));
  print("news, taken in", summarize(costs.updated));
  return sent == shown ? 0 : 1;
}

}  // namespace rankscope::gui
