// The loop over events, and what each of them does.
#include "transports/sim/sim_world.h"

#include <stdexcept>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "transports/sim/fiber_sanitizers.h"

namespace rankscope {
namespace {

/// The number of events between two checks for interrupts.
constexpr std::uint64_t kEventsPerLook = 4096;
// Bytes to prefetch, as measured: a rank's clock, link and recorder; on a sleeping strand's stack, the frames from the
// switch to the algorithm's own.
constexpr std::size_t kPrefetchedRank = 1024, kPrefetchedStack = 2048, kSwitchFrames = 256;
/// The longest time whose nanoseconds since the beginning fit into 64 bits.
const SimTime kLatest = SimTime::of(9e9);
constexpr std::uint64_t kLongestMessage = std::uint64_t{1} << 44;

double slowness_of(const SimOptions& options, Rank rank) {
  const auto index = static_cast<std::size_t>(rank);
  return index < options.slowness.size() ? options.slowness[index] : 1;
}

}  // namespace

// SplitMix64 (Steele, Lea, Flood 2014).
double chance(std::uint64_t seed, std::uint64_t number) noexcept {
  std::uint64_t x = seed + 0x9E3779B97F4A7C15ULL * (number + 1);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-53;
}

SimWorld::SimWorld(int ranks, SimOptions options, EventSink* sink, Watch* watch,
                   std::span<const std::unique_ptr<Gate>> gates)
    : options_((check_sim_options(ranks, options), std::move(options))),
      watch_(watch),
      terms_(options_.model),
      ports_(options_.switches == nullptr ? ranks : 2 * options_.switches->places(), terms_.ports),
      may_overtake_(options_.network != nullptr || terms_.ports == PortModel::none ||
                    (options_.jitter > 0 && !terms_.holds_latency) ||
                    options_.model.eager_limit != NetworkModel{}.eager_limit),
      stacks_(options_.stack_bytes) {
  if (options_.network != nullptr)
    shared_ = std::make_unique<SharedTransfers>(options_, terms_, ports_,
                                                static_cast<SharedTransfers::Listener&>(*this));
  ranks_.reserve(static_cast<std::size_t>(ranks));
  footprints_.resize(static_cast<std::size_t>(ranks));
  for (Rank r = 0; r < ranks; ++r) {
    Gate* const gate = gates.empty() ? nullptr : gates[static_cast<std::size_t>(r)].get();
    ranks_.push_back(
        std::make_unique<SimRank>(*this, r, ranks, sink, gate, slowness_of(options_, r)));
    footprints_[static_cast<std::size_t>(r)].rank = ranks_.back().get();
  }
}

SimWorld::~SimWorld() = default;

void SimWorld::run(const std::function<void(Communicator&)>& body, const RankSettings& settings) {
  if (settings.mode == SendMode::rendezvous) may_overtake_ = true;
  std::exception_ptr cause;
  run_ranks([&](RankContext& context) {
    try {
      context.begin_job(kEpoch, settings);
      Communicator comm(context);
      body(comm);
    } catch (const std::exception& e) {
      if (!cause) {
        cause = std::current_exception();
        if (stop_reason_.empty()) stop(fmt::format("rank {} failed: {}", context.rank(), e.what()));
      }
    }
    context.recorder().flush();
  });
  if (cause) std::rethrow_exception(cause);
}

void SimWorld::run_ranks(const std::function<void(RankContext&)>& body) {
  for (const auto& rank : ranks_) {
    RankContext& context = rank->context();
    ++unfinished_;
    plan_resume(rank->add_strand(0, [&body, &context] { body(context); }), now_);
  }
  for (const auto& failure : options_.failures)
    queue_.plan(SimTime::of(failure.at), failure.rank, {SimEvent::failure, &rank(failure.rank)});
  handle_events();
}

double SimWorld::finish_s() const {
  SimTime last;
  for (const auto& rank : ranks_) last = later(last, rank->ended_at);
  return last.seconds();
}

void SimWorld::stop(const std::string& reason) {
  if (!stop_reason_.empty()) return;
  stop_reason_ = reason;
  for (const auto& rank : ranks_) rank->context().progress().stop(reason, kEpoch);
}

void SimWorld::abandon(const std::string& reason) {
  if (kLostMemoryIsReported) return stop(reason);
  if (!stop_reason_.empty()) return;
  stop_reason_ = reason;
  abandoned_ = true;
  for (const auto& rank : ranks_) rank->context().recorder().flush();
}

int SimWorld::abandoned() const noexcept {
  return static_cast<int>(
      ranges::count_if(ranks_, [](const auto& rank) { return !rank->has_ended(); }));
}

void SimWorld::handle_events() {
  while (unfinished_ > 0 && !abandoned_) {
    if (++handled_ % kEventsPerLook == 0) look_up();
    if (shared_ && end_transfers()) continue;
    if (!queue_.empty() || ports_.has_requests()) {
      try {
        if (ports_.has_requests() && end_moment()) continue;
        const auto event = queue_.take();
        prefetch_next();
        handle(event);
      } catch (const UserError& e) {  // from the answer to a frame
        fail(-1, e.what());
      }
      continue;
    }
    if (!stop_reason_.empty()) throw std::logic_error("a rank does not end when it is stopped");
    if (watch_ != nullptr) watch_->on_deadlock();
    stop("the ranks wait for each other");
  }
}

// Returns false if something else still happens at this moment.
bool SimWorld::end_moment() {
  if (!queue_.empty() && queue_.next().at == now_) return false;
  if (shared_)
    if (const auto ends = shared_->next_end(); ends && *ends <= now_) return false;
  ports_.give(now_, *this);
  return true;
}

// Transfers end before all other events of the same time.
bool SimWorld::end_transfers() {
  const auto at = shared_->next_end();
  if (!at || (!queue_.empty() && queue_.next().at < *at)) return false;
  if (*at > now_ && ports_.has_requests()) return false;
  now_ = later(now_, *at);
  shared_->advance(now_);
  return true;
}

// A processor drops prefetches that it cannot queue, so they are spread: a stack is prefetched two events ahead, the
// rest one event ahead.
void SimWorld::prefetch_next() const noexcept {
  const auto lines = [](const void* from, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += 64)
      __builtin_prefetch(static_cast<const std::byte*>(from) + at, 1, 2);
  };
  if (queue_.empty()) return;
  const auto& event = queue_.next();
  const Footprint& of_rank = footprints_[static_cast<std::size_t>(event.rank())];
  lines(event.what.about<std::byte>(), sizeof(SimMessage));
  lines(of_rank.operation, sizeof(Operation));
  lines(of_rank.rank, kPrefetchedRank);
  lines(of_rank.strand, sizeof(SimStrand));
  lines(of_rank.fiber, 64);
  const auto* const soon = queue_.after_next();
  if (soon == nullptr) return;
  const void* const stack = footprints_[static_cast<std::size_t>(soon->rank())].stack;
  if (stack != nullptr)
    lines(static_cast<const std::byte*>(stack) - kSwitchFrames, kSwitchFrames + kPrefetchedStack);
}

