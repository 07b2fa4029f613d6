// The data inside a Trace. All parts are shared between snapshots and never change once shared.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "engine/core/trace/buffer_replay.h"
#include "engine/core/trace/definition_table.h"
#include "engine/core/trace/trace.h"

namespace rankscope {

/// Events that came together (a batch, a block of a file), with their contents area. The array is not initialised,
/// because in a large trace the decoder writes all of it.
class EventChunk {
 public:
  explicit EventChunk(std::size_t count)
      : events_(std::allocator<StepEvent>().allocate(count)), count_(count) {}
  EventChunk(const EventChunk&) = delete;
  EventChunk& operator=(const EventChunk&) = delete;
  ~EventChunk() { std::allocator<StepEvent>().deallocate(events_, count_); }

  std::span<StepEvent> events() noexcept { return {events_, count_}; }
  std::span<const StepEvent> events() const noexcept { return {events_, count_}; }
  Bytes blobs;

 private:
  StepEvent* events_;
  std::size_t count_;
};
using ChunkList = std::vector<std::shared_ptr<const EventChunk>>;

/// The order of events: their addresses and corrected times. Stored in pages, so that a snapshot copies only a few
/// pointers. A page may be extended beyond the entries that a snapshot knows.
struct OrderPage {
  static constexpr int kBits = 16;
  static constexpr std::size_t kSize = std::size_t{1} << kBits;
  std::array<const StepEvent*, kSize> event;
  std::array<std::int64_t, kSize> time_ns;
};

struct EventOrder {
  std::vector<std::shared_ptr<OrderPage>> pages;
  std::uint64_t size = 0;

  const StepEvent& event(std::uint64_t k) const noexcept {
    return *pages[k >> OrderPage::kBits]->event[k & (OrderPage::kSize - 1)];
  }
  std::int64_t time_ns(std::uint64_t k) const noexcept {
    return pages[k >> OrderPage::kBits]->time_ns[k & (OrderPage::kSize - 1)];
  }
};

struct Trace::Data {
  TraceMeta meta;
  TraceIssues issues;
  int world_size = 0;
  EventOrder order;
  std::shared_ptr<const DefinitionTable::Lists> definitions =
      std::make_shared<DefinitionTable::Lists>();
  std::shared_ptr<const ChunkList> chunks = std::make_shared<ChunkList>();  ///< By address.
  std::vector<std::pair<Rank, std::uint64_t>> gaps;
  std::optional<TracePart> part;
  std::int64_t origin_ns = 0;  ///< The origin of Trace::time_ns().
  BufferReplay::Checkpoints checkpoints;
};

/// Returns the contents area of an event from one of `chunks`.
std::span<const std::byte> preview_in(const ChunkList& chunks, const StepEvent& event) noexcept;

}  // namespace rankscope
