// Reading the words of commands.
#pragma once

#include <charconv>
#include <string>

#include <fmt/format.h>

#include "engine/core/base/error.h"

namespace rankscope::gui {

/// Throws UserError that names `what`.
template <typename T>
T number_of(const std::string& word, std::string_view what) {
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size())
    throw UserError(fmt::format("{} is not a number: \"{}\"", what, word));
  return value;
}

/// "on", "off", "toggle"; nothing means toggle.
inline bool switched(bool now, const std::vector<std::string>& words) {
  if (words.empty() || words.front() == "toggle") return !now;
  if (words.front() == "on") return true;
  if (words.front() == "off") return false;
  throw UserError(fmt::format("say on, off or toggle, not \"{}\"", words.front()));
}

}  // namespace rankscope::gui
