// Opens a trace file by its summary; without one, estimates it from some blocks, or counts all events.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>
#include <utility>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/trace/streamed_blocks.h"
#include "engine/core/trace/trace_builder.h"

namespace rankscope {

using trace_blocks::Block;
using trace_format::Type;

namespace {

/// The number of blocks read for an estimate, which takes at most a tenth of a second.
constexpr std::size_t kSamples = 48;
/// A file with fewer than this many times kSamples blocks is counted in full almost as fast.
constexpr std::size_t kWorthSampling = 3;
/// In nanoseconds. If clocks are further apart, a header, which covers all ranks of its block, does not tell their
/// times.
constexpr std::int64_t kCloseClocks = 1'000'000;

/// Returns whether every message that was sent has a destination, and messages are no more than events.
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

Rank first_of(const TraceSummary& groups, int group) {
  return static_cast<Rank>((group * std::int64_t{groups.world()} + groups.groups() - 1) /
                           groups.groups());
}

using Clocks = std::vector<std::int64_t>;  // offsets by rank

std::int64_t clock_of(const Clocks& clocks, Rank rank) {
  const auto at = static_cast<std::size_t>(std::max(rank, 0));
  return at < clocks.size() ? clocks[at] : 0;
}

/// Counts on two threads at once, each with a summary of its own; sum() may be called meanwhile.
class EventCount {
 public:
  EventCount(int world, Clocks clocks)
      : groups_(world), made_{groups_, groups_}, clocks_(std::move(clocks)) {}

  void add(int thread, std::size_t number, const std::vector<EventDigest>& runs) {
    const auto mine = static_cast<std::size_t>(thread);
    const std::lock_guard lock(mutexes_[mine]);
    for (const EventDigest& run : runs) {
      highest_[mine] = std::max(highest_[mine], run.rank);
      if (run.rank < groups_.world()) made_[mine].add(number, run, shift_of(run.rank));
    }
  }
  /// Returns the offset of a rank's clock from its group's, which is the clock of the group's first rank.
  std::int64_t shift_of(Rank rank) const {
    return wrapped_sum(clock_of(clocks_, rank),
                       -clock_of(clocks_, first_of(groups_, groups_.group_of(rank))));
  }
  TraceSummary sum() {
    const std::scoped_lock lock(mutexes_[0], mutexes_[1]);
    TraceSummary sum = made_[0];
    sum.add(made_[1]);
    return sum;
  }
  Rank highest() const { return std::max(highest_[0], highest_[1]); }

 private:
  const TraceSummary groups_;
  std::array<TraceSummary, 2> made_;
  std::array<std::mutex, 2> mutexes_;
  std::array<Rank, 2> highest_{-1, -1};
  const Clocks clocks_;
};

/// Limits how often an estimate is made, which takes time from the counting.
class NowAndThen {
 public:
  bool is_due() {
    const auto now = Clock::now();
    if (now < due_) return false;
    due_ = now + kBetween;
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBetween{700};
  Clock::time_point due_ = Clock::now() + kBetween;
};

}  // namespace

/// The blocks from which a summary is estimated. All times are corrected: on the clock that the ranks share.
struct StreamedTrace::Samples {
  Samples(const File& from, const TraceMeta& meta)
      : count(meta.world_size, meta.clock_offset_ns),
        file(from),
        world(meta.world_size),
        clocks(meta.clock_offset_ns) {
    for (Rank rank = 0; rank < world; ++rank) {
      const auto shift = clock_of(clocks, rank);
      least_shift = rank == 0 ? shift : std::min(least_shift, shift);
      most_shift = rank == 0 ? shift : std::max(most_shift, shift);
    }
    const TraceSummary groups(world);
    for (int group = 0; group < groups.groups(); ++group)
      shifts.push_back(clock_of(clocks, first_of(groups, group)));
  }

  /// Returns false if no estimate can be made.
  bool take() {
    const auto apart = wrapped_sum(most_shift, -least_shift);
    if (apart < 0 || apart > kCloseClocks) return false;
    const auto last = file.event_blocks.size() - 1;
    for (std::size_t i = 0; i < kSamples; ++i)
      if (!read(i * last / (kSamples - 1))) return false;
    return !blocks.empty() && find_ends();
  }
  const TraceSummary& like_near(std::size_t block) const {
    const auto at = static_cast<std::size_t>(ranges::lower_bound(blocks, block) - blocks.begin());
    const auto above = std::min(at, blocks.size() - 1), below = at == 0 ? 0 : at - 1;
    const auto distance = [&](std::size_t i) {
      return blocks[i] > block ? blocks[i] - block : block - blocks[i];
    };
    return like[distance(below) < distance(above) ? below : above];
  }
  /// Returns a block's outline according to its header.
  TraceSummary::Outline outline_of(std::size_t block) const {
    const auto& header = file.event_blocks[block].header;
    const auto begin = std::clamp(wrapped_sum(header.min_time_ns, least_shift), first_ns, last_ns);
    const auto end = std::clamp(wrapped_sum(header.max_time_ns, most_shift), begin, last_ns);
    return {header.events, begin, end};
  }
  double share() const {
    return static_cast<double>(blocks.size()) / static_cast<double>(file.event_blocks.size());
  }

