// The names that traces of version 0.1 gave to our algorithms, with their collectives.
#include "engine/core/trace/old_algorithms.h"

#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

struct OldNames {
  Collective collective;
  std::string_view names;  // separated by spaces
};

// Complete: traces of later algorithms name their collective.
constexpr OldNames kOldNames[] = {
    {Collective::p2p, "p2p.ping"},
    {Collective::p2p_shift, "p2p.sendrecv"},
    {Collective::barrier, "barrier.dissemination"},
    {Collective::broadcast,
     "broadcast.flat broadcast.binomial broadcast.scatter_allgather broadcast.chain "
     "broadcast.schedule"},
    {Collective::reduce, "reduce.flat reduce.binomial reduce.scatter_gather reduce.schedule"},
    {Collective::gather, "gather.flat gather.binomial gather.schedule"},
    {Collective::scatter, "scatter.flat scatter.binomial"},
    {Collective::allgather,
     "allgather.flat allgather.ring allgather.doubling allgather.bruck "
     "allgather.schedule"},
    {Collective::reduce_scatter,
     "reduce_scatter.direct reduce_scatter.ring reduce_scatter.halving "
     "reduce_scatter.schedule"},
    {Collective::allreduce,
     "allreduce.flat allreduce.mst allreduce.tree allreduce.bde allreduce.ring "
     "allreduce.rabenseifner allreduce.reduce_broadcast allreduce.reduce_scatter_allgather "
     "allreduce.hierarchical allreduce.ring_pipelined allreduce.bucketed "
     "allreduce.schedule"},
    {Collective::alltoall, "alltoall.linear alltoall.pairwise alltoall.bruck"},
};

}  // namespace

std::optional<Collective> collective_of_old_trace(const TraceMeta& meta) {
  // A program's job names its platform, and then "algorithm" is a file's name.
  if (!meta.job || meta.job->is_program()) return std::nullopt;
  if (meta.job->call.algorithm != meta.algorithm) return std::nullopt;
  // Other members may be unknown here; these two decide.
  const auto unread = parse_json_or_none(meta.unread_job);
  if (unread.contains("platform") || unread.contains("algorithm")) return std::nullopt;
  for (const OldNames& row : kOldNames) {
    const auto names = split_at(row.names, " ");
    if (ranges::find(names, meta.algorithm) != names.end()) return row.collective;
  }
  return std::nullopt;
}

}  // namespace rankscope