void SimWorld::look_up() {
  if (watch_ == nullptr || !stop_reason_.empty()) return;
  if (const auto reason = watch_->stop_reason()) stop(*reason);
}

void SimWorld::handle(const EventQueue<SimEvent>::Event& event) {
  now_ = event.at;
  switch (event.what.kind()) {
    case SimEvent::resume: return resume(*event.what.about<SimStrand>());
    case SimEvent::deliver: return arrive(event.what.about<SimMessage>());
    case SimEvent::flow: return shared_->begin_flow(event.what.about<SimMessage>(), now_);
    case SimEvent::release: {
      auto* const message = event.what.about<SimMessage>();
      message->release_planned = false;
      ports_.release(message, now_);
      if (message->delivered) in_flight_.give_back(message);
      return;
    }
    case SimEvent::deadline: {
      const auto& [strand, sleeps] = *event.what.about<WakeAt>();
      if (!strand->asleep || strand->sleeps != sleeps) return;
      strand->asleep = false;
      return resume(*strand);
    }
    case SimEvent::failure: {
      const Rank rank = event.rank();
      fail(rank, fmt::format("rank {} failed at {:g} s, as the job says", rank, now_.seconds()));
    }
  }
}

void SimWorld::resume(SimStrand& strand) {
  SimStrand* const before = std::exchange(running_, &strand);
  if (!strand.fiber) strand.fiber = std::make_unique<Fiber>(stacks_, strand.body);
  const bool ended = strand.fiber->resume();
  running_ = before;
  if (!ended) return;
  --unfinished_;
  strand.rank->strand_ended(strand);
}

// If nothing happens before, the strand continues directly.
void SimWorld::pass_time(SimTime at) {
  if (at > kLatest) throw UserError("the simulated time exceeds 285 years: use a faster network");
  if (ports_.has_requests()) end_moment();
  const bool alone = queue_.empty() || at < queue_.next().at;
  const auto transfer = shared_ ? shared_->next_end() : std::nullopt;
  if (alone && !ports_.has_requests() && (!transfer || at < *transfer) &&
      ++handled_ % kEventsPerLook != 0) {
    now_ = at;
    return;
  }
  plan_resume(*running_, at);
  give_way();
}

