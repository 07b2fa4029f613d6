#include "gui/bench.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <time.h>

#include "engine/core/error.h"
#include "engine/model/statistics.h"

namespace rankscope::gui {
namespace {

double end_of(MainLoop& loop) {
  const auto& state = loop.app().state();
  return state.document->end(state.playback.clock);
}

// CPU time of building a frame at each of so many moments, from the trace's start to its end.
Summary frame_costs(MainLoop& loop, int frames) {
  const double end = end_of(loop);
  std::vector<double> times;
  for (int i = 0; i < frames; ++i) {
    loop.window().poll();
    loop.app().execute({"seek", {fmt::format("{}", end * i / frames)}});
    const double before = thread_seconds();
    loop.build();
    times.push_back(thread_seconds() - before);
  }
  return summarize(times);
}

// From the order to the frame that shows the moment, as a person waits for it.
Summary scrub_costs(MainLoop& loop, int seeks) {
  std::minstd_rand random;
  std::uniform_real_distribution<double> anywhere(0, end_of(loop));
  std::vector<double> times;
  for (int i = 0; i < seeks; ++i) {
    loop.window().poll();
    const double before = loop.age();
    loop.app().execute({"seek", {fmt::format("{}", anywhere(random))}});
    loop.build();
    times.push_back(loop.age() - before);
  }
  return summarize(times);
}

// What rebuilding the fonts adds to a frame, as a person who changes the size waits for it.
Summary scale_costs(MainLoop& loop) {
  std::vector<double> times;
  for (const char* scale : {"1.25", "2", "3", "1"}) {
    loop.app().execute({"scale", {scale}});
    const double before = loop.age();
    loop.frame();
    times.push_back(loop.age() - before);
    loop.settle();
  }
  return summarize(times);
}

// CPU time that the process has used is about its age when nothing has waited yet.
double process_age() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void print(std::string_view what, const Summary& s) {
  fmt::print("{:<32} {:8.3f} ms (median) {:8.3f} ms (99 %) {:8.3f} ms (at most)\n", what,
             s.median * 1e3, s.p99 * 1e3, s.max * 1e3);
}

}  // namespace

int bench(MainLoop& loop, int frames) {
  constexpr int kFramesOfAView = 60, kSeeks = 100;
  MainLoop::Costs costs;
  loop.costs = &costs;
  loop.frame();
  fmt::print(
      "first frame {:.3f} s of processor time after the start; the window and the driver took "
      "{:.3f} s\n",
      process_age(), loop.window_made());
  loop.settle();
  if (!loop.app().state().has_trace()) throw UserError("--bench-frames needs a trace to play");
  fmt::print("{} events are shown {:.3f} s after the start\n",
             loop.app().state().document->trace().size(), loop.age());
  costs.built.erase(costs.built.begin());  // the first: fonts, windows
  print("while it was opened, or ran", summarize(costs.built));
  print("news, meanwhile", summarize(costs.updated));
  loop.app().execute({"first"});
  loop.settle();
  print("a frame", frame_costs(loop, frames));
  print("from a seek to its frame", scrub_costs(loop, kSeeks));
  print("a change of the size", scale_costs(loop));
  for (const auto view : kViews) {
    loop.app().execute({"view", {"main", std::string(view)}});
    loop.settle();
    print(fmt::format("a frame with {}", view), frame_costs(loop, kFramesOfAView));
  }
  loop.costs = nullptr;
  return 0;
}

}  // namespace rankscope::gui
