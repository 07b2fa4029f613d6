// Walks through a plan in the order of posting times.
#include "engine/model/costs/message_times.h"

#include <cmath>
#include <deque>
#include <queue>
#include <unordered_map>

#include "engine/core/base/error.h"

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
    for (std::size_t i = 0; i < lines_.size(); ++i) ready_.push({0, i});
    while (!ready_.empty()) {
      const auto [at, index] = ready_.top();
      ready_.pop();
      go_on(index);
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
  static constexpr double kFemtoseconds = 1e15;
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

  void wake(std::size_t index) {
    if (!lines_[index].asleep) return;
    lines_[index].asleep = false;
    ready_.push({lines_[index].now.at, index});
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
    const auto to = static_cast<std::size_t>(step.peer);
    const Moment arrives =
        plus(later(later(lines_[index].now, out_[rank]), in_[to]), message_cost(step.bytes));
    out_[rank] = in_[to] = arrives;
    const std::size_t receiver = line_of(step.peer, index);
    channels_[channel(index, receiver)].push_back(arrives);
    wake(receiver);
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
    for (std::size_t k = 0; k < strands(); ++k) wake(rank * strands() + k);
  }

  const MessagePlan& plan_;
  const LinkCosts link_;
  std::vector<Line> lines_;
  std::vector<Moment> out_, in_, processor_;
  std::vector<std::size_t> ended_;
  std::vector<Moment> all_ended_;
  std::vector<std::vector<Moment>> ends_ = std::vector<std::vector<Moment>>(ranks());
  std::vector<std::size_t> ended_in_a_row_ = std::vector<std::size_t>(ranks());
  std::unordered_map<std::uint64_t, std::deque<Moment>> channels_;
  std::priority_queue<Ready> ready_;
};

CostTerm MessagePlan::critical_path(const LinkCosts& link) const {
  return MessageClock(*this, link).run();
}

}  // namespace rankscope
