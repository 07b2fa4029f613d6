// Parses sizes, ranges of sizes, delays and lists of integers.
#include "cli/sizes.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "engine/run/job/job_fields.h"

namespace rankscope::cli {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();

std::vector<std::uint64_t> size_range(std::string_view text, std::string_view what) {
  const auto parts = split_at(text, ":");
  if (parts.size() > 3) refuse_size(text, what);
  const std::uint64_t first = parse_size(parts[0], what), last = parse_size(parts[1], what);
  std::int64_t factor = 2;
  if (parts.size() == 3) {
    if (!parts[2].starts_with('x'))
      throw UserError(
          fmt::format("{}: the step of the range '{}' is a factor, such as x4", what, text));
    factor = parse_integer(parts[2].substr(1), what, 2, 1 << 20);
  }
  if (first > last)
    throw UserError(fmt::format("{}: the range '{}' ends before it starts", what, text));
  std::vector<std::uint64_t> sizes;
  if (first == 0) sizes.push_back(0);  // 0 times anything does not grow: then from 1 byte on
  const auto times = static_cast<std::uint64_t>(factor);
  for (std::uint64_t size = std::max<std::uint64_t>(first, 1); size <= last; size *= times) {
    sizes.push_back(size);
    if (size > kLargest / times) break;
  }
  return sizes;
}

}  // namespace

std::vector<std::uint64_t> parse_sizes(std::string_view text, std::string_view what) {
  std::vector<std::uint64_t> sizes;
  for (const auto part : split_at(text, ",")) {
    if (part.find(':') == std::string_view::npos) {
      sizes.push_back(parse_size(part, what));
    } else {
      const auto range = size_range(part, what);
      sizes.insert(sizes.end(), range.begin(), range.end());
    }
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::int64_t parse_integer(std::string_view text, std::string_view what, std::int64_t lowest,
                           std::int64_t highest) {
  std::int64_t value = 0;
  const auto* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || rest != end || error == std::errc::invalid_argument)
    throw UserError(fmt::format("{}: '{}' is not a whole number", what, text));
  if (error != std::errc{} || value < lowest || value > highest)
    throw UserError(
        fmt::format("{}: {} is out of range; it goes from {} to {}", what, text, lowest, highest));
  return value;
}

std::vector<int> parse_integers(std::string_view text, std::string_view what, int lowest,
                                int highest) {
  std::vector<int> values;
  for (const auto part : split_at(text, ","))
    values.push_back(static_cast<int>(parse_integer(part, what, lowest, highest)));
  return values;
}

void refuse_word(std::string_view option, const std::string& word,
                 const std::vector<std::string>& known) {
  throw UserError(fmt::format("{} is one of {}, not '{}'", option, fmt::join(known, ", "), word));
}

std::vector<double> parse_delays(const std::vector<std::string>& texts, int world_size) {
  std::vector<double> delays;
  for (const std::string_view text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos)
      throw UserError(fmt::format("--delay: '{}' is not RANK=MICROSECONDS, such as 2=500", text));
    const auto rank = parse_integer(text.substr(0, equals), "--delay", 0, world_size - 1);
    const auto us = static_cast<double>(parse_integer(text.substr(equals + 1), "--delay", 0,
                                                      std::numeric_limits<std::int64_t>::max()));
    check_delay(us);
    delays.resize(static_cast<std::size_t>(world_size));
    delays[static_cast<std::size_t>(rank)] = us;
  }
  return delays;
}

}  // namespace rankscope::cli
