// A made-up run at a given pace, to measure how the window follows a real one.
#pragma once

#include <functional>

#include "engine/run/job/job.h"

namespace rankscope::gui {

struct LiveFeed {
  double events_per_s = 1e6;
  double seconds = 10;
};

/// Gives the events to `sink` as a conductor would: decoded from what workers send. Returns when all
/// are given; falls behind its pace rather than dropping any.
JobResult feed_live(const LiveFeed& feed, EventSink& sink, const std::function<bool()>& stopped);
JobSpec job_of_feed();

}  // namespace rankscope::gui
