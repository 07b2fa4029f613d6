// Collects batches of events and builds Traces from them, complete ones or snapshots.
#include "engine/core/trace/trace_builder.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"

namespace rankscope {

TraceBuilder::TraceBuilder(TraceMeta meta, std::uint32_t epoch)
    : epoch_(epoch),
      merger_([this](const StepEvent& event, std::uint64_t position) { replay(event, position); },
              [this](std::uint64_t size) {
                for (auto k = replay_.rewind(size); k < size; ++k)
                  replay(merger_.order().event(k), k);
              }) {
  set_meta(std::move(meta));
}

void TraceBuilder::replay(const StepEvent& event, std::uint64_t position) {
  replay_.checkpoint_if_due(position);
  if (!changes_buffer(event)) return;
  const auto& buffers = table_.lists()[static_cast<std::size_t>(Definition::Kind::buffer)];
  replay_.apply(event, position, preview_in(*chunks_, event), buffers);
}

void TraceBuilder::set_meta(TraceMeta meta) {
  const std::lock_guard lock(mutex_);
  merger_.set_clock_offsets(meta.clock_offset_ns);
  meta_ = std::move(meta);
}

void TraceBuilder::set_issues(TraceIssues issues) {
  const std::lock_guard lock(mutex_);
  issues_ = issues;
}

void TraceBuilder::set_part(const TracePart& part) {
  const std::lock_guard lock(mutex_);
  part_ = part;
}

void TraceBuilder::deliver(EventBatch&& batch) {
  const std::lock_guard lock(mutex_);
  if (batch.rank < 0 || batch.rank >= kMostRanks)
    throw FormatError(fmt::format("a batch of events of rank {}", batch.rank));
  if (epoch_ == 0) epoch_ = batch.epoch;
  if (batch.epoch != epoch_) {
    dropped_ += batch.events.size();
    return;
  }
  if (!batch.definitions.empty()) shared_table_ = nullptr;
  table_.renumber(batch);
  if (batch.events.empty()) return;
  for (auto& event : batch.events) event.rank = batch.rank;
  auto chunk = std::make_shared<EventChunk>(batch.events.size());
  ranges::copy(batch.events, chunk->events().begin());
  chunk->blobs = std::move(batch.blobs);
  merger_.append(batch.rank, chunk->events());
  new_chunks_.push_back(std::move(chunk));
}

void TraceBuilder::put_definition(Definition definition) {
  const std::lock_guard lock(mutex_);
  shared_table_ = nullptr;
  table_.put(std::move(definition));
}

void TraceBuilder::adopt(std::shared_ptr<EventChunk> chunk,
                         std::span<const std::span<const StepEvent>> runs) {
  const std::lock_guard lock(mutex_);
  for (const auto& run : runs) merger_.append(run.front().rank, run);
  new_chunks_.push_back(std::move(chunk));
}

void TraceBuilder::sort_chunks() {
  if (new_chunks_.empty()) return;
  auto all = std::make_shared<ChunkList>(*chunks_);
  std::ranges::move(new_chunks_, std::back_inserter(*all));
  new_chunks_.clear();
  ranges::sort(*all, std::less<>(), [](const auto& chunk) { return chunk->events().data(); });
  chunks_ = std::move(all);
}

Trace TraceBuilder::build_locked(bool final) {
  sort_chunks();
  merger_.merge(final);
  if (!shared_table_) shared_table_ = std::make_shared<DefinitionTable::Lists>(table_.lists());
  auto data = std::make_shared<Trace::Data>();
  data->meta = meta_;
  data->issues = issues_;
  data->world_size = std::max(std::clamp(meta_.world_size, 0, kMostRanks), merger_.ranks());
  data->order = merger_.order();
  data->definitions = shared_table_;
  data->chunks = chunks_;
  if (!part_) data->gaps = merger_.gaps();
  data->part = part_;
  data->origin_ns = part_ ? part_->origin_ns : data->order.size > 0 ? data->order.time_ns(0) : 0;
  data->checkpoints = replay_.checkpoints();
  return Trace(std::move(data));
}

Trace TraceBuilder::snapshot() {
  const std::lock_guard lock(mutex_);
  return build_locked(false);
}

Trace TraceBuilder::finish() {
  const std::lock_guard lock(mutex_);
  return build_locked(true);
}

Trace TraceBuilder::with_meta(const Trace& trace, TraceMeta meta) {
  auto data = std::make_shared<Trace::Data>(*trace.data_);
  data->meta = std::move(meta);
  return Trace(std::move(data));
}

std::uint64_t TraceBuilder::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

Trace make_trace(std::vector<EventBatch> batches, TraceMeta meta) {
  TraceBuilder builder(std::move(meta));
  for (auto& batch : batches) builder.deliver(std::move(batch));
  return builder.finish();
}

}  // namespace rankscope
