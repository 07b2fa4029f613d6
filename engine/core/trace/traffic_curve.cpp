// Counts messages into buckets that double their width as a run gets longer.
#include "engine/core/trace/traffic_curve.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/base/error.h"

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

}  // namespace rankscope
