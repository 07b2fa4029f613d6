// Implements the verbs: checks arguments, passes the step gate, posts to the endpoint, records
// events.
#include "engine/core/message/communicator.h"

#include <cassert>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/reduce.h"
#include "engine/core/message/rank_context.h"

namespace rankscope {
namespace {

constexpr ContextId kWorldContext = 1;
constexpr std::size_t kCallDepth = 3;  // call sites kept besides the verb's own

}  // namespace

Communicator::Communicator(RankContext& rank)
    : Communicator(rank, std::make_shared<Strand>(), Members::all(rank.world_size()), kWorldContext,
                   "world") {}

Communicator::Communicator(RankContext& rank, std::shared_ptr<Strand> strand, Members members,
                           ContextId context, std::string name)
    : ctx_(&rank),
      strand_(std::move(strand)),
      members_(std::move(members)),
      rank_(local_rank(rank.rank())),
      context_(context),
      definition_(rank.recorder().communicator(
          name, context, rank.recorder().recording() ? members_.list() : std::vector<Rank>{})),
      name_(std::move(name)) {}

std::int64_t Communicator::now() const noexcept { return ctx_->now_ns(); }

Rank Communicator::checked(Rank rank, bool any_allowed) const {
  if (any_allowed && rank == kAnyRank) return kAnyRank;
  if (rank < 0 || rank >= size())
    throw UserError(fmt::format(
        "rank {} does not exist in a communicator of {} ranks (0 to {}). Compute a neighbour "
        "modulo the size; a partner at distance 1, 2, 4 ... exists for all ranks only if their "
        "number is a power of two",
        rank, size(), size() - 1));
  return members_[rank];
}

std::uint32_t Communicator::site_id(const Site& site) {
  return ctx_->recorder().site(site, strand_->caller);
}

OpContext Communicator::op_context(Verb verb, const Site& site) {
  return {definition_, site_id(site), strand_->phase, strand_->id, verb};
}

// Internal messages (start, split) must not match a wildcard receive of the program.
ContextId Communicator::context_of(Verb verb) const noexcept {
  const bool internal = verb == Verb::sync || verb == Verb::sync_recv;
  return internal ? ~context_ : context_;
}

void Communicator::pass(const OperationPtr& op) {
  if (!ctx_->is_watched()) return;
  GatePoint point = point_of(*op);
  ctx_->enter_verb(point);
  if (ctx_->gate_wants_attention()) {
    if (!strand_->phase_names.empty()) point.phase_name = strand_->phase_names.back();
    point.call = ctx_->recorder().site_of(point.site);
    ctx_->pass_gate(point, definition_);
  }
}

OperationPtr Communicator::post_send(Rank to, const Slice& data, Tag tag, Verb verb,
                                     const Site& site, bool rendezvous) {
  auto op = ctx_->progress().new_operation();
  op->context = context_of(verb);
  op->where = op_context(verb, site);
  op->peer = checked(to, false);
  op->tag = tag;
  op->data = data;
  op->bytes = data.bytes();
  op->mode = rendezvous || ctx_->rendezvous(op->bytes) ? SendMode::rendezvous : SendMode::buffered;
  pass(op);
  if (ctx_->recorder().recording()) ctx_->recorder().record(event_of(*op, EventKind::posted));
  if (VirtualRank* const here = ctx_->virtual_rank()) here->handle_message(op->bytes);
  ctx_->progress().post_send(op);
  return op;
}

OperationPtr Communicator::post_recv(Rank from, const Slice& into, Tag tag, Verb verb,
                                     const Site& site, bool any_size) {
  auto op = ctx_->progress().new_operation();
  op->context = context_of(verb);
  op->where = op_context(verb, site);
  op->peer = checked(from, true);
  op->tag = tag;
  op->data = into;
  op->capacity = any_size ? Operation::kAnySize : into.bytes();
  op->takes_message = verb == Verb::recv_reduce || any_size;
  pass(op);
  if (ctx_->recorder().recording()) ctx_->recorder().record(event_of(*op, EventKind::posted));
  ctx_->progress().post_recv(op);
  return op;
}

Request Communicator::issend(Rank to, Slice data, Tag tag, Site site) {
  return {post_send(to, data, tag, Verb::send, site, true), ctx_->progress()};
}

Request Communicator::irecv_message(Rank from, Tag tag, Site site) {
  return {post_recv(from, {}, tag, Verb::recv, site, true), ctx_->progress()};
}

void Communicator::mark_job(Verb begin_or_end, int code) {
  StepEvent event;
  event.kind = EventKind::job;
  event.verb = begin_or_end;
  event.tag = code;
  event.comm = definition_;
  ctx_->recorder().record(event);
}

void Communicator::note(Note what, const Request* about, Rank peer, Site site) {
  StepEvent event = local_event(Verb::send, 0, site);
  if (about != nullptr && about->op_) {
    event = event_of(*about->op_, EventKind::note);
    event.cause = std::exchange(event.op, 0);
    event.site = site_id(site);
    if (event.out_buffer == 0) {  // of a send, which reads
      event.out_buffer = event.in_buffer;
      event.out_offset = event.in_offset;
    }
    event.in_buffer = 0;
    event.in_offset = 0;
  } else {
    event.peer = peer == kAnyRank ? peer : world_rank(peer);
  }
  event.kind = EventKind::note;
  event.begin_ns = event.time_ns = 0;
  event.tag = static_cast<std::int32_t>(what);
  ctx_->recorder().record(event);
}

void Communicator::record_call(bool returned, int number, Slice data, ReduceOp op, Rank root,
                               Site site) {
  StepEvent event = local_event(returned ? Verb::phase_end : Verb::phase_begin, 0, site);
  event.kind = EventKind::call;
  event.tag = number;
  event.bytes = data.bytes();
  event.dtype = data.dtype();
  event.reduce_op = op;
  event.peer = root == kAnyRank ? kAnyRank : world_rank(root);
  ctx_->recorder().record(event);
}

void Communicator::send(Rank to, Slice data, Tag tag, Site site) {
  finish(post_send(to, data, tag, Verb::send, site));
}

Received Communicator::recv(Rank from, Slice into, Tag tag, Site site) {
  return finish(post_recv(from, into, tag, Verb::recv, site));
}

Received Communicator::sendrecv(Rank to, Slice data, Rank from, Slice into, Tag tag, Site site) {
  Request sent(post_send(to, data, tag, Verb::send, site), ctx_->progress());
  const Received received = recv(from, into, tag, site);
  wait(sent, site);
  return received;
}

Request Communicator::isend(Rank to, Slice data, Tag tag, Site site) {
  return {post_send(to, data, tag, Verb::send, site), ctx_->progress()};
}

Request Communicator::irecv(Rank from, Slice into, Tag tag, Site site) {
  return {post_recv(from, into, tag, Verb::recv, site), ctx_->progress()};
}

void Communicator::recv_reduce(Rank from, Slice into, ReduceOp op, Tag tag, Site site) {
  check_reduce(into.dtype(), op);
  const auto receive = post_recv(from, into, tag, Verb::recv_reduce, site);
  finish(receive);
  if (receive->bytes != into.bytes())
    throw CommError(CommError::Reason::mismatch, ctx_->rank(), receive->peer, site.call_site(),
                    fmt::format("a message of {} bytes cannot be reduced into {} bytes",
                                receive->bytes, into.bytes()));
  const auto begin = ctx_->recorder().recording() ? now() : 0;
  if (!into.ghost())
    reduce_into(into.data(), receive->message.data(), into.count(), into.dtype(), op);
  receive->message = {};
  spend_on_reduction(into.bytes());
  if (!ctx_->recorder().recording()) return;
  StepEvent event = change_event(Verb::reduce, into, begin, site);
  event.cause = receive->id;
  event.peer = receive->peer;
  event.reduce_op = op;
  ctx_->recorder().record_change(event, into);
}

StepEvent Communicator::local_event(Verb verb, std::int64_t begin, const Site& site) {
  StepEvent event;
  event.kind = EventKind::local;
  event.verb = verb;
  event.begin_ns = begin;
  event.comm = definition_;
  event.site = site_id(site);
  event.phase = strand_->phase;
  event.strand = strand_->id;
  return event;
}

StepEvent Communicator::change_event(Verb verb, const Slice& changed, std::int64_t begin,
                                     const Site& site) {
  StepEvent event = local_event(verb, begin, site);
  event.bytes = changed.bytes();
  event.out_buffer = changed.buffer();
  event.out_offset = changed.offset_bytes();
  event.dtype = changed.dtype();
  return event;
}

void Communicator::spend_on_reduction(std::uint64_t bytes) {
  if (VirtualRank* const here = ctx_->virtual_rank()) here->reduce(bytes);
}

void Communicator::reduce(Slice into, Slice from, ReduceOp op, Site site) {
  check_reduce(into.dtype(), op);
  assert(into.count() == from.count() && into.dtype() == from.dtype());
  const auto begin = now();
  if (!into.ghost()) reduce_into(into.data(), from.data(), into.count(), into.dtype(), op);
  spend_on_reduction(into.bytes());
  record_work(Verb::reduce, into, from, begin, site, op);
}

void Communicator::reduce_left(Slice into, Slice from, ReduceOp op, Site site) {
  check_reduce(into.dtype(), op);
  assert(into.count() == from.count() && into.dtype() == from.dtype());
  const auto begin = now();
  if (!into.ghost())
    reduce_pair(into.data(), from.data(), into.data(), into.count(), into.dtype(), op);
  spend_on_reduction(into.bytes());
  record_work(Verb::reduce, into, from, begin, site, op);
}

void Communicator::record_work(Verb verb, Slice into, Slice from, std::int64_t begin,
                               const Site& site, ReduceOp op) {
  if (!ctx_->recorder().recording()) return;
  StepEvent event = change_event(verb, into, begin, site);
  event.in_buffer = from.buffer();
  event.in_offset = from.offset_bytes();
  event.reduce_op = op;
  ctx_->recorder().record_change(event, into);
}

void Communicator::copy(Slice into, Slice from, Site site) {
  // While a schedule is recorded, a receive is assumed to be full; if one is not, the schedule is refused later.
  assert(into.ghost() || into.bytes() == from.bytes());
  const auto begin = now();
  if (!into.empty() && !into.ghost()) std::memmove(into.data(), from.data(), into.bytes());
  record_work(Verb::copy, into, from, begin, site);
}

void Communicator::scale(Slice data, int ranks, Site site) {
  const auto begin = now();
  if (!data.ghost()) finish_average(data.data(), data.count(), data.dtype(), ranks);
  if (!ctx_->recorder().recording()) return;
  StepEvent event = change_event(Verb::scale, data, begin, site);
  event.tag = ranks;
  ctx_->recorder().record_change(event, data);
}

void Communicator::compute(std::chrono::nanoseconds time, Site site) {
  const auto begin = now();
  if (VirtualRank* const here = ctx_->virtual_rank()) here->compute(time);
  else std::this_thread::sleep_for(time);
  ctx_->recorder().record(local_event(Verb::compute, begin, site));
}

void Communicator::touch(Slice data, Site site) {
  StepEvent event = change_event(Verb::touch, data, 0, site);
  event.kind = EventKind::watch;
  ctx_->recorder().record_change(event, data);
}

Buffer Communicator::scratch(DType dtype, Count count, std::string_view name) {
  Buffer buffer = ctx_->settings().ghost ? Buffer::ghost(dtype, Shape::flat(count))
                                         : ctx_->buffer(dtype, Shape::flat(count));
  watch(name, buffer);
  return buffer;
}

void Communicator::watch(std::string_view name, Buffer& buffer, Site site) {
  if (buffer.id() == 0)
    buffer.set_id(ctx_->recorder().buffer(name, buffer.dtype(), buffer.shape()));
  StepEvent event = change_event(Verb::watch, buffer, 0, site);
  event.kind = EventKind::watch;
  ctx_->recorder().record_change(event, buffer);
}

Communicator::Phase Communicator::phase(std::string_view name, Site site) {
  return Phase(*this, name, site);
}

Communicator::Phase::Phase(Communicator& comm, std::string_view name, const Site& site)
    : ctx_(comm.ctx_), strand_(comm.strand_) {
  event_ = comm.local_event(Verb::phase_begin, 0, site);
  event_.kind = EventKind::phase;
  event_.phase = ctx_->recorder().phase(name, strand_->phase);
  ctx_->recorder().record(event_);
  strand_->phases.push_back(event_.phase);
  strand_->phase_names.emplace_back(name);
  // Deeper phases keep the site of the last kept one: the three outermost calls and the verb's own line are shown.
  strand_->callers.push_back(strand_->callers.size() < kCallDepth ? event_.site
                                                                  : strand_->callers.back());
  strand_->update();
}

Communicator::Phase::Phase(Phase&& other) noexcept
    : ctx_(other.ctx_), strand_(std::move(other.strand_)), event_(other.event_) {}

Communicator::Phase::~Phase() {
  if (!strand_) return;
  strand_->phases.pop_back();
  strand_->phase_names.pop_back();
  strand_->callers.pop_back();
  strand_->update();
  event_.verb = Verb::phase_end;
  event_.begin_ns = event_.time_ns = 0;
  ctx_->recorder().record(event_);
}

}  // namespace rankscope
