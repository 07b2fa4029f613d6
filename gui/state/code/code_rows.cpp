// Finds where a long line of a program may go on below.
#include "gui/state/code/code_rows.h"

#include <algorithm>
#include <string_view>

namespace rankscope::gui {
namespace {

constexpr std::size_t kLeastColumns = 16, kDeeper = 4;

bool is_one_of(char c, std::string_view all) { return all.find(c) != std::string_view::npos; }

// Before the character `i`. An empty pair of brackets stays whole.
bool breaks_well(const std::string& line, std::size_t i) {
  const char before = line[i - 1];
  return before == ' ' || before == ',' || (before == '(' && line[i] != ')');
}
bool breaks(const std::string& line, std::size_t i) {
  return line[i] == '.' || is_one_of(line[i - 1], "[:");
}

/// The last good place in the last two thirds of these columns, else one in their second half, else their end.
std::size_t break_of(const std::string& line, std::size_t least, std::size_t most) {
  for (std::size_t i = most; i > least + (most - least) / 3; --i)
    if (breaks_well(line, i)) return i;
  for (std::size_t i = most; i > least + (most - least) / 2; --i)
    if (breaks(line, i)) return i;
  // Not within a character.
  std::size_t end = most;
  while (end > least + 1 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  return end;
}

}  // namespace

std::vector<CodePart> code_parts(const std::string& line, std::size_t columns) {
  columns = std::max(columns, kLeastColumns);
  if (line.size() <= columns) return {{0, line.size(), 0}};
  const auto leading = std::min(line.find_first_not_of(" \t"), line.size());
  // Far to the right there would be no room for words.
  const std::size_t shown = std::min(leading, columns / 3);
  std::vector<CodePart> parts;
  for (std::size_t at = leading - shown; at < line.size();) {
    const bool first = parts.empty();
    const std::size_t indent = first ? 0 : shown + kDeeper, room = columns - indent;
    const std::size_t most = std::min(line.size(), at + room);
    const std::size_t least = at + (first ? shown : 0);
    const std::size_t end = most < line.size() ? break_of(line, least, most) : most;
    parts.push_back({at, end, indent});
    at = end;
  }
  return parts;
}

}  // namespace rankscope::gui
