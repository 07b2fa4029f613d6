// Builds lanes, spans, arrows and phases of a time-vs-rank diagram from a trace.
#include "engine/diagrams/spacetime/spacetime_model.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "engine/analysis/overlap.h"
#include "engine/analysis/phase_spans.h"
#include "engine/analysis/statistics.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/run/run_outcome.h"

namespace rankscope {
namespace {

using Model = SpacetimeModel;
using Clock = SpacetimeOptions::Clock;

// The part of a round in which a message is drawn; the rest shows what the receiver does with it.
constexpr double kDeparture = 0.12, kArrival = 0.80, kMark = 0.14;

double us(std::int64_t ns) noexcept { return static_cast<double>(ns) * 1e-3; }

class Builder {
 public:
  Builder(const TraceAnalysis& analysis, const SpacetimeOptions& options)
      : trace_(analysis.trace()),
        options_(options),
        pieces_(analysis.pieces()),
        rounds_(analysis.rounds()),
        direct_(sends_chunks_directly(analysis)),
        stuck_(stuck_ranks(analysis)) {
    for (const BlockedGroup& group : stuck_.blocked.groups)
      for (const auto* verbs : {&group.roots, &group.followers})
        for (const BlockedVerb& verb : *verbs) offered_.insert(verb.event);
  }

  Model build() {
    model_.outcome = run_outcome(trace_);
    model_.lost = !stuck_.lost.empty();
    model_.unreceived_words = unreceived_words(trace_);
    choose_lanes();
    std::tie(model_.first_round, model_.last_round) =
        chosen_rounds(options_.first_round, options_.last_round, rounds_.count);
    find_reduced();
    add_arrows();
    if (options_.critical_path) mark_critical();
    if (measured()) {
      add_spans();
      add_open_receives();
      clip_spans();
    } else {
      fan_out();
    }
    add_phases();
    if (!measured()) set_rounds();
    if (!options_.live && model_.last_round >= rounds_.count && trace_.size() > 0) {
      const double final = us(trace_.time_ns(trace_.size() - 1));
      if (add_stuck_spans(trace_, stuck_, !measured(), final, model_)) run_end_ = final;
    }
    if (measured()) set_extent();
    return std::move(model_);
  }

 private:
  bool measured() const noexcept { return options_.clock == Clock::measured; }

  void choose_lanes() {
    const int world = trace_.world_size();
    model_.lanes = options_.ranks;
    if (model_.lanes.empty())
      for (Rank r = 0; r < world; ++r) model_.lanes.push_back(r);
    check_ranks(model_.lanes, world);
    for (std::size_t i = 0; i < model_.lanes.size(); ++i)
      lane_.emplace(model_.lanes[i], static_cast<int>(i));
  }

  // Finds received data that was reduced: on arrival, straight from the message, or later from the scratch memory that
  // it arrived in.
  void find_reduced() {
    struct ReceivedRange {
      OpId recv = 0;
      std::uint64_t begin = 0, end = 0;
    };
    std::map<std::pair<Rank, std::uint32_t>, std::vector<ReceivedRange>> received_ranges;
    for (std::uint64_t k = 0; k < trace_.size(); ++k) {
      const StepEvent& event = trace_[k];
      if (event.kind == EventKind::completed && is_recv(event.verb)) {
        if (event.verb == Verb::recv_reduce) reduced_.insert(event.op);
        else if (event.out_buffer != 0)
          received_ranges[{event.rank, event.out_buffer}].push_back(
              {event.op, event.out_offset, event.out_offset + event.bytes});
      } else if (event.kind == EventKind::local && event.verb == Verb::reduce) {
        if (event.cause != 0) reduced_.insert(event.cause);
        const auto found = received_ranges.find({event.rank, event.in_buffer});
        if (event.in_buffer == 0 || found == received_ranges.end()) continue;
        std::erase_if(found->second, [&](const ReceivedRange& l) {
          const bool read = l.begin < event.in_offset + event.bytes && event.in_offset < l.end;
          if (read) reduced_.insert(l.recv);
          return read;
        });
      }
    }
  }

