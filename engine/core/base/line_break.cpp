// Fills lines word by word, and finds where a long word or a line of code may be cut.
#include "engine/core/base/line_break.h"

#include <algorithm>

#include "engine/core/base/text.h"

namespace rankscope {
namespace {

constexpr std::size_t kLeastColumns = 16, kDeeper = 4;
// A line may be exactly as wide as its room; the sum of its words' widths then differs by rounding.
constexpr double kRounding = 1e-6;

bool is_one_of(char c, std::string_view all) { return all.find(c) != std::string_view::npos; }

/// Returns whether a line of code may be broken before character `i`. An empty pair of brackets stays whole.
bool breaks_well(std::string_view line, std::size_t i) {
  const char before = line[i - 1];
  return before == ' ' || before == ',' || (is_one_of(before, "([{") && !is_one_of(line[i], ")]}"));
}
bool breaks(std::string_view line, std::size_t i) { return line[i] == '.' || line[i - 1] == ':'; }

/// Returns where to break between the columns `least` and `most`. Prefers, in the last two thirds, the good place
/// inside the fewest brackets (the last of several), then a dot or colon in the second half, then `most`.
std::size_t code_break(std::string_view line, std::size_t least, std::size_t most) {
  const std::size_t first = least + (most - least) / 3 + 1;
  std::size_t best = 0;
  for (std::size_t i = least + 1, depth = 0, fewest = line.size(); i <= most; ++i) {
    if (is_one_of(line[i - 1], "([{")) ++depth;
    if (is_one_of(line[i - 1], ")]}") && depth > 0) --depth;
    if (i < first || !breaks_well(line, i) || depth > fewest) continue;
    best = i;
    fewest = depth;
  }
  if (best > 0) return best;
  for (std::size_t i = most; i > least + (most - least) / 2; --i)
    if (breaks(line, i)) return i;
  std::size_t end = most;
  while (end > least + 1 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  return end;
}

}  // namespace

std::vector<std::size_t> line_ends(std::span<const LineWord> words, double room) {
  std::vector<std::size_t> ends;
  std::size_t begin = 0;
  double used = 0;
  room += kRounding;
  const auto next_line = [&](std::size_t at) {
    ends.push_back(begin = at);
    used = 0;
  };
  for (std::size_t i = 0; i < words.size();) {
    double group = words[i].width;
    std::size_t end = i + 1;
    for (; end < words.size() && words[end].tied && !words[end - 1].ends_line; ++end)
      group += words[end].gap + words[end].width;
    if (i > begin && used + words[i].gap + group > room) next_line(i);
    for (; i < end; ++i) {
      if (i > begin && used + words[i].gap + words[i].width > room) next_line(i);
      used += (i > begin ? words[i].gap : 0) + words[i].width;
      if (words[i].ends_line) next_line(i + 1);
    }
  }
  if (begin < words.size()) ends.push_back(words.size());
  return ends;
}

std::vector<std::string> text_lines(std::string_view text, double room, const TextWidth& width) {
  std::vector<std::string> lines;
  const double space = width(" ");
  for (bool more = true; more;) {
    const auto end = text.find('\n');
    more = end != std::string_view::npos;
    std::vector<std::string_view> texts;
    std::vector<LineWord> words;
    std::string_view paragraph = text.substr(0, end);
    while (!paragraph.empty()) {
      const auto length = std::min(paragraph.find(' '), paragraph.size());
      if (length > 0) {
        texts.push_back(paragraph.substr(0, length));
        words.push_back({.width = width(texts.back()), .gap = space});
      }
      paragraph.remove_prefix(std::min(length + 1, paragraph.size()));
    }
    std::size_t at = 0;
    for (const std::size_t line_end : line_ends(words, room)) {
      std::string& line = lines.emplace_back(texts[at]);
      while (++at < line_end) line.append(" ").append(texts[at]);
    }
    if (words.empty() && (more || !lines.empty())) lines.emplace_back();
    if (more) text.remove_prefix(end + 1);
  }
  return lines;
}

std::size_t fitting_bytes(std::string_view word, double room, const TextWidth& width) {
  std::size_t fits = 0, good = 0;
  for (std::size_t at = 0; at < word.size();) {
    (void)next_character(word, at);
    if (fits > 0 && width(word.substr(0, at)) > room) return good > fits / 3 ? good : fits;
    fits = at;
    if (is_one_of(word[at - 1], " /_.,:;-=(")) good = at;
  }
  return fits;
}

std::vector<CodePart> code_parts(std::string_view line, std::size_t columns) {
  columns = std::max(columns, kLeastColumns);
  if (line.size() <= columns) return {{0, line.size(), 0}};
  const auto leading = std::min(line.find_first_not_of(" \t"), line.size());
  // Far to the right, there would be no room for words.
  const std::size_t shown = std::min(leading, columns / 3);
  std::vector<CodePart> parts;
  for (std::size_t at = leading - shown; at < line.size();) {
    const bool first = parts.empty();
    const std::size_t indent = first ? 0 : shown + kDeeper, room = columns - indent;
    const std::size_t most = std::min(line.size(), at + room);
    const std::size_t least = at + (first ? shown : 0);
    const std::size_t end = most < line.size() ? code_break(line, least, most) : most;
    parts.push_back({at, end, indent});
    at = end;
  }
  return parts;
}

}  // namespace rankscope
