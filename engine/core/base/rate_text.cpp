// Reads and writes times and bandwidths with their units.
#include "engine/core/base/rate_text.h"

#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"

namespace rankscope {
namespace {

using NamedSize = std::pair<double, std::string_view>;
constexpr NamedSize kBandwidthUnits[] = {
    {1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}};
constexpr NamedSize kTimeUnits[] = {{1, "s"}, {1e3, "ms"}, {1e6, "us"}, {1e9, "ns"}};

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

}  // namespace

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
