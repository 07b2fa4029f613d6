// Waits for requests, at once or in parts, tests them, probes for messages, and gives requests up.
#include <functional>
#include <utility>

#include "engine/core/base/ranges.h"
#include "engine/core/message/communicator.h"
#include "engine/core/message/rank_context.h"

namespace rankscope {
namespace {

/// Returns the same error with the place where the code waits, unless it names one already.
CommError placed(const CommError& error, const CallSite& site) {
  if (error.site().line != 0) return error;
  return {error.reason(), error.rank(), error.peer(), site, error.words()};
}

}  // namespace

// Returns false if `op` is not done at `limit`. The strand is then still reported as asleep, until the wait is
// finished.
bool Communicator::sleep_until(Deadline limit, const OperationPtr& op, std::int64_t& blocked_since,
                               const Site* waits) {
  ctx_->set_status_op(op->id);
  const auto site = [&] { return waits == nullptr ? op->where.site : site_id(*waits); };
  const auto longest = ctx_->deadline_in(ctx_->settings().wait_limit);
  try {
    const auto on_block = [&] {
      if (blocked_since != 0) return;
      blocked_since = now();
      ctx_->note_blocked(*op, site());
    };
    // Passing a reference avoids an allocation.
    ctx_->progress().wait(op, earlier(limit, longest), std::cref(on_block));
    return true;
  } catch (const CommError& e) {
    if (e.reason() == CommError::Reason::deadline && !op->error && !ctx_->passed(longest))
      return false;
    if (blocked_since != 0) ctx_->note_woke(strand_->id);
    ctx_->progress().abandon(op);
    // A fault in the message itself belongs to the line that posted it.
    throw placed(e, ctx_->recorder().site_of(op->error ? op->where.site : site()));
  } catch (...) {
    ctx_->progress().abandon(op);
    throw;
  }
}

Received Communicator::finished(const OperationPtr& op, std::int64_t blocked_since,
                                const Site* waits) {
  if (op->lent) ctx_->recorder().record(event_of(*op, EventKind::completed));
  if (VirtualRank* const here = ctx_->virtual_rank(); here != nullptr && is_recv(op->where.verb))
    here->handle_message(op->bytes);
  if (blocked_since != 0) ctx_->note_woke(strand_->id);
  const bool learned = waits != nullptr && (is_recv(op->where.verb) || ctx_->settings().every_wait);
  if ((blocked_since != 0 || learned) && ctx_->recorder().recording()) {
    StepEvent event = event_of(*op, EventKind::local);
    event.verb = Verb::wait;
    event.op = 0;
    event.cause = op->id;
    event.in_buffer = event.out_buffer = 0;
    event.begin_ns = blocked_since;
    event.site = waits == nullptr ? op->where.site : site_id(*waits);
    ctx_->recorder().record(event);
  }
  return {local_rank(op->peer), op->tag, op->bytes};
}

Received Communicator::finish(const OperationPtr& op, const Site* waits) {
  std::int64_t blocked_since = 0;
  // One thread runs all virtual ranks, so finished operations are visible without the lock.
  if (ctx_->virtual_rank() != nullptr && op->done() && !op->error) return finished(op, 0, waits);
  while (!sleep_until(Deadline::never(), op, blocked_since, waits)) {
  }
  return finished(op, blocked_since, waits);
}

Received Communicator::wait(Request& request, Site site) {
  if (!request.pending()) return {};
  const auto op = std::move(request.op_);
  request.op_ = nullptr;
  return finish(op, &site);
}

std::optional<Received> Communicator::wait_until(Deadline limit, Request& request, Message* message,
                                                 Site site) {
  if (!request.pending()) return Received{};
  const Site* const waits = request.blocking_ ? nullptr : &site;
  const auto op = request.op_;
  try {
    if (!sleep_until(limit, op, request.blocked_since_, waits)) return std::nullopt;
  } catch (...) {
    request.op_ = nullptr;
    throw;
  }
  request.op_ = nullptr;
  if (message != nullptr) *message = std::move(op->message);
  return finished(op, std::exchange(request.blocked_since_, 0), waits);
}

std::size_t Communicator::sleep_until_any(Deadline limit, const std::vector<OperationPtr>& ops,
                                          const Site& site, bool& blocked) {
  return ctx_->progress().wait_any(ops, limit, [&] {
    // There is room to show one operation, so the first pending one is shown.
    const auto pending = [](const OperationPtr& op) { return op != nullptr; };
    const auto first = ranges::find_if(ops, pending);
    ctx_->set_status_op((*first)->id);
    ctx_->note_blocked(**first, site_id(site), ranges::count_if(ops, pending) > 1);
    blocked = true;
  });
}

std::size_t Communicator::wait_any(std::span<Request> requests, Received* received, Site site) try {
  std::vector<OperationPtr> ops;
  ops.reserve(requests.size());
  for (const Request& request : requests) ops.push_back(request.op_);
  bool blocked = false;
  const std::size_t done =
      sleep_until_any(ctx_->deadline_in(ctx_->settings().wait_limit), ops, site, blocked);
  if (blocked) ctx_->note_woke(strand_->id);
  if (done == ops.size()) return done;
  const Received got = wait(requests[done], site);
  if (received != nullptr) *received = got;
  return done;
} catch (const CommError& e) {
  throw placed(e, site.call_site());
}

std::optional<std::size_t> Communicator::any_done(Deadline limit,
                                                  std::span<Request* const> requests, Site site) {
  std::vector<OperationPtr> ops;
  ops.reserve(requests.size());
  for (const Request* request : requests)
    ops.push_back(request == nullptr ? nullptr : request->op_);
  bool blocked = false;
  const auto woke = [&] {
    if (blocked) ctx_->note_woke(strand_->id);
  };
  try {
    const std::size_t done = sleep_until_any(limit, ops, site, blocked);
    woke();
    return done;
  } catch (const CommError& e) {
    woke();
    if (e.reason() == CommError::Reason::deadline) return std::nullopt;
    throw placed(e, site.call_site());
  }
}

std::optional<Received> Communicator::probe(Rank from, Tag tag) {
  const auto found = ctx_->progress().probe(context_, checked(from, true), tag);
  if (!found) return std::nullopt;
  return Received{local_rank(found->source), found->tag, found->bytes};
}

bool Communicator::test(Request& request) {
  return !request.pending() || ctx_->progress().test(request.op_);
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
