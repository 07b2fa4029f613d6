// Replaces or escapes what is not printable, changes case, ends and length of texts, and finds the words nearest to a mistyped one.
#include "engine/core/base/text.h"

#include <utility>

#include <fmt/format.h>

namespace rankscope {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

template <class Odd>
std::string replaced(std::string_view text, const Odd& odd) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t character = next_character(text, at);
    const auto bytes = text.substr(begin, at - begin);
    const bool invalid =
        (character == U'\uFFFD' && bytes != kReplacement) || is_noncharacter(character);
    if (invalid || is_control(character) || is_direction(character)) out += odd(bytes, invalid);
    else out += bytes;
  }
  return out;
}

}  // namespace

std::string with_directions_shown(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t character = next_character(text, at);
    if (is_direction(character)) out += fmt::format("[U+{:04X}]", static_cast<unsigned>(character));
    else out += text.substr(begin, at - begin);
  }
  return out;
}

std::string printable(std::string_view text) {
  return replaced(text, [](std::string_view, bool invalid) {
    return invalid ? std::string(kReplacement) : std::string(" ");
  });
}

std::string escaped(std::string_view text) {
  return replaced(text, [](std::string_view bytes, bool) {
    if (bytes == "\n") return std::string("\\n");
    if (bytes == "\t") return std::string("\\t");
    std::string out;
    for (const char c : bytes) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    return out;
  });
}

std::string ascii_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string ascii_upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

std::string capitalized(std::string text) {
  if (!text.empty()) text.replace(0, 1, ascii_upper(text.substr(0, 1)));
  return text;
}

std::string letters(std::string_view name) {
  std::string out = ascii_lower(name);
  std::erase_if(out, [](char c) { return c == '_' || c == '-' || c == ' '; });
  return out;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string shortened(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most) + "…";
}

int edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table of Damerau's distance, because a swap refers two rows back.
  std::vector<int> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

std::vector<std::string> nearest(std::string_view typed, const std::vector<std::string>& candidates,
                                 std::size_t limit) {
  const std::string word = ascii_lower(typed);
  std::vector<std::pair<int, std::string>> scored;
  for (const auto& as_written : candidates) {
    const std::string candidate = ascii_lower(as_written);
    int distance = edit_distance(word, candidate);
    // Only the part after the dot: "rign" means "allreduce.ring".
    if (const auto dot = candidate.find('.'); dot != std::string::npos)
      distance = std::min(distance, edit_distance(word, candidate.substr(dot + 1)));
    // "ring" for "allreduce.ring", "--iter" for "--iterations".
    if (word.size() >= 3 && candidate.find(word) != std::string::npos) distance = 1;
    if (distance <= std::max<int>(1, static_cast<int>(word.size()) / 3))
      scored.emplace_back(distance, as_written);
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> best;
  for (auto& [distance, candidate] : scored)
    if (best.size() < limit) best.push_back(std::move(candidate));
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto best = nearest(word, candidates);
  if (best.empty()) return {};
  std::string text = "did you mean ";
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (i > 0) text += i + 1 == best.size() ? " or " : ", ";
    text += "'" + best[i] + "'";
  }
  return text + "?";
}

std::string nearest_hint(std::string_view word, const std::vector<std::string>& known,
                         std::string_view otherwise) {
  const std::string meant = did_you_mean(word, known);
  const std::string_view hint = meant.empty() ? otherwise : meant;
  return hint.empty() ? "" : "; " + std::string(hint);
}

}  // namespace rankscope
