// Traces of the registry's algorithms, run on threads.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "engine/collectives/algorithm.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/run/job/job.h"
#include "engine/run/job/trace_meta.h"
#include "transports/inproc/inproc_world.h"

namespace rankscope::test {

inline Trace trace_of_job(JobSpec spec) {
  spec.transport = "inproc";
  CollectingSink sink;
  InprocRunner runner;
  const JobResult result = runner.run(spec, sink);
  if (!result.ok()) throw std::runtime_error(spec.algorithm + ": " + result.message);
  TraceMeta meta;
  meta.algorithm = spec.algorithm;
  meta.collective = collective_of(spec);
  meta.world_size = spec.world_size;
  meta.job = spec;
  return make_trace(sink.take(), meta);
}

/// `count` elements, as JobSpec counts them, that print as whole numbers.
inline Trace trace_of_job(std::string algorithm, int ranks, Count count) {
  JobSpec spec;
  spec.algorithm = std::move(algorithm);
  spec.world_size = ranks;
  spec.shape = {count};
  spec.dtype = DType::int64;
  return trace_of_job(spec);
}

/// `each` elements for each rank's chunk.
inline Trace trace_of_algorithm(std::string_view name, int ranks, Count each = 2) {
  JobSpec spec;
  spec.algorithm = name;
  spec.world_size = ranks;
  spec.shape = {each * ranks};
  if (require_algorithm(name).features.takes_segments) spec.segment_bytes = 8;
  return trace_of_job(spec);
}

}  // namespace rankscope::test
