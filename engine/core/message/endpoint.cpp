// Implements matching: posted receives, unexpected messages, the eager and rendezvous protocols,
// credit.
#include "engine/core/message/endpoint.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/copy_bytes.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {
constexpr std::uint64_t kCreditStep = std::uint64_t{32} << 20;
}

Endpoint::Endpoint(Rank self, Link& link, Observer& observer, Limits limits)
    : self_(self), link_(link), observer_(observer), limits_(limits) {}

void Endpoint::begin_job(std::uint32_t epoch) {
  epoch_ = epoch;
  matchers_.clear();
  first_context_.reset();
  first_matcher_ = {};
  waiting_cts_.clear();
  waiting_data_.clear();
  credit_.clear();
  traffic_.clear();
  loopback_.clear();
  draining_ = false;
  std::erase_if(lent_, [](const OperationPtr& op) { return op->loan.released(); });
  auto early = std::exchange(early_, {});
  for (auto& frame : early) on_frame(std::move(frame));
}

FrameHeader Endpoint::header_of(FrameKind kind, const Operation& op) const noexcept {
  FrameHeader header;
  header.kind = kind;
  header.epoch = epoch_;
  header.context = op.context;
  header.src = self_;
  header.dst = op.peer;
  header.tag = op.tag;
  header.verb = static_cast<std::uint8_t>(op.where.verb);
  header.dtype = static_cast<std::uint8_t>(op.data.dtype());
  if (is_send(op.where.verb) && op.bytes > 0 && op.data.ghost()) header.flags = FrameHeader::kGhost;
  header.op = op.id;
  header.bytes = op.bytes;
  return header;
}

void Endpoint::post_send(const OperationPtr& op) {
  op->bytes = op->data.bytes();
  if (op->mode == SendMode::rendezvous || !take_credit(op->peer, op->bytes)) {
    waiting_cts_.emplace(op->id, op);
    send_control(header_of(FrameKind::rts, *op));
    return;
  }
  transmit(header_of(FrameKind::eager, *op), op);
}

// Returns false if too much is under way to that peer already, so that this message must wait for its receive.
bool Endpoint::take_credit(Rank peer, std::uint64_t bytes) {
  if (limits_.unreceived_bytes == Limits::kNone) return true;
  auto& sent = credit_[peer].sent;
  if (sent + bytes > limits_.unreceived_bytes) return false;
  sent += bytes;
  return true;
}

void Endpoint::transmit(FrameHeader header, const OperationPtr& op) {
  if (header.dst == self_) {
    op->complete = true;
    loopback_.push_back({header, Message::copy_of(op->data.raw())});
    observer_.on_completed(*op);
    drain_loopback();
    return;
  }
  op->lent = op->bytes >= link_.lend_from();
  op->complete = true;
  if (op->lent) {
    std::erase_if(lent_, [](const OperationPtr& lent) { return lent->loan.released(); });
    lent_.push_back(op);
  }
  put_on_link(header, op->data.raw(), op->lent ? &op->loan : nullptr);
  if (!op->lent) observer_.on_completed(*op);
}

void Endpoint::send_control(FrameHeader header) {
  if (header.dst == self_) {
    loopback_.push_back({header, {}});
    drain_loopback();
  } else {
    put_on_link(header, {}, nullptr);
  }
}

void Endpoint::put_on_link(const FrameHeader& header, std::span<const std::byte> payload,
                           Loan* loan) {
  if (limits_.counts_traffic) ++traffic_with(header.dst).sent;
  link_.send(header, payload, loan);
}

FrameCount& Endpoint::traffic_with(Rank peer) {
  const auto index = static_cast<std::size_t>(peer);
  if (index >= traffic_.size()) traffic_.resize(index + 1);
  return traffic_[index];
}

void Endpoint::drain_loopback() {
  if (draining_) return;  // the outer call handles the frames that this one queued
  draining_ = true;
  while (!loopback_.empty()) {
    Frame frame = std::move(loopback_.front());
    loopback_.pop_front();
    on_frame(std::move(frame));
  }
  draining_ = false;
}

bool Endpoint::matches(Rank from, Tag tag, const FrameHeader& header) noexcept {
  return (from == kAnyRank || from == header.src) && (tag == kAnyTag || tag == header.tag);
}

Endpoint::Matcher& Endpoint::matcher_of(ContextId context) {
  if (!first_context_) first_context_ = context;
  return *first_context_ == context ? first_matcher_ : matchers_[context];
}

// Returns null if nothing has used this context.
const Endpoint::Matcher* Endpoint::find_matcher(ContextId context) const noexcept {
  if (first_context_ == context) return &first_matcher_;
  const auto found = matchers_.find(context);
  return found == matchers_.end() ? nullptr : &found->second;
}

void Endpoint::post_recv(const OperationPtr& op) {
  auto& matcher = matcher_of(op->context);
  const auto found = ranges::find_if(matcher.unexpected, [&](const Frame& frame) {
    return matches(op->peer, op->tag, frame.header);
  });
  if (found == matcher.unexpected.end()) {
    matcher.posted.push_back(op);
    return;
  }
  Frame frame = std::move(*found);
  matcher.unexpected.erase(found);
  match(op, std::move(frame));
}

