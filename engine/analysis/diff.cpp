// Compares two traces step by step and describes their first difference.
#include "engine/analysis/diff.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "engine/account/messages.h"
#include "engine/account/op_table.h"
#include "engine/analysis/events/built_in_calls.h"
#include "engine/analysis/events/event_text.h"
#include "engine/analysis/statistics.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

struct Step {
  std::uint64_t begun = kNoEvent;  // posted, or the only event
  std::uint64_t done = kNoEvent;   // of a receive: matched, then completed
  std::uint64_t shown = kNoEvent;  // the event that holds its contents
  // Steps on the longest chain of causes up to and including its beginning, and its end.
  std::uint32_t depth = 0, done_depth = 0;
};
using StrandKey = std::pair<Rank, std::uint16_t>;
using Steps = std::map<StrandKey, std::vector<Step>>;

bool is_step(const StepEvent& event) noexcept {
  if (event.verb == Verb::sync || event.verb == Verb::sync_recv || event.verb == Verb::wait)
    return false;
  return event.kind != EventKind::matched && event.kind != EventKind::completed;
}

/// Walks a trace, in whose order causes come before effects, and collects its steps by strand.
class StepFinder {
 public:
  StepFinder(const Trace& trace, Compared what) : trace_(trace), what_(what) {
    for (std::uint64_t k = 0; k < trace.size(); ++k)
      if (trace[k].verb == Verb::wait) awaited_[trace[k].cause] = 1;
    for (std::uint64_t k = 0; k < trace.size(); ++k) visit(k);
  }
  Steps take() { return std::move(steps_); }

 private:
  void visit(std::uint64_t k) {
    const StepEvent& event = trace_[k];
    const StrandKey strand{event.rank, event.strand};
    const auto watched = std::exchange(watched_[strand], kNoEvent);
    if (event.kind == EventKind::watch) watched_[strand] = k;
    if (is_step(event) && counts(event)) {
      const bool recv = event.kind == EventKind::posted && is_recv(event.verb);
      auto& steps = steps_[strand];
      const auto depth = ++known_[strand];
      steps.push_back({k, recv ? kNoEvent : k, recv ? kNoEvent : k, depth, depth});
      // The watch just before a send shows what it reads.
      if (is_send(event.verb) && watched != kNoEvent && shows(trace_[watched], event))
        steps.back().shown = watched;
      if (event.op == 0) return;
      depth_[event.op] = depth;
      position_[event.op] = steps.size();
    } else if (event.verb == Verb::wait) {
      know(strand, event.cause);
    } else if (is_recv(event.verb) && !is_step(event)) {
      receive(k);
    }
  }

  bool counts(const StepEvent& event) const noexcept {
    return what_ == Compared::steps || event.kind == EventKind::posted ||
           (event.kind == EventKind::call && event.verb == Verb::phase_begin);
  }
  static bool shows(const StepEvent& watch, const StepEvent& send) noexcept {
    return watch.out_buffer == send.in_buffer && watch.out_offset == send.in_offset &&
           watch.bytes == send.bytes;
  }

  void receive(std::uint64_t k) {
    const StepEvent& event = trace_[k];
    const StrandKey strand{event.rank, event.strand};
    auto& steps = steps_[strand];
    const auto position = position_.find(event.op);
    // Its beginning was lost, it is internal, or the file is damaged.
    if (position == 0 || position > steps.size()) return;
    Step& step = steps[position - 1];
    step.done = step.shown = k;
    step.done_depth = std::max(step.done_depth, depth_.find(event.cause) + 1);
    depth_[event.op] = step.done_depth;
    if (event.kind == EventKind::completed && awaited_.find(event.op) == 0) know(strand, event.op);
  }

  // Later events of the strand depend on the receive: it has returned, or was waited for.
  void know(const StrandKey& strand, OpId op) {
    known_[strand] = std::max(known_[strand], depth_.find(op));
  }