  // The order of rounds does not depend on times, so that a slower machine's run gives the same picture.
  std::vector<std::size_t> drawing_order() const {
    std::vector<std::size_t> order(rounds_.messages.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (measured()) return order;
    ranges::stable_sort(order, {}, [&](std::size_t i) {
      const MessageRecord& m = rounds_.messages[i];
      return std::tuple(rounds_.round[i], m.from, m.to, m.tag, trace_[m.sent].strand);
    });
    return order;
  }

  void add_arrows() {
    for (const std::size_t i : drawing_order()) {
      const MessageRecord& m = rounds_.messages[i];
      const int round = rounds_.round[i];
      if (m.sync || m.sent == kNoEvent || round < model_.first_round || round > model_.last_round)
        continue;
      const auto from = lane_.find(m.from), to = lane_.find(m.to);
      if (from == lane_.end() || to == lane_.end()) continue;
      Model::Arrow arrow;
      arrow.from = from->second;
      arrow.to = to->second;
      arrow.round = round;
      arrow.piece = pieces_.of(m);
      arrow.bytes = m.bytes;
      arrow.reduced = reduced_.contains(m.recv);
      arrow.received = m.received != kNoEvent;
      arrow.under_way = options_.live && !arrow.received;
      arrow.waits = !arrow.received && !arrow.under_way && offered_.contains(m.sent);
      arrow.message = i;
      arrow.id = fmt::format("m{}", i);
      if (direct_) arrow.route = fmt::format("{}→{}", m.from, m.to);
      place(arrow, m);
      arrow.story = story(m, arrow);
      sent_[arrow.from] += m.bytes;
      model_.total_bytes += m.bytes;
      model_.waiting += arrow.waits ? 1 : 0;
      model_.under_way += arrow.under_way ? 1 : 0;
      model_.unreceived += arrow.received || arrow.waits || arrow.under_way ? 0 : 1;
      index_of_[i] = model_.arrows.size();
      model_.arrows.push_back(std::move(arrow));
    }
    for (const auto& [lane, bytes] : sent_)
      model_.busiest_bytes = std::max(model_.busiest_bytes, bytes);
  }

  void place(Model::Arrow& arrow, const MessageRecord& m) const {
    if (measured()) {
      arrow.begin = us(trace_.time_ns(m.sent));
      const auto last = m.received != kNoEvent ? m.received : m.matched;
      arrow.end = last != kNoEvent ? std::max(us(trace_.time_ns(last)), arrow.begin)
                                   : us(trace_.time_ns(trace_.size() - 1));
      arrow.shown_begin = arrow.begin;
      arrow.shown_end = arrow.end;
    } else {
      arrow.begin = arrow.round - model_.first_round;
      arrow.end = arrow.begin + 1;
    }
  }

  std::string story(const MessageRecord& m, const Model::Arrow& arrow) const {
    std::string text = fmt::format("rank {} sends {} to rank {} ({})", m.from, arrow.piece.name(),
                                   m.to, amount_text(m.bytes));
    const std::string phase = phase_path(trace_, trace_[m.sent].phase);
    text += fmt::format("\nstep {}{}{}", arrow.round, phase.empty() ? "" : ", ", phase);
    if (arrow.waits) return text + fmt::format("\nwaits for rank {} to receive", m.to);
    if (arrow.under_way)
      return text + fmt::format("\non its way: rank {} has not received it yet", m.to);
    if (!arrow.received) return text + "\n" + model_.unreceived_words;
    text += arrow.reduced ? "\ncombined with what the receiver holds" : "";
    text += fmt::format("\nsent at {}, received {} later",
                        microseconds_text(us(trace_.time_ns(m.sent))),
                        microseconds_text(us(trace_.time_ns(m.received) - trace_.time_ns(m.sent))));
    if (trace_.clamped(m.received)) text += "\nits clocks disagree: the arrival was moved";
    return text;
  }

  // Several messages of one rank in one round (strands, roots that gather) share the round's width.
  void fan_out() {
    std::map<std::pair<int, int>, int> leaving, entering;
    for (const auto& a : model_.arrows) {
      ++leaving[{a.round, a.from}];
      ++entering[{a.round, a.to}];
    }
    std::map<std::pair<int, int>, int> left, entered;
    for (auto& a : model_.arrows) {
      const int out = leaving[{a.round, a.from}], in = entering[{a.round, a.to}];
      model_.most_in_a_cell = std::max({model_.most_in_a_cell, out, in});
      const int i = left[{a.round, a.from}]++, j = entered[{a.round, a.to}]++;
      constexpr double kFan = 0.34;
      a.shown_begin = a.begin + kDeparture + (out > 1 ? kFan * i / out : 0);
      a.shown_end = a.begin + kArrival - (in > 1 ? kFan * (in - 1 - j) / in : 0);
      if (!a.received || a.bytes == 0) continue;
      const double mark = in > 1 ? std::min(kMark, 0.7 * kFan / in) : kMark;
      model_.spans.push_back(
          {a.to, a.shown_end, a.shown_end + mark, a.reduced ? Tone::reducing : Tone::copying, {}});
    }
  }

  // Communication that goes on beside computing: each of its phases is one bar, so that both are seen.
  void add_work_beside() {
    const auto ranks = work_of_ranks(trace_);
    const auto on_strand = [](const WorkSpan& span) { return span.strand != 0; };
    beside_ = ranges::any_of(ranks, [&](const RankWork& work) {
      return ranges::any_of(work.communicating, on_strand) &&
             !ranges::all_of(work.computing, on_strand);
    });
    if (!beside_) return;
    std::map<std::string, int> colors;
    for (const RankWork& work : ranks) {
      const auto lane = lane_.find(work.rank);
      if (lane == lane_.end()) continue;
      for (const WorkSpan& span : work.communicating) {
        if (span.strand == 0 || span.name.empty()) continue;
        const int color =
            colors.try_emplace(span.name, static_cast<int>(colors.size())).first->second;
        model_.spans.push_back({lane->second, us(span.time.begin), us(span.time.end), Tone::chunk,
                                fmt::format("rank {}: {} for {}", work.rank, span.name,
                                            microseconds_text(us(span.time.length()))),
                                color, true});
      }
    }
  }

  void add_spans() {
    add_work_beside();
    for (std::uint64_t k = 0; k < trace_.size(); ++k) {
      const StepEvent& event = trace_[k];
      if (event.kind != EventKind::local || (beside_ && event.strand != 0)) continue;
      const auto lane = lane_.find(event.rank);
      const double begin = us(begin_ns(trace_, k)), end = us(trace_.time_ns(k));
      if (lane == lane_.end() || end <= begin) continue;
      std::string story = work_story(event.rank, event.verb, end - begin);
      if (const auto phase = phase_path(trace_, event.phase);
          event.verb == Verb::compute && !phase.empty())
        story += "\n" + phase;
      model_.spans.push_back({lane->second, begin, end, work_tone(event.verb), std::move(story)});
    }
  }

  // A receive without a message has no event that says how long its rank waited. It is drawn from the last event of the
  // rank's strand to the end of the picture, unless the rank has ended.
  void add_open_receives() {
    using Strand = std::pair<Rank, std::uint16_t>;
    std::map<Strand, double> last;
    std::map<OpId, Strand> open;
    std::set<Rank> ended;
    for (std::uint64_t k = 0; k < trace_.size(); ++k) {
      const StepEvent& event = trace_[k];
      const Strand strand{event.rank, event.strand};
      if (event.kind == EventKind::job) {
        if (event.verb == Verb::job_end && event.tag == 0) ended.insert(event.rank);
        continue;
      }
      last[strand] = us(trace_.time_ns(k));
      if (event.verb != Verb::recv && event.verb != Verb::recv_reduce) continue;
      if (event.kind == EventKind::posted) open.emplace(event.op, strand);
      if (event.kind == EventKind::completed) open.erase(event.op);
    }
    std::set<Strand> blocked;
    for (const auto& [op, strand] : open)
      if (lane_.contains(strand.first) && !ended.contains(strand.first) &&
          !stuck_.is_lost(strand.first) && stuck_.blocked.groups.empty())
        blocked.insert(strand);
    if (blocked.empty()) return;
    // Blocked ranks record no further events; without room after the last one nobody would see
    // that they are blocked.
    const double final = us(trace_.time_ns(trace_.size() - 1));
    const double end = final + std::max(1.0, 0.08 * final);
    run_end_ = final;
    for (const Strand& strand : blocked)
      model_.spans.push_back(
          {lane_.at(strand.first), last[strand], end, Tone::blocked,
           fmt::format("rank {}: blocked from {} on, in a receive that nothing came for",
                       strand.first, microseconds_text(last[strand]))});
  }

  // Keeps the work of ranks while the shown steps' messages travel.
  void clip_spans() {
    if (model_.arrows.empty()) return;
    double begin = model_.arrows.front().begin, end = begin;
    for (const auto& a : model_.arrows) {
      begin = std::min(begin, a.begin);
      end = std::max(end, a.end);
    }
    if (model_.first_round > 1)
      std::erase_if(model_.spans, [&](const auto& span) { return span.begin < begin; });
    if (model_.last_round >= rounds_.count) return;
    std::erase_if(model_.spans, [&](const auto& span) { return span.begin >= end; });
    for (auto& span : model_.spans) span.end = std::min(span.end, end);
  }

  void mark_critical() {
    for (const std::size_t i : critical_path(rounds_.messages))
      if (const auto found = index_of_.find(i); found != index_of_.end())
        model_.arrows[found->second].critical = true;
  }

  struct Extent {
    double begin = 0, end = 0;
    bool known = false;
    void add(double b, double e) {
      begin = known ? std::min(begin, b) : b;
      end = known ? std::max(end, e) : e;
      known = true;
    }
  };

  // A phase lasts as long as its messages.
  void add_phases() {
    const auto when = [&](std::size_t i) -> std::optional<std::pair<double, double>> {
      const auto found = index_of_.find(i);
      if (found == index_of_.end()) return std::nullopt;
      const auto& arrow = model_.arrows[found->second];
      return std::pair{arrow.begin, arrow.end};
    };
    std::vector<PhaseSpan> spans = phase_spans(trace_, rounds_, when);
    const auto of_axis = [](const PhaseSpan& one) {
      return one.name.starts_with("step ") && one.name.find('/') == std::string::npos;
    };
    if (options_.clock == SpacetimeOptions::Clock::rounds && ranges::all_of(spans, of_axis))
      return;  // the axis says it
    for (PhaseSpan& span : spans)
      model_.phases.push_back({std::move(span.name), span.begin, span.end, 0});
    std::vector<double> free_from;
    for (auto& phase : model_.phases) {
      std::size_t row = 0;
      while (row < free_from.size() && free_from[row] > phase.begin + 1e-9) ++row;
      if (row == free_from.size()) free_from.push_back(0);
      free_from[row] = phase.end;
      phase.row = static_cast<int>(row);
    }
    constexpr int kMostRows = 4;
    std::erase_if(model_.phases, [](const auto& phase) { return phase.row >= kMostRows; });
    model_.phase_rows = std::min(static_cast<int>(free_from.size()), kMostRows);
  }

  void set_rounds() { model_.run_end = model_.end = model_.last_round - model_.first_round + 1; }

  void set_extent() {
    Extent all;
    for (const auto& a : model_.arrows) all.add(a.begin, a.end);
    for (const auto& s : model_.spans) all.add(s.begin, s.end);
    // If ranks only wait, without any message, the picture shows how long they waited.
    if (model_.arrows.empty() && all.known) all.add(0, all.end);
    if (!all.known || all.end <= all.begin) all.add(0, std::max(1.0, all.end));
    const auto shift = [&](double& t) { t -= all.begin; };
    for (auto& a : model_.arrows)
      shift(a.begin), shift(a.end), shift(a.shown_begin), shift(a.shown_end);
    for (auto& s : model_.spans) shift(s.begin), shift(s.end);
    for (auto& p : model_.phases) shift(p.begin), shift(p.end);
    model_.end = all.end - all.begin;
    model_.run_end = std::min(model_.end, run_end_ - all.begin);
  }

  const Trace& trace_;
  const SpacetimeOptions& options_;
  const Pieces& pieces_;
  const Rounds& rounds_;
  bool beside_ = false;  ///< Strands communicate while main strands compute.
  const bool direct_;    ///< See sends_chunks_directly().
  const StuckRanks stuck_;
  std::unordered_set<std::uint64_t> offered_;  ///< Where blocked sends were posted.
  Model model_;
  double run_end_ = std::numeric_limits<
      double>::infinity();  // the end of the events, if spans of blocked ranks go beyond it
  std::map<Rank, int> lane_;
  std::unordered_set<OpId> reduced_;  // receives
  std::map<int, std::uint64_t> sent_;
  std::unordered_map<std::size_t, std::size_t> index_of_;  // message -> arrow
};

}  // namespace

SpacetimeModel spacetime_model(const TraceAnalysis& analysis, const SpacetimeOptions& options) {
  return Builder(analysis, options).build();
}

std::vector<std::size_t> critical_path(const std::vector<MessageRecord>& messages) {
  // By receiver, in order of arrival, so that each link of the chain is a search and not a walk
  // through all messages.
  using Arrival = std::pair<std::uint64_t, std::size_t>;
  std::unordered_map<Rank, std::vector<Arrival>> arrivals;
  Arrival last{0, messages.size()};
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto& m = messages[i];
    if (m.sync || m.received == kNoEvent) continue;
    arrivals[m.to].emplace_back(m.received, i);
    if (last.second == messages.size() || m.received > last.first) last = {m.received, i};
  }
  for (auto& [rank, list] : arrivals) ranges::sort(list);
  std::vector<std::size_t> path;
  for (std::size_t at = last.second; at < messages.size();) {
    path.push_back(at);
    const auto& m = messages[at];
    const auto& list = arrivals[m.from];
    const auto behind = ranges::lower_bound(list, Arrival{m.sent, 0});
    if (behind == list.begin()) break;
    at = std::prev(behind)->second;
  }
  return path;
}

}  // namespace rankscope
