// Answers queries on a trace: events by time, definitions, gaps, and buffer contents at any event.
#include "engine/core/trace/trace.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/trace/trace_data.h"

namespace rankscope {

std::string TraceIssues::to_string() const {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!text.empty()) text += "; ";
    text += part;
  };
  if (cut) add("the file was cut in the middle of a block");
  else if (unclosed) add("the recorder was not closed properly: the end of the run may be missing");
  if (damaged_blocks > 0)
    add(fmt::format("{} damaged block{}", damaged_blocks, damaged_blocks == 1 ? "" : "s"));
  if (lost_events > 0)
    add(fmt::format("{}{} events lost", lost_exactly ? "" : "at least ", lost_events));
  return text;
}

std::span<const std::byte> preview_in(const ChunkList& chunks, const StepEvent& event) noexcept {
  if (event.preview == 0) return {};
  const auto after = ranges::upper_bound(chunks, &event, std::less<>(),
                                         [](const auto& chunk) { return chunk->events().data(); });
  if (after == chunks.begin()) return {};
  return preview_of(event, (*std::prev(after))->blobs);
}

Trace::Trace() : data_(std::make_shared<Data>()) {}
Trace::Trace(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

const TraceMeta& Trace::meta() const noexcept { return data_->meta; }
const TraceIssues& Trace::issues() const noexcept { return data_->issues; }
const TracePart* Trace::part() const noexcept { return data_->part ? &*data_->part : nullptr; }
int Trace::world_size() const noexcept { return data_->world_size; }
std::uint64_t Trace::size() const noexcept { return data_->order.size; }
const StepEvent& Trace::operator[](std::uint64_t k) const noexcept { return data_->order.event(k); }

std::int64_t Trace::time_ns(std::uint64_t k) const noexcept {
  return data_->order.time_ns(k) - data_->origin_ns;
}

bool Trace::clamped(std::uint64_t k) const noexcept {
  const StepEvent& event = data_->order.event(k);
  const auto& offsets = data_->meta.clock_offset_ns;
  const auto rank = static_cast<std::size_t>(event.rank);
  const auto offset = rank < offsets.size() ? static_cast<std::uint64_t>(offsets[rank]) : 0;
  return static_cast<std::uint64_t>(event.time_ns) + offset !=
         static_cast<std::uint64_t>(data_->order.time_ns(k));
}

Cursor Trace::at_time(std::int64_t time_ns) const noexcept {
  Cursor low = 0, high = size();
  while (low < high) {
    const Cursor middle = low + (high - low) / 2;
    if (this->time_ns(middle) < time_ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

std::span<const std::byte> Trace::preview(std::uint64_t k) const {
  return preview_in(*data_->chunks, data_->order.event(k));
}

std::span<const Definition> Trace::definitions(Definition::Kind kind) const noexcept {
  return (*data_->definitions)[static_cast<std::size_t>(kind)];
}

const Definition* Trace::definition(Definition::Kind kind, std::uint32_t id) const noexcept {
  const auto list = definitions(kind);
  return id > 0 && id <= list.size() && list[id - 1].id == id ? &list[id - 1] : nullptr;
}

const std::vector<std::pair<Rank, std::uint64_t>>& Trace::gaps() const noexcept {
  return data_->gaps;
}

std::vector<BufferState> Trace::seek(Cursor cursor) const {
  cursor = std::min(cursor, size());
  const auto buffers = definitions(Definition::Kind::buffer);
  BufferReplay replay;
  Cursor k = 0;
  if (const auto* checkpoint = BufferReplay::last_before(data_->checkpoints, cursor)) {
    replay.start_from(*checkpoint);
    k = checkpoint->cursor;
  }
  for (; k < cursor; ++k) {
    const StepEvent& event = data_->order.event(k);
    if (changes_buffer(event)) replay.apply(event, k, preview_in(*data_->chunks, event), buffers);
  }
  return replay.states(buffers);
}

}  // namespace rankscope
