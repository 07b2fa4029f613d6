// Runs of a given number of elements, and what every diagram of them has to hold to.
#pragma once

#include <string>

#include "tests/diagrams/scenes.h"
#include "tests/support/job_traces.h"

namespace rankscope::test {

inline Trace registry_trace(const std::string& algorithm, int ranks, Count count = 16) {
  JobSpec spec;
  spec.call.algorithm = algorithm;
  spec.world.size = ranks;
  spec.call.shape = {count};
  return trace_of_job(spec);
}

/// What every scene has to hold to.
inline void check_tidy(const Scene& scene) {
  check_readable(scene);
  CHECK(scene.width > 0);
  CHECK(scene.height > 0);
  CHECK_FALSE(scene.title.empty());
}

}  // namespace rankscope::test
