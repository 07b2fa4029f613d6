// Connects a rank's endpoint, recorder, step gate and status page; holds the current job's settings.
#include "engine/core/message/rank_context.h"

#include "engine/core/message/before_sleep.h"

namespace rankscope {

RankContext::RankContext(Rank rank, int world_size, Link& link, EventSink* sink, StatusPage* status,
                         Gate* gate, VirtualRank* virtual_rank)
    : rank_(rank),
      world_size_(world_size),
      link_(link),
      status_(status),
      gate_(gate),
      virtual_(virtual_rank),
      recorder_(rank, sink, status, virtual_rank),
      progress_(rank, link, *this, virtual_rank) {}

Deadline RankContext::deadline_in(Deadline::Duration span) const noexcept {
  if (virtual_ == nullptr || span == Deadline::Duration::max()) return Deadline::in(span);
  return Deadline::at(virtual_->now() + span);
}

bool RankContext::passed(Deadline deadline) const noexcept {
  return virtual_ == nullptr ? deadline.passed() : deadline.passed_by(virtual_->now());
}

Buffer RankContext::buffer(DType dtype, const Shape& shape, bool fill) {
  // On overflow `memory` stays null, and Buffer::allocate throws.
  std::size_t bytes = 0;
  const bool fits =
      !__builtin_mul_overflow(static_cast<std::size_t>(shape.count()), dtype_size(dtype), &bytes);
  auto memory = fits && bytes >= link_.lend_from() ? link_.memory(bytes) : nullptr;
  return Buffer::in(std::move(memory), dtype, shape, fill);
}

void RankContext::begin_job(std::uint32_t epoch, const RankSettings& settings) {
  settings_ = settings;
  strands_ = 0;
  recorder_.begin_job(epoch, settings.trace);
  progress_.begin_job(epoch);
}

void RankContext::pass_gate(const GatePoint& point, std::uint32_t comm) {
  const auto begin = now_ns();
  set_state(RankState::held);
  about_to_sleep();
  const auto delay = gate_->hold(point);
  set_state(RankState::running);
  if (delay.count() == 0 || !recorder_.recording()) return;
  StepEvent event;
  event.kind = EventKind::local;
  event.verb = Verb::delay;
  event.begin_ns = begin;
  event.time_ns = begin + delay.count();
  event.comm = comm;
  event.site = point.site;
  event.phase = point.phase;
  event.strand = point.strand;
  recorder_.record(event);
}

void RankContext::note_blocked(const Operation& op, std::uint32_t site, bool one_of) noexcept {
  if (virtual_ != nullptr) virtual_->note_site(site);
  if (status_ == nullptr && gate_ == nullptr) return;
  GatePoint point = point_of(op);
  point.site = site;
  point.one_of = one_of;
  show_verb(point);  // a wait may be for an older operation than the verb entered last
  set_state(RankState::blocked);
  if (gate_ != nullptr) gate_->blocked(point);
}

void RankContext::note_woke(std::uint16_t strand) noexcept {
  set_state(RankState::running);
  if (gate_ != nullptr) gate_->woke(strand);
}

// 0 stays the main strand, even after the numbers wrap around.
std::uint16_t RankContext::new_strand() noexcept {
  const std::uint16_t strand = ++strands_;
  return strand != 0 ? strand : new_strand();
}

void RankContext::show_verb(const GatePoint& point) noexcept {
  if (status_ == nullptr) return;
  constexpr auto kRelaxed = std::memory_order_relaxed;
  status_->verb.store(point.verb, kRelaxed);
  status_->peer.store(point.peer, kRelaxed);
  status_->bytes.store(point.bytes, kRelaxed);
  status_->site.store(point.site, std::memory_order_release);
}

void RankContext::enter_verb(const GatePoint& point) noexcept {
  show_verb(point);
  if (status_ != nullptr) status_->verbs.fetch_add(1, std::memory_order_relaxed);
}

void RankContext::set_state(RankState state) noexcept {
  if (status_ == nullptr) return;
  status_->since_ns.store(now_ns(), std::memory_order_relaxed);
  status_->state.store(state, std::memory_order_release);
}

void RankContext::set_status_op(OpId op) noexcept {
  if (status_ != nullptr) status_->op.store(op, std::memory_order_relaxed);
}

GatePoint point_of(const Operation& op) {
  GatePoint point;
  point.verb = op.where.verb;
  point.peer = op.peer;
  point.tag = op.tag;
  point.bytes = is_send(op.where.verb) ? op.bytes : op.wanted();
  point.site = op.where.site;
  point.phase = op.where.phase;
  point.strand = op.where.strand;
  point.op = op.id;
  point.context = op.context;
  point.rendezvous = is_send(op.where.verb) && op.mode == SendMode::rendezvous;
  return point;
}

StepEvent event_of(const Operation& op, EventKind kind) {
  StepEvent event;
  event.op = op.id;
  event.kind = kind;
  event.verb = op.where.verb;
  event.cause = kind == EventKind::posted ? 0 : op.cause;
  event.peer = op.peer;
  event.tag = op.tag;
  event.bytes = op.bytes;
  event.comm = op.where.comm;
  event.site = op.where.site;
  event.phase = op.where.phase;
  event.strand = op.where.strand;
  event.mode = op.mode;
  event.dtype = op.data.dtype();
  if (is_send(op.where.verb)) {
    event.in_buffer = op.data.buffer();
    event.in_offset = op.data.offset_bytes();
  } else {
    event.out_buffer = op.data.buffer();
    event.out_offset = op.data.offset_bytes();
    if (kind == EventKind::posted) event.bytes = op.wanted();
  }
  return event;
}

void RankContext::on_matched(const Operation& op) {
  if (recorder_.recording()) recorder_.record(event_of(op, EventKind::matched));
}

void RankContext::on_completed(const Operation& op) {
  if (is_recv(op.where.verb) && gate_wants_attention()) gate_->received(op);
  if (!recorder_.recording()) return;
  const StepEvent event = event_of(op, EventKind::completed);
  if (is_recv(op.where.verb) && !op.takes_message) {
    const auto arrived = static_cast<Count>(op.bytes / dtype_size(op.data.dtype()));
    recorder_.record_change(event, op.data.first(arrived));
  } else {
    recorder_.record(event);
  }
}

}  // namespace rankscope
