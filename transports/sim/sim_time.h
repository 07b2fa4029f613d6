// Virtual time as a fixed-point number: sums are exact in whatever order they are made.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>

namespace rankscope {

/// A moment or a duration in units of 2^-80 s. Two messages of 100 bytes then take exactly as long as one of 200
/// without latency, so that who is first at a port does not depend on how times were added up. Reaches 4 million years.
class SimTime {
 public:
  constexpr SimTime() = default;
  /// `seconds`: 0 to 1e12.
  static SimTime of(double seconds) noexcept {
    return SimTime(static_cast<Units>(std::ldexp(seconds, kBits)));
  }
  double seconds() const noexcept { return std::ldexp(static_cast<double>(units_), -kBits); }
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
  __extension__ typedef __int128 Units;  // NOLINT(modernize-use-using): cannot be marked so
  static constexpr int kBits = 80;
  explicit constexpr SimTime(Units units) noexcept : units_(units) {}
  Units units_ = 0;
};

}  // namespace rankscope
