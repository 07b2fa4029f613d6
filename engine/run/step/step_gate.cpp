// Holds the strands of a rank, hands out permits, tests breakpoints, and reports the strands' positions.
#include "engine/run/step/step_gate.h"

#include <string_view>

#include "engine/core/base/deadline.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/message/endpoint.h"

namespace rankscope {

using PlaceState = StrandPlace::State;
using Guard = std::lock_guard<std::mutex>;

bool Breakpoint::matches(Rank at, const GatePoint& point) const noexcept {
  if (rank >= 0 && rank != at) return false;
  if (!phase.empty() && phase != point.phase_name) return false;
  if (!file.empty() && !std::string_view(point.call.file).ends_with(file)) return false;
  return line == 0 || line == point.call.line;
}

bool StepGate::stops(const GatePoint& point) const {
  return ranges::any_of(orders_.breakpoints,
                        [&](const auto& b) { return b.matches(rank_, point); });
}

// Reports nothing while the gate is open; the conductor asks by closing it.
void StepGate::report_places() {
  if (!orders_.closed || listener_ == nullptr) return;
  listener_->on_places(places_, {orders_.number, all_permits_}, std::exchange(received_, {}));
}

void StepGate::set(GateOrders orders) {
  {
    const Guard lock(mutex_);
    orders_ = std::move(orders);
    if (!orders_.closed) release_held();
    set_attention(orders_.attention());
    report_places();
  }
  changed_.notify_all();
}

// The conductor may change breakpoints before it knows that one was hit. If the new ones hold a strand too, all held
// strands stay.
void StepGate::release_held() {
  for (auto& [strand, place] : places_) {
    if (place.state != PlaceState::held) continue;
    place.hit = place.opened == orders_.opened && stops(place.point);
    orders_.closed |= place.hit;
  }
  if (orders_.closed) return;
  received_.clear();
  for (auto& [strand, place] : places_)
    if (place.state == PlaceState::held) place.state = PlaceState::running;
}

void StepGate::permit(OpId op) {
  {
    const Guard lock(mutex_);
    ++all_permits_;
    for (auto& [strand, place] : places_)
      if (place.state == PlaceState::held && place.point.op == op)
        place.state = PlaceState::running;
    report_places();
  }
  changed_.notify_all();
}

void StepGate::stop() {
  {
    const Guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

void StepGate::begin_job() {
  const Guard lock(mutex_);
  stopped_ = false;
  all_permits_ = 0;
  ++moves_;
  received_.clear();
  places_.clear();
  places_[0] = {};
}

StrandsLook StepGate::look() const {
  const Guard lock(mutex_);
  return {places_, moves_};
}

std::optional<std::uint64_t> StepGate::asleep() const {
  const Guard lock(mutex_);
  const bool all = ranges::all_of(
      places_, [](const auto& known) { return known.second.state == PlaceState::blocked; });
  return all ? std::optional(moves_) : std::nullopt;
}

// The delay's length may change meanwhile.
std::chrono::nanoseconds StepGate::sit_out_delay(std::unique_lock<std::mutex>& lock) {
  if (orders_.delay_us <= 0) return {};
  const auto began = Clock::now();
  const auto end = [&] {
    return began + std::chrono::nanoseconds(static_cast<std::int64_t>(orders_.delay_us * 1e3));
  };
  while (!stopped_ && Clock::now() < end()) changed_.wait_until(lock, end());
  return Clock::now() - began;
}

std::chrono::nanoseconds StepGate::hold(const GatePoint& point) {
  std::unique_lock lock(mutex_);
  const std::chrono::nanoseconds delay = sit_out_delay(lock);
  const bool hit = !orders_.closed && stops(point);
  orders_.closed |= hit;
  if (orders_.closed && !stopped_) {
    StrandPlace& place = places_[point.strand];
    place = {.state = PlaceState::held, .point = point, .hit = hit, .opened = orders_.opened};
    report_places();
    changed_.wait(lock, [&] { return stopped_ || place.state != PlaceState::held; });
  }
  if (stopped_)
    throw CommError(CommError::Reason::stopped, rank_, -1, point.call,
                    "the run was stopped while the rank was held at the gate");
  return delay;
}

void StepGate::blocked(const GatePoint& point) noexcept {
  const Guard lock(mutex_);
  ++moves_;
  places_[point.strand] = {.state = PlaceState::blocked, .point = point};
  report_places();
}

void StepGate::woke(std::uint16_t strand) noexcept {
  const Guard lock(mutex_);
  ++moves_;
  places_[strand].state = PlaceState::running;
  report_places();
}

void StepGate::received(const Operation& op) noexcept {
  const Guard lock(mutex_);
  if (orders_.closed) received_.push_back({op.cause, op.where.strand});
}

void StepGate::strand_begins(std::uint16_t strand) noexcept {
  const Guard lock(mutex_);
  ++moves_;
  places_[strand] = {};
  report_places();
}

void StepGate::strand_ends(std::uint16_t strand) noexcept {
  const Guard lock(mutex_);
  ++moves_;
  places_.erase(strand);
  for (auto& [other, place] : places_) {
    if (place.state != PlaceState::blocked || place.awaits != strand) continue;
    place.state = PlaceState::running;
    place.awaits = 0;
  }
  report_places();
}

void StepGate::awaits_strand(const GatePoint& point, std::uint16_t awaited) noexcept {
  const Guard lock(mutex_);
  if (!places_.contains(awaited)) return;  // it has ended
  ++moves_;
  places_[point.strand] = {.state = PlaceState::blocked, .point = point, .awaits = awaited};
  report_places();
}

void StepGate::poll_found_nothing(std::uint16_t strand) {
  std::unique_lock lock(mutex_);
  if (!orders_.closed || !orders_.looks || stopped_) return;
  GatePoint point;
  point.verb = Verb::wait;
  point.strand = strand;
  StrandPlace& place = places_[strand];
  place = {.state = PlaceState::held, .point = point, .opened = orders_.opened};
  report_places();
  changed_.wait(lock, [&] { return stopped_ || place.state != PlaceState::held; });
}

}  // namespace rankscope
