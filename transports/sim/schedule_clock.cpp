// Carries a schedule out: one event for each time that a rank has to wait.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "transports/sim/event_queue.h"
#include "transports/sim/message_ports.h"
#include "transports/sim/verb_schedule.h"

namespace rankscope {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kEventsPerBeat = std::uint64_t{1} << 16;

// A receive was recorded as if it were filled; what its rank does after a shorter one may depend on that.
void check_size(const VerbSchedule::Step& receive, std::uint64_t bytes) {
  if (receive.amount != bytes)
    throw UserError(fmt::format(
        "this program cannot be simulated as a schedule, since a message of {} bytes does not fill "
        "its receive of {}: simulate it with fibers",
        bytes, receive.amount));
}

class ScheduleClock {
 public:
  ScheduleClock(const VerbSchedule& schedule, const SimOptions& options);
  VerbSchedule::Result run(const VerbSchedule::Heartbeat& heartbeat);

 private:
  using Step = VerbSchedule::Step;
  struct LineState {
    std::uint32_t next = 0;              ///< Step.
    std::uint32_t next_waiting = kNone;  ///< Of the lines of its rank that wait for a message.
    std::uint32_t joiner = kNone;
    bool charged = false;  ///< The overhead of this step has passed.
    bool has_message = false, ended = false;
  };
  struct RankState {
    SimTime processor;
    std::uint32_t waiting = kNone;              ///< Line.
    std::uint32_t first = kNone, last = kNone;  ///< Messages that nobody waits for yet.
    double slowness = 1;
  };
  struct Waiting {
    SimTime arrives;
    std::uint64_t bytes;
    std::uint32_t from, channel, next;
  };

  void go_on(std::uint32_t index);
  bool carry_out(std::uint32_t index, const Step& step);
  bool pass_time(std::uint32_t index, SimTime at);
  bool occupy(std::uint32_t index, SimTime time);
  bool charge(std::uint32_t index, std::uint64_t bytes);
  void post(Rank from, const Step& step);
  bool receive(std::uint32_t index, const Step& step);
  void end(std::uint32_t index);
  RankState& rank_of(std::uint32_t index) {
    return ranks_[static_cast<std::size_t>(schedule_.lines()[index].rank)];
  }
  void plan(std::uint32_t index, SimTime at) {
    queue_.plan(at, schedule_.lines()[index].rank, index);
  }

