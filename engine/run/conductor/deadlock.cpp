// Decides from the ranks' reports whether all are asleep with nothing on its way to them.
#include "engine/run/conductor/deadlock.h"

#include <utility>

#include "engine/core/base/ranges.h"

namespace rankscope {

DeadlockWatch::DeadlockWatch(int world_size, std::string platform)
    : platform_(std::move(platform)), rank_reports_(static_cast<std::size_t>(world_size)) {}

void DeadlockWatch::ended(Rank rank, std::vector<FrameCount> traffic) {
  RankStatusReport& rank_report = rank_reports_[static_cast<std::size_t>(rank)];
  rank_report.ended = true;
  rank_report.report.traffic = std::move(traffic);
  asking_ = false;  // it had not slept for ever
  ask_if_suspected();
}

void DeadlockWatch::add_report(Standstill report, std::uint64_t round) {
  RankStatusReport& rank_report = rank_reports_[static_cast<std::size_t>(report.rank)];
  if (rank_report.ended) return;
  const bool same = report.asleep && report.unchanged_since(rank_report.report);
  if (round != 0 && (!asking_ || round != round_)) return;  // to an older question
  rank_report.report = std::move(report);
  if (!same) asking_ = false;
  else if (round != 0) rank_report.confirmed = true;
  if (!asking_) ask_if_suspected();
}

// What an ended rank has sent can still wake somebody up; what is sent to it is lost on nobody.
bool DeadlockWatch::may_be_deadlocked() const {
  const auto sleeps = [](const RankStatusReport& rank_report) {
    return rank_report.ended || rank_report.report.asleep;
  };
  if (!ranges::all_of(rank_reports_, sleeps)) return false;
  if (ranges::all_of(rank_reports_, &RankStatusReport::ended)) return false;
  for (std::size_t to = 0; to < rank_reports_.size(); ++to) {
    if (rank_reports_[to].ended) continue;
    for (std::size_t from = 0; from < rank_reports_.size(); ++from) {
      const auto sent = rank_reports_[from].report.with(static_cast<Rank>(to)).sent;
      if (from != to && sent != rank_reports_[to].report.with(static_cast<Rank>(from)).arrived)
        return false;
    }
  }
  return true;
}

void DeadlockWatch::ask_if_suspected() {
  questions_.clear();
  if (!may_be_deadlocked()) return;
  asking_ = true;
  ++round_;
  for (std::size_t i = 0; i < rank_reports_.size(); ++i) {
    rank_reports_[i].confirmed = false;
    if (!rank_reports_[i].ended) questions_.push_back(static_cast<Rank>(i));
  }
}

std::vector<Rank> DeadlockWatch::take_questions() { return std::exchange(questions_, {}); }

std::optional<Deadlock> DeadlockWatch::verdict() const {
  const auto settled = [](const RankStatusReport& rank_report) {
    return rank_report.ended || rank_report.confirmed;
  };
  if (!asking_ || !ranges::all_of(rank_reports_, settled)) return std::nullopt;
  std::vector<std::optional<Standstill>> reports;
  for (const RankStatusReport& rank_report : rank_reports_)
    reports.push_back(rank_report.ended ? std::nullopt : std::optional(rank_report.report));
  return explain_deadlock(reports, platform_);
}

}  // namespace rankscope
