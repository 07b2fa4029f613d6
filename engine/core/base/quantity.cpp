// Chooses units and digits, and joins lists.
#include "engine/core/base/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace rankscope {
namespace {

struct Scale {
  double size;
  std::string_view name;
};
constexpr std::array<Scale, 7> kBytes = {{{1, "B"},
                                          {0x1p10, "KiB"},
                                          {0x1p20, "MiB"},
                                          {0x1p30, "GiB"},
                                          {0x1p40, "TiB"},
                                          {0x1p50, "PiB"},
                                          {0x1p60, "EiB"}}};
constexpr std::array<Scale, 4> kTimes = {{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}}};

template <std::size_t N>
Unit largest_below(const std::array<Scale, N>& scales, double largest) {
  std::size_t at = 0;
  while (at + 1 < N && scales[at + 1].size <= largest) ++at;
  return {scales[at].size, scales[at].name, at == 0};
}

/// Three significant digits below a thousand, whole numbers above, and no decimals for whole values.
std::string three_digits(double value) {
  if (value == std::floor(value)) return fmt::format("{:.0f}", value);
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  return value >= 9.995 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

std::string with_unit(const Unit& unit, double value) {
  return fmt::format("{} {}", decimal(value / unit.size, 1), unit.name);
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string text = fmt::format("{}", number);
  for (auto at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

std::string and_list(std::span<const std::string> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return out;
}

std::string rank_list(std::span<const Rank> ranks, std::size_t most) {
  if (ranks.empty()) return "no rank";
  std::vector<std::string> names;
  const std::size_t shown = ranks.size() > most ? most - 1 : ranks.size();
  for (const Rank rank : ranks.first(shown)) names.push_back(fmt::format("{}", rank));
  if (shown < ranks.size()) names.push_back(fmt::format("{} more", ranks.size() - shown));
  return (ranks.size() == 1 ? "rank " : "ranks ") + and_list(names);
}

std::string decimal(double value, int places) {
  std::string text = fmt::format("{:.{}f}", value, places);
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string amount_text(std::uint64_t bytes) {
  return with_unit(Unit::of_bytes(bytes), static_cast<double>(bytes));
}

std::string time_text(std::int64_t ns) {
  return with_unit(Unit::of_time(ns), static_cast<double>(ns));
}

std::string microseconds_text(double us) { return time_text(std::llround(us * 1e3)); }

std::string format_bytes(double bytes) {
  std::size_t unit = 0;
  // 1023.6 KiB would be printed as "1024 KiB".
  while (bytes >= 1023.5 && unit + 1 < kBytes.size()) {
    bytes /= 1024;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f} B", bytes);
  return fmt::format("{} {}", three_digits(bytes), kBytes[unit].name);
}

std::string format_seconds(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "–";
  if (seconds < 0.9995e-6) return fmt::format("{:.0f} ns", seconds * 1e9);
  if (seconds < 0.9995e-3) return fmt::format("{} µs", three_digits(seconds * 1e6));
  if (seconds < 0.9995) return fmt::format("{} ms", three_digits(seconds * 1e3));
  if (seconds < 119.5) return fmt::format("{} s", three_digits(seconds));
  const auto whole = std::llround(seconds);
  return fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

std::string format_rate(double bytes_per_second) { return format_bytes(bytes_per_second) + "/s"; }

double round_figure(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (power * factor >= least) return power * factor;
  return power * 10;
}

Unit Unit::of_bytes(std::uint64_t largest) {
  return largest_below(kBytes, static_cast<double>(largest));
}
Unit Unit::of_time(std::int64_t largest_ns) {
  return largest_below(kTimes, static_cast<double>(largest_ns));
}

Unit Unit::of_moments(double span_us) {
  return of_time(std::max<std::int64_t>(1000, std::llround(span_us * 1e3)));
}

std::string Unit::named(double value, int digits) const {
  return fmt::format("{:.{}f} {}", value / size, digits, name);
}

std::string Unit::text(double value) const {
  const double scaled = value / size;
  if (whole || value == 0) return grouped(static_cast<std::uint64_t>(std::llround(scaled)));
  if (scaled < 0.05) return "<0.1";
  const auto tenths = static_cast<std::uint64_t>(std::llround(scaled * 10));
  return fmt::format("{}.{}", grouped(tenths / 10), tenths % 10);
}

}  // namespace rankscope
