// Parses sizes such as "64KiB".
#include "engine/core/base/byte_size.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"

namespace rankscope {
namespace {

/// Returns 0 for an unknown unit.
std::uint64_t factor_of(std::string_view unit) {
  struct Unit {
    std::string_view name;
    std::uint64_t factor;
  };
  constexpr std::uint64_t kKi = 1024, kK = 1000;
  constexpr std::array<Unit, 14> kUnits{{{"", 1},
                                         {"b", 1},
                                         {"k", kKi},
                                         {"kib", kKi},
                                         {"kb", kK},
                                         {"m", kKi * kKi},
                                         {"mib", kKi * kKi},
                                         {"mb", kK * kK},
                                         {"g", kKi * kKi * kKi},
                                         {"gib", kKi * kKi * kKi},
                                         {"gb", kK * kK * kK},
                                         {"t", kKi * kKi * kKi * kKi},
                                         {"tib", kKi * kKi * kKi * kKi},
                                         {"tb", kK * kK * kK * kK}}};
  const std::string name = ascii_lower(unit);
  for (const auto& known : kUnits)
    if (known.name == name) return known.factor;
  return 0;
}

}  // namespace

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

}  // namespace rankscope
