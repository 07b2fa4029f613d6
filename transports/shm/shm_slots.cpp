// Lends payloads to receivers, moves them away where their memory is needed, and takes them back.
#include "transports/shm/shm_slots.h"

#include <cstring>

#include "engine/core/base/ranges.h"

namespace rankscope::shm {
namespace {

constexpr std::uint32_t kGenerations = (std::uint32_t{1} << 29) - 1;

/// The receiver's claim on one payload.
struct Hold {
  std::shared_ptr<Memory> memory;
  Rank from;
  Slots::Ticket ticket;
  std::uint64_t bytes;
  std::byte* data;

  Slot& slot() const { return memory->desk(from).slots[ticket.slot]; }
};

// Claims the payload where it lies, or the sender's finished copy. A sender that is still copying finds out and drops
// it.
std::byte* claim(void* owner) noexcept {
  auto& hold = *static_cast<Hold*>(owner);
  Slot& slot = hold.slot();
  std::uint32_t word = slot.state.load(std::memory_order_acquire);
  const auto claimed = slot_word(hold.ticket.generation, SlotState::claimed);
  while (state_of(word) == SlotState::lent || state_of(word) == SlotState::moving)
    if (slot.state.compare_exchange_weak(word, claimed, std::memory_order_acq_rel))
      return hold.data;
  if (state_of(word) == SlotState::moved) {
    std::byte* const moved =
        hold.memory->in_arena(hold.from, slot.moved.load(std::memory_order_acquire), hold.bytes);
    if (moved != nullptr) hold.data = moved;
  }
  return hold.data;
}

void give_back(void* owner) noexcept {
  const std::unique_ptr<Hold> hold(static_cast<Hold*>(owner));
  Slot& slot = hold->slot();
  // A sender that is still copying finds out that its copy is not needed.
  slot.state.exchange(slot_word(hold->ticket.generation, SlotState::returned),
                      std::memory_order_acq_rel);
  ring(hold->memory->desk(hold->from).bell);
}

}  // namespace

Slots::Slots(Arena& arena, Desk& desk) : arena_(arena), desk_(desk), places_(kSlots) {
  for (std::uint32_t slot = kSlots; slot-- > 0;) free_.push_back(slot);
}

Slots::Ticket Slots::place(const std::byte* data, std::size_t bytes, Loan* loan, std::byte* block) {
  const std::uint32_t at = free_.back();
  free_.pop_back();
  open_.push_back(at);
  Place& place = places_[at];
  place = {loan, block, data, bytes, (place.generation + 1) & kGenerations};
  if (loan != nullptr) ++lent_;
  Slot& slot = desk_.slots[at];
  slot.offset.store(arena_.offset_of(data), std::memory_order_relaxed);
  slot.state.store(slot_word(place.generation, SlotState::lent), std::memory_order_release);
  return {at, place.generation};
}

void Slots::end_loan(Place& place) noexcept {
  if (place.loan == nullptr) return;
  --lent_;
  std::exchange(place.loan, nullptr)->release();
}

void Slots::collect() noexcept {
  std::erase_if(open_, [this](std::uint32_t at) {
    Place& place = places_[at];
    const auto word = desk_.slots[at].state.load(std::memory_order_acquire);
    if (word != slot_word(place.generation, SlotState::returned)) return false;
    end_loan(place);
    if (place.block != nullptr) arena_.give_back(std::exchange(place.block, nullptr));
    free_.push_back(at);
    return true;
  });
}

bool Slots::awaited() const noexcept {
  return lent_ > 0 && ranges::any_of(open_, [this](std::uint32_t at) {
           const Place& place = places_[at];
           return place.loan != nullptr && place.loan->wanted();
         });
}

bool Slots::move(std::uint32_t at) noexcept {
  Place& place = places_[at];
  Slot& slot = desk_.slots[at];
  auto word = slot_word(place.generation, SlotState::lent);
  if (slot.state.load(std::memory_order_acquire) != word) return false;
  std::byte* const block = arena_.take(place.bytes);
  if (block == nullptr) return false;
  const auto moving = slot_word(place.generation, SlotState::moving);
  if (!slot.state.compare_exchange_strong(word, moving, std::memory_order_acq_rel)) {
    arena_.give_back(block);
    return false;
  }
  std::memcpy(block, place.data, place.bytes);
  slot.moved.store(arena_.offset_of(block), std::memory_order_release);
  word = moving;
  const auto moved = slot_word(place.generation, SlotState::moved);
  if (!slot.state.compare_exchange_strong(word, moved, std::memory_order_acq_rel)) {
    arena_.give_back(block);  // its receiver reads it where it lay
    return false;
  }
  place.block = block;
  end_loan(place);
  return true;
}

void Slots::move_away(bool all) noexcept {
  for (const std::uint32_t at : open_) {
    const Loan* const loan = places_[at].loan;
    if (loan != nullptr && (all || loan->wanted())) move(at);
  }
}

void Slots::drop_loans() noexcept {
  for (const std::uint32_t at : open_) end_loan(places_[at]);
}

Message lease(const std::shared_ptr<Memory>& memory, Rank from, Slots::Ticket ticket,
              std::uint64_t bytes) {
  if (ticket.slot >= kSlots) return {};
  const Slot& slot = memory->desk(from).slots[ticket.slot];
  const auto word = slot.state.load(std::memory_order_acquire);
  if (word >> 3 != ticket.generation) return {};
  const auto state = state_of(word);
  if (state != SlotState::lent && state != SlotState::moving && state != SlotState::moved)
    return {};
  std::byte* const data =
      memory->in_arena(from, slot.offset.load(std::memory_order_relaxed), bytes);
  if (data == nullptr) return {};
  return {{data, bytes}, new Hold{memory, from, ticket, bytes, data}, &give_back, &claim};
}

}  // namespace rankscope::shm