void Endpoint::cancel(const OperationPtr& op) noexcept {
  if (find_matcher(op->context) != nullptr)
    matcher_of(op->context).posted.take_first([&](const OperationPtr& one) { return one == op; });
  waiting_data_.erase(op->id);
  waiting_cts_.erase(op->id);
}

void Endpoint::match(const OperationPtr& recv, Frame&& frame) {
  const FrameHeader& header = frame.header;
  recv->peer = header.src;
  recv->tag = header.tag;
  recv->bytes = header.bytes;
  recv->cause = header.op;
  observer_.on_matched(*recv);
  if (header.kind == FrameKind::eager) give_credit(header.src, header.bytes);
  if (header.bytes > recv->capacity) {
    recv->error.emplace(CommError::Reason::truncated, self_, header.src, CallSite{},
                        fmt::format("a message of {} bytes from rank {} does not fit into the {} "
                                    "bytes of the receive",
                                    header.bytes, header.src, recv->capacity));
    recv->complete = true;
    return;
  }
  if (header.kind == FrameKind::eager) {
    deliver(*recv, std::move(frame));
    return;
  }
  waiting_data_.emplace(recv->id, recv);
  FrameHeader cts = header_of(FrameKind::cts, *recv);
  cts.peer_op = header.op;
  send_control(cts);
}

void Endpoint::deliver(Operation& recv, Frame&& frame) {
  frame.payload.claim();
  const Message& payload = frame.payload;
  if (frame.header.ghost() && !recv.data.ghost()) {
    recv.error.emplace(CommError::Reason::mismatch, self_, recv.peer, CallSite{},
                       "a message without data (of a ghost run) cannot fill a real buffer");
    recv.complete = true;
    return;
  }
  if (recv.takes_message) recv.message = std::move(frame.payload);
  else if (payload.size() > 0 && !recv.data.ghost())
    copy_bytes(recv.data.data(), payload.data(), payload.size());
  recv.complete = true;
  observer_.on_completed(recv);
}

void Endpoint::give_credit(Rank peer, std::uint64_t bytes) {
  if (limits_.unreceived_bytes == Limits::kNone) return;
  auto& credit = credit_[peer];
  if (peer == self_) {
    credit.sent -= std::min(credit.sent, bytes);
    return;
  }
  credit.received += bytes;
  if (credit.received < kCreditStep) return;
  FrameHeader header;
  header.kind = FrameKind::credit;
  header.epoch = epoch_;
  header.src = self_;
  header.dst = peer;
  header.bytes = std::exchange(credit.received, 0);
  send_control(header);
}

void Endpoint::on_frame(Frame&& frame) {
  const FrameHeader& header = frame.header;
  if (header.epoch > epoch_) {
    early_.push_back(std::move(frame));
    return;
  }
  if (header.epoch < epoch_) {
    ++stale_;
    return;
  }
  if (limits_.counts_traffic && header.src >= 0 && header.src != self_)
    ++traffic_with(header.src).arrived;
  switch (header.kind) {
    case FrameKind::eager:
    case FrameKind::rts: on_incoming(std::move(frame)); break;
    case FrameKind::cts: on_cts(header); break;
    case FrameKind::data:
      if (auto node = waiting_data_.extract(header.peer_op); !node.empty()) {
        const std::uint64_t size = header.ghost() ? header.bytes : frame.payload.size();
        if (size == node.mapped()->bytes) deliver(*node.mapped(), std::move(frame));
        else ++stale_;
      }
      break;
    case FrameKind::credit: {
      auto& sent = credit_[header.src].sent;
      sent -= std::min(sent, header.bytes);
      break;
    }
  }
}

void Endpoint::on_incoming(Frame&& frame) {
  auto& matcher = matcher_of(frame.header.context);
  const OperationPtr op = matcher.posted.take_first(
      [&](const OperationPtr& one) { return matches(one->peer, one->tag, frame.header); });
  if (op) match(op, std::move(frame));
  else matcher.unexpected.push_back(std::move(frame));
}

void Endpoint::on_cts(const FrameHeader& cts) {
  auto node = waiting_cts_.extract(cts.peer_op);
  if (node.empty()) return;
  const OperationPtr op = std::move(node.mapped());
  op->cause = cts.op;
  observer_.on_matched(*op);
  FrameHeader data = header_of(FrameKind::data, *op);
  data.peer_op = cts.op;
  transmit(data, op);
}

std::optional<Endpoint::Probe> Endpoint::probe(ContextId context, Rank from, Tag tag) const {
  const Matcher* const matcher = find_matcher(context);
  if (matcher == nullptr) return std::nullopt;
  for (const Frame& frame : matcher->unexpected) {
    const auto& header = frame.header;
    if (matches(from, tag, header)) return Probe{header.src, header.tag, header.bytes};
  }
  return std::nullopt;
}

std::vector<Endpoint::Unreceived> Endpoint::unreceived(std::size_t most) const {
  std::vector<Unreceived> found;
  visit_matchers([&](const Matcher& matcher) {
    for (const auto& [header, payload] : matcher.unexpected)
      if (found.size() < most)
        found.push_back({header.context, header.src, header.tag, header.bytes});
  });
  return found;
}

std::size_t Endpoint::unexpected() const noexcept {
  std::size_t total = 0;
  visit_matchers([&](const Matcher& matcher) { total += matcher.unexpected.size(); });
  return total;
}

}  // namespace rankscope
