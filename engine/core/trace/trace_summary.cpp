// Summarises a trace file's events, and stores the summary.
#include "engine/core/trace/trace_summary.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/trace/trace_builder.h"

namespace rankscope {
namespace {

/// A file may contain any value; times within 70 years leave room for arithmetic.
constexpr std::int64_t kMostTime = std::int64_t{1} << 61;

std::int64_t sane(std::int64_t time_ns) noexcept {
  return std::clamp(time_ns, -kMostTime, kMostTime);
}

void take(TrafficCurve::Bucket& to, const TrafficCurve::Bucket& from) noexcept {
  to.messages += from.messages;
  to.bytes += from.bytes;
}

// The most that a crafted file can make a reader allocate.
constexpr std::uint32_t kMostBlocks = 1U << 24;

std::int64_t later(std::int64_t time_ns, std::int64_t by) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(time_ns) +
                                   static_cast<std::uint64_t>(by));
}

void encode_curve(const TrafficCurve& curve, ByteWriter& out) {
  out.put(static_cast<std::uint8_t>(curve.shift()));
  out.put(curve.first());
  out.put_array(curve.buckets());
}

TrafficCurve decode_curve(ByteReader& in, std::size_t most) {
  const int shift = in.get<std::uint8_t>();
  const auto first = in.get<std::int64_t>();
  return {most, shift, first, in.get_array<TrafficCurve::Bucket>()};
}

/// Adds `all`, scaled by `share` and spread evenly over [begin, end), to the curve.
void spread(TrafficCurve& curve, const TrafficCurve::Bucket& all, double share, std::int64_t begin,
            std::int64_t end) {
  constexpr int kPieces = 4;
  TrafficCurve::Bucket before;
  for (int i = 1; i <= kPieces; ++i) {
    const auto until = [&](std::uint64_t sum) {
      return static_cast<std::uint64_t>(
          std::llround(static_cast<double>(sum) * share * i / kPieces));
    };
    const TrafficCurve::Bucket now{until(all.messages), until(all.bytes)};
    if (now.messages <= before.messages) continue;
    const double length = static_cast<double>(end) - static_cast<double>(begin);
    curve.add(later(begin, static_cast<std::int64_t>(length * (i - 0.5) / kPieces)),
              {now.messages - before.messages, now.bytes - before.bytes});
    before = now;
  }
}

}  // namespace

TrafficCurve::TrafficCurve(std::size_t most, int shift, std::int64_t first,
                           std::vector<Bucket> buckets)
    : most_(most), shift_(shift), first_(first), buckets_(std::move(buckets)) {
  if (shift < kLeastShift || shift > kMostShift || buckets_.size() > most_ ||
      first < -(kMostTime >> shift) - 1 || first > (kMostTime >> shift))
    throw FormatError("a curve of messages over time is damaged");
}

void TrafficCurve::coarsen() {
  const std::int64_t first = first_ >> 1;
  std::vector<Bucket> wider(buckets_.empty() ? 0 : buckets_.size() / 2 + 1);
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    const std::int64_t at = (first_ + static_cast<std::int64_t>(i)) >> 1;
    take(wider[static_cast<std::size_t>(at - first)], buckets_[i]);
  }
  while (!wider.empty() && wider.back().messages == 0) wider.pop_back();
  buckets_ = std::move(wider);
  first_ = first;
  ++shift_;
}

/// Extends the curve to the buckets `from` to `to`, which have the least width (2^kLeastShift ns).
void TrafficCurve::make_room(std::int64_t from, std::int64_t to) {
  const auto least = [&](std::int64_t value) { return value >> (shift_ - kLeastShift); };
  for (;; coarsen()) {
    const std::int64_t low = buckets_.empty() ? least(from) : std::min(first_, least(from));
    const std::int64_t high =
        std::max(least(to),
                 buckets_.empty() ? low : first_ + static_cast<std::int64_t>(buckets_.size()) - 1);
    if (static_cast<std::uint64_t>(high - low) >= most_ && shift_ < kMostShift) continue;
    if (!buckets_.empty() && low < first_)
      buckets_.insert(buckets_.begin(), static_cast<std::size_t>(first_ - low), Bucket{});
    first_ = low;
    const auto size = static_cast<std::size_t>(high - low) + 1;
    if (buckets_.size() < size) buckets_.resize(size);
    return;
  }
}

