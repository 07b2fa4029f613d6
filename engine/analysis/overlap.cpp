// Collects the spans of computing and communicating from a trace.
#include "engine/analysis/overlap.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "engine/account/messages.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

std::string name_of(const Trace& trace, std::uint32_t phase) {
  const Definition* const known = trace.definition(Definition::Kind::phase, phase);
  return known == nullptr ? std::string() : known->name;
}

/// One strand of a rank, with its open phases.
class StrandWork {
 public:
  explicit StrandWork(std::uint16_t strand) : strand_(strand) {}

  void enter(std::uint32_t phase, std::int64_t now) { open_.push_back({phase, now}); }
  void leave(const Trace& trace, std::uint32_t phase, std::int64_t now) {
    // A phase whose beginning was lost ends nothing.
    if (ranges::find(open_, phase, &Open::phase) == open_.end()) return;
    while (open_.back().phase != phase) close(trace, now);
    close(trace, now);
  }
  void compute() {
    if (!open_.empty()) open_.back().computes = true;
  }
  void message(const Trace& trace, Interval time, std::uint32_t phase) {
    if (!open_.empty()) open_.back().has_messages = true;
    place().push_back({time, name_of(trace, phase), strand_});
  }
  /// Ends what is open at the end of the trace.
  std::vector<WorkSpan> finish(const Trace& trace, std::int64_t now) {
    while (!open_.empty()) close(trace, now);
    return std::move(done_);
  }

 private:
  struct Open {
    std::uint32_t phase = 0;
    std::int64_t begin = 0;
    bool has_messages = false, computes = false;
    std::vector<WorkSpan> inside = {};
  };

  std::vector<WorkSpan>& place() { return open_.empty() ? done_ : open_.back().inside; }

  void close(const Trace& trace, std::int64_t now) {
    Open ended = std::move(open_.back());
    open_.pop_back();
    if (ended.has_messages && !ended.computes)
      ended.inside = {{{ended.begin, now}, name_of(trace, ended.phase), strand_}};
    auto& around = place();
    std::ranges::move(ended.inside, std::back_inserter(around));
    if (open_.empty()) return;
    open_.back().has_messages |= ended.has_messages;
    open_.back().computes |= ended.computes;
  }

  std::uint16_t strand_;
  std::vector<Open> open_;
  std::vector<WorkSpan> done_;
};

/// Reads one rank event by event.
class RankWorkBuilder {
 public:
  RankWorkBuilder(const Trace& trace, Rank rank, std::string_view phase)
      : trace_(trace), phase_(phase) {
    work_.rank = rank;
  }

  void take(std::uint64_t k) {
    const StepEvent& event = trace_[k];
    const std::int64_t now = trace_.time_ns(k);
    if (!seen_) first_ = begin_ns(trace_, k);
    seen_ = true;
    last_ = std::max(last_, now);
    StrandWork& strand = strands_.try_emplace(event.strand, event.strand).first->second;
    if (event.kind == EventKind::phase) return take_phase(event, strand, now);
    if (event.kind == EventKind::local && event.verb == Verb::compute) {
      strand.compute();
      work_.computing.push_back(
          {{begin_ns(trace_, k), now}, name_of(trace_, event.phase), event.strand});
    }
    const bool message = is_send(event.verb) || is_recv(event.verb);
    if (!message) return;
    if (event.kind == EventKind::posted) posted_[event.op] = now;
    if (event.kind != EventKind::completed) return;
    const auto posted = posted_.find(event.op);
    strand.message(trace_, {posted == posted_.end() ? now : posted->second, now}, event.phase);
  }

  /// Nothing where the rank was never in the phase.
  std::optional<RankWork> finish() {
    for (auto& [number, strand] : strands_)
      std::ranges::move(strand.finish(trace_, last_), std::back_inserter(work_.communicating));
    work_.time = {first_, last_};
    if (!phase_.empty()) {
      if (!window_) return std::nullopt;
      work_.time = {window_->begin, window_->end == kOpen ? last_ : window_->end};
      clip(work_.computing);
      clip(work_.communicating);
    }
    const auto begins = [](const WorkSpan& span) { return span.time.begin; };
    ranges::stable_sort(work_.computing, {}, begins);
    ranges::stable_sort(work_.communicating, {}, begins);
    return std::move(work_);
  }

 private:
  static constexpr std::int64_t kOpen = std::numeric_limits<std::int64_t>::max();

  void take_phase(const StepEvent& event, StrandWork& strand, std::int64_t now) {
    const bool begins = event.verb == Verb::phase_begin;
    if (begins) strand.enter(event.phase, now);
    else strand.leave(trace_, event.phase, now);
    if (phase_.empty() || event.strand != 0 || name_of(trace_, event.phase) != phase_) return;
    if (begins && !window_) window_ = Interval{now, kOpen};
    if (!begins && window_ && window_->end == kOpen) window_->end = now;
  }

  void clip(std::vector<WorkSpan>& spans) const {
    for (WorkSpan& span : spans)
      span.time = {std::max(span.time.begin, work_.time.begin),
                   std::min(span.time.end, work_.time.end)};
    std::erase_if(spans, [](const WorkSpan& span) { return span.time.end <= span.time.begin; });
  }

  const Trace& trace_;
  const std::string_view phase_;
  RankWork work_;
  std::map<std::uint16_t, StrandWork> strands_;
  std::unordered_map<OpId, std::int64_t> posted_;
  std::optional<Interval> window_;
  bool seen_ = false;
  std::int64_t first_ = 0, last_ = 0;
};

std::vector<Interval> times_of(const std::vector<WorkSpan>& spans) {
  std::vector<Interval> out;
  for (const WorkSpan& span : spans) out.push_back(span.time);
  return out;
}

}  // namespace

std::vector<RankWork> work_of_ranks(const Trace& trace, std::string_view phase) {
  std::map<Rank, RankWorkBuilder> ranks;
  for (std::uint64_t k = 0; k < trace.size(); ++k)
    ranks.try_emplace(trace[k].rank, trace, trace[k].rank, phase).first->second.take(k);
  std::vector<RankWork> out;
  for (auto& [rank, builder] : ranks)
    if (auto work = builder.finish()) out.push_back(std::move(*work));
  return out;
}

std::vector<std::string> phases_that_compute(const Trace& trace) {
  std::vector<std::string> out;
  std::map<Rank, std::vector<std::uint32_t>> open;
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    const StepEvent& event = trace[k];
    if (event.strand != 0) continue;
    auto& phases = open[event.rank];
    if (event.kind == EventKind::phase && event.verb == Verb::phase_begin)
      phases.push_back(event.phase);
    if (event.kind == EventKind::phase && event.verb == Verb::phase_end && !phases.empty())
      phases.pop_back();
    if (event.kind != EventKind::local || event.verb != Verb::compute || phases.empty()) continue;
    const std::string name = name_of(trace, phases.front());
    if (ranges::find(out, name) == out.end()) out.push_back(name);
  }
  return out;
}

std::vector<Interval> exposed_intervals(const RankWork& work) {
  return without(times_of(work.communicating), times_of(work.computing));
}

OverlapTimes overlap_times(const RankWork& work) {
  OverlapTimes times;
  times.total = work.time.length();
  times.computing = covered(times_of(work.computing));
  times.communicating = covered(times_of(work.communicating));
  for (const Interval& one : exposed_intervals(work)) times.exposed += one.length();
  times.hidden = times.communicating - times.exposed;
  return times;
}

}  // namespace rankscope
