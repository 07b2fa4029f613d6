// Traces of the registry's algorithms, run on threads.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "engine/collectives/algorithm.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/run/job/job.h"
#include "transports/inproc/inproc_world.h"

namespace rankscope::test {

inline Trace trace_of_job(JobSpec spec) {
  spec.transport.name = "inproc";
  CollectingSink sink;
  InprocRunner runner;
  const JobResult result = runner.run(spec, sink);
  if (!result.ok()) throw std::runtime_error(spec.call.algorithm + ": " + result.message);
  TraceMeta meta;
  meta.algorithm = spec.call.algorithm;
  meta.collective = collective_of(spec);
  meta.world_size = spec.world.size;
  meta.job = spec;
  return make_trace(sink.take(), meta);
}

/// Runs an algorithm on `count` elements, as JobSpec counts them, that print as whole numbers.
inline Trace trace_of_job(std::string algorithm, int ranks, Count count) {
  JobSpec spec;
  spec.call.algorithm = std::move(algorithm);
  spec.world.size = ranks;
  spec.call.shape = {count};
  spec.call.dtype = DType::int64;
  return trace_of_job(spec);
}

/// Runs an algorithm with `each` elements per rank's chunk.
inline Trace trace_of_algorithm(std::string_view name, int ranks, Count each = 2) {
  JobSpec spec;
  spec.call.algorithm = name;
  spec.world.size = ranks;
  spec.call.shape = {each * ranks};
  if (require_algorithm(name).features.takes_segments) spec.call.segment_bytes = 8;
  return trace_of_job(spec);
}

}  // namespace rankscope::test