void SimWorld::post(const FrameHeader& header, std::span<const std::byte> payload) {
  if (header.bytes > kLongestMessage)
    throw UserError("a simulated message has at most 16 TiB: send it in parts");
  SimMessage* const message = in_flight_.take();
  message->frame.header = header;
  if (!payload.empty()) message->frame.payload = Message::copy_of(payload);
  message->stretch =
      options_.jitter == 0 ? 1 : 1 + options_.jitter * chance(options_.seed, header.op);
  ++messages_;
  // The messages of split() are no algorithm's cost.
  if (static_cast<Verb>(header.verb) == Verb::sync) return plan_arrival(message, now_);
  message->sender = header.src;
  message->receiver = header.dst;
  const bool in_tree = options_.switches != nullptr && enter_tree(*message);
  if (may_overtake_ && message->is_matched() && !in_tree) order_.number(*message);
  const bool control = header.kind != FrameKind::eager && header.kind != FrameKind::data;
  // Control messages take no port and overtake others. But an announcement waits for the messages before it, unless
  // order_ puts messages in order.
  if (terms_.ports == PortModel::none || (control && (may_overtake_ || !message->is_matched())))
    return begin(message);
  message->takes_ports = !control;
  ports_.post(message, now_);
}

// Each link of the tree has a port at both of its ends, so that a switch serves all of its links at once.
bool SimWorld::enter_tree(SimMessage& message) const {
  const FrameHeader& header = message.frame.header;
  const auto way = options_.switches->way_of(header.tag);
  if (!way) return false;
  const Rank below = way->child, above = options_.switches->places() + way->child;
  const bool answers = header.kind == FrameKind::cts;
  std::tie(message.sender, message.receiver) =
      way->is_down == answers ? std::pair(below, above) : std::pair(above, below);
  return true;
}

void SimWorld::begin(PortedMessage* ported) {
  auto* const message = static_cast<SimMessage*>(ported);
  const FrameKind kind = message->frame.header.kind;
  if (kind != FrameKind::eager && kind != FrameKind::data)
    return plan_arrival(message, now_ + (shared_ ? shared_->latency(*message)
                                                 : terms_.alpha.scaled(message->stretch)));
  if (shared_) return shared_->begin(message, now_);
  const auto times = terms_.times(message->bytes(), message->stretch);
  if (!terms_.holds_latency && terms_.ports != PortModel::none) {
    message->release_planned = true;
    plan_release(message, now_ + times.held);
  }
  plan_arrival(message, now_ + times.arrives);
}

PortedMessage* SimWorld::awaited_by(Rank rank) const {
  if (rank >= size()) return nullptr;  // of a switch
  PortedMessage* first = nullptr;
  const auto consider = [&](PortedMessage* message, const Operation& op) {
    const FrameHeader& header = static_cast<SimMessage*>(message)->frame.header;
    const bool matches = header.kind == FrameKind::data
                             ? header.peer_op == op.id
                             : op.cause == 0 && header.context == op.context &&
                                   (op.tag == kAnyTag || op.tag == header.tag);
    if (matches && (first == nullptr || MessagePorts::before(*message, *first))) first = message;
  };
  ranks_[static_cast<std::size_t>(rank)]->visit_awaited([&](const Operation& op) {
    if (op.peer != kAnyRank) {
      if (PortedMessage* const one = ports_.waiting(op.peer, rank)) consider(one, op);
      return;
    }
    for (PortedMessage* m = ports_.first_waiting(rank); m != nullptr; m = m->later_one)
      consider(m, op);
  });
  return first;
}

void SimWorld::plan_flow(SimMessage* message, SimTime at) {
  queue_.plan(at, message->from(), {SimEvent::flow, message});
}

void SimWorld::plan_release(SimMessage* message, SimTime at) {
  queue_.plan(at, message->from(), {SimEvent::release, message});
}

void SimWorld::plan_arrival(SimMessage* message, SimTime at) {
  if (at > kLatest) throw UserError("the simulated time exceeds 285 years: use a faster network");
  queue_.plan(at, message->to(), {SimEvent::deliver, message});
}

void SimWorld::arrive(SimMessage* message) {
  if (terms_.holds_latency && !shared_ && message->begun) {
    message->begun = false;
    ports_.release(message, now_);
  }
  if (message->number == 0) return hand_over(message, true);
  ready_.clear();
  order_.arrived(message, ready_);
  for (std::size_t i = 0; i < ready_.size(); ++i) hand_over(ready_[i], i + 1 == ready_.size());
}

// Time may pass once a rank goes on, so it goes on only with the last of several messages.
void SimWorld::hand_over(SimMessage* message, bool goes_on) {
  Frame frame = std::move(message->frame);
  message->delivered = true;
  if (!message->release_planned) in_flight_.give_back(message);
  ranks_[static_cast<std::size_t>(frame.header.dst)]->deliver(std::move(frame), goes_on);
}

void SimWorld::fail(Rank rank, const std::string& what) {
  if (!stop_reason_.empty()) return;
  if (rank >= 0 && this->rank(rank).has_ended()) return;
  if (watch_ != nullptr) watch_->on_failure(rank, what);
  stop(what);
}

void SimWorld::lost(SimMessage* message, std::string why) {
  const FrameHeader header = message->frame.header;
  fail(-1, fmt::format("a message of {} bytes from rank {} to rank {} was lost at {:g} s: {}",
                       header.bytes, header.src, header.dst, now_.seconds(), why));
}

}  // namespace rankscope
