// Sends a rank's frames, lets its strands sleep and wake, and charges its processor.
#include "transports/sim/sim_rank.h"

#include <algorithm>
#include <limits>

#include "engine/core/base/ranges.h"
#include "transports/sim/sim_world.h"

namespace rankscope {
namespace {

/// The time of a test or probe that finds nothing: a loop of them must reach the time at which there is something.
const SimTime kPoll = SimTime::of(100e-9);

bool may_go_on(const OperationPtr& op) { return op && (op->complete || op->error); }

}  // namespace

// Copies, as a socket would: the sender may change its memory when its send is over.
void SimLink::send(const FrameHeader& header, std::span<const std::byte> payload, Loan* loan) {
  ++counters_.frames_sent;
  const bool carries = header.kind == FrameKind::eager || header.kind == FrameKind::data;
  if (carries) counters_.bytes_sent += header.bytes;
  world_.post(header, payload);
  if (loan != nullptr) loan->release();
}

std::size_t SimLink::lend_from() const noexcept { return std::numeric_limits<std::size_t>::max(); }

SimRank::SimRank(SimWorld& world, Rank rank, int world_size, EventSink* sink, Gate* gate,
                 double slowness)
    : world_(world),
      rank_(rank),
      slowness_(slowness),
      link_(world, rank),
      context_(rank, world_size, link_, sink, nullptr, gate, this) {}

// 0 would mean that there is no time.
std::int64_t SimRank::now_ns() const noexcept { return 1 + world_.now_.ns(); }

double SimRank::jitter() {
  if (world_.options_.jitter == 0) return slowness_;
  const std::uint64_t number = (static_cast<std::uint64_t>(rank_) << 40) | ++computations_;
  return slowness_ * (1 + world_.options_.jitter * chance(~world_.options_.seed, number));
}

void SimRank::occupy(SimTime time) {
  const SimTime begins = later(world_.now_, processor_);
  processor_ = begins + time;
  if (processor_ > world_.now_) world_.pass_time(processor_);
}

void SimRank::compute(std::chrono::nanoseconds time) {
  const double seconds = std::max(0.0, std::chrono::duration<double>(time).count());
  occupy(SimTime::of(seconds).scaled(jitter()));
}

const ReducingTree* SimRank::reducing_tree() const noexcept { return world_.options_.switches; }

// Reductions in switches cost no rank any time.
void SimRank::reduce(std::uint64_t bytes) {
  if (world_.options_.switches != nullptr) return;
  const SimTime gamma = world_.terms_.gamma;
  occupy(gamma.is_zero() ? SimTime() : gamma.times(bytes).scaled(jitter()));
}

void SimRank::handle_message(std::uint64_t bytes) {
  const MessageTerms& terms = world_.terms_;
  if (terms.overhead.is_zero() && terms.byte_overhead.is_zero()) return;
  occupy((terms.overhead + terms.byte_overhead.times(bytes)).scaled(slowness_));
}

void SimRank::poll_found_nothing() { world_.pass_time(world_.now_ + kPoll); }

SimStrand& SimRank::add_strand(std::uint16_t id, std::function<void()> body) {
  SimStrand& strand = *strands_.emplace_back(std::make_unique<SimStrand>());
  strand.rank = this;
  strand.id = id;
  strand.body = std::move(body);
  return strand;
}

void SimRank::start_strand(std::uint16_t id, std::function<void()> body) {
  ++world_.unfinished_;
  world_.plan_resume(add_strand(id, std::move(body)), world_.now_);
}

void SimRank::strand_ended(SimStrand& strand) {
  strand.fiber.reset();
  strand.body = nullptr;
  ended_at = later(ended_at, world_.now_);
  if (strand.id == 0) return;  // the main one
  for (const auto& other : strands_)
    if (other->asleep && other->awaits == strand.id) wake(*other);
  const auto place = ranges::find(strands_, &strand, &std::unique_ptr<SimStrand>::get);
  if (!world_.deadlines_.empty()) ended_.push_back(std::move(*place));
  strands_.erase(place);
}

void SimRank::join_strand(std::uint16_t id, const CallSite& where) {
  SimStrand& self = *world_.running_;
  while (ranges::any_of(strands_, [id](const auto& one) { return one->id == id; })) {
    self.awaits = id;
    self.awaits_at = where;
    self.asleep = true;
    ++self.sleeps;
    world_.give_way();
  }
  self.awaits = 0;
}

// Also asks the strands in wait_outside(): their processes may have to answer before the caller's process acts.
void SimRank::look_outside() {
  world_.look_up();
  for (const auto* ready : world_.outside_.waiting) (*ready)(false);
}

void SimRank::let_others_come() {
  world_.plan_resume(*world_.running_, world_.now_ + SimTime::least());
  world_.give_way();
}

// One strand at a time checks between events, and passes its turn to the others. So the queue holds only one of them,
// besides the events of ranks.
void SimRank::wait_outside(const std::function<bool(bool still)>& ready) {
  SimStrand& self = *world_.running_;
  auto& [waiting, turns, looks, looked] = world_.outside_;
  waiting.push_back(&ready);
  const auto give_turn = [&] {
    world_.plan_resume(*turns.front(), world_.now_);
    turns.pop_front();
  };
  if (looks) {
    turns.push_back(&self);
    world_.give_way();
  }
  looks = true;
  while (true) {
    world_.look_up();
    const auto transfer = world_.shared_ ? world_.shared_->next_end() : std::nullopt;
    const bool still = world_.queue_.empty() && !transfer;
    if (ready(still)) break;
    if (looked < turns.size()) {
      ++looked;
      turns.push_back(&self);
      give_turn();
      world_.give_way();
      continue;
    }
    looked = 0;
    if (still) continue;
    SimTime next = transfer.value_or(SimTime());
    if (!transfer || (!world_.queue_.empty() && world_.queue_.next().at < next))
      next = world_.queue_.next().at;
    world_.plan_resume(self, later(world_.now_, next) + SimTime::least());
    world_.give_way();
  }
  std::erase(waiting, &ready);
  looks = !turns.empty();
  if (looks) give_turn();
}

void SimRank::sleep(std::span<const OperationPtr> ops, Deadline deadline) {
  SimStrand& self = *world_.running_;
  self.ops = ops;
  self.asleep = true;
  ++self.sleeps;
  auto& footprint = world_.footprints_[static_cast<std::size_t>(rank_)];
  footprint.strand = &self;
  footprint.fiber = self.fiber->context();
  footprint.stack = __builtin_frame_address(0);
  footprint.operation = ops.front().get();
  if (!deadline.is_never()) {
    const auto left = std::chrono::duration<double>(deadline.at() - now()).count();
    world_.deadlines_.push_back({&self, self.sleeps});
    world_.queue_.plan(world_.now_ + SimTime::of(std::max(0.0, left) + 1e-9), rank_,
                       {SimEvent::deadline, &world_.deadlines_.back()});
  }
  world_.give_way();
  self.ops = {};
}

void SimRank::note_site(std::uint32_t site) noexcept { world_.running_->site = site; }

void SimRank::wake(SimStrand& strand) {
  strand.asleep = false;
  world_.plan_resume(strand, world_.now_);
}

void SimRank::wake_done() {
  for (const auto& strand : strands_)
    if (strand->asleep && ranges::any_of(strand->ops, may_go_on)) wake(*strand);
}

void SimRank::wake_all() noexcept {
  for (const auto& strand : strands_)
    if (strand->asleep && strand->awaits == 0) wake(*strand);
}

void SimRank::deliver(Frame&& frame, bool goes_on) {
  link_.count_received(frame.header.kind == FrameKind::eager || frame.header.kind == FrameKind::data
                           ? frame.header.bytes
                           : 0);
  context_.progress().deliver(std::move(frame));
  if (!goes_on) return;
  if (strands_.size() != 1) return wake_done();
  SimStrand& only = *strands_.front();
  if (!only.asleep || !ranges::any_of(only.ops, may_go_on)) return;
  only.asleep = false;
  world_.resume(only);
}

}  // namespace rankscope
