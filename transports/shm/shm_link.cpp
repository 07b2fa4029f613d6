// Sends, waits for and receives frames in shared memory.
#include "transports/shm/shm_link.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <sched.h>

#include "engine/core/base/error.h"
#include "engine/core/message/before_sleep.h"
#include "transports/shm/shm_memory.h"

namespace rankscope {
namespace {
using namespace std::chrono_literals;

constexpr auto kRelaxed = std::memory_order_relaxed;
/// In bytes. A larger payload does not pass through the queue: its receiver reads it from the sender's arena.
constexpr std::size_t kInline = 4096;
/// A sender that has waited this long for a receiver to start reading makes a copy instead, because a send does not
/// wait for its receive.
constexpr auto kWaitForReader = 10ms;
constexpr auto kSpin = 20us;
/// The number of times that a rank on a shared processor yields before it sleeps. An allreduce of 8 ranks on 2
/// processors took, with 0, 5 to 20, and 50 of them: 76, 27 and 31 us (8 B); 314, 114 and 209 us (64 KiB).
constexpr int kTurns = 10;
constexpr auto kLastWait = 100ms;  ///< For receivers that are reading when the link is abandoned.
}  // namespace

Fd make_shm_memory(int ranks) { return shm::make_memory(ranks); }

ShmLink::ShmLink(const LinkConfig& config)
    : ShmLink(config, std::make_shared<shm::Memory>(Fd(config.memory_fd), config.world_size)) {}

ShmLink::ShmLink(const LinkConfig& config, std::shared_ptr<shm::Memory> memory)
    : rank_(config.rank),
      lend_from_(std::min(config.lend_from, kInline)),
      endpoint_(fmt::format("shm://{}", config.rank)),
      memory_(std::move(memory)),
      arena_(std::make_shared<shm::Arena>(memory_, config.rank)),
      bell_(memory_->desk(config.rank).bell),
      slots_(*arena_, memory_->desk(config.rank)) {
  for (Rank peer = 0; peer < config.world_size; ++peer) {
    from_.emplace_back(memory_->queue(peer, rank_), *memory_, peer);
    to_.emplace_back(memory_->queue(rank_, peer), *arena_);
  }
}

ShmLink::~ShmLink() { abandon(); }

void ShmLink::set_peers(std::vector<std::string> endpoints) {
  if (endpoints.size() != to_.size())
    throw UserError(fmt::format("{} endpoints for {} ranks", endpoints.size(), to_.size()));
}

// Lends the payload, or copies it into the arena, and lets the frame refer to it. Returns false if the queue has to carry it.
bool ShmLink::place(FrameHeader& wire, std::span<const std::byte> payload, Loan* loan) {
  if (payload.size() <= kInline && loan == nullptr) return false;
  if (slots_.full()) return false;
  const std::byte* data = payload.data();
  std::byte* block = nullptr;
  if (loan == nullptr || !arena_->holds(data, payload.size())) {
    block = arena_->take(payload.size());
    if (block == nullptr) return false;
    std::memcpy(block, data, payload.size());
    counters_.bytes_copied.fetch_add(payload.size(), kRelaxed);
    data = block;
    if (loan != nullptr) std::exchange(loan, nullptr)->release();
  }
  wire.flags |= shm::kPlaced;
  wire.secret = slots_.place(data, payload.size(), loan, block).word();
  return true;
}

void ShmLink::send(const FrameHeader& header, std::span<const std::byte> payload, Loan* loan) {
  const bool known = header.dst >= 0 && header.dst < memory_->ranks();
  FrameHeader wire = header;
  wire.secret = 0;
  {
    const std::lock_guard lock(sending_);
    if (!known || closed_.load(std::memory_order_acquire)) {
      if (loan != nullptr) loan->release();
      if (known) throw_closed(header.dst);
      throw CommError(CommError::Reason::peer_lost, rank_, header.dst, {},
                      fmt::format("there is no rank {}", header.dst));
    }
    slots_.collect();
    auto& queue = to_[static_cast<std::size_t>(header.dst)];
    const bool placed = place(wire, payload, loan);
    const bool written = queue.write(wire, placed ? std::span<const std::byte>() : payload);
    if (!placed) counters_.bytes_copied.fetch_add(payload.size(), kRelaxed);
    if (!placed && loan != nullptr) loan->release();
    if (!written)
      throw CommError(CommError::Reason::peer_lost, rank_, header.dst, {},
                      fmt::format("no shared memory is left for a message to rank {}", header.dst));
  }
  shm::ring(memory_->desk(header.dst).bell);
  counters_.frames_sent.fetch_add(1, kRelaxed);
  counters_.bytes_sent.fetch_add(payload.size(), kRelaxed);
}

void ShmLink::throw_closed(Rank peer) const {
  throw CommError(CommError::Reason::stopped, rank_, peer, {},
                  "this rank has closed its connections");
}

void ShmLink::collect() noexcept {
  const std::lock_guard lock(sending_);
  slots_.collect();
}

std::optional<Frame> ShmLink::poll(Deadline deadline) {
  const std::lock_guard lock(receiving_);
  Frame frame;
  while (true) {
    if (closed_.load(std::memory_order_acquire)) throw_closed(kAnyRank);
    const std::uint32_t seen = shm::events_of(bell_);
    if (next_frame(frame)) return frame;
    collect();
    if (woken_.exchange(false, std::memory_order_acq_rel)) return std::nullopt;
    if (deadline.passed()) return std::nullopt;
    about_to_sleep();
    sleep(seen, deadline);
  }
}

// Messages often come within microseconds. If each rank has a processor, this rank polls for a while; if ranks share
// processors, it lets the others run a few times, which costs less than to sleep and be woken. Returns true if there is
// something to do.
bool ShmLink::look_a_while(std::uint32_t seen, Deadline deadline) const {
  const auto come = [&] { return shm::events_of(bell_) != seen || woken_.load(kRelaxed); };
  if (memory_->spins()) {
    const auto limit = earlier(deadline, Deadline::in(kSpin));
    while (!come())
      if (limit.passed()) return false;
    return true;
  }
  for (int turn = 0; turn < kTurns; ++turn) {
    if (come()) return true;
    ::sched_yield();
  }
  return come();
}

void ShmLink::sleep(std::uint32_t seen, Deadline deadline) {
  if (look_a_while(seen, deadline)) return;
  bool awaited = false;
  {
    const std::lock_guard lock(sending_);
    awaited = slots_.awaited();
  }
  const auto reader_due = awaited ? Deadline::in(kWaitForReader) : Deadline::never();
  shm::sleep(bell_, seen, earlier(deadline, reader_due), [this] {
    return woken_.load(std::memory_order_seq_cst) || closed_.load(std::memory_order_seq_cst);
  });
  if (!awaited || !reader_due.passed()) return;
  const std::lock_guard lock(sending_);
  slots_.collect();
  slots_.move_away(false);
}

bool ShmLink::next_frame(Frame& frame) {
  for (std::size_t i = 0; i < from_.size(); ++i) {
    const std::size_t peer = next_;
    if (take(static_cast<Rank>(peer), frame)) return true;
    next_ = peer + 1 == from_.size() ? 0 : peer + 1;
  }
  return false;
}

bool ShmLink::take(Rank from, Frame& frame) {
  using Found = shm::QueueReader::Found;
  const Found found = from_[static_cast<std::size_t>(from)].read(frame);
  if (found == Found::nothing) return false;
  FrameHeader& header = frame.header;
  bool right = found == Found::frame && header.kind <= FrameKind::credit && header.src == from &&
               header.dst == rank_;
  if (right && (header.flags & shm::kPlaced) == 0)
    counters_.bytes_copied.fetch_add(frame.payload.size(), kRelaxed);
  if (right && (header.flags & shm::kPlaced) != 0) {
    frame.payload = shm::lease(memory_, from, shm::Slots::Ticket::of(header.secret), header.bytes);
    right = frame.payload.size() == header.bytes;
    header.flags &= static_cast<std::uint16_t>(~shm::kPlaced);
  }
  if (!right) {
    from_[static_cast<std::size_t>(from)].refuse();
    counters_.malformed.fetch_add(1, kRelaxed);
    throw CommError(
        CommError::Reason::protocol, rank_, from, {},
        fmt::format("rank {} wrote something that is not a message into the shared memory", from));
  }
  header.secret = 0;
  counters_.frames_received.fetch_add(1, kRelaxed);
  counters_.bytes_received.fetch_add(frame.payload.size(), kRelaxed);
  return true;
}

void ShmLink::wake() noexcept {
  woken_.store(true, std::memory_order_seq_cst);
  shm::wake(bell_);
}

std::shared_ptr<std::byte> ShmLink::memory(std::size_t bytes) {
  std::byte* const block = arena_->take(bytes);
  if (block == nullptr) return nullptr;
  return {block, [arena = arena_](std::byte* own) { arena->give_back(own); }};
}

// Moves payloads that no receiver reads yet, and waits for receivers that are reading.
void ShmLink::settle_loans(Deadline deadline) noexcept {
  while (true) {
    {
      const std::lock_guard lock(sending_);
      slots_.collect();
      slots_.move_away(true);
      if (!slots_.any_lent()) return;
      if (deadline.passed()) return slots_.drop_loans();
    }
    std::this_thread::sleep_for(1ms);
  }
}

void ShmLink::abandon() noexcept {
  if (closed_.exchange(true)) return;
  wake();
  settle_loans(Deadline::in(kLastWait));
}

bool ShmLink::close(Deadline deadline) {
  closed_.store(true, std::memory_order_release);
  wake();
  settle_loans(deadline);
  return !deadline.passed();
}

}  // namespace rankscope
