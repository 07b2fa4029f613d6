// Gathers what a trace file's events say in sum, and stores it.
#include "engine/core/trace/trace_summary.h"

#include <algorithm>

#include "engine/core/base/error.h"
#include "engine/core/trace/trace_builder.h"

namespace rankscope {
namespace {

// What a crafted file may make a reader take.
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

}  // namespace

TraceSummary::TraceSummary(int world)
    : world_(std::clamp(world, 1, TraceBuilder::kMostRanks)),
      valid_(world > 0 && world <= TraceBuilder::kMostRanks),
      sent_(static_cast<std::size_t>(std::min(world_, kMostGroups)), TrafficCurve(kMostBuckets)),
      flows_(sent_.size() * sent_.size(), TrafficCurve(kMostFlowBuckets)) {}

TraceSummary::Part& TraceSummary::part_of(std::size_t block, int group) {
  if (blocks_.size() <= block) blocks_.resize(block + 1);
  Parts& parts = blocks_[block];
  const auto number = static_cast<std::uint32_t>(group);
  const auto at = std::ranges::lower_bound(parts, number, {}, &Part::group);
  if (at != parts.end() && at->group == number) return *at;
  return *parts.insert(at, {number, 0, 0, 0});
}

void TraceSummary::add(std::size_t block, std::span<const StepEvent> events,
                       std::int64_t shift_ns) {
  if (events.empty()) return;
  const Rank rank = events.front().rank;
  if (rank < 0 || rank >= world_) valid_ = false;
  if (!valid_) return;
  const int group = group_of(rank);
  auto& sent = sent_[static_cast<std::size_t>(group)];
  const auto first = later(events.front().time_ns, shift_ns);
  std::int64_t low = first, high = first;
  for (const StepEvent& event : events) {
    const auto time = later(event.time_ns, shift_ns);
    low = std::min(low, time);
    high = std::max(high, time);
    if (event.kind != EventKind::posted || event.verb != Verb::send) continue;
    if (event.peer < 0 || event.peer >= world_) continue;
    sent.add(time, {1, event.bytes});
    flows_[flow_at(group, group_of(event.peer))].add(time, {1, event.bytes});
  }
  Part& part = part_of(block, group);
  part.min_ns = part.events == 0 ? low : std::min(part.min_ns, low);
  part.max_ns = part.events == 0 ? high : std::max(part.max_ns, high);
  part.events += static_cast<std::uint32_t>(events.size());
}

void TraceSummary::add(const TraceSummary& other) {
  valid_ = valid_ && other.valid_ && world_ == other.world_;
  if (!valid_) return;
  for (std::size_t block = 0; block < other.blocks_.size(); ++block)
    for (const Part& theirs : other.blocks_[block]) {
      Part& part = part_of(block, static_cast<int>(theirs.group));
      part.min_ns = part.events == 0 ? theirs.min_ns : std::min(part.min_ns, theirs.min_ns);
      part.max_ns = part.events == 0 ? theirs.max_ns : std::max(part.max_ns, theirs.max_ns);
      part.events += theirs.events;
    }
  for (std::size_t i = 0; i < sent_.size(); ++i) sent_[i].add(other.sent_[i]);
  for (std::size_t i = 0; i < flows_.size(); ++i) flows_[i].add(other.flows_[i]);
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
