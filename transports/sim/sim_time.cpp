// Converts a double to the decimal number that is meant.
#include "transports/sim/sim_time.h"

#include <array>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

namespace rankscope {

SimTime SimTime::of_decimal(double seconds) noexcept {
  constexpr int kDigits = 14;  // behind the point
  constexpr int kPlaces = 24;  // of a unit
  std::array<char, 40> buffer{};
  const auto end = fmt::format_to_n(buffer.data(), buffer.size(), "{:.14e}", seconds).out;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const auto e = text.find('e');
  const std::string_view power_text = text.substr(text[e + 1] == '+' ? e + 2 : e + 1);
  int power = 0;
  std::from_chars(power_text.data(), power_text.data() + power_text.size(), power);
  Units units = 0;
  for (const char digit : text.substr(0, e))
    if (digit != '.') units = units * 10 + (digit - '0');
  for (power += kPlaces - kDigits; power > 0; --power) units *= 10;
  for (; power < 0; ++power) units = (units + (power == -1 ? 5 : 0)) / 10;
  return SimTime(units);
}

SimTime SimTime::rounded(double seconds) noexcept {
  const Units units = of(seconds).units_;
  constexpr Units kDigits = 100'000'000'000'000;  // 10^14
  Units grid = 1;
  while (units / grid >= kDigits) grid *= 10;
  return SimTime((units + grid / 2) / grid * grid);
}

}  // namespace rankscope
