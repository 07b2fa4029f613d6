// Trace files to be read in parts.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include "engine/core/trace/trace_summary.h"
#include "tests/core/trace_files.h"
#include "tests/support/made_up_ring.h"

namespace rankscope::test {

inline constexpr int kStreamedWorld = 3;

/// Traces of more events are streamed, and written with a summary where they are a sixteenth of that.
class StreamedFrom {
 public:
  explicit StreamedFrom(const char* events) { ::setenv("RANKSCOPE_STREAM_EVENTS", events, 1); }
  StreamedFrom(const StreamedFrom&) = delete;
  StreamedFrom& operator=(const StreamedFrom&) = delete;
  ~StreamedFrom() { ::unsetenv("RANKSCOPE_STREAM_EVENTS"); }
};

/// In many blocks, the ranks' clocks `apart_ns` from each other.
inline std::string ring_of_blocks(std::uint64_t events, bool summarised, std::int64_t apart_ns = 0,
                                  bool close = true) {
  const TemporaryFile file;
  const StreamedFrom limit(summarised ? "16" : "16000000");
  auto meta = MadeUpRing::meta(kStreamedWorld);
  for (Rank rank = 0; rank < kStreamedWorld; ++rank)
    meta.clock_offset_ns.push_back(rank * apart_ns);
  {
    struct Apart final : EventSink {
      TraceWriter& to;
      std::int64_t ns;
      Apart(TraceWriter& writer, std::int64_t apart) : to(writer), ns(apart) {}
      void deliver(EventBatch&& batch) override {
        for (StepEvent& event : batch.events) {
          event.time_ns -= batch.rank * ns;
          event.begin_ns -= batch.rank * ns;
        }
        to.deliver(std::move(batch));
      }
      void flush() override {}
    };
    TraceWriter writer(file.path(), meta, 1);
    Apart apart(writer, apart_ns);
    MadeUpRing ring(kStreamedWorld);
    while (ring.made() < events) {
      ring.step(apart, 70);
      if (ring.made() % 210 == 0) writer.flush();
    }
    ring.run(apart, 0);
    if (close) writer.close(meta);
  }
  return file.read();
}

inline std::uint64_t sends_in(const TraceSummary& summary) {
  std::uint64_t sends = 0;
  for (int group = 0; group < summary.groups(); ++group)
    sends += summary.sent(group).total().messages;
  return sends;
}

}  // namespace rankscope::test
