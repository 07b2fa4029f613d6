// Real runs of the registry's algorithms on threads, as traces that know their job.
#pragma once

#include <string>
#include <vector>

#include "engine/core/trace/trace_builder.h"
#include "engine/diagrams/scene/scene.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/run/job/trace_meta.h"
#include "tests/support/catch.h"
#include "transports/inproc/inproc_world.h"

namespace rankscope::test {

inline Trace run_trace(const JobSpec& asked) {
  JobSpec spec = asked;
  spec.transport = "inproc";
  CollectingSink sink;
  InprocRunner runner;
  const JobResult result = runner.run(spec, sink);
  REQUIRE(result.ok());
  TraceMeta meta;
  meta.world_size = spec.world_size;
  meta.algorithm = spec.algorithm;
  meta.collective = collective_of(spec);
  meta.job_json = to_json(spec);
  return make_trace(sink.take(), std::move(meta));
}

inline Trace registry_trace(const std::string& algorithm, int ranks, Count count = 16) {
  JobSpec spec;
  spec.algorithm = algorithm;
  spec.world_size = ranks;
  spec.shape = {count};
  return run_trace(spec);
}

/// What every scene has to hold to.
inline void check_tidy(const Scene& scene) {
  for (const auto& [first, second] : overlapping_texts(scene))
    FAIL_CHECK("texts overlap: \"" << scene.marks[first].text << "\" and \""
                                   << scene.marks[second].text << '"');
  for (const auto mark : outside_page(scene))
    FAIL_CHECK("outside of the page: mark " << mark << " \"" << scene.marks[mark].text << '"');
  CHECK(scene.width > 0);
  CHECK(scene.height > 0);
  CHECK_FALSE(scene.title.empty());
}

}  // namespace rankscope::test
