// Finds the known words nearest to a mistyped one by edit distance.
#include "engine/core/base/suggest.h"

#include <algorithm>
#include <utility>

#include "engine/core/base/utf8.h"

namespace rankscope {

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
