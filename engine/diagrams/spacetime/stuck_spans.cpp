// Adds spans for ranks that stopped for good: blocked until the end of the picture, or lost.
#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/spacetime/spacetime_model.h"

namespace rankscope {
namespace {

using Model = SpacetimeModel;

/// Shares of the run's time that are added to show blocked ranks: kMuchRoom if the last one was blocked after kSeen of
/// it.
constexpr double kMuchRoom = 0.5, kLittleRoom = 0.08, kSeen = 0.7;

class StuckSpans {
 public:
  StuckSpans(const Trace& trace, const StuckRanks& stuck, bool rounds, double final_us,
             Model& model)
      : trace_(trace), stuck_(stuck), rounds_(rounds), model_(model) {
    double last = 0;
    for (const BlockedGroup& group : stuck.blocked.groups)
      for (const BlockedVerb& verb : group.roots)
        last = std::max(last, static_cast<double>(trace.time_ns(verb.event)) * 1e-3);
    const bool seen = stuck.blocked.groups.empty() || last < kSeen * final_us;
    const double share = seen ? kLittleRoom : kMuchRoom;
    // The last step of a lost rank shows enough.
    end_ = rounds ? model.end + (stuck.lost.empty() ? 1 : 0)
                  : final_us + std::max(1.0, share * final_us);
  }

  bool add() {
    for (const BlockedGroup& group : stuck_.blocked.groups) {
      for (const BlockedVerb& verb : group.roots) add(verb, Tone::error);
      for (const BlockedVerb& verb : group.followers) add(verb, Tone::blocked);
    }
    for (const Rank rank : stuck_.lost) add_lost(rank);
    if (found_ && rounds_) model_.end = end_;
    return found_;
  }

 private:
  int lane_of(Rank rank) const {
    const auto at = ranges::find(model_.lanes, rank);
    return at == model_.lanes.end() ? -1 : static_cast<int>(at - model_.lanes.begin());
  }

  /// When the last message of a lane has left, or arrived.
  double last_of(int lane) const {
    double last = 0;
    for (const auto& arrow : model_.arrows) {
      if (arrow.from == lane && !arrow.waits) last = std::max(last, arrow.shown_begin);
      if (arrow.to == lane && arrow.received) last = std::max(last, arrow.shown_end);
    }
    return last;
  }

  void add(const BlockedVerb& verb, Tone tone) {
    const int lane = lane_of(verb.rank);
    if (lane < 0) return;
    constexpr double kBehindMark = 0.16;
    const double at = static_cast<double>(trace_.time_ns(verb.event)) * 1e-3;
    double begin = at;
    if (rounds_) {
      begin = last_of(lane) > 0 ? last_of(lane) + kBehindMark : 0;
      for (const auto& arrow : model_.arrows)
        if (arrow.from == lane && arrow.waits) begin = std::max(begin, arrow.shown_begin);
    }
    const std::string words = verb.in_call ? "blocked in a call"
                              : verb.send  ? "blocked in send"
                                           : "blocked in recv";
    put(lane, begin, tone, words,
        fmt::format("rank {}: {} from {} on{}", verb.rank, words, microseconds_text(at),
                    verb.line > 0 ? fmt::format("\n{}:{}", verb.file, verb.line) : ""));
  }

  void add_lost(Rank rank) {
    const int lane = lane_of(rank);
    if (lane < 0) return;
    constexpr double kLeastSeen = 0.5;
    double begin = rounds_ ? std::min(last_of(lane), end_ - kLeastSeen) : 0;
    for (std::uint64_t k = trace_.size(); !rounds_ && k-- > 0;)
      if (trace_[k].rank == rank) {
        begin = static_cast<double>(trace_.time_ns(k)) * 1e-3;
        break;
      }
    put(lane, begin, Tone::error, "✕ lost", fmt::format("rank {} was lost here", rank));
  }

  void put(int lane, double begin, Tone tone, const std::string& label, std::string story) {
    Model::Span span;
    span.lane = lane;
    span.begin = std::min(begin, end_);
    span.end = end_;
    span.tone = tone;
    span.story = std::move(story);
    span.forever = true;
    span.label = label;
    model_.spans.push_back(std::move(span));
    found_ = true;
  }

  const Trace& trace_;
  const StuckRanks& stuck_;
  const bool rounds_;
  Model& model_;
  double end_ = 0;
  bool found_ = false;
};

}  // namespace

bool add_stuck_spans(const Trace& trace, const StuckRanks& stuck, bool rounds, double final_us,
                     SpacetimeModel& model) {
  return StuckSpans(trace, stuck, rounds, final_us, model).add();
}

}  // namespace rankscope
