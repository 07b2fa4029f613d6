// Deadlines, extensions, penalties and resubmissions.
#include "lessons/reports/class_rules.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/lesson/expand.h"
#include "lessons/text/date_time.h"

namespace rankscope {
namespace {

std::chrono::sys_seconds time_at(std::int64_t seconds) {
  return std::chrono::sys_seconds(std::chrono::seconds(seconds));
}

double units_of(std::int64_t late, std::string_view per) {
  constexpr double kHour = 3600, kDay = 86400;
  if (per == "once") return 1;
  return std::ceil(static_cast<double>(late) / (per == "hour" ? kHour : kDay));
}

bool is_closed(const HandIn& one) { return one.percent >= 100; }

}  // namespace

const RosterStudent* ClassRules::student(std::string_view name) const {
  return roster_ == nullptr ? nullptr : roster_->find(name);
}

bool ClassRules::same_student(std::string_view a, std::string_view b) const {
  if (ascii_lower(trimmed(a)) == ascii_lower(trimmed(b))) return true;
  const RosterStudent* const one = student(a);
  return one != nullptr && one == student(b);
}

std::optional<std::chrono::sys_seconds> ClassRules::extension_of(std::string_view name) const {
  for (const HandInRules::Extension& one : rules_.extensions)
    if (same_student(one.student, name)) return one.until;
  return std::nullopt;
}

HandIn ClassRules::judge(std::string_view name,
                         std::optional<std::chrono::sys_seconds> time) const {
  HandIn out;
  if (time) out.time = time->time_since_epoch().count();
  const auto extension = extension_of(name);
  if (extension) out.extension = time_text(*extension);
  if (!time || !rules_.deadline) return out;
  const auto due = extension ? std::max(*extension, *rules_.deadline) : *rules_.deadline;
  if (*time <= due + rules_.grace) return out;
  out.late = (*time - due).count();
  out.percent = std::min(rules_.penalty * units_of(out.late, rules_.per), rules_.most);
  if (rules_.closes && *time > std::max(*rules_.closes, due)) out.percent = 100;
  return out;
}

std::string late_text(const HandIn& hand_in) {
  if (hand_in.late == 0) return "";
  std::string out = duration_text(std::chrono::seconds(hand_in.late)) + " late: ";
  if (hand_in.percent >= 100) return out + "too late, no points";
  if (hand_in.percent == 0) return out + "without a penalty";
  return out + fmt::format("{} % less", number_text(hand_in.percent));
}

std::string digest_text(const HandIn& hand_in) {
  if (!hand_in.time) return "";
  return fmt::format(" handed in {} {} {} {}", *hand_in.time, hand_in.late, hand_in.percent,
                     hand_in.extension);
}

void ClassRules::apply(const HandIn& hand_in, StudentReport& report) const {
  report.hand_in = hand_in;
  if (hand_in.late == 0) return;
  const double before = report.points() / std::max(1 - hand_in.percent / 100, 1e-9);
  std::string line =
      fmt::format("Handed in {}, {}", time_text(time_at(*hand_in.time)), late_text(hand_in));
  if (hand_in.percent > 0 && hand_in.percent < 100 && !report.hides_items())
    line += fmt::format(" ({} of {} points)", number_text(before - report.points()),
                        number_text(before));
  if (!hand_in.extension.empty()) line += fmt::format("; extension until {}", hand_in.extension);
  report.complaints.push_back(line + ".");
}

std::vector<GradebookRow> ClassRules::with_teams(std::vector<GradebookRow> rows,
                                                 std::vector<std::string>& lines) const {
  std::map<const RosterStudent*, const GradebookRow*> own;
  for (const GradebookRow& row : rows)
    if (const RosterStudent* one = student(row.student)) own[one] = &row;
  std::map<const RosterStudent*, GradebookRow> shared;
  std::set<std::string> named;
  for (const auto& [one, row] : own)
    for (const RosterStudent* other : roster_->teammates(*one)) {
      if (own.contains(other)) {
        if (named.insert(ascii_lower(one->team)).second)
          lines.push_back(
              fmt::format("team {}: {} and {} have both handed in; each keeps their own points",
                          escaped(one->team), row->student, own[other]->student));
        continue;
      }
      const auto known = shared.find(other);
      if (known != shared.end() && known->second.points >= row->points) continue;
      GradebookRow copy = *row;
      copy.student = other->name().empty() ? other->key() : other->name();
      copy.complaints.push_back(
          fmt::format("handed in by {}, of the team {}", row->student, escaped(one->team)));
      shared.insert_or_assign(other, std::move(copy));
    }
  if (roster_ != nullptr)
    for (const RosterStudent& one : roster_->all())
      if (const auto found = shared.find(&one); found != shared.end())
        rows.push_back(std::move(found->second));
  return rows;
}

const GradebookRow& ClassRules::best_of(const std::vector<const GradebookRow*>& all) const {
  return **ranges::max_element(all, [&](const GradebookRow* a, const GradebookRow* b) {
    if (rules_.counts == "best") return a->points < b->points;
    // A submission after the last moment does not replace an earlier one.
    if (is_closed(a->hand_in) != is_closed(b->hand_in)) return is_closed(a->hand_in);
    return a->hand_in.time.value_or(0) < b->hand_in.time.value_or(0);
  });
}

std::vector<GradebookRow> ClassRules::counting(std::vector<GradebookRow> rows,
                                               std::vector<std::string>& lines) const {
  if (rules_.counts.empty()) return rows;
  std::set<const GradebookRow*> left_out, seen;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (seen.contains(&rows[i])) continue;
    std::vector<const GradebookRow*> all = {&rows[i]};
    for (std::size_t k = i + 1; k < rows.size(); ++k)
      if (!seen.contains(&rows[k]) && same_student(rows[i].student, rows[k].student))
        all.push_back(&rows[k]);
    seen.insert(all.begin(), all.end());
    if (all.size() == 1) continue;
    const bool no_times =
        ranges::any_of(all, [](const GradebookRow* one) { return !one->hand_in.time; });
    if (rules_.counts == "last" && no_times) {
      lines.push_back(
          fmt::format("{}: {} submissions, and which is the last is not known: give "
                      "--times",
                      rows[i].student, all.size()));
      continue;
    }
    const GradebookRow& counts = best_of(all);
    for (const GradebookRow* one : all)
      if (one != &counts) left_out.insert(one);
    lines.push_back(fmt::format("{}: {} submissions, the {} counts: {} ({} points)",
                                rows[i].student, all.size(), rules_.counts, counts.submission,
                                number_text(counts.points)));
  }
  std::vector<GradebookRow> out;
  for (GradebookRow& row : rows)
    if (!left_out.contains(&row)) out.push_back(std::move(row));
  return out;
}

}  // namespace rankscope