void TrafficCurve::add(std::int64_t time_ns, const Bucket& sent) {
  const std::int64_t time = sane(time_ns);
  const std::int64_t at = time >> shift_;
  if (at < first_ || static_cast<std::uint64_t>(at - first_) >= buckets_.size())
    make_room(time >> kLeastShift, time >> kLeastShift);
  take(buckets_[static_cast<std::size_t>((time >> shift_) - first_)], sent);
}

void TrafficCurve::add(const TrafficCurve& other) {
  if (other.buckets_.empty()) return;
  TrafficCurve theirs = other;
  while (shift_ < theirs.shift_) coarsen();
  const int finer = theirs.shift_ - kLeastShift;
  const std::int64_t last = theirs.first_ + static_cast<std::int64_t>(theirs.buckets_.size()) - 1;
  make_room(theirs.first_ << finer, last << finer);
  while (theirs.shift_ < shift_) theirs.coarsen();
  for (std::size_t i = 0; i < theirs.buckets_.size(); ++i) {
    const auto at = theirs.first_ + static_cast<std::int64_t>(i) - first_;
    take(buckets_[static_cast<std::size_t>(at)], theirs.buckets_[i]);
  }
}

TrafficCurve::Bucket TrafficCurve::total() const noexcept {
  Bucket sum;
  for (const Bucket& one : buckets_) take(sum, one);
  return sum;
}

TrafficCurve::Bucket TrafficCurve::until(std::int64_t time_ns) const noexcept {
  const std::int64_t time = sane(time_ns), at = time >> shift_;
  Bucket sum;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    const std::int64_t here = first_ + static_cast<std::int64_t>(i);
    if (here < at) {
      take(sum, buckets_[i]);
      continue;
    }
    if (here > at) break;
    const double share = std::ldexp(static_cast<double>(time - (at << shift_)), -shift_);
    const auto part = [&](std::uint64_t of) {
      return static_cast<std::uint64_t>(std::llround(share * static_cast<double>(of)));
    };
    take(sum, {part(buckets_[i].messages), part(buckets_[i].bytes)});
  }
  return sum;
}

TraceSummary::TraceSummary(int world)
    : world_(std::clamp(world, 1, TraceBuilder::kMostRanks)),
      valid_(world > 0 && world <= TraceBuilder::kMostRanks),
      sent_(static_cast<std::size_t>(std::min(world_, kMostGroups)), TrafficCurve(kMostBuckets)),
      flows_(sent_.size() * sent_.size(), TrafficCurve(kMostFlowBuckets)) {}

TraceSummary::Part& TraceSummary::part_of(std::size_t block, int group) {
  if (blocks_.size() <= block) blocks_.resize(block + 1);
  Parts& parts = blocks_[block];
  const auto number = static_cast<std::uint32_t>(group);
  const auto at = ranges::lower_bound(parts, number, {}, &Part::group);
  if (at != parts.end() && at->group == number) return *at;
  return *parts.insert(at, {number, 0, 0, 0});
}

bool TraceSummary::take_rank(Rank rank) {
  if (rank < 0 || rank >= world_) valid_ = false;
  return valid_;
}

void TraceSummary::count(int from, std::int64_t time_ns, Rank peer, std::uint64_t bytes) {
  if (peer < 0 || peer >= world_) return;
  sent_[static_cast<std::size_t>(from)].add(time_ns, {1, bytes});
  flows_[flow_at(from, group_of(peer))].add(time_ns, {1, bytes});
}

void TraceSummary::add_part(std::size_t block, const Part& more) {
  Part& part = part_of(block, static_cast<int>(more.group));
  part.min_ns = part.events == 0 ? more.min_ns : std::min(part.min_ns, more.min_ns);
  part.max_ns = part.events == 0 ? more.max_ns : std::max(part.max_ns, more.max_ns);
  part.events += more.events;
}

void TraceSummary::add(std::size_t block, std::span<const StepEvent> events,
                       std::int64_t shift_ns) {
  if (events.empty() || !take_rank(events.front().rank)) return;
  const int group = group_of(events.front().rank);
  const auto first = later(events.front().time_ns, shift_ns);
  Part part{static_cast<std::uint32_t>(group), static_cast<std::uint32_t>(events.size()), first,
            first};
  for (const StepEvent& event : events) {
    const auto time = later(event.time_ns, shift_ns);
    part.min_ns = std::min(part.min_ns, time);
    part.max_ns = std::max(part.max_ns, time);
    if (event.kind == EventKind::posted && event.verb == Verb::send)
      count(group, time, event.peer, event.bytes);
  }
  add_part(block, part);
}

