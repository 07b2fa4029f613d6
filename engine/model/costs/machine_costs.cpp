// Fits costs to runs, and computes the time of a plan.
//
// A plan's time is a sum along its longest path, so a fit solves for the costs with all paths held, finds the paths by
// these costs, and begins again: Gauss-Newton with shorter steps where one made it worse, and no cost below 0.
#include "engine/model/costs/machine_costs.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

/// Differences of logarithms: up to this one squares count, beyond it absolute values (Huber).
constexpr double kUndisturbed = 0.15;
constexpr double kShortestStep = 0.02;

/// Rough costs of a message, by which the first paths are found; they need not be near.
MachineCosts first_guess(double cache_bytes) {
  MachineCosts costs{.cache_bytes = cache_bytes};
  for (std::size_t k = 0; k < kMachineTerms; ++k)
    costs.seconds[k] = kMachineTermRows[k].per_byte ? 0.2e-9 : 5e-6;
  return costs;
}

struct Fit {
  MachineCosts costs;
  std::vector<PlannedTime> times;
  double loss = 0;
};

Fit evaluate(const MachineCosts& costs, std::span<const MeasuredRun> runs, int processors) {
  Fit fit{costs, {}, 0};
  for (const MeasuredRun& run : runs) {
    fit.times.push_back(planned_time(costs, *run.plan, processors));
    const double error = std::abs(std::log(fit.times.back().seconds / run.seconds));
    fit.loss +=
        error < kUndisturbed ? error * error / (2 * kUndisturbed) : error - kUndisturbed / 2;
  }
  return fit;
}

double dot(const MachineTerms& a, const MachineTerms& b) {
  double sum = 0;
  for (std::size_t k = 0; k < kMachineTerms; ++k) sum += a[k] * b[k];
  return sum;
}

/// Minimises x * normal * x / 2 - right * x over x >= 0, from `x` on. The problem is convex, so that going down along
/// one term after the other ends at the minimum.
void descend(const std::array<MachineTerms, kMachineTerms>& normal, const MachineTerms& right,
             MachineTerms& x) {
  constexpr int kSweeps = 2000;
  constexpr double kSettled = 1e-10;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double moved = 0;
    for (std::size_t k = 0; k < kMachineTerms; ++k) {
      if (normal[k][k] <= 0) continue;
      const double to = std::max(0.0, x[k] + (right[k] - dot(normal[k], x)) / normal[k][k]);
      moved = std::max(moved, std::abs(to - x[k]) * std::sqrt(normal[k][k]));
      x[k] = to;
    }
    if (moved < kSettled) return;
  }
}

/// The costs that would fit best if all paths stayed as they are.
MachineTerms solved(const Fit& fit, std::span<const MeasuredRun> runs) {
  // A term that few paths have keeps its value instead of taking an arbitrary one.
  constexpr double kHeld = 1e-3;
  std::array<MachineTerms, kMachineTerms> normal{};
  MachineTerms right{};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double measured = runs[i].seconds, ratio = measured / fit.times[i].seconds;
    MachineTerms row = fit.times[i].counts;
    for (double& count : row) count /= measured;
    // A step in the ratio is a step in its logarithm, times this.
    const double weight =
        std::clamp(ratio * ratio, 0.05, 1.0) / std::max(kUndisturbed, std::abs(std::log(ratio)));
    for (std::size_t a = 0; a < kMachineTerms; ++a) {
      right[a] += weight * row[a];
      for (std::size_t b = 0; b < kMachineTerms; ++b) normal[a][b] += weight * row[a] * row[b];
    }
  }
  MachineTerms x = fit.costs.seconds;
  for (std::size_t k = 0; k < kMachineTerms; ++k) {
    right[k] += kHeld * normal[k][k] * x[k];
    normal[k][k] *= 1 + kHeld;
  }
  descend(normal, right, x);
  return x;
}

/// Improves on these costs until that no longer helps.
Fit improved(const MachineCosts& from, std::span<const MeasuredRun> runs, int processors) {
  constexpr int kIterations = 25;
  constexpr double kSettled = 1e-4;
  Fit best = evaluate(from, runs, processors);
  double step = 1;
  for (int i = 0; i < kIterations && step > kShortestStep; ++i) {
    const MachineTerms to = solved(best, runs);
    for (; step > kShortestStep; step /= 2) {
      MachineCosts costs = best.costs;
      for (std::size_t k = 0; k < kMachineTerms; ++k)
        costs.seconds[k] += step * (to[k] - costs.seconds[k]);
      Fit fit = evaluate(costs, runs, processors);
      if (fit.loss >= best.loss - kSettled) continue;
      best = std::move(fit);
      step = std::min(1.0, 2 * step);
      break;
    }
  }
  return best;
}

}  // namespace

MachineCosts fit_machine_costs(std::span<const MeasuredRun> runs, int processors) {
  constexpr std::size_t kFewest = 3;
  // A cache's size is no term of a sum, so each is tried; 0: none.
  constexpr std::array<double, 5> kCaches{0, 1 << 20, 4 << 20, 16 << 20, 64 << 20};
  if (runs.size() < kFewest)
    throw UserError("a fit needs three measured runs or more: name more sizes or algorithms");
  Fit best;
  for (const double cache : kCaches) {
    Fit fit = improved(first_guess(cache), runs, processors);
    if (best.times.empty() || fit.loss < best.loss) best = std::move(fit);
  }
  return best.costs;
}

namespace {

constexpr std::uint64_t kCopied = 32 << 10, kLent = 512 << 10;
/// A long message moves in parts, so that its two sides overlap.
constexpr std::uint64_t kPart = 64 << 10, kMostParts = 4;

/// A moment in seconds, and how often each term is on the path to it.
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
    bool awake = true;  ///< Its thread need not be woken.
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
  /// Runs work on the first processor that is free; returns when it ends.
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
      plan_task(now, Task::line, line, true);  // others that are ready run first
      break;
    }
    state.ends = now;
  }

  /// Wakes the line that sleeps for a message that has arrived.
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
    if (thread.at > task.from.at)  // the thread is busy until then
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
  const double cold_;  ///< The share of the bytes that are no longer in the cache.
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
