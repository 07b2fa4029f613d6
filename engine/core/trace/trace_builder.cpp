// Collects batches of events and builds Traces from them, complete ones or snapshots.
#include "engine/core/trace/trace_builder.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/trace/two_threads.h"

namespace rankscope {
namespace {

constexpr std::uint64_t counter_of(OpId op) noexcept {
  return op & ((OpId{1} << kOpCounterBits) - 1);
}

constexpr bool needs_cause(const StepEvent& event) noexcept {
  return event.cause != 0 &&
         (event.kind == EventKind::matched || event.kind == EventKind::completed);
}

// A file may contain any value; times within 70 years leave room for arithmetic.
std::int64_t corrected(std::int64_t time_ns, std::int64_t offset_ns) noexcept {
  constexpr std::int64_t kMost = std::int64_t{1} << 61;
  return std::clamp(std::clamp(time_ns, -kMost, kMost) + std::clamp(offset_ns, -kMost, kMost),
                    -kMost, kMost);
}

}  // namespace

void EventMerger::Stream::advance() noexcept {
  if (++in_run == runs[run].size()) {
    ++run;
    in_run = 0;
  }
}

void EventMerger::Stream::step_back() noexcept {
  if (in_run == 0) in_run = runs[--run].size();
  --in_run;
}

std::int64_t* EventMerger::Stream::find_posted(OpId op) noexcept {
  const auto counter = counter_of(op);
  if (counter < posted.size() && posted[counter] != kAbsent) return &posted[counter];
  if (far_posted.empty()) return nullptr;
  const auto found = far_posted.find(op);
  return found == far_posted.end() ? nullptr : &found->second;
}

void EventMerger::Stream::scan() {
  for (; scanned < runs.size(); ++scanned) {
    const auto events_of_run = runs[scanned];
    events += events_of_run.size();
    for (const StepEvent& event : events_of_run) {
      if (event.seq > next_seq) missing += event.seq - next_seq;
      next_seq = std::uint64_t{event.seq} + 1;
      if (event.kind != EventKind::posted || rank_of(event.op) != rank) continue;
      const auto counter = counter_of(event.op);
      if (counter >= posted.size()) {
        // Counters grow with the events; others are not worth a large table.
        if (counter > 4 * events + 64) {
          far_posted.emplace(event.op, kPending);
          continue;
        }
        posted.resize(std::max<std::size_t>(counter + 1, posted.size() * 2), kAbsent);
      }
      posted[counter] = kPending;
    }
  }
}

EventMerger::Stream& EventMerger::stream_of(Rank rank) {
  const auto at = static_cast<std::size_t>(rank);
  if (at >= streams_.size()) streams_.resize(at + 1);
  if (!streams_[at]) {
    streams_[at] = std::make_unique<Stream>();
    streams_[at]->rank = rank;
    streams_[at]->offset_ns = at < offsets_ns_.size() ? offsets_ns_[at] : 0;
  }
  return *streams_[at];
}

void EventMerger::set_clock_offsets(std::vector<std::int64_t> offsets_ns) {
  const auto size = std::max(offsets_ns.size(), offsets_ns_.size());
  offsets_ns.resize(size);
  offsets_ns_.resize(size);
  if (offsets_ns == offsets_ns_) return;
  offsets_ns_ = std::move(offsets_ns);
  each_stream([&](Stream& stream) {
    const auto at = static_cast<std::size_t>(stream.rank);
    stream.offset_ns = at < offsets_ns_.size() ? offsets_ns_[at] : 0;
  });
  recompute_all_ = true;
}

void EventMerger::append(Rank rank, std::span<const StepEvent> events) {
  if (events.empty()) return;
  stream_of(rank).runs.push_back(events);
  if (was_final_) recompute_all_ = true;  // what was released without its cause must wait again
  was_final_ = false;
}

std::int64_t* EventMerger::cause_of(const Stream& stream, const StepEvent& event) noexcept {
  const auto owner = static_cast<std::size_t>(rank_of(event.cause));
  if (owner == static_cast<std::size_t>(stream.rank) || owner >= streams_.size()) return nullptr;
  return streams_[owner] ? streams_[owner]->find_posted(event.cause) : nullptr;
}

void EventMerger::scan_streams() {
  std::size_t runs = 0;
  std::vector<Stream*> grown;
  each_stream([&](Stream& stream) {
    if (stream.scanned == stream.runs.size()) return;
    runs += stream.runs.size() - stream.scanned;
    grown.push_back(&stream);
  });
  constexpr std::size_t kWorthAThread = 256;
  on_two_threads(grown.size(), runs >= kWorthAThread,
                 [&](int, std::size_t i) { grown[i]->scan(); });
}

/// Returns the earliest time that an event not yet placed may get.
std::int64_t EventMerger::rollback_time(bool final) {
  if (recompute_all_) return kAbsent;
  auto earliest = std::numeric_limits<std::int64_t>::max();
  each_stream([&](Stream& stream) {
    if (stream.exhausted()) return;
    const StepEvent& head = stream.head();
    auto time = std::max(stream.last_ns, corrected(head.time_ns, stream.offset_ns));
    if (needs_cause(head) && rank_of(head.cause) != stream.rank) {
      const auto* posted = cause_of(stream, head);
      if (posted == nullptr && !final) return;  // goes on waiting
      if (posted != nullptr) time = std::max(time, *posted);
    }
    earliest = std::min(earliest, time);
  });
  return earliest;
}

void EventMerger::roll_back(std::int64_t time_ns) {
  if (order_.size == 0 || order_.time_ns(order_.size - 1) < time_ns) return;
  while (order_.size > 0 && order_.time_ns(order_.size - 1) >= time_ns) {
    const StepEvent& event = order_.event(--order_.size);
    Stream& stream = stream_of(event.rank);
    stream.step_back();
    if (event.kind == EventKind::posted)
      if (auto* posted = stream.find_posted(event.op); posted != nullptr) *posted = kPending;
  }
  // No event placed from here on comes before this; see rollback_time().
  const auto last = order_.size > 0 ? order_.time_ns(order_.size - 1) : kPending + 1;
  each_stream([&](Stream& stream) { stream.last_ns = std::min(stream.last_ns, last); });
  const auto in_page = order_.size & (OrderPage::kSize - 1);
  order_.pages.resize((order_.size + OrderPage::kSize - 1) >> OrderPage::kBits);
  if (in_page != 0) {  // snapshots may still use the entries behind
    auto page = std::make_shared_for_overwrite<OrderPage>();
    std::copy_n(order_.pages.back()->event.begin(), in_page, page->event.begin());
    std::copy_n(order_.pages.back()->time_ns.begin(), in_page, page->time_ns.begin());
    order_.pages.back() = std::move(page);
  }
  cut_(order_.size);
}

/// Determines the time of the stream's next event; returns false if it has none, or has to wait.
bool EventMerger::prepare(Stream& stream, bool final) {
  if (stream.exhausted()) return false;
  const StepEvent& event = stream.head();
  stream.head_ns = std::max(stream.last_ns, corrected(event.time_ns, stream.offset_ns));
  if (!needs_cause(event) || rank_of(event.cause) == stream.rank) return true;
  const auto* posted = cause_of(stream, event);
  if (posted == nullptr ? !final : *posted == kPending) {
    waiting_[event.cause].push_back(&stream);
    return false;
  }
  if (posted != nullptr) stream.head_ns = std::max(stream.head_ns, *posted);
  return true;
}

void EventMerger::push(Stream& stream) {
  ready_.push_back({stream.head_ns, stream.rank, &stream});
  std::ranges::push_heap(ready_, std::greater<>());
}

void EventMerger::wake(OpId op) {
  const auto found = waiting_.find(op);
  if (found == waiting_.end()) return;
  const auto streams = std::move(found->second);
  waiting_.erase(found);
  for (Stream* stream : streams)
    if (prepare(*stream, true)) push(*stream);
}

void EventMerger::open_page() {
  order_.pages.push_back(std::make_shared_for_overwrite<OrderPage>());
}

void EventMerger::place(Stream& stream) {
  const StepEvent& event = stream.head();
  const auto position = order_.size;
  const auto in_page = position & (OrderPage::kSize - 1);
  if (in_page == 0) open_page();
  order_.pages.back()->event[in_page] = &event;
  order_.pages.back()->time_ns[in_page] = stream.head_ns;
  ++order_.size;
  stream.last_ns = stream.head_ns;
  stream.advance();
  placed_(event, position);
  if (event.kind != EventKind::posted) return;
  if (auto* posted = stream.find_posted(event.op);
      posted != nullptr && rank_of(event.op) == stream.rank)
    *posted = stream.last_ns;
  if (!waiting_.empty()) wake(event.op);
}

/// Lets the earliest of the waiting streams go on. Needed only for a cycle of causes, which no genuine run has.
bool EventMerger::release_one_blocked() {
  Stream* earliest = nullptr;
  OpId cause = 0;
  for (const auto& [op, streams] : waiting_)
    for (Stream* stream : streams)
      if (earliest == nullptr ||
          std::pair(stream->head_ns, stream->rank) < std::pair(earliest->head_ns, earliest->rank)) {
        earliest = stream;
        cause = op;
      }
  if (earliest == nullptr) return false;
  auto& streams = waiting_[cause];
  std::erase(streams, earliest);
  if (streams.empty()) waiting_.erase(cause);
  if (order_.size > 0)  // time never runs backwards
    earliest->head_ns = std::max(earliest->head_ns, order_.time_ns(order_.size - 1));
  push(*earliest);
  return true;
}

void EventMerger::merge(bool final) {
  scan_streams();
  roll_back(rollback_time(final));
  recompute_all_ = false;
  was_final_ = final;
  ready_.clear();
  waiting_.clear();
  each_stream([&](Stream& stream) {
    if (prepare(stream, final)) push(stream);
  });
  while (true) {
    if (ready_.empty() && (!final || !release_one_blocked())) return;
    std::ranges::pop_heap(ready_, std::greater<>());
    Stream& next = *ready_.back().stream;
    ready_.pop_back();
    bool more;
    do {
      place(next);
      more = prepare(next, final);
    } while (more && (ready_.empty() || ready_.front() > Ready{next.head_ns, next.rank, &next}));
    if (more) push(next);
  }
}

std::vector<std::pair<Rank, std::uint64_t>> EventMerger::gaps() const {
  std::vector<std::pair<Rank, std::uint64_t>> gaps;
  for (const auto& stream : streams_)
    if (stream && stream->missing > 0) gaps.emplace_back(stream->rank, stream->missing);
  return gaps;
}

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
