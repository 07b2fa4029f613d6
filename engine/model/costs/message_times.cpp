// Simulates a schedule from moment to moment.
#include "engine/model/costs/message_times.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"

namespace rankscope {

namespace {

class MessageClock {
 public:
  MessageClock(const VerbSchedule& schedule, const LinkCosts& link)
      : schedule_(schedule),
        link_(link),
        lines_(schedule.lines().size()),
        out_(ranks()),
        in_(ranks()),
        processor_(ranks()) {}

  CostTerm run() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (i < ranks()) make_ready(i, {});
      const auto& steps = schedule_.lines()[i].steps;
      for (std::size_t k = 0; k < steps.size(); ++k)
        if (steps[k].kind == Step::receive)
          takes_[channel(steps[k].peer, rank_of(i), steps[k])].push_back({i, k});
    }
    while (!ready_.empty() || !arriving_.empty()) {
      const double at = std::min(ready_.empty() ? kNever : ready_.top().at,
                                 arriving_.empty() ? kNever : arriving_.top().at);
      // All events of this moment come before ports are given to messages.
      while (!arriving_.empty() && arriving_.top().at == at) arrive();
      while (!ready_.empty() && ready_.top().at == at) {
        const std::size_t index = ready_.top().line;
        ready_.pop();
        go_on(index);
      }
      give_ports();
    }
    Moment last;
    for (const Line& line : lines_) {
      if (!line.ended) throw UserError("a plan of messages in which a receive never ends");
      last = later(last, line.now);
    }
    return last.path;
  }

 private:
  using Step = VerbSchedule::Step;
  static constexpr double kFemtoseconds = 1e15, kNever = std::numeric_limits<double>::infinity();
  /// The path that leads to a moment. The time is computed from the path's sums and in whole femtoseconds, so that
  /// what is equal on paper is equal here (1 us and 1000 B at 1 GB/s), however it was added up.
  struct Moment {
    CostTerm path;
    double at = 0;
  };
  struct Line {
    std::size_t next = 0;  ///< Its next step.
    Moment now;
    std::optional<std::size_t> joiner;  ///< The line that waits for this one's end.
    bool ended = false;
    bool asleep = false;
  };
  struct Ready {
    double at;
    std::size_t rank, line;
    /// The earliest first, then by rank and strand.
    bool operator<(const Ready& other) const noexcept {
      return std::tie(at, rank, line) > std::tie(other.at, other.rank, other.line);
    }
  };
  struct Place {
    std::size_t line, step;
  };

  struct Message {
    std::uint64_t channel;
    Place taken_at;  ///< The receive that it matches.
    std::int64_t bytes;
    Moment ready;  ///< When it was posted and the first one at its sender's port.
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

  std::size_t ranks() const noexcept { return static_cast<std::size_t>(schedule_.ranks()); }
  std::size_t rank_of(std::size_t line) const noexcept {
    return static_cast<std::size_t>(schedule_.lines()[line].rank);
  }
  static const Moment& later(const Moment& a, const Moment& b) noexcept {
    return b.at > a.at ? b : a;
  }
  Moment plus(const Moment& moment, const CostTerm& term) const noexcept {
    const CostTerm path = moment.path + term;
    return {path, std::nearbyint(time(path, link_) * kFemtoseconds)};
  }
  std::uint64_t channel(std::size_t from, std::size_t to, const Step& step) const noexcept {
    return (from * ranks() + to) * schedule_.channels() + step.channel;
  }

  void make_ready(std::size_t index, const Moment& now) {
    lines_[index].now = now;
    ready_.push({now.at, rank_of(index), index});
  }
  void wake(std::size_t index, double at) {
    if (!lines_[index].asleep) return;
    lines_[index].asleep = false;
    ready_.push({at, rank_of(index), index});
  }

  // One step at a time: another line may be earlier than the next one.
  void go_on(std::size_t index) {
    Line& line = lines_[index];
    const auto& steps = schedule_.lines()[index].steps;
    if (line.next == steps.size()) return end(line);
    const Step& step = steps[line.next];
    const std::size_t rank = rank_of(index);
    switch (step.kind) {
      case Step::send: post(line.now, rank, step); break;
      case Step::receive: {
        auto& arrived = channels_[channel(step.peer, rank, step)];
        if (arrived.empty()) {
          line.asleep = true;
          return;
        }
        line.now = later(line.now, arrived.front());
        arrived.pop_front();
        break;
      }
      case Step::reduce:
        line.now = plus(later(line.now, processor_[rank]),
                        reduction_cost(static_cast<std::int64_t>(step.amount)));
        processor_[rank] = line.now;
        break;
      case Step::start: make_ready(step.channel, line.now); break;
      case Step::join:
        if (!lines_[step.channel].ended) {
          lines_[step.channel].joiner = index;
          line.asleep = true;
          return;
        }
        line.now = later(line.now, lines_[step.channel].now);
        break;
      default: break;  // computing is no cost of a collective
    }
    ++line.next;
    make_ready(index, line.now);
  }

  void post(const Moment& now, std::size_t rank, const Step& step) {
    const std::uint64_t key = channel(rank, step.peer, step);
    auto& taken = takes_[key];
    if (taken.empty()) throw UserError("a plan of messages with one that nobody receives");
    out_[rank].push_back({key, taken.front(), static_cast<std::int64_t>(step.amount), now});
    taken.pop_front();
    if (out_[rank].size() == 1) ask_for_port(rank);
  }
  void ask_for_port(std::size_t sender) {
    const std::size_t to = rank_of(out_[sender].front().taken_at.line);
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
    const Line& receiver = lines_[message.taken_at.line];
    return receiver.asleep && receiver.next == message.taken_at.step;
  }
  void arrive() {
    const std::size_t sender = arriving_.top().sender;
    arriving_.pop();
    const Message message = out_[sender].front();
    out_[sender].pop_front();
    const std::size_t to = rank_of(message.taken_at.line);
    in_[to].taken = false;
    in_[to].free = message.ready;
    asked_.push_back(to);
    channels_[message.channel].push_back(message.ready);
    wake(message.taken_at.line, message.ready.at);
    if (out_[sender].empty()) return;
    Message& next = out_[sender].front();
    next.ready = later(next.ready, message.ready);
    ask_for_port(sender);
  }

  void end(Line& line) {
    line.ended = true;
    if (line.joiner) wake(*line.joiner, line.now.at);
  }

  const VerbSchedule& schedule_;
  const LinkCosts link_;
  std::vector<Line> lines_;
  std::vector<std::deque<Message>> out_;  ///< In the order of posting.
  std::vector<InPort> in_;
  std::vector<std::size_t> asked_;  ///< Ports in to give: free, or asked for, since the last time.
  std::priority_queue<Arrival> arriving_;
  std::vector<Moment> processor_;
  std::unordered_map<std::uint64_t, std::deque<Moment>> channels_;
  std::unordered_map<std::uint64_t, std::deque<Place>> takes_;
  std::priority_queue<Ready> ready_;
};

}  // namespace

CostTerm critical_path(const VerbSchedule& schedule, const LinkCosts& link) {
  return MessageClock(schedule, link).run();
}

}  // namespace rankscope