  const Trace& trace_;
  const Compared what_;
  Steps steps_;
  std::map<StrandKey, std::uint64_t> watched_;  // the strand's last event, if it shows contents
  std::map<StrandKey, std::uint32_t> known_;
  OpTable<std::uint32_t> depth_{0};
  OpTable<std::uint64_t> position_{0};  // 1 + place in the strand
  OpTable<std::uint8_t> awaited_{0};
};

std::string name_of(const Trace& trace, Definition::Kind kind, std::uint32_t id) {
  return kind == Definition::Kind::phase ? phase_path(trace, id) : definition_name(trace, kind, id);
}

std::string quoted(const std::string& name) { return name.empty() ? "none" : "\"" + name + "\""; }

/// The difference of one step of both traces; empty where they are equal.
class StepComparison {
 public:
  StepComparison(const Trace& left, const Trace& right, Compared what)
      : left_(left), right_(right), what_(what) {}

  std::string beginning(const Step& a, const Step& b) const {
    const StepEvent &x = left_[a.begun], &y = right_[b.begun];
    if (x.kind != y.kind || x.verb != y.verb)
      return fmt::format("{} on the left, {} on the right", to_string(x.verb), to_string(y.verb));
    if (x.peer != y.peer) return both("peer", rank_name(x.peer), rank_name(y.peer));
    if (x.tag != y.tag) return both("tag", x.tag, y.tag);
    if (x.bytes != y.bytes) return both("bytes", x.bytes, y.bytes);
    if (x.reduce_op != y.reduce_op)
      return both("operation", to_string(x.reduce_op), to_string(y.reduce_op));
    if (what_ == Compared::messages)
      return x.kind != EventKind::call || call_text(left_, x) == call_text(right_, y)
                 ? ""
                 : both("built-in", call_text(left_, x), call_text(right_, y));
    if (auto text = names(x, y); !text.empty()) return text;
    if (x.in_offset != y.in_offset) return both("source offset", x.in_offset, y.in_offset);
    if (x.out_offset != y.out_offset) return both("target offset", x.out_offset, y.out_offset);
    return {};
  }

  std::string outcome(const Step& a, const Step& b) const {
    if ((a.done == kNoEvent) != (b.done == kNoEvent))
      return a.done == kNoEvent ? "received nothing on the left" : "received nothing on the right";
    if (a.done == kNoEvent) return {};
    const StepEvent &x = left_[a.done], &y = right_[b.done];
    if (x.kind != y.kind)
      return fmt::format("{} on the left, {} on the right", to_string(x.kind), to_string(y.kind));
    if (x.peer != y.peer) return both("received from", rank_name(x.peer), rank_name(y.peer));
    if (x.tag != y.tag) return both("received tag", x.tag, y.tag);
    if (x.bytes != y.bytes) return both("received bytes", x.bytes, y.bytes);
    return contents_differ(a, b) ? "the resulting contents differ" : "";
  }
  bool contents_differ(const Step& a, const Step& b) const {
    if (a.shown == kNoEvent || b.shown == kNoEvent) return false;
    const auto p = left_.preview(a.shown), q = right_.preview(b.shown);
    return !p.empty() && !q.empty() && !ranges::equal(p, q);
  }

 private:
  template <class T>
  static std::string both(std::string_view what, const T& left, const T& right) {
    return fmt::format("{}: {} on the left, {} on the right", what, left, right);
  }

  std::string names(const StepEvent& x, const StepEvent& y) const {
    using Kind = Definition::Kind;
    const auto differ = [&](std::string_view what, Kind kind, std::uint32_t a, std::uint32_t b) {
      const auto p = name_of(left_, kind, a), q = name_of(right_, kind, b);
      return p == q ? std::string() : both(what, quoted(p), quoted(q));
    };
    if (auto text = differ("phase", Kind::phase, x.phase, y.phase); !text.empty()) return text;
    if (auto text = differ("communicator", Kind::comm, x.comm, y.comm); !text.empty()) return text;
    if (auto text = differ("source buffer", Kind::buffer, x.in_buffer, y.in_buffer); !text.empty())
      return text;
    return differ("target buffer", Kind::buffer, x.out_buffer, y.out_buffer);
  }

