// Virtual time as a fixed-point number: sums are exact in any order.
#pragma once

#include <cmath>
#include <cstdint>

namespace rankscope {

/// A moment or a duration in units of 10^-24 s. 1 us then takes exactly as long as 1000 bytes at 1 GB/s, so that the
/// order at a port does not depend on how times were added up. Reaches 5 million years.
class SimTime {
 public:
  constexpr SimTime() = default;
  /// `seconds`: 0 to 1e12.
  static SimTime of(double seconds) noexcept {
    return SimTime(static_cast<Units>(seconds * kUnits));
  }
  static constexpr SimTime least() noexcept { return SimTime(1); }
  /// Returns the 15-digit decimal number that a person means: for 1e-9, which is not a binary fraction, exactly 10^15
  /// units.
  static SimTime of_decimal(double seconds) noexcept;
  /// Rounds to 14 digits, so that values that are mathematically equal compare equal despite rounding in sums.
  static SimTime rounded(double seconds) noexcept;
  double seconds() const noexcept { return static_cast<double>(units_) / kUnits; }
  std::int64_t ns() const noexcept { return std::llround(seconds() * 1e9); }

  /// Returns this duration times a number of bytes.
  SimTime times(std::uint64_t count) const noexcept {
    return SimTime(units_ * static_cast<Units>(count));
  }
  /// Scales the time; a factor of 1 leaves it unchanged.
  SimTime scaled(double factor) const noexcept {
    return factor == 1 ? *this : of(seconds() * factor);
  }
  bool is_zero() const noexcept { return units_ == 0; }

  SimTime& operator+=(SimTime other) noexcept {
    units_ += other.units_;
    return *this;
  }
  friend SimTime operator+(SimTime a, SimTime b) noexcept { return a += b; }
  friend SimTime operator-(SimTime a, SimTime b) noexcept { return SimTime(a.units_ - b.units_); }
  friend bool operator==(SimTime a, SimTime b) noexcept { return a.units_ == b.units_; }
  friend bool operator<(SimTime a, SimTime b) noexcept { return a.units_ < b.units_; }
  friend bool operator<=(SimTime a, SimTime b) noexcept { return a.units_ <= b.units_; }
  friend bool operator>(SimTime a, SimTime b) noexcept { return b < a; }
  friend SimTime later(SimTime a, SimTime b) noexcept { return a < b ? b : a; }

 private:
  __extension__ typedef __int128 Units;   // NOLINT(modernize-use-using): cannot be marked so
  static constexpr double kUnits = 1e24;  ///< Units per second.
  explicit constexpr SimTime(Units units) noexcept : units_(units) {}
  Units units_ = 0;
};

}  // namespace rankscope
