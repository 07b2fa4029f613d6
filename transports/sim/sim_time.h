// Virtual time as a fixed-point number: sums are exact in whatever order they are made.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>

namespace rankscope {

/// A moment or a duration in units of 10^-24 s. 1 us takes then exactly as long as 1000 bytes at 1 GB/s, so that who is
/// first at a port does not depend on how times were added up. Reaches 5 million years.
class SimTime {
 public:
  constexpr SimTime() = default;
  /// `seconds`: 0 to 1e12.
  static SimTime of(double seconds) noexcept {
    return SimTime(static_cast<Units>(seconds * kUnits));
  }
  static constexpr SimTime least() noexcept { return SimTime(1); }
  /// The number of 15 digits that a person means: of 1e-9, which is no binary fraction, exactly 10^15 units.
  static SimTime of_decimal(double seconds) noexcept;
  /// To 14 digits, so that what is equal on paper is equal though it was added up with rounding.
  static SimTime rounded(double seconds) noexcept;
  double seconds() const noexcept { return static_cast<double>(units_) / kUnits; }
  std::int64_t ns() const noexcept { return std::llround(seconds() * 1e9); }

  /// This long for each of so many bytes.
  SimTime times(std::uint64_t count) const noexcept {
    return SimTime(units_ * static_cast<Units>(count));
  }
  /// Stretched; unchanged by 1.
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
  static constexpr double kUnits = 1e24;  ///< In a second.
  explicit constexpr SimTime(Units units) noexcept : units_(units) {}
  Units units_ = 0;
};

}  // namespace rankscope
