// Adds up the events of a trace file block by block.
#include "engine/analysis/streamed_statistics.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "engine/core/base/ranges.h"
#include "engine/core/trace/trace_builder.h"

namespace rankscope {
namespace {

std::int64_t streamed_spent(const StepEvent& event) noexcept {
  if (event.begin_ns >= event.time_ns) return 0;
  constexpr auto kLongest = std::uint64_t{1} << 61;  // a damaged file may say anything
  return static_cast<std::int64_t>(std::min(
      static_cast<std::uint64_t>(event.time_ns) - static_cast<std::uint64_t>(event.begin_ns),
      kLongest));
}

/// The sums of one thread.
class StreamedSums {
 public:
  explicit StreamedSums(const StreamedTrace& run)
      : run_(run), ranks(static_cast<std::size_t>(run.world_size())) {}

  void add(std::span<const StepEvent> events) {
    const auto at = static_cast<std::size_t>(events.front().rank);
    if (at >= ranks.size()) return;
    const auto shift = static_cast<std::uint64_t>(run_.shift_of(events.front().rank));
    for (const StepEvent& event : events)
      add(ranks[at], event,
          static_cast<std::int64_t>(static_cast<std::uint64_t>(event.time_ns) + shift));
  }

  void add(const StreamedSums& other) {
    for (std::size_t i = 0; i < ranks.size(); ++i) add(ranks[i], other.ranks[i]);
    for (const auto& [id, phase] : other.phases) {
      auto [mine, added] = phases.try_emplace(id, phase);
      if (added) continue;
      mine->second.sent += phase.sent;
      mine->second.blocked_ns += phase.blocked_ns;
      mine->second.work_ns += phase.work_ns;
      mine->second.first_ns = std::min(mine->second.first_ns, phase.first_ns);
      mine->second.last_ns = std::max(mine->second.last_ns, phase.last_ns);
    }
    for (const auto& [ways, traffic] : other.matrix) matrix[ways] += traffic;
  }

 private:
  static void add(RankStatistics& to, const RankStatistics& from) {
    if (from.events == 0) return;
    to.first_ns = to.events == 0 ? from.first_ns : std::min(to.first_ns, from.first_ns);
    to.last_ns = to.events == 0 ? from.last_ns : std::max(to.last_ns, from.last_ns);
    to.events += from.events;
    to.sent += from.sent;
    to.received += from.received;
    to.waits += from.waits;
    to.blocked_ns += from.blocked_ns;
    to.reduce_ns += from.reduce_ns;
    to.copy_ns += from.copy_ns;
    to.compute_ns += from.compute_ns;
    to.delay_ns += from.delay_ns;
    to.reduced_bytes += from.reduced_bytes;
    to.copied_bytes += from.copied_bytes;
  }

  void add(RankStatistics& rank, const StepEvent& event, std::int64_t time) {
    rank.first_ns = rank.events == 0 ? time : std::min(rank.first_ns, time);
    rank.last_ns = rank.events == 0 ? time : std::max(rank.last_ns, time);
    ++rank.events;
    const bool sends = event.kind == EventKind::posted && event.verb == Verb::send &&
                       event.peer >= 0 && event.peer < run_.world_size();
    const bool local = event.kind == EventKind::local;
    const auto spent = local ? streamed_spent(event) : 0;
    if (sends) {
      rank.sent += {1, event.bytes};
      matrix[{event.rank, event.peer}] += {1, event.bytes};
    } else if (event.kind == EventKind::completed && event.cause != 0 &&
               (event.verb == Verb::recv || event.verb == Verb::recv_reduce)) {
      rank.received += {1, event.bytes};
    } else if (local) {
      count_work(rank, event, spent);
    }
    if (event.phase == 0) return;
    if (last_phase_ == nullptr || last_id_ != event.phase) {
      last_phase_ =
          &phases.try_emplace(event.phase, PhaseStatistics{"", {}, 0, 0, time, time}).first->second;
      last_id_ = event.phase;
    }
    PhaseStatistics& phase = *last_phase_;
    phase.first_ns = std::min(phase.first_ns, time);
    phase.last_ns = std::max(phase.last_ns, time);
    if (event.kind == EventKind::posted && event.verb == Verb::send) phase.sent += {1, event.bytes};
    if (local) (event.verb == Verb::wait ? phase.blocked_ns : phase.work_ns) += spent;
  }

  const StreamedTrace& run_;
  PhaseStatistics* last_phase_ = nullptr;  // of an unordered_map: it stays where it is
  std::uint32_t last_id_ = 0;

 public:
  std::vector<RankStatistics> ranks;
  std::unordered_map<std::uint32_t, PhaseStatistics> phases;
  std::map<std::pair<Rank, Rank>, Traffic> matrix;
};

}  // namespace

StreamedStatistics streamed_statistics(const StreamedTrace& run,
                                       const StreamedTrace::Progress& progress) {
  std::array<StreamedSums, 2> sums{StreamedSums(run), StreamedSums(run)};
  TraceBuilder names;
  const TraceIssues issues = run.visit(
      run.whole(),
      [&](int thread, const StreamedTrace::Piece& piece) {
        for (const Definition& definition : piece.definitions) names.put_definition(definition);
        for (const auto events : piece.runs) sums[static_cast<std::size_t>(thread)].add(events);
      },
      progress);
  sums[0].add(sums[1]);
  names.set_meta(run.meta());
  names.set_issues(issues);
  names.set_part({0, run.duration_ns(), 0, 0, run.events()});
  StreamedStatistics found{{}, names.finish()};
  Statistics& result = found.statistics;
  result.events = run.events();
  result.duration_ns = run.duration_ns();
  result.ranks = std::move(sums[0].ranks);
  result.matrix = std::move(sums[0].matrix);
  for (auto& [id, phase] : sums[0].phases) {
    phase.name = phase_path(found.names, id);
    result.phases.push_back(std::move(phase));
  }
  ranges::sort(result.phases, [](const PhaseStatistics& a, const PhaseStatistics& b) {
    return std::pair(a.first_ns, a.name) < std::pair(b.first_ns, b.name);
  });
  std::uint64_t received = 0;
  for (const RankStatistics& rank : result.ranks) {
    result.total += rank.sent;
    received += rank.received.messages;
  }
  result.unreceived = result.total.messages - std::min(received, result.total.messages);
  find_busiest(result);
  return found;
}

}  // namespace rankscope
