// Formats bytes, times, rates and counts with units.
#include "engine/core/base/quantity.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace rankscope {
namespace {

struct Scale {
  double size;
  std::string_view name;
};
constexpr std::array<Scale, 5> kBytes = {
    {{1, "B"}, {1 << 10, "KiB"}, {1 << 20, "MiB"}, {1 << 30, "GiB"}, {1099511627776.0, "TiB"}}};
constexpr std::array<Scale, 4> kTimes = {{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}}};

template <std::size_t N>
Unit largest_below(const std::array<Scale, N>& scales, double largest) {
  std::size_t at = 0;
  while (at + 1 < N && scales[at + 1].size <= largest) ++at;
  return {scales[at].size, scales[at].name, at == 0};
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

std::string Unit::text(double value) const {
  const double scaled = value / size;
  if (whole || value == 0) return grouped(static_cast<std::uint64_t>(std::llround(scaled)));
  if (scaled < 0.05) return "<0.1";
  const auto tenths = static_cast<std::uint64_t>(std::llround(scaled * 10));
  return fmt::format("{}.{}", grouped(tenths / 10), tenths % 10);
}

}  // namespace rankscope
