// Traces that carry a network.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "engine/core/trace/trace_builder.h"
#include "engine/network/files/topology_file.h"
#include "engine/network/topology.h"
#include "tests/support/job_traces.h"

namespace rankscope::test {

/// Four ranks: 0 - 1 - 2 - 3 - 0.
inline Topology square_network() {
  Topology topology;
  topology.title = "Square";
  for (int rank = 0; rank < 4; ++rank)
    topology.add_node(
        {.name = "n" + std::to_string(rank), .x = rank % 3 > 0 ? 1.0 : 0.0, .y = rank / 2 * 1.0});
  for (int rank = 0; rank < 4; ++rank)
    topology.add_link(
        {.a = rank, .b = (rank + 1) % 4, .bandwidth = 1e9, .back = 1e9, .latency = 1e-6});
  return topology;
}

/// Returns a trace of `algorithm` in the form of a simulated run on this network; its times are from threads.
inline Trace trace_on(const Topology& topology, std::string_view algorithm = "alltoall.pairwise",
                      std::string placement = {}) {
  JobSpec spec;
  spec.call.algorithm = algorithm;
  spec.world.size = topology.ranks();
  spec.call.shape = {2 * topology.ranks()};
  spec.transport.name = "inproc";
  CollectingSink sink;
  InprocRunner runner;
  const JobResult result = runner.run(spec, sink);
  if (!result.ok()) throw std::runtime_error(result.message);
  spec.transport.name = "sim";
  spec.network.topology = "square.toml";
  spec.network.placement = std::move(placement);
  TraceMeta meta;
  meta.algorithm = spec.call.algorithm;
  meta.collective = collective_of(spec);
  meta.world_size = spec.world.size;
  meta.job = spec;
  meta.network = to_toml(topology);
  return make_trace(sink.take(), meta);
}

}  // namespace rankscope::test
