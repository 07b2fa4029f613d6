// Prints amounts: bytes, times, counts, and lists of ranks.
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
