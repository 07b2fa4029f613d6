// Times a plan: an event for each step of a thread, on the processor that is free first.
#include <algorithm>
#include <queue>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/model/costs/machine_costs.h"

namespace rankscope {
namespace {

constexpr std::uint64_t kCopied = 32 << 10, kLent = 512 << 10;
/// A long message moves in parts, so that its two sides overlap.
constexpr std::uint64_t kPart = 64 << 10, kMostParts = 4;

/// A moment, and what is on the path to it.
struct Moment {
  double at = 0;
  MachineTerms counts{};
};

class SharedProcessors {
 public:
  SharedProcessors(const MachineCosts& costs, const RunPlan& plan, int processors)
      : costs_(costs),
        plan_(plan),
        cold_(costs.cache_bytes > 0 && plan.touched_bytes > costs.cache_bytes
                  ? 1 - costs.cache_bytes / plan.touched_bytes
                  : 0),
        processors_(static_cast<std::size_t>(std::max(1, processors))),
        io_(static_cast<std::size_t>(plan.ranks)),
        begins_(static_cast<std::size_t>(plan.ranks)),
        lines_(plan.lines.size()),
        messages_(plan.messages.size()) {}

  PlannedTime run() {
    for (std::uint32_t i = 0; i < lines_.size(); ++i)
      if (plan_.lines[i].strand == 0) enter(i);
    while (!tasks_.empty()) {
      const Task task = tasks_.top();
      tasks_.pop();
      if (task.kind == Task::line) go_on(task);
      else if (task.kind == Task::taken) take(task);
      else move_part(task);
    }
    return longest();
  }

 private:
  struct Task {
    enum Kind : std::uint8_t { line, taken, sending, receiving };
    Moment from;
    std::uint64_t number = 0;
    std::uint32_t about = 0;  ///< A line or a message.
    Kind kind = line;
    bool awake = true;  ///< Its thread did something else until now.
    bool operator<(const Task& other) const noexcept {
      return other.from.at < from.at || (other.from.at == from.at && other.number < number);
    }
  };
  struct LineState {
    std::size_t next = 0;
    Moment ends;
  };
  struct MessageState {
    std::uint64_t parts_sent = 0, parts_received = 0;
    bool is_sent = false, has_arrived = false;
    Moment sent, arrived;
    std::int64_t receiver = -1, sender = -1;  ///< The lines that wait.
  };

  static double& count(MachineTerms& counts, MachineTerm term) noexcept {
    return counts[static_cast<std::size_t>(term)];
  }
  double seconds(const MachineTerms& counts) const noexcept {
    double sum = 0;
    for (std::size_t k = 0; k < kMachineTerms; ++k) sum += counts[k] * costs_.seconds[k];
    return sum;
  }
  void add(Moment& moment, MachineTerm term, double times) const noexcept {
    count(moment.counts, term) += times;
    moment.at += times * costs_[term];
  }
  void plan_task(const Moment& from, Task::Kind kind, std::uint32_t about, bool awake) {
    tasks_.push({from, ++number_, about, kind, awake});
  }
  /// Ranks come to the barrier evenly spread over the skew.
  void enter(std::uint32_t line) {
    Moment moment;
    if (plan_.ranks > 1)
      add(moment, MachineTerm::skew,
          static_cast<double>(plan_.lines[line].rank) / (plan_.ranks - 1));
    plan_task(moment, Task::line, line, true);
  }
  /// Keeps a processor busy with this from when both are ready.
  Moment work(const Moment& ready, const MachineTerms& counts) {
    Moment& processor = *ranges::min_element(processors_, {}, &Moment::at);
    if (processor.at <= ready.at) processor = ready;
    for (std::size_t k = 0; k < kMachineTerms; ++k) processor.counts[k] += counts[k];
    processor.at += seconds(counts);
    return processor;
  }

  void begin_strands(Rank rank, const Moment& now) {
    begins_[static_cast<std::size_t>(rank)] = now;
    for (std::uint32_t i = 0; i < lines_.size(); ++i) {
      if (plan_.lines[i].rank != rank || plan_.lines[i].strand == 0) continue;
      Moment then = now;
      add(then, MachineTerm::strand, plan_.lines[i].strand);
      plan_task(then, Task::line, i, true);
    }
  }

