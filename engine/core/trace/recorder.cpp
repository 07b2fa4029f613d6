// Numbers a rank's events, defines the names that they use, previews buffers, and delivers events in batches.
#include "engine/core/trace/recorder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/tick_clock.h"

namespace rankscope {
Recorder::Recorder(Rank rank, EventSink* sink, StatusPage* status, const EventClock* clock)
    : rank_(rank), sink_(sink), status_(status), clock_(clock) {
  batch_.rank = rank;
}

void Recorder::begin_job(std::uint32_t epoch, TraceLevel level) {
  const std::lock_guard lock(mutex_);
  batch_.clear();
  batch_.epoch = epoch;
  seq_.store(0, std::memory_order_relaxed);
  ranges::fill(next_id_, 1u);
  sites_.clear();
  ranges::fill(recent_, RecentSite{});
  named_sites_.clear();
  phases_.clear();
  site_list_.assign(1, CallSite{});
  buffer_counts_.assign(1, 0);
  level_.store(sink_ == nullptr ? TraceLevel::off : level, std::memory_order_relaxed);
  if (status_ != nullptr) {
    status_->events.store(0, std::memory_order_relaxed);
    status_->site.store(0, std::memory_order_relaxed);
    // The traced iteration begins in the middle of a job, where the count of verbs goes on.
    if (status_->epoch.exchange(epoch, std::memory_order_relaxed) != epoch)
      status_->verbs.store(0, std::memory_order_relaxed);
  }
}

std::uint32_t Recorder::define_locked(Definition definition) {
  auto& next = next_id_[static_cast<std::size_t>(definition.kind)];
  definition.id = next++;
  definition.rank = rank_;
  const auto id = definition.id;
  if (recording()) batch_.definitions.push_back(std::move(definition));
  return id;
}

std::uint32_t Recorder::site_locked(Definition definition, CallSite raw) {
  if (status_ != nullptr && site_list_.size() < StatusPage::kSites) {
    write_site(*status_, site_list_.size(),
               fmt::format("{}:{} {}", definition.file, definition.line, definition.name));
  }
  site_list_.push_back(raw);
  definition.kind = Definition::Kind::site;
  return define_locked(std::move(definition));
}

std::uint32_t Recorder::site(const std::source_location& where, std::uint32_t caller) {
  const SiteKey key{where.file_name(), (std::uint64_t{caller} << 32) | where.line()};
  RecentSite& recent = recent_[recent_place(key)];
  if (clock_ != nullptr && recent.key == key) return recent.id;
  const std::lock_guard lock(mutex_);
  if (const auto known = sites_.find(key); known != sites_.end()) {
    if (clock_ != nullptr) recent = {key, known->second};
    return known->second;
  }
  Definition definition;
  definition.parent = caller;
  definition.line = where.line();
  definition.name = short_function(where.function_name());
  definition.file = short_file(where.file_name());
  // If a program in another language called this line of ours, site_of() returns the program's line.
  const CallSite above = caller < site_list_.size() ? site_list_[caller] : CallSite{};
  const bool of_program = caller != 0 && texts_.contains(above.file);
  const auto id = site_locked(std::move(definition), of_program ? above : CallSite::from(where));
  sites_.emplace(key, id);
  return id;
}

std::uint32_t Recorder::site(const Site& where, std::uint32_t caller) {
  if (where.stack().empty()) return site(where.where(), caller);
  const std::lock_guard lock(mutex_);
  std::uint32_t id = 0;
  for (std::size_t i = where.stack().size(); i-- > 0;) {
    const CallSite& call = where.stack()[i];
    const SiteKey key{call.file, (std::uint64_t{id} << 32) | call.line, call.function};
    const auto known = sites_.find(key);
    id = known != sites_.end() ? known->second
                               : named_site_locked(call.file, call.function, call.line, id);
    if (known == sites_.end()) sites_.emplace(key, id);
  }
  return id;
}

std::uint32_t Recorder::site(std::string_view file, std::string_view function, unsigned line,
                             std::uint32_t caller) {
  const std::lock_guard lock(mutex_);
  return named_site_locked(file, function, line, caller);
}

std::uint32_t Recorder::named_site_locked(std::string_view file, std::string_view function,
                                          unsigned line, std::uint32_t caller) {
  const auto key = fmt::format("{}\n{}\n{}\n{}", file, function, line, caller);
  if (const auto known = named_sites_.find(key); known != named_sites_.end()) return known->second;
  Definition definition;
  definition.parent = caller;
  definition.line = line;
  definition.name = function;
  definition.file = file;
  const auto* file_text = texts_.emplace(std::string(file), 0).first->first.c_str();
  const auto* function_text = texts_.emplace(std::string(function), 0).first->first.c_str();
  const auto id = site_locked(std::move(definition), CallSite{file_text, function_text, line});
  named_sites_.emplace(key, id);
  return id;
}

std::uint32_t Recorder::phase(std::string_view name, std::uint32_t enclosing) {
  const std::lock_guard lock(mutex_);
  auto key = fmt::format("{}/{}", enclosing, name);
  if (const auto known = phases_.find(key); known != phases_.end()) return known->second;
  Definition definition;
  definition.kind = Definition::Kind::phase;
  definition.parent = enclosing;
  definition.name = name;
  const auto id = define_locked(std::move(definition));
  phases_.emplace(std::move(key), id);
  return id;
}

std::uint32_t Recorder::buffer(std::string_view name, DType dtype, const Shape& shape) {
  const std::lock_guard lock(mutex_);
  Definition definition;
  definition.kind = Definition::Kind::buffer;
  definition.name = name;
  definition.dtype = dtype;
  definition.extents = shape.extents();
  buffer_counts_.push_back(shape.count());
  return define_locked(std::move(definition));
}

std::uint32_t Recorder::communicator(std::string_view name, ContextId context,
                                     const std::vector<Rank>& members) {
  const std::lock_guard lock(mutex_);
  Definition definition;
  definition.kind = Definition::Kind::comm;
  definition.name = name;
  definition.context = context;
  definition.extents.assign(members.begin(), members.end());
  return define_locked(std::move(definition));
}

CallSite Recorder::site_of(std::uint32_t site) const {
  const std::lock_guard lock(mutex_);
  return site < site_list_.size() ? site_list_[site] : CallSite{};
}

std::string Recorder::phase_name(std::uint32_t phase) const {
  const std::lock_guard lock(mutex_);
  const auto key_of = [this](std::uint32_t wanted) {
    const auto known = ranges::find(phases_, wanted, [](const auto& one) { return one.second; });
    return known == phases_.end() ? std::string() : known->first;
  };
  std::string innermost;
  for (std::string key = key_of(phase); !key.empty();) {
    const auto slash = key.find('/');
    const std::string name = key.substr(slash + 1);
    if (name.starts_with(kBuiltIn)) return name;
    if (innermost.empty()) innermost = name;
    key = key_of(static_cast<std::uint32_t>(std::stoul(key.substr(0, slash))));
  }
  return innermost;
}

void Recorder::append_locked(StepEvent& event) {
  event.rank = rank_;
  event.epoch = batch_.epoch;
  const std::uint64_t seq = seq_.load(std::memory_order_relaxed);  // changed under the lock only
  seq_.store(seq + 1, std::memory_order_relaxed);
  event.seq = static_cast<std::uint32_t>(seq);
  if (event.time_ns == 0) {
    event.time_ns = clock_ == nullptr ? event_clock_ns() : clock_->now_ns();
    event.time_ns = std::max(event.time_ns, event.begin_ns);  // begin_ns may be from another clock
  }
  if (event.begin_ns == 0) event.begin_ns = event.time_ns;
  batch_.events.push_back(event);
  if (status_ != nullptr) status_->events.store(event.seq + 1, std::memory_order_relaxed);
  if (batch_.events.size() >= kBatchEvents || batch_.blobs.size() >= kBatchBlobBytes)
    flush_locked();
}

void Recorder::record(StepEvent event) {
  if (!recording()) return;
  const std::lock_guard lock(mutex_);
  append_locked(event);
}

void Recorder::record_change(StepEvent event, const Slice& changed) {
  if (!recording()) return;
  const std::lock_guard lock(mutex_);
  if (full()) preview_locked(event, changed);
  append_locked(event);
}

void Recorder::preview_locked(StepEvent& event, const Slice& changed) {
  if (changed.buffer() == 0 || changed.buffer() >= buffer_counts_.size() || changed.empty() ||
      changed.ghost())
    return;
  const Sampling sampling(buffer_counts_[changed.buffer()]);
  const Range samples = sampling.within({changed.offset(), changed.count()});
  if (samples.count == 0) return;
  const auto size = dtype_size(changed.dtype());
  const auto at = batch_.blobs.size();
  event.preview = static_cast<std::uint32_t>(at + 1);
  const auto length = static_cast<std::uint32_t>(static_cast<std::size_t>(samples.count) * size);
  batch_.blobs.resize(at + sizeof(length) + length);
  std::memcpy(batch_.blobs.data() + at, &length, sizeof(length));
  auto* to = batch_.blobs.data() + at + sizeof(length);
  for (Count s = samples.offset; s < samples.end(); ++s, to += size) {
    const auto element = static_cast<std::size_t>(sampling.position(s) - changed.offset());
    std::memcpy(to, changed.data() + element * size, size);
  }
}

void Recorder::flush() {
  const std::lock_guard lock(mutex_);
  flush_locked();
}

void Recorder::flush_locked() {
  if (batch_.empty() || sink_ == nullptr) return;
  EventBatch full;
  full.rank = batch_.rank;
  full.epoch = batch_.epoch;
  std::swap(full, batch_);
  batch_.events.reserve(kBatchEvents);
  sink_->deliver(std::move(full));
}

}  // namespace rankscope
