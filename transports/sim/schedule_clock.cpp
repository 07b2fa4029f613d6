// Carries out a schedule: an event for each message, and for each time that a rank computes.
#include "transports/sim/schedule_clock.h"

#include <deque>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "transports/sim/event_queue.h"
#include "transports/sim/message_ports.h"

namespace rankscope {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kEventsPerBeat = std::uint64_t{1} << 16;

// The recording filled every receive; after a shorter message, the program might act differently.
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
  ScheduleResult run(const VerbSchedule::Heartbeat& heartbeat);

 private:
  using Step = VerbSchedule::Step;
  struct LineState {
    std::uint32_t next = 0;              ///< Its next step.
    std::uint32_t next_waiting = kNone;  ///< The next line of its rank that waits for a message.
    std::uint32_t joiner = kNone;
    std::uint16_t number = 0;  ///< The line's number in its rank.
    bool charged = false;      ///< The overhead of this step has passed.
    bool has_message = false, ended = false;
  };
  struct Message : PortedMessage {
    std::uint64_t bytes = 0;
    std::uint32_t channel = 0;
    bool arrived = false, released = false;
    Message* next = nullptr;  ///< The next one in the list of arrived or of finished messages.
  };
  struct RankState {
    SimTime processor;
    std::uint32_t waiting = kNone;  ///< The first line that waits for a message.
    Message *first = nullptr,
            *last = nullptr;  ///< Messages that have arrived and that no line has asked for.
    double slowness = 1;
    std::uint16_t lines = 0;
  };
  /// An occurrence in the queue: a line goes on, or a message arrives or leaves its ports.
  class Occurrence {
   public:
    enum Kind : std::uintptr_t { line, arrival, release };
    Occurrence() = default;
    explicit Occurrence(std::uint32_t index) noexcept : bits_(std::uintptr_t{index} << 2) {}
    Occurrence(Message* message, Kind kind) noexcept
        : bits_(reinterpret_cast<std::uintptr_t>(message) | kind) {}
    Kind kind() const noexcept { return static_cast<Kind>(bits_ & 3); }
    std::uint32_t index() const noexcept { return static_cast<std::uint32_t>(bits_ >> 2); }
    Message* message() const noexcept {
      return reinterpret_cast<Message*>(bits_ & ~std::uintptr_t{3});
    }

   private:
    std::uintptr_t bits_ = 0;
  };

  friend MessagePorts;
  void handle(Occurrence occurrence);
  bool end_moment();
  void begin(PortedMessage* message);
  PortedMessage* awaited_by(Rank rank) const;
  void release(Message* message);
  void arrive(Message* message);
  Message* take_message();
  void give_back(Message* message);
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
    queue_.plan_strand(at, schedule_.lines()[index].rank, lines_[index].number, Occurrence(index));
  }

  const VerbSchedule& schedule_;
  const MessageTerms terms_;
  const std::uint64_t eager_limit_;
  const bool overheads_;
  MessagePorts ports_;
  std::vector<LineState> lines_;
  std::vector<RankState> ranks_;
  std::deque<Message> all_;
  Message* free_ = nullptr;
  EventQueue<Occurrence> queue_;
  SimTime now_, finish_;
  bool beginning_ = true;  ///< Not all ranks have begun.
  std::uint64_t messages_ = 0;
  std::size_t unfinished_;
};

ScheduleClock::ScheduleClock(const VerbSchedule& schedule, const SimOptions& options)
    : schedule_(schedule),
      terms_(options.model),
      eager_limit_(options.model.eager_limit),
      overheads_(!terms_.overhead.is_zero() || !terms_.byte_overhead.is_zero()),
      ports_(schedule.ranks(), terms_.ports),
      lines_(schedule.lines().size()),
      ranks_(static_cast<std::size_t>(schedule.ranks())),
      unfinished_(lines_.size()) {
  for (std::size_t r = 0; r < options.slowness.size(); ++r)
    ranks_[r].slowness = options.slowness[r];
  for (std::size_t i = 0; i < lines_.size(); ++i)
    lines_[i].number = rank_of(static_cast<std::uint32_t>(i)).lines++;
}

ScheduleResult ScheduleClock::run(const VerbSchedule::Heartbeat& heartbeat) {
  std::uint64_t handled = 0;
  bool stopped = false;
  const auto count = [&] {
    if (++handled % kEventsPerBeat == 0 && heartbeat) stopped = !heartbeat(messages_);
  };
  for (std::uint32_t r = 0; r < ranks_.size() && !stopped; ++r, count()) go_on(r);
  beginning_ = false;
  while (!stopped && (!queue_.empty() || ports_.has_requests())) {
    if (ports_.has_requests() && end_moment()) continue;
    const auto event = queue_.take();
    now_ = event.at;
    handle(event.what);
    count();
  }
  if (unfinished_ > 0 && !stopped)
    throw UserError(
        "the ranks of this schedule wait for each other: simulate them with fibers to see where");
  return {finish_.seconds(), messages_, queue_.planned(), stopped};
}

