// Records the events of one rank: numbers and timestamps them, names things, takes previews, and passes batches to a
// sink.
#pragma once

#include <atomic>
#include <mutex>
#include <source_location>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/core/base/buffer.h"
#include "engine/core/base/site.h"
#include "engine/core/trace/event.h"
#include "engine/core/trace/status_page.h"

namespace rankscope {

/// A clock other than the host's, for a simulation.
class EventClock {
 public:
  virtual ~EventClock() = default;
  /// Never 0.
  virtual std::int64_t now_ns() const noexcept = 0;
};

/// Thread-safe, unless it has a clock of its own: then one thread must make all calls. Its ids are valid for one job
/// (epoch).
class Recorder {
 public:
  /// `sink` may be null (then nothing is recorded); `status` may be null.
  /// If `clock` is null, the host's is used.
  Recorder(Rank rank, EventSink* sink, StatusPage* status, const EventClock* clock = nullptr);

  /// Forgets all names and restarts the numbering; also usable within a job, whose epoch stays.
  void begin_job(std::uint32_t epoch, TraceLevel level);
  bool recording() const noexcept {
    return level_.load(std::memory_order_relaxed) != TraceLevel::off;
  }
  bool full() const noexcept { return level_.load(std::memory_order_relaxed) == TraceLevel::full; }
  Rank rank() const noexcept { return rank_; }

  /// Returns the id of a call-site chain: `where`, called from `caller` (0: none). Assigned even if tracing is off, for
  /// the status page.
  std::uint32_t site(const std::source_location& where, std::uint32_t caller);
  /// The same for a Site. Its own stack, if it has one, replaces `caller`.
  std::uint32_t site(const Site& where, std::uint32_t caller);
  /// A call site given as text (other languages).
  std::uint32_t site(std::string_view file, std::string_view function, unsigned line,
                     std::uint32_t caller);
  std::uint32_t phase(std::string_view name, std::uint32_t enclosing);
  std::uint32_t buffer(std::string_view name, DType dtype, const Shape& shape);
  std::uint32_t communicator(std::string_view name, ContextId context,
                             const std::vector<Rank>& members);
  CallSite site_of(std::uint32_t site) const;
  /// Returns the name of the enclosing built-in call, else of the phase; empty outside of a phase.
  std::string phase_name(std::uint32_t phase) const;

  /// Fills in rank, epoch, seq, time (if 0) and appends the event. Does nothing if tracing is off.
  void record(StepEvent event);
  /// The same for an event that changed `changed`: in a full trace its samples become the preview.
  void record_change(StepEvent event, const Slice& changed);
  /// Passes the gathered events to the sink.
  void flush();
  std::uint64_t recorded() const noexcept { return seq_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kBatchEvents = 512;
  static constexpr std::size_t kBatchBlobBytes = 256 * 1024;

  std::uint32_t define_locked(Definition definition);
  void append_locked(StepEvent& event);
  void preview_locked(StepEvent& event, const Slice& changed);
  void flush_locked();
  std::uint32_t site_locked(Definition definition, CallSite raw);
  std::uint32_t named_site_locked(std::string_view file, std::string_view function, unsigned line,
                                  std::uint32_t caller);

  struct SiteKey {
    const void* file;
    std::uint64_t line_and_caller;
    /// Set for a line in another language, whose texts keep their addresses.
    const void* function = nullptr;
    bool operator==(const SiteKey&) const = default;
  };
  struct SiteHash {
    std::size_t operator()(const SiteKey& key) const noexcept {
      const std::hash<const void*> of;
      return of(key.file) ^ (of(key.function) << 1) ^ (key.line_and_caller * 0x9E3779B97F4A7C15ULL);
    }
  };

  // For a rank whose strands share one thread: the last sites, found by line number without lock or table.
  struct RecentSite {
    SiteKey key{};
    std::uint32_t id = 0;
  };
  static constexpr std::size_t kRecentSites = 4;
  static std::size_t recent_place(const SiteKey& key) noexcept {
    return static_cast<std::size_t>(key.line_and_caller) % kRecentSites;
  }

  const Rank rank_;
  EventSink* const sink_;
  StatusPage* const status_;
  const EventClock* const clock_;
  std::atomic<TraceLevel> level_{TraceLevel::off};
  std::atomic<std::uint64_t> seq_{0};
  mutable std::mutex mutex_;
  EventBatch batch_;
  std::uint32_t next_id_[kDefinitionKinds] = {1, 1, 1, 1};
  std::unordered_map<SiteKey, std::uint32_t, SiteHash> sites_;
  std::unordered_map<std::string, std::uint32_t> named_sites_;
  std::unordered_map<std::string, std::uint32_t> phases_;
  RecentSite recent_[kRecentSites];
  std::vector<CallSite> site_list_{CallSite{}};
  std::vector<Count> buffer_counts_{0};
  // Texts of sites from other languages; node-based, so that CallSite may point into it.
  std::unordered_map<std::string, int> texts_;
};

}  // namespace rankscope
