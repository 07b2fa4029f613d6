// Chooses units and digits, reads them, and joins lists.
#include "engine/core/base/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"

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

constexpr Scale kBandwidthUnits[] = {{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}};
constexpr Scale kTimeUnits[] = {{1, "s"}, {1e3, "ms"}, {1e6, "us"}, {1e9, "ns"}};

/// Splits "12.5GB/s" into 12.5 and "GB/s"; returns false if the text does not begin with a number.
bool split_number(std::string_view text, double& value, std::string_view& unit) {
  const auto* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || !std::isfinite(value)) return false;
  unit = {rest, static_cast<std::size_t>(end - rest)};
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  return true;
}

[[noreturn]] void refuse_time(std::string_view text, std::string_view what) {
  throw UserError(
      fmt::format("{}: '{}' is not a time: write it as 850ns, 5us, 0.1ms or 2s", what, text));
}

[[noreturn]] void refuse_bandwidth(std::string_view text, std::string_view what) {
  throw UserError(fmt::format(
      "{}: '{}' is not a bandwidth above 0: write it as 10GB/s, 12.5GiB/s or 400Gb/s (bits)", what,
      text));
}

/// Removes the "/s" and the letter of bits or bytes; returns how many of them make a byte.
double take_unit(std::string_view& unit) {
  if (unit.ends_with("/s")) unit.remove_suffix(2);
  for (const auto& [name, bits] :
       {std::pair<std::string_view, double>{"bit", 8}, {"b", 8}, {"B", 1}})
    if (unit.ends_with(name)) {
      unit.remove_suffix(name.size());
      return bits;
    }
  return 1;
}

/// Returns 0 for an unknown unit.
std::uint64_t factor_of(std::string_view unit) {
  const std::string name = ascii_lower(unit);
  if (name.empty() || name == "b") return 1;
  const auto power = std::string_view("kmgt").find(name[0]);
  const std::string_view rest = std::string_view(name).substr(1);
  if (power == std::string_view::npos || (!rest.empty() && rest != "ib" && rest != "b")) return 0;
  std::uint64_t factor = 1;
  for (std::size_t i = 0; i <= power; ++i) factor *= rest == "b" ? 1000 : 1024;
  return factor;
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

void refuse_size(std::string_view text, std::string_view what) {
  throw UserError(
      fmt::format("{}: '{}' is not a size in bytes; write it as 4096, 64KiB (1024) or 32MB (1000)",
                  what, text));
}

std::uint64_t parse_size(std::string_view text, std::string_view what) {
  double number = 0;
  const auto* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(number)) refuse_size(text, what);
  if (text.starts_with('-'))
    throw UserError(fmt::format("{}: a size cannot be negative ({})", what, text));
  std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const std::uint64_t factor = factor_of(unit);
  if (factor == 0) refuse_size(text, what);
  const double bytes = number * static_cast<double>(factor);
  if (bytes > 9.2e18) throw UserError(fmt::format("{}: {} is too large", what, text));
  if (bytes != std::floor(bytes))
    throw UserError(fmt::format("{}: {} is not a whole number of bytes", what, text));
  // A double holds only 53 bits of a plain number.
  std::uint64_t exact = 0;
  const auto whole = std::from_chars(text.data(), rest, exact);
  return whole.ptr == rest ? exact * factor : static_cast<std::uint64_t>(bytes);
}

double parse_seconds(std::string_view text, std::string_view what) {
  double value = 0;
  std::string_view unit;
  if (!split_number(text, value, unit) || value < 0) refuse_time(text, what);
  if (value == 0 && unit.empty()) return 0;
  if (unit == "µs") unit = "us";
  for (const auto& [size, name] : kTimeUnits)
    if (unit == name) return value / size;
  refuse_time(text, what);
}

double parse_bandwidth(std::string_view text, std::string_view what) {
  double value = 0;
  std::string_view unit;
  if (!split_number(text, value, unit) || value <= 0) refuse_bandwidth(text, what);
  const double bits = take_unit(unit);
  constexpr std::string_view kPrefixes = "kMGT";
  double scale = 1;
  if (!unit.empty()) {
    const bool binary = unit.size() == 2 && unit[1] == 'i';
    const auto power = kPrefixes.find(unit[0] == 'K' ? 'k' : unit[0]);
    if (power == std::string_view::npos || (unit.size() > 1 && !binary))
      refuse_bandwidth(text, what);
    scale = std::pow(binary ? 1024 : 1000, static_cast<double>(power + 1));
  }
  return value * scale / bits;
}

std::string bandwidth_text(double bytes_per_second, int digits) {
  constexpr double kRounded = 0.9995;
  for (const auto& [size, unit] : kBandwidthUnits)
    if (bytes_per_second >= size * kRounded)
      return fmt::format("{:.{}g} {}", bytes_per_second / size, digits, unit);
  return fmt::format("{:.4g} B/s", bytes_per_second);
}

std::string exact_bandwidth_text(double bytes_per_second) {
  for (const auto& [size, unit] : kBandwidthUnits) {
    if (bytes_per_second < size) continue;
    std::string out = fmt::format("{} {}", bytes_per_second / size, unit);
    if (parse_bandwidth(out, "") == bytes_per_second) return out;
  }
  return fmt::format("{} B/s", bytes_per_second);
}

std::string exact_seconds_text(double seconds) {
  if (seconds == 0) return "0 s";
  for (const auto& [size, unit] : kTimeUnits) {
    if (seconds * size < 1 && size < 1e9) continue;
    std::string out = fmt::format("{} {}", seconds * size, unit);
    if (parse_seconds(out, "") == seconds) return out;
  }
  return fmt::format("{} s", seconds);
}

}  // namespace rankscope
