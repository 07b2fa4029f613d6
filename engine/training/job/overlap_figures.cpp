// Reads both steps out of a trace, and sets the closed form beside them.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/model/overlap.h"
#include "engine/training/job/overlap_run.h"

namespace rankscope::training {
namespace {

constexpr std::string_view kIncomplete =
    "the trace does not hold both steps on every rank: was the run stopped? Record it again";

std::int64_t end_of(const std::vector<WorkSpan>& spans, std::string_view name) {
  const auto found = ranges::find(spans, name, &WorkSpan::name);
  if (found == spans.end()) throw UserError(std::string(kIncomplete));
  return found->time.end;
}

std::vector<std::int64_t> lengths_of(const std::vector<Interval>& intervals) {
  std::vector<std::int64_t> out;
  for (const Interval& one : intervals) out.push_back(one.length());
  return out;
}

/// From when each allreduce could begin to when it began; and what is between the spans of the backward pass.
std::int64_t slack_of(const StepFigures& figures, const RankWork& work) {
  std::int64_t slack = 0, before = 0;
  for (std::size_t j = 0; j < figures.full.size(); ++j) {
    slack += figures.allreduces[j].begin - std::max(figures.startable[j], before);
    before = figures.allreduces[j].end;
  }
  const std::vector<Interval> backward{{figures.full.front(), figures.computed}};
  std::vector<Interval> computing;
  for (const WorkSpan& span : work.computing) computing.push_back(span.time);
  for (const Interval& gap : without(backward, computing)) slack += gap.length();
  return slack;
}

/// A rank that is alone has allreduces without messages, which take no time.
StepFigures figures_of(const RankWork& work, const std::vector<OverlapLayer>& layers,
                       const std::vector<Bucket>& buckets, int ranks, bool overlapped) {
  StepFigures out;
  out.rank = work.rank;
  out.times = overlap_times(work);
  out.computed = end_of(work.computing, backward_name(layers.front().name));
  for (std::size_t j = 0; j < buckets.size(); ++j) {
    out.full.push_back(end_of(work.computing, backward_name(layers[buckets[j].last_layer].name)));
    out.startable.push_back(overlapped ? out.full.back() : out.computed);
    const auto found = ranges::find(work.communicating, bucket_name(j), &WorkSpan::name);
    if (found != work.communicating.end()) out.allreduces.push_back(found->time);
    else if (ranks == 1) out.allreduces.push_back({out.startable.back(), out.startable.back()});
    else throw UserError(std::string(kIncomplete));
  }
  out.closed_form = exposed_time(out.startable, lengths_of(out.allreduces), out.computed);
  out.slack = slack_of(out, work);
  return out;
}

/// What the ranks found when they compared their averages.
void read_differences(const Trace& trace, OverlapMeasured& out) {
  std::size_t ranks = 0;
  out.ranks_agree = true;
  for (const BufferState& state : trace.seek(trace.size())) {
    const Definition* const buffer = trace.definition(Definition::Kind::buffer, state.buffer);
    if (buffer == nullptr || buffer->name != kDifferences) continue;
    std::array<std::int64_t, 2> found{};
    if (state.samples.size() != sizeof(found)) throw UserError(std::string(kIncomplete));
    std::memcpy(found.data(), state.samples.data(), sizeof(found));
    out.different += static_cast<std::uint64_t>(found[0]);
    out.ranks_agree &= found[1] == 0;
    ++ranks;
  }
  if (std::cmp_not_equal(ranks, trace.world_size())) throw UserError(std::string(kIncomplete));
}

}  // namespace

const StepFigures& OverlapMeasured::slowest(bool with) const {
  const auto& all = with ? overlapped : apart;
  return *ranges::max_element(all, {}, [](const StepFigures& one) { return one.times.total; });
}

std::int64_t OverlapMeasured::step_ns(bool with) const { return slowest(with).times.total; }

std::int64_t OverlapMeasured::expected_exposed() const {
  const auto given = ranges::find(apart, slowest(true).rank, &StepFigures::rank);
  return exposed_time(given->full, lengths_of(given->allreduces), given->computed);
}

OverlapMeasured overlap_measured(const Trace& trace) {
  const JobSpec spec = trace.meta().job.value_or(JobSpec());
  if (spec.algorithm != kOverlapProgram || !spec.is_program())
    throw UserError(
        fmt::format("the trace is of {}, not of a step with overlap: `rankscope overlap -o FILE` "
                    "records one",
                    trace.meta().algorithm));
  OverlapMeasured out;
  out.run = overlap_run_from_json(spec.program);
  const auto layers = layers_of(out.run);
  const auto buckets = buckets_of(out.run);
  for (const RankWork& work : work_of_ranks(trace, kApartPhase))
    out.apart.push_back(figures_of(work, layers, buckets, trace.world_size(), false));
  for (const RankWork& work : work_of_ranks(trace, kOverlappedPhase))
    out.overlapped.push_back(figures_of(work, layers, buckets, trace.world_size(), true));
  const auto ranks = static_cast<std::size_t>(trace.world_size());
  if (ranks == 0 || out.apart.size() != ranks || out.overlapped.size() != ranks)
    throw UserError(std::string(kIncomplete));
  read_differences(trace, out);
  return out;
}

}  // namespace rankscope::training
