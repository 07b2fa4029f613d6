// Encodes and decodes batches of events, names kinds and verbs, and finds an event's elements and preview.
#include "engine/core/trace/event.h"

#include <algorithm>
#include <array>
#include <limits>

#include "engine/core/trace/event_ring.h"

namespace rankscope {
namespace {

constexpr std::uint32_t kBatchMagic = 0x31424552;  // "REB1"

template <class E, std::size_t kSize>
std::string_view name_at(const std::array<std::string_view, kSize>& names, E value) noexcept {
  const auto index = static_cast<std::size_t>(value);
  return index < kSize ? names[index] : "unknown";
}

}  // namespace

std::string_view to_string(EventKind kind) noexcept {
  static constexpr std::array<std::string_view, kEventKindCount> kNames{
      "posted", "matched", "completed", "local", "phase", "watch", "job", "call", "note"};
  return name_at(kNames, kind);
}

std::string_view to_string(Verb verb) noexcept {
  static constexpr std::array<std::string_view, kVerbCount> kNames{
      "send",    "recv",      "recv_reduce", "reduce",      "copy",      "scale",
      "compute", "delay",     "wait",        "phase_begin", "phase_end", "watch",
      "touch",   "job_begin", "job_end",     "sync",        "sync_recv"};
  return name_at(kNames, verb);
}

void EventBatch::clear() {
  events.clear();
  blobs.clear();
  definitions.clear();
}

Count count_of(const Definition& buffer) noexcept {
  Count count = 1;
  for (const auto extent : buffer.extents) {
    if (extent < 0) return 0;
    if (extent > 0 && count > std::numeric_limits<std::int32_t>::max() * Count{4096} / extent)
      return 0;
    count *= extent;
  }
  return buffer.extents.empty() ? 0 : count;
}

Range elements_at(const Definition& buffer, std::uint64_t offset, std::uint64_t bytes) noexcept {
  const auto size = std::max<std::size_t>(1, dtype_size(buffer.dtype));
  const auto count = static_cast<std::uint64_t>(count_of(buffer));
  const auto first = std::min<std::uint64_t>(offset / size, count);
  const auto length = std::min<std::uint64_t>(bytes / size, count - first);
  return {static_cast<Count>(first), static_cast<Count>(length)};
}

void encode(const Definition& d, ByteWriter& out) {
  out.put(d.kind);
  out.put(d.dtype);
  out.put(d.id);
  out.put(d.parent);
  out.put(d.line);
  out.put(static_cast<std::int32_t>(d.rank));
  out.put(d.context);
  out.put_text(d.name);
  out.put_text(d.file);
  out.put_array(std::span<const std::int64_t>(d.extents));
}

Definition decode_definition(ByteReader& in) {
  Definition d;
  d.kind = in.get<Definition::Kind>();
  d.dtype = in.get<DType>();
  if (static_cast<int>(d.kind) >= kDefinitionKinds || dtype_size(d.dtype) == 0)
    throw FormatError("a definition of an unknown kind");
  d.id = in.get<std::uint32_t>();
  d.parent = in.get<std::uint32_t>();
  d.line = in.get<std::uint32_t>();
  d.rank = in.get<std::int32_t>();
  d.context = in.get<ContextId>();
  d.name = in.get_text();
  d.file = in.get_text();
  d.extents = in.get_array<std::int64_t>();
  return d;
}

Bytes encode_head(const EventBatch& batch) {
  Bytes head;
  ByteWriter out(head);
  out.put(kBatchMagic);
  out.put(static_cast<std::int32_t>(batch.rank));
  out.put(batch.epoch);
  out.put(static_cast<std::uint32_t>(batch.definitions.size()));
  for (const auto& definition : batch.definitions) encode(definition, out);
  out.put(std::uint64_t{batch.events.size()});
  return head;
}

Bytes encode(const EventBatch& batch) {
  Bytes data = encode_head(batch);
  data.reserve(data.size() + batch.events.size() * sizeof(StepEvent) + sizeof(std::uint64_t) +
               batch.blobs.size());
  ByteWriter out(data);
  out.put_raw(std::as_bytes(std::span(batch.events)));
  out.put_array(std::span<const std::byte>(batch.blobs));
  return data;
}

EventBatch decode_batch(std::span<const std::byte> data) {
  ByteReader in(data);
  EventBatch batch;
  if (in.get<std::uint32_t>() != kBatchMagic) throw FormatError("not an event batch");
  batch.rank = in.get<std::int32_t>();
  batch.epoch = in.get<std::uint32_t>();
  const auto definitions = in.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < definitions; ++i)
    batch.definitions.push_back(decode_definition(in));
  batch.events = in.get_array<StepEvent>();
  batch.blobs = in.get_array<std::byte>();
  if (!in.done()) throw FormatError("an event batch with data behind its end");
  for (const StepEvent& event : batch.events) {
    if (event.rank != batch.rank || static_cast<int>(event.verb) >= kVerbCount ||
        static_cast<int>(event.kind) >= kEventKindCount || event.dtype > DType::float64 ||
        event.reduce_op > ReduceOp::bxor || event.mode > SendMode::rendezvous ||
        event.origin > Origin::simulator || event.preview > batch.blobs.size())
      throw FormatError("an event with a field out of range");
  }
  return batch;
}

std::span<const std::byte> preview_of(const StepEvent& event, std::span<const std::byte> blobs) {
  if (event.preview == 0 || event.preview - 1 + sizeof(std::uint32_t) > blobs.size()) return {};
  const auto at = blobs.subspan(event.preview - 1);
  std::uint32_t length = 0;
  std::memcpy(&length, at.data(), sizeof(length));
  if (length > at.size() - sizeof(length)) return {};
  return at.subspan(sizeof(length), length);
}

}  // namespace rankscope
