// Finds ranks among the words of a question.
#include "gui/state/run/question_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/text.h"

namespace rankscope::gui {

std::string QuestionWords::take_out(std::size_t from, std::size_t end) {
  std::string typed;
  for (; from < std::min(end, words_.size()); ++from) {
    typed += (typed.empty() ? "" : " ") + words_[from].typed;
    words_[from].text = kTaken;
  }
  return typed;
}

std::vector<std::string> QuestionWords::ranks_after(std::size_t& at) const {
  std::vector<std::string> ranks;
  for (; is(at, "rank ranks and") || is_number(word(at)); ++at) {
    if (!is_number(word(at))) continue;
    if (!ranks.empty() && is(at + 1, "ranks elements processes")) break;
    if (time_of(word(at), word(at + 1))) break;
    ranks.push_back(word(at));
  }
  while (at > 0 && word(at - 1) == "and") --at;
  return ranks;
}

std::vector<std::string> QuestionWords::ranks_before(std::size_t& begin, bool& some,
                                                     int size) const {
  std::size_t from = begin;
  std::vector<std::string> ranks;
  std::size_t first = begin;
  if (from > 2 && is(from - 1, "gpu worker process node") && is_number(word(from - 2))) --from;
  for (; from > 0 && (joined(from - 1, begin) || is_number(word(from - 1))); --from) {
    if (is_number(word(from - 1))) ranks.insert(ranks.begin(), word(from - 1));
    else if (is(from - 1, "rank ranks process processes worker gpu") && !ranks.empty()) {
      first = from - 1;
      if (from < 2 || word(from - 2) != "and") break;
    } else if (word(from - 1) != "and") break;
  }
  // "when 6 lags": a verb says it of a rank.
  if (first == begin && ranks.size() == 1 && is(begin, "lags stalls sleeps straggles pauses"))
    first = begin - 1;
  if (!ranks.empty() && first < begin) {
    begin = first;
    return ranks;
  }
  if (begin > 1 && is(begin - 1, "ranks processes") && is_number(word(begin - 2))) {
    const int many = std::min(as_number<int>(word(begin - 2)).value_or(size), size);
    for (int rank = 1; rank <= many; ++rank) ranks.push_back(fmt::format("{}", rank % size));
    begin -= 2;
    return ranks;
  }
  ranks.clear();
  some = begin > 0 && joined(begin - 1, begin) &&
         is(begin - 1, "rank process worker gpu somebody someone");
  if (some) {
    --begin;
    if (begin > 0 && is(begin - 1, "one some any 1 another")) --begin;
  }
  return {};
}

bool QuestionWords::counts_after(std::size_t at) const {
  const std::string& next = word(at);
  return (is_one_of(next, kRankWords) && is(at + 1, "more less fewer")) ||
         is_one_of(next, "ranks more less fewer another element value number") ||
         bytes_of_unit(next) > 0 || time_of("1", next) ||
         (at < words_.size() && bandwidth_of("1", words_[at].typed));
}

}  // namespace rankscope::gui
