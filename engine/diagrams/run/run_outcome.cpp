// Words for captions: success, failure, the lost rank, and messages nobody received.
#include "engine/diagrams/run/run_outcome.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/account/pieces.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/network/files/topology_file.h"

namespace rankscope {
namespace {

// Returns which rank was lost, and how; nothing if a rank's error came first, because ranks lost after it are not why
// the run failed.
std::string first_failure(const JobResult& result) {
  if (result.failed_rank >= 0 || result.failures.empty()) return {};
  const RankFailure& first = result.failures.front();
  return first.what.empty() ? std::string() : fmt::format("rank {} {}", first.rank, first.what);
}

std::uint64_t product(const std::vector<std::int64_t>& shape) {
  std::uint64_t elements = 1;
  for (const auto extent : shape)
    elements *= extent > 0 && elements < (1ULL << 40) ? static_cast<std::uint64_t>(extent) : 0;
  return elements;
}

bool may_block(const Finding& found) noexcept {
  const FindingKind& kind = info(found.kind);
  return kind.blocks || (kind.may_block && found.severity == Finding::Severity::error);
}

bool ended_well(const Trace& trace) { return trace.meta().outcome && run_outcome(trace).empty(); }

}  // namespace

std::string run_name(const TraceMeta& meta) {
  return meta.algorithm.empty() ? "run" : meta.algorithm;
}

std::string run_title(const TraceMeta& meta, int ranks) {
  return fmt::format("{}, {} rank{}", run_name(meta), ranks, ranks == 1 ? "" : "s");
}

std::string titled(std::string_view word, const TraceMeta& meta) {
  return fmt::format("{}{}{}", word, meta.algorithm.empty() ? "" : ": ", meta.algorithm);
}

std::string run_outcome(const Trace& trace) {
  using Status = JobResult::Status;
  const TraceMeta& meta = trace.meta();
  if (!meta.outcome) return trace.issues().unclosed ? "recorded without its end" : "";
  if (meta.outcome->ok()) return {};
  if (meta.outcome->status == Status::timeout) return "timed out";
  if (meta.outcome->status != Status::failed) return std::string(to_string(meta.outcome->status));
  const std::string failure = first_failure(*meta.outcome);
  return failure.empty() ? "failed" : failure;
}

std::string_view unreceived_words(const Trace& trace) {
  return trace.meta().has_ended() ? "never received" : "not received yet";
}

std::string unreceived_text(const Trace& trace, std::uint64_t messages) {
  return fmt::format("{} {} {}", counted(messages, "message"), messages == 1 ? "was" : "were",
                     unreceived_words(trace));
}

std::string with_outcome(const Trace& trace, const std::string& words) {
  const std::string outcome = run_outcome(trace);
  if (outcome.empty() || words.empty()) return outcome + words;
  return outcome + " · " + words;
}

TracedJob::TracedJob(const TraceAnalysis& analysis) {
  const Trace& trace = analysis.trace();
  collective = traits_of(trace);
  if (const auto& job = trace.meta().job) {
    shape = job->call.shape;
    element_bytes = dtype_size(job->call.dtype);
    scatter_dim = job->call.scatter_dim;
    gather_dim = job->call.gather_dim;
  }
  const Pieces& pieces = analysis.pieces();
  for (Rank rank = 0; rank < trace.world_size() && element_bytes == 0; ++rank)
    if (const auto* buffer = pieces.data(rank)) element_bytes = dtype_size(buffer->dtype);
  // The largest watched buffer is the data as a whole, except that an all-to-all's output may be
  // larger than what a rank contributes.
  const auto elements =
      collective != nullptr && collective->out == Extent::regrouped && !shape.empty()
          ? product(shape)
          : static_cast<std::uint64_t>(pieces.whole());
  data_bytes = elements * element_bytes;
}

std::string network_title(const TraceMeta& meta) {
  if (meta.network.empty()) return {};
  try {
    return parse_topology(meta.network, "network").title;
  } catch (const UserError&) {  // from a later version
    return {};
  }
}

// A message that also carries chunks to be passed on is longer than one chunk.
bool sends_chunks_directly(const TraceAnalysis& analysis) {
  const Trace& trace = analysis.trace();
  if (trace.meta().collective != Collective::alltoall) return false;
  TracedJob job(analysis);
  const auto dim = static_cast<std::size_t>(job.scatter_dim);
  if (dim >= job.shape.size() || job.shape[dim] < 0 || trace.world_size() < 1) return false;
  const Partition chunks(job.shape[dim], trace.world_size());
  return ranges::all_of(analysis.messages(), [&](const MessageRecord& m) {
    if (m.sync) return true;
    if (m.to < 0 || m.to >= trace.world_size()) return false;
    job.shape[dim] = chunks[m.to].count;
    return m.bytes == product(job.shape) * job.element_bytes;
  });
}

bool StuckRanks::is_lost(Rank rank) const noexcept {
  return ranges::find(lost, rank) != lost.end();
}

StuckRanks stuck_ranks(const TraceAnalysis& analysis) {
  StuckRanks stuck;
  if (analysis.large() || ended_well(analysis.trace())) return stuck;
  const int world = analysis.trace().world_size();
  bool blocks = false;
  for (const Finding& found : analysis.findings()) {
    blocks = blocks || may_block(found);
    if (found.kind != Finding::Kind::lost_rank && found.kind != Finding::Kind::not_supported)
      continue;
    if (stuck.lost.empty()) {
      stuck.lost_what = found.what;
      stuck.lost_why = found.why;
    }
    for (const Rank rank : found.ranks)
      if (rank >= 0 && rank < world) stuck.lost.push_back(rank);
  }
  if (blocks && stuck.lost.empty()) stuck.blocked = blocked_ranks(analysis.trace());
  return stuck;
}

void check_ranks(const std::vector<Rank>& ranks, int world) {
  std::set<Rank> seen;
  for (const Rank rank : ranks) {
    if (rank < 0 || rank >= world)
      throw UserError(
          fmt::format("there is no rank {}: this run has ranks 0 to {}", rank, world - 1));
    if (!seen.insert(rank).second) throw UserError(fmt::format("rank {} is named twice", rank));
  }
}

std::pair<int, int> chosen_rounds(int first, int wanted, int count) {
  const int all = std::max(count, 1);
  const int last = wanted > 0 ? wanted : all;
  if (first < 1 || last > all || (first > last && wanted <= 0))
    throw UserError(
        fmt::format("steps {}:{} are outside of the run, which has steps 1:{}", first, last, all));
  if (first > last)
    throw UserError(fmt::format("steps {}:{} end before they begin: this run has steps 1:{}", first,
                                last, all));
  return {first, last};
}

}  // namespace rankscope
