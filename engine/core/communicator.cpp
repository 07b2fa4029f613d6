#include "engine/core/communicator.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <thread>

#include <fmt/format.h>

#include "engine/core/reduce.h"

namespace rankscope {
namespace {

constexpr ContextId kWorldContext = 1;
constexpr std::size_t kCallDepth = 3;  // with the verb's own site: up to four

std::vector<Rank> everybody(int size) {
  std::vector<Rank> ranks(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r) ranks[static_cast<std::size_t>(r)] = r;
  return ranks;
}

/// The same error with the place where the code waits, unless it names one already.
CommError placed(const CommError& error, const CallSite& site) {
  if (error.site().line != 0) return error;
  std::string_view text = error.what();  // without its "rank N: "
  text.remove_prefix(std::min(text.size(), text.find(": ") + 2));
  return {error.reason(), error.rank(), error.peer(), site, std::string(text)};
}

}  // namespace

Communicator::Communicator(RankContext& rank)
    : Communicator(rank, std::make_shared<Strand>(), everybody(rank.world_size()), kWorldContext,
                   "world") {}

Communicator::Communicator(RankContext& rank, std::shared_ptr<Strand> strand,
                           std::vector<Rank> members, ContextId context, std::string name)
    : ctx_(&rank),
      strand_(std::move(strand)),
      members_(std::move(members)),
      rank_(local_rank(rank.rank())),
      context_(context),
      definition_(rank.recorder().communicator(name, context, members_)),
      name_(std::move(name)) {}

Rank Communicator::local_rank(Rank world) const noexcept {
  const auto found = std::ranges::find(members_, world);
  return found == members_.end() ? -1 : static_cast<Rank>(found - members_.begin());
}

Rank Communicator::checked(Rank rank, bool any_allowed) const {
  if (any_allowed && rank == kAnyRank) return kAnyRank;
  if (rank < 0 || rank >= size())
    throw UserError(fmt::format("rank {} does not exist in a communicator of {} ranks (0 to {})",
                                rank, size(), size() - 1));
  return members_[static_cast<std::size_t>(rank)];
}

OpContext Communicator::op_context(Verb verb, const Site& site) {
  return {definition_, ctx_->recorder().site(site, strand_->caller()), strand_->phase(),
          strand_->id, verb};
}

// The machinery's messages must not be taken by a wildcard receive of the algorithm.
ContextId Communicator::context_of(Verb verb) const noexcept {
  const bool machinery = verb == Verb::sync || verb == Verb::sync_recv;
  return machinery ? ~context_ : context_;
}

void Communicator::pass(const OperationPtr& op) {
  GatePoint point = point_of(*op);
  ctx_->enter_verb(point);
  if (ctx_->gate_wants_attention()) {
    if (!strand_->phase_names.empty()) point.phase_name = strand_->phase_names.back();
    point.call = ctx_->recorder().site_of(point.site);
    ctx_->pass_gate(point, definition_);
  }
}

OperationPtr Communicator::post_send(Rank to, const Slice& data, Tag tag, Verb verb,
                                     const Site& site) {
  auto op = ctx_->progress().new_operation();
  op->context = context_of(verb);
  op->where = op_context(verb, site);
  op->peer = checked(to, false);
  op->tag = tag;
  op->data = data;
  op->bytes = data.bytes();
  op->mode = ctx_->rendezvous(op->bytes) ? SendMode::rendezvous : SendMode::buffered;
  pass(op);
  ctx_->recorder().record(event_of(*op, EventKind::posted));
  ctx_->progress().post_send(op);
  return op;
}

OperationPtr Communicator::post_recv(Rank from, const Slice& into, Tag tag, Verb verb,
                                     const Site& site) {
  auto op = ctx_->progress().new_operation();
  op->context = context_of(verb);
  op->where = op_context(verb, site);
  op->peer = checked(from, true);
  op->tag = tag;
  op->data = into;
  op->capacity = into.bytes();
  op->takes_message = verb == Verb::recv_reduce;
  pass(op);
  ctx_->recorder().record(event_of(*op, EventKind::posted));
  ctx_->progress().post_recv(op);
  return op;
}

Received Communicator::finish(const OperationPtr& op, const Site* waits) {
  ctx_->set_status_op(op->id);
  const auto site = [&] {
    return waits == nullptr ? op->where.site : ctx_->recorder().site(*waits, strand_->caller());
  };
  std::int64_t blocked_since = 0;
  try {
    const auto deadline = Deadline::in(ctx_->settings().wait_limit);
    const auto on_block = [&] {
      blocked_since = now_ns();
      ctx_->note_blocked(*op, site());
    };
    ctx_->progress().wait(op, deadline, std::cref(on_block));  // a reference is not allocated
  } catch (const CommError& e) {
    ctx_->progress().abandon(op);
    // What is wrong with the message itself belongs to the line that posted it.
    throw placed(e, ctx_->recorder().site_of(op->error ? op->where.site : site()));
  } catch (...) {
    ctx_->progress().abandon(op);
    throw;
  }
  if (op->lent) ctx_->recorder().record(event_of(*op, EventKind::completed));
  if (blocked_since != 0) ctx_->note_woke(strand_->id);
  const bool learned = waits != nullptr && is_recv(op->where.verb);
  if ((blocked_since != 0 || learned) && ctx_->recorder().recording()) {
    StepEvent event = event_of(*op, EventKind::local);
    event.verb = Verb::wait;
    event.op = 0;
    event.cause = op->id;
    event.in_buffer = event.out_buffer = 0;
    event.begin_ns = blocked_since;
    event.site = site();
    ctx_->recorder().record(event);
  }
  return {local_rank(op->peer), op->tag, op->bytes};
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

Received Communicator::wait(Request& request, Site site) {
  if (!request.pending()) return {};
  const auto op = std::move(request.op_);
  request.op_ = nullptr;
  return finish(op, &site);
}

std::size_t Communicator::wait_any(std::span<Request> requests, Received* received, Site site) try {
  std::vector<OperationPtr> ops;
  ops.reserve(requests.size());
  for (const Request& request : requests) ops.push_back(request.op_);
  const auto deadline = Deadline::in(ctx_->settings().wait_limit);
  bool blocked = false;
  const std::size_t done = ctx_->progress().wait_any(ops, deadline, [&] {
    // There is room to show one operation: the first that is pending.
    const auto pending = [](const OperationPtr& op) { return op != nullptr; };
    const auto first = std::ranges::find_if(ops, pending);
    ctx_->set_status_op((*first)->id);
    ctx_->note_blocked(**first, ctx_->recorder().site(site, strand_->caller()),
                       std::ranges::count_if(ops, pending) > 1);
    blocked = true;
  });
  if (blocked) ctx_->note_woke(strand_->id);
  if (done == ops.size()) return done;
  const Received got = wait(requests[done], site);
  if (received != nullptr) *received = got;
  return done;
} catch (const CommError& e) {
  throw placed(e, CallSite::from(site));
}

std::optional<Received> Communicator::probe(Rank from, Tag tag) {
  const auto found = ctx_->progress().probe(context_, checked(from, true), tag);
  if (!found) return std::nullopt;
  return Received{local_rank(found->source), found->tag, found->bytes};
}

bool Communicator::test(Request& request) {
  return !request.pending() || ctx_->progress().test(request.op_);
}

void Communicator::recv_reduce(Rank from, Slice into, ReduceOp op, Tag tag, Site site) {
  check_reduce(into.dtype(), op);
  const auto receive = post_recv(from, into, tag, Verb::recv_reduce, site);
  finish(receive);
  if (receive->bytes != into.bytes())
    throw CommError(CommError::Reason::mismatch, ctx_->rank(), receive->peer, CallSite::from(site),
                    fmt::format("a message of {} bytes cannot be reduced into {} bytes",
                                receive->bytes, into.bytes()));
  const auto begin = now_ns();
  reduce_into(into.data(), receive->message.data(), into.count(), into.dtype(), op);
  receive->message = {};
  if (!ctx_->recorder().recording()) return;
  StepEvent event = local_event(Verb::reduce, begin, site);
  event.cause = receive->id;
  event.peer = receive->peer;
  event.bytes = into.bytes();
  event.out_buffer = into.buffer();
  event.out_offset = into.offset_bytes();
  event.dtype = into.dtype();
  event.reduce_op = op;
  ctx_->recorder().record_change(event, into);
}

StepEvent Communicator::local_event(Verb verb, std::int64_t begin, const Site& site) {
  StepEvent event;
  event.kind = EventKind::local;
  event.verb = verb;
  event.begin_ns = begin;
  event.comm = definition_;
  event.site = ctx_->recorder().site(site, strand_->caller());
  event.phase = strand_->phase();
  event.strand = strand_->id;
  return event;
}

void Communicator::reduce(Slice into, Slice from, ReduceOp op, Site site) {
  check_reduce(into.dtype(), op);
  assert(into.count() == from.count() && into.dtype() == from.dtype());
  const auto begin = now_ns();
  reduce_into(into.data(), from.data(), into.count(), into.dtype(), op);
  record_work(Verb::reduce, into, from, begin, site, op);
}

void Communicator::reduce_left(Slice into, Slice from, ReduceOp op, Site site) {
  check_reduce(into.dtype(), op);
  assert(into.count() == from.count() && into.dtype() == from.dtype());
  const auto begin = now_ns();
  reduce_pair(into.data(), from.data(), into.data(), into.count(), into.dtype(), op);
  record_work(Verb::reduce, into, from, begin, site, op);
}

void Communicator::record_work(Verb verb, Slice into, Slice from, std::int64_t begin,
                               const Site& site, ReduceOp op) {
  if (!ctx_->recorder().recording()) return;
  StepEvent event = local_event(verb, begin, site);
  event.bytes = into.bytes();
  event.in_buffer = from.buffer();
  event.in_offset = from.offset_bytes();
  event.out_buffer = into.buffer();
  event.out_offset = into.offset_bytes();
  event.dtype = into.dtype();
  event.reduce_op = op;
  ctx_->recorder().record_change(event, into);
}

void Communicator::copy(Slice into, Slice from, Site site) {
  assert(into.bytes() == from.bytes());
  const auto begin = now_ns();
  if (!into.empty()) std::memmove(into.data(), from.data(), into.bytes());
  record_work(Verb::copy, into, from, begin, site);
}

void Communicator::scale(Slice data, int ranks, Site site) {
  const auto begin = now_ns();
  finish_average(data.data(), data.count(), data.dtype(), ranks);
  if (!ctx_->recorder().recording()) return;
  StepEvent event = local_event(Verb::scale, begin, site);
  event.bytes = data.bytes();
  event.out_buffer = data.buffer();
  event.out_offset = data.offset_bytes();
  event.dtype = data.dtype();
  event.tag = ranks;
  ctx_->recorder().record_change(event, data);
}

void Communicator::compute(std::chrono::nanoseconds time, Site site) {
  const auto begin = now_ns();
  std::this_thread::sleep_for(time);
  ctx_->recorder().record(local_event(Verb::compute, begin, site));
}

void Communicator::touch(Slice data, Site site) {
  StepEvent event = local_event(Verb::touch, 0, site);
  event.kind = EventKind::watch;
  event.bytes = data.bytes();
  event.out_buffer = data.buffer();
  event.out_offset = data.offset_bytes();
  event.dtype = data.dtype();
  ctx_->recorder().record_change(event, data);
}

Buffer Communicator::scratch(DType dtype, Count count, std::string_view name) {
  Buffer buffer = Buffer::allocate(dtype, count);
  watch(name, buffer);
  return buffer;
}

void Communicator::watch(std::string_view name, Buffer& buffer, Site site) {
  if (buffer.id() == 0)
    buffer.set_id(ctx_->recorder().buffer(name, buffer.dtype(), buffer.shape()));
  StepEvent event = local_event(Verb::watch, 0, site);
  event.kind = EventKind::watch;
  event.bytes = buffer.bytes();
  event.out_buffer = buffer.id();
  event.dtype = buffer.dtype();
  ctx_->recorder().record_change(event, buffer);
}

Communicator::Phase Communicator::phase(std::string_view name, Site site) {
  return Phase(*this, name, site);
}

Communicator::Phase::Phase(Communicator& comm, std::string_view name, const Site& site)
    : ctx_(comm.ctx_), strand_(comm.strand_) {
  event_ = comm.local_event(Verb::phase_begin, 0, site);
  event_.kind = EventKind::phase;
  event_.phase = ctx_->recorder().phase(name, strand_->phase());
  ctx_->recorder().record(event_);
  strand_->phases.push_back(event_.phase);
  strand_->phase_names.emplace_back(name);
  // Beyond four levels the innermost sites are what a reader wants; the outermost stay the parents.
  strand_->callers.push_back(strand_->callers.size() < kCallDepth ? event_.site
                                                                  : strand_->callers.back());
}

Communicator::Phase::Phase(Phase&& other) noexcept
    : ctx_(other.ctx_), strand_(std::move(other.strand_)), event_(other.event_) {}

Communicator::Phase::~Phase() {
  if (!strand_) return;
  strand_->phases.pop_back();
  strand_->phase_names.pop_back();
  strand_->callers.pop_back();
  event_.verb = Verb::phase_end;
  event_.begin_ns = event_.time_ns = 0;
  ctx_->recorder().record(event_);
}

Request& Request::operator=(Request&& other) noexcept {
  if (this != &other) {
    abandon();
    op_ = std::move(other.op_);
    progress_ = other.progress_;
  }
  return *this;
}

void Request::abandon() noexcept {
  if (op_) progress_->abandon(op_);
  op_ = nullptr;
}

}  // namespace rankscope
