// The trace of a job that runs on threads of the test, as the command would record it.
#pragma once

#include <string>

#include "engine/core/trace_builder.h"
#include "engine/run/process_runner.h"
#include "tests/support/catch.h"
#include "transports/inproc/inproc_world.h"

namespace rankscope::test {

inline Trace trace_of_job(JobSpec spec) {
  spec.transport = "inproc";
  CollectingSink sink;
  const JobResult result = InprocRunner().run(spec, sink);
  INFO(spec.algorithm << " on " << spec.world_size << " ranks: " << result.message);
  REQUIRE(result.ok());
  TraceMeta meta;
  meta.world_size = spec.world_size;
  meta.algorithm = result.algorithm;
  meta.job_json = to_json(spec);
  return make_trace(sink.take(), meta);
}

inline Trace trace_of_job(std::string algorithm, int ranks, Count count) {
  JobSpec spec;
  spec.algorithm = std::move(algorithm);
  spec.world_size = ranks;
  spec.shape = {count};
  spec.dtype = DType::int64;
  return trace_of_job(std::move(spec));
}

}  // namespace rankscope::test