void TraceSummary::add(std::size_t block, const EventDigest& events, std::int64_t shift_ns) {
  if (events.events == 0 || !take_rank(events.rank)) return;
  const int group = group_of(events.rank);
  for (const auto& sent : events.sent)
    count(group, later(sent.time_ns, shift_ns), sent.peer, sent.bytes);
  add_part(block, {static_cast<std::uint32_t>(group), events.events, later(events.min_ns, shift_ns),
                   later(events.max_ns, shift_ns)});
}

void TraceSummary::add(const TraceSummary& other) {
  valid_ = valid_ && other.valid_ && world_ == other.world_;
  if (!valid_) return;
  for (std::size_t block = 0; block < other.blocks_.size(); ++block)
    for (const Part& theirs : other.blocks_[block]) add_part(block, theirs);
  for (std::size_t i = 0; i < sent_.size(); ++i) sent_[i].add(other.sent_[i]);
  for (std::size_t i = 0; i < flows_.size(); ++i) flows_[i].add(other.flows_[i]);
}

void TraceSummary::add_like(std::size_t block, const Outline& outline, const TraceSummary& like,
                            std::span<const std::int64_t> shifts) {
  if (like.blocks_.empty() || like.world_ != world_) return;
  std::uint64_t all = 0;
  for (const Part& part : like.blocks_.front()) all += part.events;
  const double share =
      all == 0 ? 0 : static_cast<double>(outline.events) / static_cast<double>(all);
  std::uint64_t given = 0, seen = 0;
  for (const Part& part : like.blocks_.front()) {
    const auto from = static_cast<int>(part.group);
    const auto shift = shifts[part.group];
    const auto begin = later(outline.min_ns, -shift), end = later(outline.max_ns, -shift);
    seen += part.events;  // all parts together have as many events as the block
    const auto until = static_cast<std::uint64_t>(std::llround(static_cast<double>(seen) * share));
    if (until > given)
      add_part(block, {part.group, static_cast<std::uint32_t>(until - given), begin, end});
    given = until;
    spread(sent_[part.group], like.sent(from).total(), share, begin, end);
    for (int to = 0; to < groups(); ++to)
      if (const auto flow = like.flow(from, to).total(); flow.messages > 0)
        spread(flows_[flow_at(from, to)], flow, share, begin, end);
  }
}

void TraceSummary::encode(ByteWriter& out) const {
  out.put(static_cast<std::uint32_t>(world_));
  out.put(static_cast<std::uint32_t>(blocks_.size()));
  for (const Parts& parts : blocks_) out.put_array(std::span<const Part>(parts));
  for (const TrafficCurve& curve : sent_) encode_curve(curve, out);
  for (const TrafficCurve& curve : flows_) encode_curve(curve, out);
}

TraceSummary TraceSummary::decode(ByteReader& in) {
  const auto damaged = [] { return FormatError("the summary of a trace is damaged"); };
  const auto world = in.get<std::uint32_t>();
  if (world == 0 || world > static_cast<std::uint32_t>(TraceBuilder::kMostRanks)) throw damaged();
  TraceSummary summary(static_cast<int>(world));
  const auto groups = static_cast<std::uint32_t>(summary.groups());
  const auto blocks = in.get<std::uint32_t>();
  if (blocks > kMostBlocks || blocks > in.left() / sizeof(std::uint64_t)) throw damaged();
  summary.blocks_.reserve(blocks);
  for (std::uint32_t i = 0; i < blocks; ++i) {
    Parts parts = in.get_array<Part>();
    for (std::size_t j = 0; j < parts.size(); ++j)
      if (parts[j].group >= groups || parts[j].events == 0 || parts[j].min_ns > parts[j].max_ns ||
          (j > 0 && parts[j - 1].group >= parts[j].group))
        throw damaged();
    summary.blocks_.push_back(std::move(parts));
  }
  for (TrafficCurve& curve : summary.sent_) curve = decode_curve(in, kMostBuckets);
  for (TrafficCurve& curve : summary.flows_) curve = decode_curve(in, kMostFlowBuckets);
  if (!in.done()) throw damaged();
  return summary;
}

}  // namespace rankscope