void ScheduleClock::handle(Occurrence occurrence) {
  if (occurrence.kind() == Occurrence::line) return go_on(occurrence.index());
  if (occurrence.kind() == Occurrence::release) return release(occurrence.message());
  arrive(occurrence.message());
}

// Returns false if something else still happens at this moment.
bool ScheduleClock::end_moment() {
  if (!queue_.empty() && queue_.next().at == now_) return false;
  ports_.give(now_, *this);
  return true;
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

// Returns false if the line goes on later, with the same step.
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
  if (!beginning_) {
    if (ports_.has_requests()) end_moment();
    if (!ports_.has_requests() && (queue_.empty() || at < queue_.next().at)) {
      now_ = at;
      return true;
    }
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
  Message* const message = take_message();
  message->sender = from;
  message->receiver = static_cast<Rank>(step.peer);
  message->bytes = step.amount;
  message->channel = step.channel;
  ports_.post(message, now_);
}

ScheduleClock::Message* ScheduleClock::take_message() {
  if (free_ == nullptr) return &all_.emplace_back();
  Message* const message = std::exchange(free_, free_->next);
  message->arrived = message->released = false;
  message->next = nullptr;
  return message;
}

void ScheduleClock::give_back(Message* message) { message->next = std::exchange(free_, message); }

void ScheduleClock::begin(PortedMessage* ported) {
  auto* const message = static_cast<Message*>(ported);
  const auto times = terms_.times(message->bytes, 1);
  if (!terms_.holds_latency)
    queue_.plan(now_ + times.held, message->sender, {message, Occurrence::release});
  queue_.plan(now_ + times.arrives, message->receiver, {message, Occurrence::arrival});
}

PortedMessage* ScheduleClock::awaited_by(Rank rank) const {
  PortedMessage* first = nullptr;
  const RankState& state = ranks_[static_cast<std::size_t>(rank)];
  for (std::uint32_t i = state.waiting; i != kNone; i = lines_[i].next_waiting) {
    const Step& wanted = schedule_.lines()[i].steps[lines_[i].next];
    PortedMessage* const one = ports_.waiting(static_cast<Rank>(wanted.peer), rank);
    if (one != nullptr && static_cast<Message*>(one)->channel == wanted.channel &&
        (first == nullptr || MessagePorts::before(*one, *first)))
      first = one;
  }
  return first;
}

void ScheduleClock::release(Message* message) {
  ports_.release(message, now_);
  message->released = true;
  if (message->arrived) give_back(message);
}

void ScheduleClock::arrive(Message* message) {
  if (terms_.holds_latency) release(message);
  RankState& rank = ranks_[static_cast<std::size_t>(message->receiver)];
  const auto sender = static_cast<std::uint32_t>(message->sender);
  for (std::uint32_t* at = &rank.waiting; *at != kNone; at = &lines_[*at].next_waiting) {
    const std::uint32_t waits = *at;
    const Step& wanted = schedule_.lines()[waits].steps[lines_[waits].next];
    if (wanted.peer != sender || wanted.channel != message->channel) continue;
    check_size(wanted, message->bytes);
    *at = lines_[waits].next_waiting;
    lines_[waits].has_message = true;
    message->arrived = true;
    if (message->released) give_back(message);
    if (rank.lines > 1) return plan(waits, now_);
    return go_on(waits);
  }
  message->next = nullptr;
  (rank.first == nullptr ? rank.first : rank.last->next) = message;
  rank.last = message;
}

bool ScheduleClock::receive(std::uint32_t index, const Step& step) {
  LineState& line = lines_[index];
  if (line.has_message) return true;
  RankState& rank = rank_of(index);
  Message* before = nullptr;
  for (Message* at = rank.first; at != nullptr; before = at, at = at->next) {
    if (static_cast<std::uint32_t>(at->sender) != step.peer || at->channel != step.channel)
      continue;
    check_size(step, at->bytes);
    (before == nullptr ? rank.first : before->next) = at->next;
    if (rank.last == at) rank.last = before;
    at->arrived = true;
    if (at->released) give_back(at);
    return line.has_message = true;
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

ScheduleResult carry_out(const VerbSchedule& schedule, const SimOptions& options,
                         const VerbSchedule::Heartbeat& heartbeat) {
  check_sim_options(schedule.ranks(), options);
  if (options.network != nullptr || options.jitter > 0 || !options.failures.empty())
    throw UserError(
        "a schedule needs a network that shares no link, without jitter and failures: simulate "
        "with fibers");
  if (options.model.ports == PortModel::none)
    throw UserError("a schedule needs ports, one message at a time: simulate with fibers");
  return ScheduleClock(schedule, options).run(heartbeat);
}

}  // namespace rankscope