  const Trace& left_;
  const Trace& right_;
  const Compared what_;
};

std::optional<std::uint64_t> if_any(std::uint64_t event) {
  return event == kNoEvent ? std::nullopt : std::optional(event);
}

}  // namespace

std::string describe(const Trace& trace, std::uint64_t k) {
  const StepEvent& event = trace[k];
  std::string text(to_string(event.verb));
  if (event.kind == EventKind::call)
    return event.verb == Verb::phase_begin
               ? fmt::format("calls built-in {}", call_text(trace, event))
               : fmt::format("returns from built-in {}", built_in_name(trace, event));
  if (event.kind == EventKind::note)
    return event.cause == 0 ? fmt::format("note: {}", note_text(event.tag))
                            : fmt::format("note of operation {}: {}", op_text(event.cause),
                                          note_text(event.tag));
  if (event.kind == EventKind::phase || event.kind == EventKind::job) {
    const auto path = phase_path(trace, event.phase);
    return path.empty() ? text : fmt::format("{} {}", text, path);
  }
  if (event.bytes > 0) text += fmt::format(" {} bytes", event.bytes);
  if (is_send(event.verb)) text += " to " + rank_name(event.peer);
  if (is_recv(event.verb)) text += " from " + rank_name(event.peer);
  const auto target = name_of(trace, Definition::Kind::buffer, event.out_buffer);
  if (!target.empty()) text += " into " + target;
  const auto path = phase_path(trace, event.phase);
  if (!path.empty()) text += " in phase " + path;
  return text;
}

std::optional<Difference> first_difference(const Trace& left, const Trace& right, Compared what) {
  const Steps a = StepFinder(left, what).take();
  Steps b = StepFinder(right, what).take();
  for (const auto& [key, steps] : a) b[key];  // strands that only the left one has
  const StepComparison compare(left, right, what);
  std::optional<Difference> first;
  std::uint32_t first_depth = 0;
  static const std::vector<Step> kNoSteps;
  for (const auto& [key, theirs] : b) {
    const auto found = a.find(key);
    const auto& ours = found == a.end() ? kNoSteps : found->second;
    const auto shared = std::min(ours.size(), theirs.size());
    std::size_t at = 0;
    std::string differs;
    std::uint32_t depth = 0;
    for (; at < shared; ++at) {
      const Step &x = ours[at], &y = theirs[at];
      differs = compare.beginning(x, y);
      depth = x.depth;
      if (!differs.empty()) break;
      differs = compare.outcome(x, y);
      depth = std::max(x.done_depth, y.done_depth);  // one of them may have received nothing
      if (differs.empty()) continue;
      // A different beginning on the same line (the send of a sendrecv) explains more than a different arrival.
      if (what != Compared::messages) break;
      const std::uint32_t line = left[x.begun].site;
      for (std::size_t next = at + 1; next < shared && left[ours[next].begun].site == line; ++next)
        if (auto text = compare.beginning(ours[next], theirs[next]); !text.empty()) {
          at = next, differs = std::move(text);
          break;
        }
      break;
    }
    if (at == shared) {
      if (ours.size() == theirs.size()) continue;
      const bool left_ends = ours.size() < theirs.size();
      differs = left_ends ? "the left run ends here" : "the right run ends here";
      depth = left_ends ? theirs[at].depth : ours[at].depth;
    }
    if (first && first_depth <= depth) continue;
    first_depth = depth;
    first = Difference{key.first, key.second, at, {}, {}, std::move(differs)};
    if (at < ours.size()) first->left = ours[at].begun, first->left_done = if_any(ours[at].done);
    if (at < theirs.size())
      first->right = theirs[at].begun, first->right_done = if_any(theirs[at].done);
    if (at < shared && compare.beginning(ours[at], theirs[at]).empty() &&
        compare.contents_differ(ours[at], theirs[at]))
      first->contents = {ours[at].shown, theirs[at].shown};
  }
  return first;
}

}  // namespace rankscope
