// Finds and reads the blocks of a part of a large trace's time.
#include "engine/core/trace/streamed_trace.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/trace/streamed_blocks.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/core/trace/two_threads.h"

namespace rankscope {
namespace {

using trace_blocks::Block;

/// Returns a chunk of these events alone, with the contents that they refer to. Appends its runs to `copies`.
std::shared_ptr<EventChunk> copied(std::span<const std::span<const StepEvent>> runs,
                                   const Bytes& blobs, std::size_t events,
                                   std::vector<std::span<const StepEvent>>& copies) {
  auto chunk = std::make_shared<EventChunk>(events);
  auto rest = chunk->events();
  ByteWriter out(chunk->blobs);
  for (const auto run : runs) {
    const auto to = rest.first(run.size());
    rest = rest.subspan(run.size());
    ranges::copy(run, to.begin());
    copies.emplace_back(to);
    for (StepEvent& event : to) {
      const auto contents = preview_of(event, blobs);
      event.preview = 0;
      if (contents.empty()) continue;
      event.preview = static_cast<std::uint32_t>(chunk->blobs.size() + 1);
      out.put(static_cast<std::uint32_t>(contents.size()));
      out.put_raw(contents);
    }
  }
  return chunk;
}

/// Returns the run from its first to its last event in [begin, end).
std::span<const StepEvent> cut(std::span<const StepEvent> run, std::int64_t begin,
                               std::int64_t end) {
  std::size_t from = 0, to = run.size();
  const auto inside = [&](const StepEvent& event) {
    return event.time_ns >= begin && event.time_ns < end;
  };
  while (from < to && !inside(run[from])) ++from;
  while (to > from && !inside(run[to - 1])) --to;
  return run.subspan(from, to - from);
}

}  // namespace

StreamedTrace::StreamedTrace() = default;
StreamedTrace::StreamedTrace(const StreamedTrace&) = default;
StreamedTrace::~StreamedTrace() = default;

std::int64_t StreamedTrace::shift_of(Rank rank) const noexcept {
  const auto at = static_cast<std::size_t>(std::max(rank, 0));
  const auto& offsets = meta_.clock_offset_ns;
  return wrapped_sum(at < offsets.size() ? offsets[at] : 0, -origin_ns_);
}

std::int64_t StreamedTrace::shift_of_group(int group) const noexcept {
  const auto groups = static_cast<std::int64_t>(summary_.groups());
  return shift_of(
      static_cast<Rank>((group * std::int64_t{summary_.world()} + groups - 1) / groups));
}

void StreamedTrace::find_slices() {
  slices_.clear();
  origin_ns_ = duration_ns_ = 0;
  bool any = false;
  for (std::size_t i = 0; i < summary_.blocks().size(); ++i)
    for (const auto& part : summary_.blocks()[i]) {
      const auto shift = shift_of_group(static_cast<int>(part.group));
      slices_.push_back({wrapped_sum(part.min_ns, shift), wrapped_sum(part.max_ns, shift),
                         part.events, static_cast<std::uint32_t>(i)});
      any = true;
    }
  if (!any) return;
  const auto first = std::ranges::min(slices_, {}, &Slice::begin_ns).begin_ns;
  origin_ns_ = first;
  constexpr std::int64_t kLongest = std::int64_t{1} << 61;
  for (Slice& slice : slices_) {
    slice.begin_ns = std::clamp(wrapped_sum(slice.begin_ns, -first), std::int64_t{0}, kLongest);
    slice.end_ns = std::clamp(wrapped_sum(slice.end_ns, -first), slice.begin_ns, kLongest);
    duration_ns_ = std::max(duration_ns_, slice.end_ns);
  }
}

double StreamedTrace::events_in(std::int64_t begin_ns, std::int64_t end_ns) const noexcept {
  double events = 0;
  for (const Slice& slice : slices_) {
    const auto from = std::max(begin_ns, slice.begin_ns), to = std::min(end_ns, slice.end_ns + 1);
    if (from < to)
      events += slice.events * static_cast<double>(to - from) /
                static_cast<double>(slice.end_ns + 1 - slice.begin_ns);
  }
  return events;
}

template <class SpanOf>
StreamedTrace::Span StreamedTrace::longest(const SpanOf& span_of, std::uint64_t events) const {
  constexpr std::int64_t kLeast = 1000;
  std::int64_t low = kLeast, high = duration_ns_ + 1;
  while (low < high) {
    const auto length = low + (high - low + 1) / 2;
    const Span span = span_of(length);
    if (events_in(span.begin_ns, span.end_ns) <= static_cast<double>(events)) low = length;
    else high = length - 1;
  }
  return span_of(low);
}

StreamedTrace::Span StreamedTrace::span_around(std::int64_t time_ns, std::uint64_t events) const {
  return longest(
      [&](std::int64_t length) {
        const auto begin = std::clamp(time_ns - length / 2, std::int64_t{0},
                                      std::max(duration_ns_ + 1 - length, std::int64_t{0}));
        return Span{begin, std::min(begin + length, duration_ns_ + 1)};
      },
      events);
}

StreamedTrace::Span StreamedTrace::span_from(std::int64_t time_ns, std::uint64_t events) const {
  return longest(
      [&](std::int64_t length) {
        return Span{time_ns, std::min(time_ns + length, duration_ns_ + 1)};
      },
      events);
}

std::vector<std::uint32_t> StreamedTrace::blocks_in(Span span) const {
  std::vector<std::uint32_t> blocks;
  for (const Slice& slice : slices_)
    if (slice.begin_ns < span.end_ns && slice.end_ns >= span.begin_ns &&
        (blocks.empty() || blocks.back() != slice.block))
      blocks.push_back(slice.block);
  return blocks;
}

Trace StreamedTrace::part(Span span, std::uint64_t most) const {
  TraceBuilder builder;
  TraceIssues issues = issues_;
  std::uint64_t found = 0;
  for (const std::uint32_t number : blocks_in(span)) {
    Block block = file_->read(number);
    if (!block.good) {
      if (!rebuilt_) ++issues.damaged_blocks;  // a pass has counted it
      continue;
    }
    std::vector<std::span<const StepEvent>> inside, copies;
    std::size_t events = 0;
    for (const auto run : block.runs) {
      const auto shift = shift_of(run.front().rank);
      const auto kept =
          cut(run, wrapped_sum(span.begin_ns, -shift), wrapped_sum(span.end_ns, -shift));
      if (kept.empty()) continue;
      events += kept.size();
      inside.push_back(kept);
    }
    found += events;
    if (found > most)
      throw UserError(fmt::format(
          "more than {} events happen within {} ns: too many to be shown one by one. Zoom in.",
          most, span.end_ns - span.begin_ns));
    for (auto& definition : block.definitions) builder.put_definition(std::move(definition));
    if (inside.empty()) continue;
    auto chunk = copied(inside, block.chunk->blobs, events, copies);
    builder.adopt(std::move(chunk), copies);
  }
  builder.set_meta(meta_);
  builder.set_issues(issues);
  builder.set_part({origin_ns_, duration_ns_, span.begin_ns, span.end_ns, events_});
  return builder.finish();
}

Trace StreamedTrace::part_around(std::int64_t time_ns, std::uint64_t events) const {
  for (std::uint64_t wanted = events;; wanted /= 2) {
    const Span span = span_around(time_ns, wanted);
    try {
      return part(span, 2 * events);
    } catch (const UserError&) {
      if (wanted < 2) throw;
    }
  }
}

TraceIssues StreamedTrace::visit(Span span,
                                 const std::function<void(int thread, const Piece& piece)>& visit,
                                 const Progress& progress) const {
  const auto blocks = blocks_in(span);
  std::atomic<std::uint64_t> damaged{0};
  constexpr std::size_t kWorthAThread = 4;
  on_two_threads(
      blocks.size(), blocks.size() >= kWorthAThread,
      [&](int thread, std::size_t i) {
        const Block block = file_->read(blocks[i]);
        if (block.good) visit(thread, {block.definitions, block.runs});
        else ++damaged;
      },
      progress);
  TraceIssues issues = issues_;
  if (!rebuilt_) issues.damaged_blocks += damaged;  // a pass has counted them
  return issues;
}

}  // namespace rankscope
