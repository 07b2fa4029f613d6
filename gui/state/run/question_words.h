// The words of a question by their places: the clauses, and the ranks that they name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/base/ranges.h"
#include "gui/state/run/plain_words.h"

namespace rankscope::gui {

class QuestionWords {
 protected:
  explicit QuestionWords(std::vector<PlainWord> words) : words_(std::move(words)) {}

  /// Returns whether both words stand in one clause.
  bool joined(std::size_t a, std::size_t b) const {
    return a < words_.size() && b < words_.size() && words_[a].clause == words_[b].clause;
  }
  const std::string& word(std::size_t at) const {
    static const std::string kNone;
    return at < words_.size() ? words_[at].text : kNone;
  }
  bool is(std::size_t at, std::string_view list) const { return is_one_of(word(at), list); }
  bool any(std::string_view list) const {
    return ranges::any_of(words_, [&](const PlainWord& one) { return is_one_of(one.text, list); });
  }
  /// Takes the words from `from` to before `end` out, and returns them as they were typed.
  std::string take_out(std::size_t from, std::size_t end);

  /// Returns the ranks from `at` on, and moves it behind them: "rank 2", "ranks 1 and 3".
  std::vector<std::string> ranks_after(std::size_t& at) const;

  /// Returns the ranks before `begin`, and moves it to the first; of `size` ranks: "rank 3", "rank 3's GPU".
  std::vector<std::string> ranks_before(std::size_t& begin, bool& some, int size) const;

  /// Returns whether "one" before this word is a number: "one megabyte", "one rank more", not "the other one".
  bool counts_after(std::size_t at) const;

  std::vector<PlainWord> words_;
};

}  // namespace rankscope::gui