  EventCount count;
  std::vector<std::int64_t> shifts;  ///< By group.

 private:
  /// Returns false if there are more ranks than the job says.
  bool read(std::size_t number) {
    const auto at = ranges::lower_bound(blocks, number);
    if (!file.event_blocks[number].accepted || (at != blocks.end() && *at == number)) return true;
    Block block = file.block(number);
    trace_blocks::digest(file.in, block);
    if (!block.good) return true;  // reported when the block is read in full
    TraceSummary alone(world);
    for (const EventDigest& run : block.digests) {
      alone.add(0, run, count.shift_of(run.rank));
      const auto shift = clock_of(clocks, run.rank);
      first_ns = std::min(first_ns, wrapped_sum(run.min_ns, shift));
      last_ns = std::max(last_ns, wrapped_sum(run.max_ns, shift));
    }
    if (!alone.valid()) return false;
    count.add(0, number, block.digests);
    like.insert(like.begin() + (at - blocks.begin()), std::move(alone));
    blocks.insert(at, number);
    return true;
  }

  /// Finds the exact times of the run's first and last event: reads the blocks whose headers begin first and end last.
  /// Returns false if these are too many.
  bool find_ends() {
    std::vector<std::size_t> order(file.event_blocks.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto least = [&](std::size_t i) {
      return wrapped_sum(file.event_blocks[i].header.min_time_ns, least_shift);
    };
    const auto most = [&](std::size_t i) {
      return wrapped_sum(file.event_blocks[i].header.max_time_ns, most_shift);
    };
    const auto few = order.begin() + static_cast<std::ptrdiff_t>(kSamples);
    std::ranges::partial_sort(order, few, {}, least);
    for (auto at = order.begin(); least(*at) < first_ns;)
      if (!read(*at) || ++at == few) return false;
    std::ranges::partial_sort(order, few, std::greater{}, most);
    for (auto at = order.begin(); most(*at) > last_ns;)
      if (!read(*at) || ++at == few) return false;
    return true;
  }

  const File& file;
  const int world;
  const Clocks clocks;
  std::vector<std::size_t> blocks;  // ascending
  std::vector<TraceSummary> like;   // by entry of `blocks`: its summary
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t least_shift = 0, most_shift = 0;  // of a rank's clock
};

std::shared_ptr<StreamedTrace> StreamedTrace::look_at(const std::filesystem::path& path,
                                                      const SummaryCache* kept, bool& found) {
  static std::atomic<std::uint64_t> last{0};
  std::shared_ptr<StreamedTrace> opened(new StreamedTrace);
  opened->number_ = ++last;
  const auto made = std::make_shared<File>(path);
  opened->file_ = made;
  File& file = *made;
  trace_blocks::check_readable(file.in, file.index);
  if (kept != nullptr) file.key = SummaryCache::key_of(file.in, file.index);
  trace_blocks::Account account(file.index);
  for (Block& block : file.index.blocks) {
    if (block.header.type == Type::events) block.good = true;  // until somebody reads it
    else trace_blocks::decode(file.in, block);
    const bool accepted = account.accept(block);
    if (accepted) account.enter(block);
    if (block.header.type == Type::events)
      file.event_blocks.push_back({block.header, block.payload, accepted});
    if (!accepted) continue;
    if (block.header.type == Type::events) opened->events_ += block.header.events;
    if (block.header.type == Type::end) file.end = {block.header, block.payload};
    if (block.header.type == Type::meta) opened->meta_ = std::move(block.meta);
  }
  opened->issues_ = account.finish(file.in);
  opened->meta_.complete = opened->meta_.complete && !opened->issues_.unclosed;
  found = opened->take_summary() || opened->take_kept(kept);
  if (found) file.index.blocks = {};
  return opened;
}

std::shared_ptr<const StreamedTrace> StreamedTrace::open(const std::filesystem::path& path,
                                                         const Progress& progress,
                                                         const SummaryCache* kept) {
  bool found = false;
  auto opened = look_at(path, kept, found);
  if (!found) opened->make_summary(progress, {}, kept);
  opened->find_slices();
  return opened;
}

std::shared_ptr<const StreamedTrace> StreamedTrace::open_soon(const std::filesystem::path& path,
                                                              const Progress& progress,
                                                              const SummaryCache* kept) {
  bool found = false;
  auto opened = look_at(path, kept, found);
  if (!found && !opened->estimate()) opened->make_summary(progress, {}, kept);
  opened->find_slices();
  return opened;
}

std::shared_ptr<const StreamedTrace> StreamedTrace::counted(const Progress& progress,
                                                            const Better& better,
                                                            const SummaryCache* kept) const {
  std::shared_ptr<StreamedTrace> made(new StreamedTrace(*this));
  SoFar so_far;
  if (better && samples_)
    so_far = [&](const TraceSummary& counted, double share) {
      std::shared_ptr<StreamedTrace> next(new StreamedTrace(*this));
      next->fill_in(counted, share);
      next->find_slices();
      better(std::move(next));
    };
  made->make_summary(progress, so_far, kept);
  made->find_slices();
  return made;
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
  // The summary must describe these blocks.
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
  // The summary has one clock per group, so it is of no use if clocks within a group differ.
  constexpr std::int64_t kSameClock = 1000;
  for (Rank rank = 0; rank < summary_.world(); ++rank) {
    const auto apart = wrapped_sum(shift_of(rank), -shift_of_group(summary_.group_of(rank)));
    if (apart < -kSameClock || apart > kSameClock) return false;
  }
  return true;
}

bool StreamedTrace::take_kept(const SummaryCache* kept) {
  if (kept == nullptr) return false;
  auto found = kept->find(file_->key);
  if (!found || found->summary.blocks().size() > file_->event_blocks.size() ||
      !has_plausible_sums(found->summary, events_))
    return false;
  for (std::size_t i = 0; i < found->summary.blocks().size(); ++i) {
    std::uint64_t events = 0;
    for (const auto& part : found->summary.blocks()[i]) events += part.events;
    if (events != 0 && events != file_->event_blocks[i].header.events) return false;
  }
  summary_ = std::move(found->summary);
  issues_ = found->issues;
  meta_.complete = meta_.complete && !issues_.unclosed;
  rebuilt_ = true;
  return true;
}

void StreamedTrace::make_summary(const Progress& progress, const SoFar& so_far,
                                 const SummaryCache* kept) {
  trace_blocks::Index index = file_->index;  // a pass leaves its marks in it
  TraceIssues issues;
  const auto pass = [&](const trace_blocks::Visit& visit, const Progress& watch) {
    for (Block& block : index.blocks) block.good = false;
    issues = trace_blocks::scan(file_->in, index, trace_blocks::Depth::digests, visit, watch);
  };
  int world = std::clamp(meta_.world_size, 0, TraceBuilder::kMostRanks);
  for (bool known = false; !known;) {
    EventCount count(std::max(world, 1), meta_.clock_offset_ns);
    NowAndThen often;
    pass([&](int thread, std::size_t number,
             const Block& block) { count.add(thread, number, block.digests); },
         [&](double share) {
           if (progress && !progress(share)) return false;
           if (so_far && often.is_due()) so_far(count.sum(), share);
           return true;
         });
    known = count.highest() < std::max(world, 1);
    if (known) summary_ = count.sum();
    else world = count.highest() + 1;  // there are more ranks than the job says
  }
  issues_ = issues;
  meta_.complete = meta_.complete && !issues_.unclosed;
  rebuilt_ = true;
  samples_ = nullptr;
  counted_share_ = 1;
  if (kept != nullptr) kept->keep(file_->key, file_->in, {summary_, issues_});
}

bool StreamedTrace::estimate() {
  if (file_->event_blocks.size() < kWorthSampling * kSamples || meta_.world_size <= 0 ||
      meta_.world_size > TraceBuilder::kMostRanks)
    return false;
  const auto samples = std::make_shared<Samples>(*file_, meta_);
  if (!samples->take()) return false;
  samples_ = samples;
  fill_in(samples->count.sum(), samples->share());
  return true;
}

void StreamedTrace::fill_in(TraceSummary counted, double share) {
  summary_ = std::move(counted);
  counted_share_ = share;
  for (std::size_t i = 0; i < file_->event_blocks.size(); ++i) {
    const bool is_known = i < summary_.blocks().size() && !summary_.blocks()[i].empty();
    if (!is_known && file_->event_blocks[i].accepted)
      summary_.add_like(i, samples_->outline_of(i), samples_->like_near(i), samples_->shifts);
  }
}

}  // namespace rankscope
