// Opens a trace file by its summary, and reads the blocks of a part of its time.
#include "engine/core/trace/streamed_trace.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/trace/trace_blocks.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/core/trace/trace_file.h"

namespace rankscope {
namespace {

using trace_blocks::Block;
using trace_format::Type;

/// Clocks of a damaged file may say anything: sums wrap, without overflow.
std::int64_t sum(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// What is sent goes somewhere, and each message is an event.
bool has_plausible_sums(const TraceSummary& summary, std::uint64_t events) {
  for (int from = 0; from < summary.groups(); ++from) {
    const auto sent = summary.sent(from).total();
    std::uint64_t messages = 0, bytes = 0;
    for (int to = 0; to < summary.groups(); ++to) {
      const auto flow = summary.flow(from, to).total();
      messages += flow.messages;
      bytes += flow.bytes;
    }
    if (messages != sent.messages || bytes != sent.bytes || messages > events) return false;
  }
  return true;
}

/// Without the other events of its block, and with the contents that its own refer to.
std::shared_ptr<EventChunk> copied(std::span<const std::span<const StepEvent>> runs,
                                   const Bytes& blobs, std::size_t events,
                                   std::vector<std::span<const StepEvent>>& copies) {
  auto chunk = std::make_shared<EventChunk>(events);
  auto rest = chunk->events();
  ByteWriter out(chunk->blobs);
  for (const auto run : runs) {
    const auto to = rest.first(run.size());
    rest = rest.subspan(run.size());
    std::ranges::copy(run, to.begin());
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

/// From the first to the last event in [begin, end).
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

struct StreamedTrace::File {
  explicit File(const std::filesystem::path& path) : in(path), index(in) {}

  Block read(std::uint32_t number) const {
    Block block;
    block.header = event_blocks[number].header;
    block.payload = event_blocks[number].payload;
    trace_blocks::decode(in, block);
    return block;
  }

  struct Place {
    trace_format::BlockHeader header;
    std::uint64_t payload = 0;
  };
  trace_blocks::InputFile in;
  trace_blocks::Index index;  // its blocks go once they are known below
  std::vector<Place> event_blocks;
  std::optional<Place> end;
};

StreamedTrace::StreamedTrace() = default;
StreamedTrace::~StreamedTrace() = default;

std::shared_ptr<const StreamedTrace> StreamedTrace::open(const std::filesystem::path& path,
                                                         const Progress& progress) {
  static std::atomic<std::uint64_t> last{0};
  std::shared_ptr<StreamedTrace> opened(new StreamedTrace);
  opened->number_ = ++last;
  opened->file_ = std::make_unique<File>(path);
  File& file = *opened->file_;
  trace_blocks::check_readable(file.in, file.index);
  trace_blocks::Account account(file.index);
  for (Block& block : file.index.blocks) {
    if (block.header.type == Type::events) block.good = true;  // until somebody reads it
    else trace_blocks::decode(file.in, block);
    const bool accepted = account.accept(block);
    if (accepted) account.enter(block);
    if (block.header.type == Type::events)
      file.event_blocks.push_back({block.header, block.payload});
    if (!accepted) continue;
    if (block.header.type == Type::events) opened->events_ += block.header.events;
    if (block.header.type == Type::end) file.end = {block.header, block.payload};
    if (block.header.type == Type::meta) opened->meta_ = std::move(block.meta);
  }
  opened->issues_ = account.finish(file.in);
  if (!opened->take_summary()) opened->make_summary(progress);
  file.index.blocks = {};
  opened->meta_.complete = opened->meta_.complete && !opened->issues_.unclosed;
  opened->find_slices();
  return opened;
}

bool StreamedTrace::take_summary() {
  if (!file_->end || meta_.world_size <= 0) return false;
  Bytes stored(static_cast<std::size_t>(file_->end->header.stored_size));
  if (file_->in.read(file_->end->payload, stored) != stored.size()) return false;
  const Bytes raw = trace_format::summary_in_end(file_->end->header, stored);
  if (raw.empty()) return false;
  try {
    ByteReader in(raw);
    summary_ = TraceSummary::decode(in);
  } catch (const FormatError&) {
    return false;
  }
  // It must be of these blocks.
  const auto& blocks = summary_.blocks();
  if (summary_.world() != meta_.world_size || blocks.size() != file_->event_blocks.size())
    return false;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto& header = file_->event_blocks[i].header;
    std::uint64_t events = 0;
    auto low = std::numeric_limits<std::int64_t>::max(), high = -low;
    for (const auto& part : blocks[i]) {
      events += part.events;
      low = std::min(low, part.min_ns);
      high = std::max(high, part.max_ns);
    }
    if (events != header.events || low != header.min_time_ns || high != header.max_time_ns)
      return false;
  }
  if (!has_plausible_sums(summary_, events_)) return false;
  // Neighbours whose clocks differ cannot be told apart in it.
  constexpr std::int64_t kSameClock = 1000;
  for (Rank rank = 0; rank < summary_.world(); ++rank) {
    const auto apart = sum(shift_of(rank), -shift_of_group(summary_.group_of(rank)));
    if (apart < -kSameClock || apart > kSameClock) return false;
  }
  return true;
}

void StreamedTrace::make_summary(const Progress& progress) {
  rebuilt_ = true;
  int world = std::clamp(meta_.world_size, 0, TraceBuilder::kMostRanks);
  const auto pass = [&](const trace_blocks::Visit& visit) {
    for (Block& block : file_->index.blocks) block.good = false;
    issues_ = trace_blocks::scan(file_->in, file_->index, visit, progress);
  };
  if (world == 0) {
    std::array<Rank, 2> highest{-1, -1};
    pass([&](int thread, std::size_t, std::span<const StepEvent> run) {
      auto& mine = highest[static_cast<std::size_t>(thread)];
      mine = std::max(mine, run.front().rank);
    });
    world = std::max(highest[0], highest[1]) + 1;
  }
  for (;;) {
    std::array<TraceSummary, 2> made{TraceSummary(world), TraceSummary(world)};
    std::array<Rank, 2> highest{-1, -1};
    const TraceSummary groups(world);
    const auto clock = [&](Rank rank) {
      const auto at = static_cast<std::size_t>(std::max(rank, 0));
      return at < meta_.clock_offset_ns.size() ? meta_.clock_offset_ns[at] : 0;
    };
    const auto first_of = [&](int group) {
      return (group * world + groups.groups() - 1) / groups.groups();
    };
    pass([&](int thread, std::size_t block, std::span<const StepEvent> run) {
      const auto mine = static_cast<std::size_t>(thread);
      const Rank rank = run.front().rank;
      highest[mine] = std::max(highest[mine], rank);
      if (rank >= world) return;
      made[mine].add(block, run, sum(clock(rank), -clock(first_of(groups.group_of(rank)))));
    });
    made[0].add(made[1]);
    summary_ = std::move(made[0]);
    const Rank last = std::max(highest[0], highest[1]);
    if (last < world) return;
    world = last + 1;  // the job said less than the ranks do
  }
}

std::int64_t StreamedTrace::shift_of(Rank rank) const noexcept {
  const auto at = static_cast<std::size_t>(std::max(rank, 0));
  const auto& offsets = meta_.clock_offset_ns;
  return sum(at < offsets.size() ? offsets[at] : 0, -origin_ns_);
}

std::int64_t StreamedTrace::shift_of_group(int group) const noexcept {
  const auto groups = static_cast<std::int64_t>(summary_.groups());
  return shift_of(
      static_cast<Rank>((group * std::int64_t{summary_.world()} + groups - 1) / groups));
}

void StreamedTrace::find_slices() {
  origin_ns_ = duration_ns_ = 0;
  bool any = false;
  for (std::size_t i = 0; i < summary_.blocks().size(); ++i)
    for (const auto& part : summary_.blocks()[i]) {
      const auto shift = shift_of_group(static_cast<int>(part.group));
      slices_.push_back({sum(part.min_ns, shift), sum(part.max_ns, shift), part.events,
                         static_cast<std::uint32_t>(i)});
      origin_ns_ = 0;
      any = true;
    }
  if (!any) return;
  const auto first = std::ranges::min(slices_, {}, &Slice::begin_ns).begin_ns;
  origin_ns_ = first;
  constexpr std::int64_t kLongest = std::int64_t{1} << 61;
  for (Slice& slice : slices_) {
    slice.begin_ns = std::clamp(sum(slice.begin_ns, -first), std::int64_t{0}, kLongest);
    slice.end_ns = std::clamp(sum(slice.end_ns, -first), slice.begin_ns, kLongest);
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
      const auto kept = cut(run, sum(span.begin_ns, -shift), sum(span.end_ns, -shift));
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
  std::atomic<std::size_t> next{0};
  std::atomic<std::uint64_t> damaged{0};
  std::array<std::exception_ptr, 2> failures;
  const auto work = [&](int thread) {
    try {
      for (std::size_t i = next++; i < blocks.size(); i = next++) {
        const Block block = file_->read(blocks[i]);
        if (block.good) visit(thread, {block.definitions, block.runs});
        else ++damaged;
        if (thread == 0 && progress &&
            !progress(static_cast<double>(i + 1) / static_cast<double>(blocks.size())))
          throw UserError("stopped");
      }
    } catch (...) {
      failures[static_cast<std::size_t>(thread)] = std::current_exception();
      next = blocks.size();
    }
  };
  constexpr std::size_t kWorthAThread = 4;
  if (blocks.size() >= kWorthAThread) {
    std::thread other(work, 1);
    work(0);
    other.join();
  } else {
    work(0);
  }
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
  TraceIssues issues = issues_;
  if (!rebuilt_) issues.damaged_blocks += damaged;  // a pass has counted them
  return issues;
}

}  // namespace rankscope