  const VerbSchedule& schedule_;
  const MessageTerms terms_;
  const std::uint64_t eager_limit_;
  const bool overheads_;
  MessagePorts ports_;
  std::vector<LineState> lines_;
  std::vector<RankState> ranks_;
  std::vector<Waiting> waiting_;
  std::uint32_t free_ = kNone;  ///< In waiting_.
  EventQueue<std::uint32_t> queue_;
  SimTime now_, finish_;
  std::uint64_t messages_ = 0;
  std::size_t unfinished_;
};

ScheduleClock::ScheduleClock(const VerbSchedule& schedule, const SimOptions& options)
    : schedule_(schedule),
      terms_(options.model),
      eager_limit_(options.model.eager_limit),
      overheads_(!terms_.overhead.is_zero() || !terms_.byte_overhead.is_zero()),
      ports_(schedule.ranks(), terms_),
      lines_(schedule.lines().size()),
      ranks_(static_cast<std::size_t>(schedule.ranks())),
      unfinished_(lines_.size()) {
  for (std::size_t r = 0; r < options.slowness.size(); ++r)
    ranks_[r].slowness = options.slowness[r];
}

VerbSchedule::Result ScheduleClock::run(const VerbSchedule::Heartbeat& heartbeat) {
  std::uint64_t handled = 0;
  bool stopped = false;
  for (std::uint32_t r = 0; r < ranks_.size(); ++r) plan(r, {});
  while (!queue_.empty() && !stopped) {
    const auto event = queue_.take();
    now_ = event.at;
    go_on(event.what);
    if (++handled % kEventsPerBeat == 0 && heartbeat) stopped = !heartbeat(messages_);
  }
  if (unfinished_ > 0 && !stopped)
    throw UserError(
        "the ranks of this schedule wait for each other: simulate them with fibers to see where");
  return {finish_.seconds(), messages_, queue_.planned(), stopped};
}

void ScheduleClock::go_on(std::uint32_t index) {
  const auto& steps = schedule_.lines()[index].steps;
  LineState& line = lines_[index];
  while (line.next < steps.size()) {
    if (!carry_out(index, steps[line.next])) return;
    ++line.next;
    line.charged = line.has_message = false;
  }
  end(index);
}

// False: the line goes on later, with the same step.
bool ScheduleClock::carry_out(std::uint32_t index, const Step& step) {
  switch (step.kind) {
    case Step::send:
      if (!charge(index, step.amount)) return false;
      post(schedule_.lines()[index].rank, step);
      return true;
    case Step::receive: return receive(index, step) && charge(index, step.amount);
    case Step::reduce: return occupy(index, terms_.gamma.times(step.amount));
    case Step::compute: return occupy(index, SimTime::of(static_cast<double>(step.amount) * 1e-9));
    case Step::start: plan(step.channel, now_); return true;
    default:
      if (lines_[step.channel].ended) return true;
      lines_[step.channel].joiner = index;
      return false;
  }
}

bool ScheduleClock::pass_time(std::uint32_t index, SimTime at) {
  if (at == now_) return true;
  if (queue_.empty() || at < queue_.next().at) {
    now_ = at;
    return true;
  }
  plan(index, at);
  return false;
}

bool ScheduleClock::occupy(std::uint32_t index, SimTime time) {
  if (lines_[index].charged) return true;
  lines_[index].charged = true;
  RankState& rank = rank_of(index);
  rank.processor = later(now_, rank.processor) + time.scaled(rank.slowness);
  return pass_time(index, rank.processor);
}

bool ScheduleClock::charge(std::uint32_t index, std::uint64_t bytes) {
  return !overheads_ || occupy(index, terms_.overhead + terms_.byte_overhead.times(bytes));
}

void ScheduleClock::post(Rank from, const Step& step) {
  if (step.amount > eager_limit_)
    throw UserError(
        "a schedule has no rendezvous: simulate messages above the eager limit with fibers");
  ++messages_;
  const auto to = static_cast<Rank>(step.peer);
  const SimTime arrives = ports_.arrival(now_, from, to, step.amount, 1);
  RankState& rank = ranks_[step.peer];
  const auto sender = static_cast<std::uint32_t>(from);
  for (std::uint32_t* at = &rank.waiting; *at != kNone; at = &lines_[*at].next_waiting) {
    const std::uint32_t waits = *at;
    const Step& wanted = schedule_.lines()[waits].steps[lines_[waits].next];
    if (wanted.peer != sender || wanted.channel != step.channel) continue;
    check_size(wanted, step.amount);
    *at = lines_[waits].next_waiting;
    lines_[waits].has_message = true;
    return plan(waits, arrives);
  }
  std::uint32_t place = free_;
  if (place == kNone) {
    place = static_cast<std::uint32_t>(waiting_.size());
    waiting_.emplace_back();
  } else {
    free_ = waiting_[place].next;
  }
  waiting_[place] = {arrives, step.amount, sender, step.channel, kNone};
  (rank.first == kNone ? rank.first : waiting_[rank.last].next) = place;
  rank.last = place;
}

bool ScheduleClock::receive(std::uint32_t index, const Step& step) {
  LineState& line = lines_[index];
  if (line.has_message) return true;
  RankState& rank = rank_of(index);
  std::uint32_t before = kNone;
  for (std::uint32_t at = rank.first; at != kNone; before = at, at = waiting_[at].next) {
    Waiting& message = waiting_[at];
    if (message.from != step.peer || message.channel != step.channel) continue;
    check_size(step, message.bytes);
    (before == kNone ? rank.first : waiting_[before].next) = message.next;
    if (rank.last == at) rank.last = before;
    message.next = free_;
    free_ = at;
    line.has_message = true;
    return pass_time(index, later(now_, message.arrives));
  }
  line.next_waiting = rank.waiting;
  rank.waiting = index;
  return false;
}

void ScheduleClock::end(std::uint32_t index) {
  LineState& line = lines_[index];
  line.ended = true;
  --unfinished_;
  finish_ = later(finish_, now_);
  if (line.joiner != kNone) plan(line.joiner, now_);
}

}  // namespace

VerbSchedule::Result VerbSchedule::carry_out(const SimOptions& options,
                                             const Heartbeat& heartbeat) const {
  check_sim_options(ranks_, options);
  if (options.network != nullptr || options.jitter > 0 || !options.failures.empty())
    throw UserError(
        "a schedule needs a network that shares no link, without jitter and failures: simulate "
        "with "
        "fibers");
  if (options.model.ports == PortModel::none)
    throw UserError("a schedule needs ports, one message at a time: simulate with fibers");
  return ScheduleClock(*this, options).run(heartbeat);
}

}  // namespace rankscope