  void go_on(const Task& task) {
    const std::uint32_t line = task.about;
    const auto& [rank, strand, steps] = plan_.lines[line];
    LineState& state = lines_[line];
    Moment now = task.from;
    MachineTerms counts{};
    count(counts, MachineTerm::wake) = task.awake ? 0 : 1;
    for (; state.next < steps.size(); ++state.next) {
      const RunPlan::Step& step = steps[state.next];
      MessageState& message = messages_[step.message];
      if (step.kind == RunPlan::Step::begin) {
        begin_strands(rank, now);
        continue;
      }
      if (step.kind == RunPlan::Step::await_sent) {
        if (plan_.messages[step.message].bytes < kCopied) continue;  // its memory was copied
        if (!message.is_sent) {
          message.sender = line;
          return;
        }
        if (message.sent.at > now.at) now = message.sent;
        continue;
      }
      if (step.kind == RunPlan::Step::receive &&
          (!message.has_arrived || message.arrived.at > now.at)) {
        if (message.has_arrived) plan_task(message.arrived, Task::taken, line, false);
        else message.receiver = line;
        return;
      }
      if (step.kind == RunPlan::Step::reduce) {
        count(counts, MachineTerm::reduce) = static_cast<double>(step.bytes);
        count(counts, MachineTerm::reduce_cold) = static_cast<double>(step.bytes) * cold_;
      } else {
        count(counts, MachineTerm::post) = 1;
      }
      now = work(now, counts);
      if (step.kind == RunPlan::Step::send) plan_task(now, Task::sending, step.message, false);
      ++state.next;
      plan_task(now, Task::line, line, true);  // others that are ready have their turn
      break;
    }
    state.ends = now;
  }

  /// The message that a line sleeps for has arrived.
  void take(const Task& task) {
    MachineTerms counts{};
    count(counts, MachineTerm::post) = count(counts, MachineTerm::wake) = 1;
    LineState& state = lines_[task.about];
    state.ends = work(task.from, counts);
    ++state.next;
    plan_task(state.ends, Task::line, task.about, true);
  }

  MachineTerms cost_of_part(std::uint64_t bytes, std::uint64_t parts, bool first,
                            bool awake) const noexcept {
    const double half_of_part = 0.5 / static_cast<double>(parts);
    const auto share = [&](std::uint64_t of) { return static_cast<double>(of) * half_of_part; };
    MachineTerms counts{};
    count(counts, MachineTerm::wake) = awake ? 0 : 1;
    count(counts, MachineTerm::handle) = first ? 1 : 0;
    count(counts, MachineTerm::byte_copied) = share(std::min(bytes, kCopied));
    count(counts, MachineTerm::byte_lent) = share(std::clamp(bytes, kCopied, kLent) - kCopied);
    count(counts, MachineTerm::byte_large) = share(std::max(bytes, kLent) - kLent);
    count(counts, MachineTerm::byte_cold) = share(bytes) * cold_;
    return counts;
  }

  void move_part(const Task& task) {
    const RunPlan::Message& what = plan_.messages[task.about];
    MessageState& message = messages_[task.about];
    const bool sending = task.kind == Task::sending;
    Moment& thread = io_[static_cast<std::size_t>(sending ? what.from : what.to)];
    if (thread.at > task.from.at)  // after what else it has to do
      return plan_task(thread, task.kind, task.about, true);
    const std::uint64_t parts = std::clamp<std::uint64_t>(what.bytes / kPart, 1, kMostParts);
    std::uint64_t& done = sending ? message.parts_sent : message.parts_received;
    const Moment now = work(task.from, cost_of_part(what.bytes, parts, done == 0, task.awake));
    thread = now;
    ++done;
    if (sending) {
      Moment there = now;
      add(there, MachineTerm::latency, 1);
      plan_task(there, Task::receiving, task.about, false);
      if (done < parts) return plan_task(now, Task::sending, task.about, true);
      message.is_sent = true;
      message.sent = now;
      if (message.sender >= 0)
        plan_task(now, Task::line, static_cast<std::uint32_t>(message.sender), false);
    } else if (done == parts) {
      message.has_arrived = true;
      message.arrived = now;
      if (message.receiver >= 0)
        plan_task(now, Task::taken, static_cast<std::uint32_t>(message.receiver), false);
    }
  }

  PlannedTime longest() const {
    PlannedTime out;
    out.seconds = -1;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].next < plan_.lines[i].steps.size())
        throw UserError("this plan waits for a message that nobody sends");
      const Moment& begins = begins_[static_cast<std::size_t>(plan_.lines[i].rank)];
      const double took = lines_[i].ends.at - begins.at;
      if (took <= out.seconds) continue;
      out.seconds = took;
      for (std::size_t k = 0; k < kMachineTerms; ++k)
        out.counts[k] = lines_[i].ends.counts[k] - begins.counts[k];
    }
    count(out.counts, MachineTerm::start) += 1;
    out.seconds = std::max(0.0, out.seconds) + costs_[MachineTerm::start];
    return out;
  }

  const MachineCosts& costs_;
  const RunPlan& plan_;
  const double cold_;  ///< The part of the bytes that are no longer in the cache.
  std::vector<Moment> processors_, io_, begins_;
  std::vector<LineState> lines_;
  std::vector<MessageState> messages_;
  std::priority_queue<Task> tasks_;
  std::uint64_t number_ = 0;
};

}  // namespace

PlannedTime planned_time(const MachineCosts& costs, const RunPlan& plan, int processors) {
  return SharedProcessors(costs, plan, processors).run();
}

}  // namespace rankscope
