// Prints amounts: bytes, times, counts, and lists of ranks; reads sizes, times and bandwidths as people type them.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/base/types.h"

namespace rankscope {

/// "1,234".
std::string grouped(std::uint64_t number);
/// "1,234 messages", "1 message".
std::string counted(std::uint64_t number, std::string_view noun);
/// "a", "a and b", "a, b and c".
std::string and_list(std::span<const std::string> names);
/// "no rank", "rank 2", "ranks 0, 1 and 3"; above `most` ranks, "ranks 0, 1, 2 and 9 more" names `most` - 1.
std::string rank_list(std::span<const Rank> ranks, std::size_t most = 8);

/// One decimal at most: "64 B", "1.5 KiB".
std::string amount_text(std::uint64_t bytes);
/// One decimal at most: "850 ns", "12.3 µs", "4.5 ms", "1.2 s".
std::string time_text(std::int64_t ns);
std::string microseconds_text(double us);
/// At most two decimals and, below 1000, three digits: "512 B", "64 KiB", "1.5 MiB", "1.23 GiB".
std::string format_bytes(double bytes);
template <std::integral T>
std::string format_bytes(T bytes) {
  return format_bytes(static_cast<double>(bytes));
}
/// At most three significant digits: "850 ns", "12.3 µs", "4.56 ms", "1.20 s", "2 min 05 s"; "–" if negative or not
/// finite.
std::string format_seconds(double seconds);
/// "1.23 GiB/s".
std::string format_rate(double bytes_per_second);
/// Prints at most the given number of decimals, without trailing zeros.
std::string decimal(double value, int places);

/// Returns the least of 1, 2 and 5 times a power of ten that is not below the value (> 0): the step of an axis.
double round_figure(double least);

// ---- As people type them. What cannot be read throws a UserError that begins with `what` ----

/// Parses bytes: "8", "64KiB" (IEC: 1024), "32MB" (decimal: 1000), "1.5MiB". K, M, G and T alone are IEC, as in the
/// field's benchmarks.
std::uint64_t parse_size(std::string_view text, std::string_view what);
/// Throws the UserError that says how to write a size.
[[noreturn]] void refuse_size(std::string_view text, std::string_view what);
/// Parses seconds: "850ns", "5 us", "0.1ms", "2s".
double parse_seconds(std::string_view text, std::string_view what);
/// Parses bytes per second, above 0: "10GB/s", "12.5 GiB/s", "400Gb/s" (bits).
double parse_bandwidth(std::string_view text, std::string_view what);

/// Prints decimal units with the given number of digits: "25 GB/s".
std::string bandwidth_text(double bytes_per_second, int digits = 3);
/// For files: prints text that parses to exactly the same number.
std::string exact_bandwidth_text(double bytes_per_second);
std::string exact_seconds_text(double seconds);

/// One unit for all numbers of a table, or all times of a run.
struct Unit {
  double size = 1;  ///< In bytes or nanoseconds.
  std::string_view name;
  bool whole = true;  ///< All values are multiples of the unit, so no decimals are printed.

  /// Returns the largest unit that keeps the largest value at 1 or more.
  static Unit of_bytes(std::uint64_t largest);
  static Unit of_time(std::int64_t largest_ns);
  /// Returns microseconds, milliseconds or seconds, for times up to the given number of microseconds.
  static Unit of_moments(double span_us);
  /// Prints a value with the given number of decimals and the unit: "12.50 ms".
  std::string named(double value, int digits) const;
  /// Prints the number without the unit; "<0.1" for a value that would round to zero.
  std::string text(double value) const;
};

}  // namespace rankscope
