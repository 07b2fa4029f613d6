// Amounts as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope {

/// "1,234".
std::string grouped(std::uint64_t number);
/// "3 messages", "1 message"; grouped.
std::string counted(std::uint64_t number, std::string_view noun);
/// "64 B", "1.5 KiB".
std::string amount_text(std::uint64_t bytes);
/// "850 ns", "12.3 µs", "4.5 ms", "1.2 s".
std::string time_text(std::int64_t ns);
/// The same; scenes count measured time in microseconds.
std::string microseconds_text(double us);
/// Up to so many places, without zeros at the end.
std::string decimal(double value, int places);

/// The least of 1, 2 and 5 times a power of ten that is not below this: the step of an axis.
double round_figure(double least);

/// One unit for all numbers of a table.
struct Unit {
  double size = 1;
  std::string_view name;
  bool whole = true;  ///< All values are multiples of it: no decimals.

  /// The largest one that keeps the largest value at 1 or more.
  static Unit of_bytes(std::uint64_t largest);
  static Unit of_time(std::int64_t largest_ns);
  /// The number without the unit's name; "<0.1" for what would be rounded to nothing.
  std::string text(double value) const;
};

}  // namespace rankscope
