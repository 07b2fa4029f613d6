// Reads which rank is at which place.
#include "engine/network/placement.h"

#include <charconv>
#include <string>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"

namespace rankscope {
namespace {

/// A whole number with spaces around it; false: it is none.
bool read_place(std::string_view text, int& into) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && rest == text.data() + text.size();
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(',');
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::vector<Rank> parse_placement(std::string_view text, int topology_ranks) {
  std::vector<Rank> places;
  if (text.empty()) return places;
  std::vector<bool> taken(static_cast<std::size_t>(topology_ranks));
  for (const std::string_view part : parts_of(text)) {
    int place = -1;
    if (!read_place(part, place) || place < 0 || place >= topology_ranks)
      throw UserError(fmt::format("placement: '{}' is no rank of the topology: 0 to {}",
                                  escaped(shortened(std::string(part), 20)), topology_ranks - 1));
    if (taken[static_cast<std::size_t>(place)])
      throw UserError(fmt::format("placement: {} is said twice", place));
    taken[static_cast<std::size_t>(place)] = true;
    places.push_back(place);
  }
  if (std::ssize(places) != topology_ranks)
    throw UserError(
        fmt::format("placement: it has {} places, and the topology {}: say where each "
                    "rank is",
                    places.size(), topology_ranks));
  return places;
}

}  // namespace rankscope
