// Walks through a plan from moment to moment.
#include "engine/model/costs/message_times.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"

namespace rankscope {

MessagePlan::MessagePlan(int ranks, int strands)
    : ranks_(ranks),
      strands_(strands),
      lines_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(strands)) {}

class MessageClock {
 public:
  MessageClock(const MessagePlan& plan, const LinkCosts& link)
      : plan_(plan),
        link_(link),
        lines_(plan.lines_.size()),
        out_(ranks()),
        in_(ranks()),
        processor_(ranks()),
        ended_(ranks()),
        all_ended_(ranks()) {}

  CostTerm run() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      ready_.push({0, i});
      for (std::size_t k = 0; k < plan_.lines_[i].size(); ++k)
        if (const Step& step = plan_.lines_[i][k]; step.kind == Step::receive)
          takes_[channel(line_of(step.peer, i), i)].push_back(k);
    }
    while (!ready_.empty() || !arriving_.empty()) {
      const double at = std::min(ready_.empty() ? kNever : ready_.top().at,
                                 arriving_.empty() ? kNever : arriving_.top().at);
      // All that happens at this moment, before ports are given.
      while (!arriving_.empty() && arriving_.top().at == at) arrive();
      while (!ready_.empty() && ready_.top().at == at) {
        const std::size_t index = ready_.top().line;
        ready_.pop();
        go_on(index);
      }
      give_ports();
    }
    Moment last;
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      if (ended_[rank] < strands())
        throw UserError("a plan of messages in which a receive never ends");
      last = later(last, all_ended_[rank]);
    }
    return last.path;
  }

 private:
  using Step = MessagePlan::Step;
  static constexpr double kFemtoseconds = 1e15, kNever = std::numeric_limits<double>::infinity();
  /// The path that leads to a moment. The time is computed from the path's sums and in whole femtoseconds, so that
  /// what is equal on paper is equal here (1 us and 1000 B at 1 GB/s), however it was added up.
  struct Moment {
    CostTerm path;
    double at = 0;
  };
  struct Line {
    std::size_t next = 0;  ///< Step.
    Moment now;
    bool ended = false;
    bool asleep = false;
  };
  struct Ready {
    double at;
    std::size_t line;
    /// The earliest first, then by rank and strand.
    bool operator<(const Ready& other) const noexcept {
      return at != other.at ? at > other.at : line > other.line;
    }
  };

  struct Message {
    std::size_t line, receiver;
    std::int64_t bytes;
    Moment ready;              ///< Posted, and the first one at its sender's port.
    std::size_t taken_at = 0;  ///< Step of the receiver's line.
  };
  struct Arrival {
    double at;
    std::size_t sender;
    /// The earliest first.
    bool operator<(const Arrival& other) const noexcept {
      return std::tie(at, sender) > std::tie(other.at, other.sender);
    }
  };
  struct InPort {
    bool taken = false;
    Moment free;
    std::vector<std::size_t> senders;  ///< Ranks whose first message waits for this one.
  };

  std::size_t ranks() const noexcept { return static_cast<std::size_t>(plan_.ranks_); }
  std::size_t strands() const noexcept { return static_cast<std::size_t>(plan_.strands_); }
  static const Moment& later(const Moment& a, const Moment& b) noexcept {
    return b.at > a.at ? b : a;
  }
  Moment plus(const Moment& moment, const CostTerm& term) const noexcept {
    const CostTerm path = moment.path + term;
    return {path, std::nearbyint(time(path, link_) * kFemtoseconds)};
  }
  std::uint64_t channel(std::size_t from, std::size_t to) const noexcept {
    return static_cast<std::uint64_t>(from) * lines_.size() + to;
  }
  std::size_t line_of(std::int32_t rank, std::size_t like) const noexcept {
    return static_cast<std::size_t>(rank) * strands() + like % strands();
  }

  void wake(std::size_t index, double at) {
    if (!lines_[index].asleep) return;
    lines_[index].asleep = false;
    ready_.push({at, index});
  }

  // One step at a time: another line may be earlier than the next one.
  void go_on(std::size_t index) {
    Line& line = lines_[index];
    const auto& steps = plan_.lines_[index];
    if (line.next == steps.size()) return end(index);
    const Step& step = steps[line.next];
    const std::size_t rank = index / strands();
    switch (step.kind) {
      case Step::send: post(index, rank, step); break;
      case Step::receive: {
        auto& arrived = channels_[channel(line_of(step.peer, index), index)];
        if (arrived.empty()) {
          line.asleep = true;
          return;
        }
        line.now = later(line.now, arrived.front());
        arrived.pop_front();
        break;
      }
      case Step::reduce:
        line.now = plus(later(line.now, processor_[rank]), reduction_cost(step.bytes));
        processor_[rank] = line.now;
        break;
      case Step::after:
        if (ended_in_a_row_[rank] <= static_cast<std::size_t>(step.peer)) {
          line.asleep = true;
          return;
        }
        line.now = later(line.now, ends_[rank][static_cast<std::size_t>(step.peer)]);
        break;
    }
    ++line.next;
    ready_.push({line.now.at, index});
  }

  void post(std::size_t index, std::size_t rank, const Step& step) {
    const std::size_t receiver = line_of(step.peer, index);
    auto& taken = takes_[channel(index, receiver)];
    if (taken.empty()) throw UserError("a plan of messages with one that nobody receives");
    out_[rank].push_back({index, receiver, step.bytes, lines_[index].now, taken.front()});
    taken.pop_front();
    if (out_[rank].size() == 1) ask_for_port(rank);
  }
  void ask_for_port(std::size_t sender) {
    const std::size_t to = out_[sender].front().receiver / strands();
    in_[to].senders.push_back(sender);
    asked_.push_back(to);
  }
  void give_ports() {
    for (const std::size_t to : asked_) {
      InPort& port = in_[to];
      if (port.taken || port.senders.empty()) continue;
      const auto given = next_sender(port);
      Message& message = out_[*given].front();
      message.ready = plus(later(message.ready, port.free), message_cost(message.bytes));
      arriving_.push({message.ready.at, *given});
      port.taken = true;
      port.senders.erase(given);
    }
    asked_.clear();
  }
  // A message that a strand of the receiver sleeps for goes first; else the one that has been ready for longest.
  std::vector<std::size_t>::iterator next_sender(InPort& port) {
    return ranges::min_element(port.senders, {}, [&](std::size_t sender) {
      const Message& message = out_[sender].front();
      return std::tuple(!is_awaited(message), message.ready.at, sender);
    });
  }
  bool is_awaited(const Message& message) const noexcept {
    const Line& receiver = lines_[message.receiver];
    return receiver.asleep && receiver.next == message.taken_at;
  }
  void arrive() {
    const std::size_t sender = arriving_.top().sender;
    arriving_.pop();
    const Message message = out_[sender].front();
    out_[sender].pop_front();
    InPort& port = in_[message.receiver / strands()];
    port.taken = false;
    port.free = message.ready;
    asked_.push_back(message.receiver / strands());
    channels_[channel(message.line, message.receiver)].push_back(message.ready);
    wake(message.receiver, message.ready.at);
    if (out_[sender].empty()) return;
    Message& next = out_[sender].front();
    next.ready = later(next.ready, message.ready);
    ask_for_port(sender);
  }

  void end(std::size_t index) {
    Line& line = lines_[index];
    const std::size_t rank = index / strands();
    line.ended = true;
    ++ended_[rank];
    all_ended_[rank] = later(all_ended_[rank], line.now);
    // A strand that waits for all up to number k goes on when the last of them has ended.
    auto& ends = ends_[rank];
    for (std::size_t k = ends.size(); k < strands() && lines_[rank * strands() + k].ended; ++k) {
      const Moment& own = lines_[rank * strands() + k].now;
      ends.push_back(k == 0 ? own : later(ends.back(), own));
    }
    ended_in_a_row_[rank] = ends.size();
    for (std::size_t k = 0; k < strands(); ++k) wake(rank * strands() + k, line.now.at);
  }

  const MessagePlan& plan_;
  const LinkCosts link_;
  std::vector<Line> lines_;
  std::vector<std::deque<Message>> out_;  ///< In the order of posting.
  std::vector<InPort> in_;
  std::vector<std::size_t> asked_;  ///< Ports that are free or asked for since they were given.
  std::priority_queue<Arrival> arriving_;
  std::vector<Moment> processor_;
  std::vector<std::size_t> ended_;
  std::vector<Moment> all_ended_;
  std::vector<std::vector<Moment>> ends_ = std::vector<std::vector<Moment>>(ranks());
  std::vector<std::size_t> ended_in_a_row_ = std::vector<std::size_t>(ranks());
  std::unordered_map<std::uint64_t, std::deque<Moment>> channels_;
  std::unordered_map<std::uint64_t, std::deque<std::size_t>> takes_;
  std::priority_queue<Ready> ready_;
};

CostTerm MessagePlan::critical_path(const LinkCosts& link) const {
  return MessageClock(*this, link).run();
}

}  // namespace rankscope
