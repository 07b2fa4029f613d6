// Adds up each rank's messages, bytes and times, overall and by phase.
#include "engine/analysis/statistics.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/analysis/trace_analysis.h"
#include "engine/core/base/ranges.h"
#include "engine/core/trace/trace_builder.h"

namespace rankscope {
namespace {

class PhaseTable {
 public:
  explicit PhaseTable(const Trace& trace) : trace_(trace) {}

  void add(const StepEvent& event, std::int64_t time, std::int64_t spent) {
    if (event.phase == 0) return;
    auto [found, added] = by_id_.emplace(event.phase, phases.size());
    if (added) {
      phases.push_back({phase_path(trace_, event.phase), {}, 0, 0, time, time});
    }
    auto& phase = phases[found->second];
    phase.last_ns = std::max(phase.last_ns, time);
    if (event.kind == EventKind::posted && event.verb == Verb::send) {
      phase.sent += {1, event.bytes};
    } else if (event.kind == EventKind::local) {
      (event.verb == Verb::wait ? phase.blocked_ns : phase.work_ns) += spent;
    }
  }
  std::vector<PhaseStatistics> phases;

 private:
  const Trace& trace_;
  std::unordered_map<std::uint32_t, std::size_t> by_id_;
};

/// The bytes of a message that belong to the chunk; nothing where it carries none of it.
std::optional<std::uint64_t> bytes_of(const Pieces& pieces, const MessageRecord& message,
                                      int chunk) {
  const Piece piece = pieces.of(message);
  const bool carried = piece.whole || (piece.first_chunk >= 0 && piece.first_chunk <= chunk &&
                                       chunk <= piece.last_chunk);
  if (!carried) return std::nullopt;
  const Range held = piece.whole ? Range{0, pieces.whole()} : piece.elements;
  if (held.offset < 0 || held.count <= 0 || pieces.ranks() < 1) return message.bytes;
  const Range wanted = Partition(pieces.whole(), pieces.ranks())[chunk];
  const Count shared = std::min(held.end(), wanted.end()) - std::max(held.offset, wanted.offset);
  if (shared <= 0) return std::nullopt;
  return message.bytes / static_cast<std::uint64_t>(held.count) *
         static_cast<std::uint64_t>(shared);
}

void add_work(const TraceAnalysis& run, const StatisticsPart& part, Statistics& result) {
  const Trace& trace = run.trace();
  const bool all = part.rounds < 0 || part.rounds > run.rounds().count;
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    const StepEvent& event = trace[k];
    const auto at = static_cast<std::size_t>(event.rank);
    if (!all && k >= run.cuts().cut[at][static_cast<std::size_t>(part.rounds)]) continue;
    RankStatistics& rank = result.ranks[at];
    ++result.events;
    ++rank.events;
    result.duration_ns = std::max(result.duration_ns, trace.time_ns(k));
    if (event.kind != EventKind::local) continue;
    const std::int64_t spent = trace.time_ns(k) - begin_ns(trace, k);
    count_work(rank, event, spent);
  }
}

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

void count_messages(const Trace& trace, const Rounds& found, Statistics& result,
                    const std::function<std::optional<std::uint64_t>(std::size_t)>& counted) {
  std::vector<std::vector<int>> taken(result.ranks.size());  // rounds, by rank
  for (std::size_t i = 0; i < found.messages.size(); ++i) {
    const auto& message = found.messages[i];
    const auto bytes = message.sync ? std::nullopt : counted(i);
    if (!bytes) continue;
    const auto add = [&](Rank rank, Traffic RankStatistics::*to) {
      result.ranks[static_cast<std::size_t>(rank)].*to += {1, *bytes};
      taken[static_cast<std::size_t>(rank)].push_back(found.round[i]);
    };
    result.total += {1, *bytes};
    result.matrix[{message.from, message.to}] += {1, *bytes};
    add(message.from, &RankStatistics::sent);
    if (message.received == kNoEvent) ++result.unreceived;
    else add(trace[message.received].rank, &RankStatistics::received);
  }
  for (std::size_t rank = 0; rank < taken.size(); ++rank) {
    ranges::sort(taken[rank]);
    const auto repeated = std::ranges::unique(taken[rank]);
    result.ranks[rank].steps = taken[rank].size() - repeated.size();
  }
}

void count_work(RankStatistics& rank, const StepEvent& event, std::int64_t time) {
  switch (event.verb) {
    case Verb::wait:
      rank.waits += time > 0 ? 1 : 0;
      rank.blocked_ns += time;
      break;
    case Verb::reduce:
    case Verb::scale:
      rank.reduce_ns += time;
      rank.reduced_bytes += event.bytes;
      break;
    case Verb::copy:
      rank.copy_ns += time;
      rank.copied_bytes += event.bytes;
      break;
    case Verb::compute: rank.compute_ns += time; break;
    case Verb::delay: rank.delay_ns += time; break;
    default: break;
  }
}

void find_busiest(Statistics& result) {
  const auto business = [](const RankStatistics& rank) {
    return std::tuple(rank.sent.bytes + rank.received.bytes,
                      rank.sent.messages + rank.received.messages);
  };
  for (std::size_t r = 0; r < result.ranks.size(); ++r) {
    result.ranks[r].rank = static_cast<Rank>(r);
    if (result.total.messages > 0 &&
        (result.busiest < 0 ||
         business(result.ranks[r]) >
             business(result.ranks[static_cast<std::size_t>(result.busiest)])))
      result.busiest = static_cast<Rank>(r);
  }
}

std::string phase_path(const Trace& trace, std::uint32_t phase) {
  std::string path;
  find_around(trace, Definition::Kind::phase, phase, [&](const Definition& one) {
    path = path.empty() ? one.name : fmt::format("{} / {}", one.name, path);
    return false;
  });
  return path;
}

Statistics statistics(const Trace& trace, const Rounds& rounds) {
  Statistics result;
  result.events = trace.size();
  // For a part of a run, the part's.
  if (trace.size() > 0)
    result.duration_ns = trace.time_ns(trace.size() - 1) - (trace.part() ? trace.time_ns(0) : 0);
  result.ranks.resize(static_cast<std::size_t>(trace.world_size()));
  PhaseTable phases(trace);
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    const StepEvent& event = trace[k];
    auto& rank = result.ranks[static_cast<std::size_t>(event.rank)];
    const auto time = trace.time_ns(k);
    if (rank.events++ == 0) rank.first_ns = time;
    rank.last_ns = time;
    const auto spent = time - begin_ns(trace, k);
    if (event.kind == EventKind::local) count_work(rank, event, spent);
    phases.add(event, time, spent);
  }
  result.phases = std::move(phases.phases);
  result.rounds = rounds.count;
  count_messages(trace, rounds, result,
                 [&](std::size_t i) { return std::optional(rounds.messages[i].bytes); });
  if (trace.part() != nullptr) result.unreceived = 0;  // they may be received later
  find_busiest(result);
  return result;
}

Statistics part_statistics(const TraceAnalysis& run, const StatisticsPart& part) {
  Statistics result;
  result.rounds = part.rounds < 0 ? run.rounds().count : std::min(part.rounds, run.rounds().count);
  result.ranks.resize(static_cast<std::size_t>(run.trace().world_size()));
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank)
    result.ranks[rank].rank = static_cast<Rank>(rank);
  const Rounds& rounds = run.rounds();
  const auto counted = [&](std::size_t i) -> std::optional<std::uint64_t> {
    if (part.rounds >= 0 && rounds.round[i] > part.rounds) return std::nullopt;
    const MessageRecord& message = rounds.messages[i];
    return part.chunk < 0 ? message.bytes : bytes_of(run.pieces(), message, part.chunk);
  };
  count_messages(run.trace(), rounds, result, counted);
  add_work(run, part, result);
  return result;
}

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
