#include "engine/run/conductor/deadlock.h"

#include <algorithm>
#include <utility>

namespace rankscope {

DeadlockWatch::DeadlockWatch(int world_size) : seats_(static_cast<std::size_t>(world_size)) {}

void DeadlockWatch::ended(Rank rank, std::vector<FrameCount> traffic) {
  Seat& seat = seats_[static_cast<std::size_t>(rank)];
  seat.ended = true;
  seat.report.traffic = std::move(traffic);
  asking_ = false;  // it had not slept for ever
  consider();
}

void DeadlockWatch::heard(Standstill report, std::uint64_t round) {
  Seat& seat = seats_[static_cast<std::size_t>(report.rank)];
  if (seat.ended) return;
  const bool same = report.asleep && report.unchanged_since(seat.report);
  if (round != 0 && (!asking_ || round != round_)) return;  // to an older question
  seat.report = std::move(report);
  if (!same) asking_ = false;
  else if (round != 0) seat.confirmed = true;
  if (!asking_) consider();
}

// What an ended rank has sent can still wake somebody up; what is sent to it is lost on nobody.
bool DeadlockWatch::suspicious() const {
  const auto sleeps = [](const Seat& seat) { return seat.ended || seat.report.asleep; };
  if (!std::ranges::all_of(seats_, sleeps)) return false;
  if (std::ranges::all_of(seats_, &Seat::ended)) return false;
  for (std::size_t to = 0; to < seats_.size(); ++to) {
    if (seats_[to].ended) continue;
    for (std::size_t from = 0; from < seats_.size(); ++from) {
      const auto sent = seats_[from].report.with(static_cast<Rank>(to)).sent;
      if (from != to && sent != seats_[to].report.with(static_cast<Rank>(from)).arrived)
        return false;
    }
  }
  return true;
}

void DeadlockWatch::consider() {
  questions_.clear();
  if (!suspicious()) return;
  asking_ = true;
  ++round_;
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    seats_[i].confirmed = false;
    if (!seats_[i].ended) questions_.push_back(static_cast<Rank>(i));
  }
}

std::vector<Rank> DeadlockWatch::take_questions() { return std::exchange(questions_, {}); }

std::optional<Deadlock> DeadlockWatch::verdict() const {
  const auto settled = [](const Seat& seat) { return seat.ended || seat.confirmed; };
  if (!asking_ || !std::ranges::all_of(seats_, settled)) return std::nullopt;
  std::vector<std::optional<Standstill>> reports;
  for (const Seat& seat : seats_)
    reports.push_back(seat.ended ? std::nullopt : std::optional(seat.report));
  return explain_deadlock(reports);
}

}  // namespace rankscope
