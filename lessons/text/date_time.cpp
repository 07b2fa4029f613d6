// Reads and writes dates and times.
#include "lessons/text/date_time.h"

#include <array>
#include <charconv>
#include <ctime>

#include <fmt/format.h>

namespace rankscope {
namespace {

/// Takes a number of this many digits from the front, if there is one.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  int out = 0;
  if (text.size() < digits || text.front() == '-' || text.front() == '+') return std::nullopt;
  const auto read = std::from_chars(text.data(), text.data() + digits, out);
  if (read.ec != std::errc{} || read.ptr != text.data() + digits) return std::nullopt;
  text.remove_prefix(digits);
  return out;
}

bool take_mark(std::string_view& text, std::string_view marks) {
  if (text.empty() || marks.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

struct WrittenTime {
  std::chrono::year_month_day day;
  std::chrono::seconds of_day{0};
  std::optional<std::chrono::minutes> offset;  ///< Unset: this machine's time zone.
};

/// "23:59", "23:59:00", "23:59:00.5"
bool take_clock(std::string_view& text, std::chrono::seconds& of_day) {
  const auto hour = take_digits(text, 2);
  if (!hour || !take_mark(text, ":")) return false;
  const auto minute = take_digits(text, 2);
  if (!minute || *hour > 23 || *minute > 59) return false;
  std::optional<int> second = 0;
  if (take_mark(text, ":")) {
    second = take_digits(text, 2);
    if (take_mark(text, "."))
      while (take_mark(text, "0123456789")) {
      }
  }
  if (!second || *second > 60) return false;
  of_day =
      std::chrono::hours(*hour) + std::chrono::minutes(*minute) + std::chrono::seconds(*second);
  return true;
}

bool take_offset(std::string_view& text, std::optional<std::chrono::minutes>& offset) {
  take_mark(text, " ");
  if (text.empty()) return true;
  offset = std::chrono::minutes(0);
  if (take_mark(text, "Zz")) return true;
  const bool west = text.starts_with('-');
  if (!take_mark(text, "+-")) return false;
  const auto hours = take_digits(text, 2);
  take_mark(text, ":");
  const auto minutes = take_digits(text, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return false;
  offset = (std::chrono::hours(*hours) + std::chrono::minutes(*minutes)) * (west ? -1 : 1);
  return true;
}

std::optional<WrittenTime> written_time(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take_mark(text, "-")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take_mark(text, "-")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  WrittenTime out;
  out.day = std::chrono::year(*year) / *month / *day;
  if (!out.day.ok()) return std::nullopt;
  if (text.empty()) return out;
  if (!take_mark(text, "T t") || !take_clock(text, out.of_day)) return std::nullopt;
  if (!take_offset(text, out.offset) || !text.empty()) return std::nullopt;
  return out;
}

}  // namespace

std::optional<std::chrono::sys_seconds> time_of(std::string_view text) {
  const auto read = written_time(text);
  if (!read) return std::nullopt;
  if (read->offset) return std::chrono::sys_days(read->day) + read->of_day - *read->offset;
  std::tm local{};
  local.tm_year = static_cast<int>(read->day.year()) - 1900;
  local.tm_mon = static_cast<int>(static_cast<unsigned>(read->day.month())) - 1;
  local.tm_mday = static_cast<int>(static_cast<unsigned>(read->day.day()));
  // mktime() adds seconds beyond a minute to the time that it has found, which is an hour off where clocks change.
  const std::chrono::hh_mm_ss clock(read->of_day);
  local.tm_hour = static_cast<int>(clock.hours().count());
  local.tm_min = static_cast<int>(clock.minutes().count());
  local.tm_sec = static_cast<int>(clock.seconds().count());
  local.tm_isdst = -1;
  const std::time_t time = std::mktime(&local);
  if (time == -1) return std::nullopt;
  return std::chrono::sys_seconds(std::chrono::seconds(time));
}

std::string time_text(std::chrono::sys_seconds time) {
  const std::time_t seconds = time.time_since_epoch().count();
  std::tm local{};
  localtime_r(&seconds, &local);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", local.tm_year + 1900, local.tm_mon + 1,
                     local.tm_mday, local.tm_hour, local.tm_min);
}

std::string duration_text(std::chrono::seconds duration) {
  constexpr std::array<std::pair<std::int64_t, const char*>, 4> kUnits = {
      {{86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}}};
  std::int64_t left = duration.count();
  std::string out;
  int parts = 0;
  for (const auto& [size, name] : kUnits) {
    const std::int64_t count = left / size;
    left %= size;
    if (count == 0 || parts == 2) continue;
    out += fmt::format("{}{} {}{}", out.empty() ? "" : " ", count, name, count == 1 ? "" : "s");
    ++parts;
  }
  return out.empty() ? "0 seconds" : out;
}

}  // namespace rankscope
