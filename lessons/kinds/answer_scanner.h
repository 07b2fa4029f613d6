// Reads an answer typed on one line: words, signs, numbers.
#pragma once

#include <cctype>
#include <charconv>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "lessons/kinds/kind.h"

namespace rankscope {

class AnswerScanner {
 public:
  /// `example` is part of every error message.
  AnswerScanner(std::string_view text, std::string_view example)
      : rest_(text), text_(text), example_(example) {}

  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }
  /// Takes `word` in any case; if it ends in a letter, none may follow. Returns whether it was there.
  bool take(std::string_view word) {
    skip_blanks();
    if (ascii_lower(rest_.substr(0, word.size())) != ascii_lower(word)) return false;
    const bool letters = std::isalpha(static_cast<unsigned char>(word.back())) != 0;
    if (letters && rest_.size() > word.size() &&
        std::isalpha(static_cast<unsigned char>(rest_[word.size()])) != 0)
      return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool take_arrow() { return take("->") || take("→") || take("=>") || take(">") || take("to"); }
  /// Takes a whole number from `least` to `most`, which errors call `what`. Throws UserError.
  int number(std::string_view what, int least, int most) {
    skip_blanks();
    int value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error == std::errc::invalid_argument) fail(fmt::format("{} is missing", what));
    if (error != std::errc{} || value < least || value > most)
      fail(fmt::format("{} must be {} to {}", what, least, most));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  [[noreturn]] void fail(std::string_view what) const {
    throw UserError(
        fmt::format("{}: {}; write it like {}", brief(std::string(text_)), what, example_));
  }

 private:
  void skip_blanks() {
    const auto first = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(first == std::string_view::npos ? rest_.size() : first);
  }
  std::string_view rest_, text_, example_;
};

}  // namespace rankscope
