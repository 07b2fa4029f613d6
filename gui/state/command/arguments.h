// Reading the words of commands.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "gui/state/command/words.h"

namespace rankscope::gui {

/// Parses a number. Throws UserError that names `what`.
template <typename T>
T number_of(const std::string& word, std::string_view what) {
  const auto value = as_number<T>(word);
  if (!value) throw UserError(fmt::format("{} is not a number: \"{}\"", what, word));
  return *value;
}

/// Returns the state after a switch's word, the opposite for "toggle"; nothing for other words.
inline std::optional<bool> switched(bool now, std::string_view word, std::string_view on,
                                    std::string_view off) {
  if (word == "toggle") return !now;
  if (word == on || word == off) return word == on;
  return std::nullopt;
}

/// Returns the value of this name from a table of names or of values with to_string(), if there is one.
template <class Range>
auto named(const Range& all, std::string_view name) {
  using Value = typename Range::value_type;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Value& value) {
    if constexpr (std::is_convertible_v<Value, std::string_view>) return value == name;
    else return to_string(value) == name;
  });
  return found == all.end() ? std::nullopt : std::optional<Value>(*found);
}

/// Returns the pane of this name. Throws UserError if there is none.
inline Slot slot_named(const std::string& name) {
  if (const auto slot = named(kSlots, name)) return *slot;
  throw UserError(fmt::format("there is no pane \"{}\": main, lower, side or side_lower", name));
}

/// The words behind a command's name. Those that its row requires exist.
class Arguments {
 public:
  explicit Arguments(std::vector<std::string> words) : words_(std::move(words)) {}
  bool empty() const noexcept { return words_.empty(); }
  std::size_t size() const noexcept { return words_.size(); }
  /// Returns a word, or an empty one behind the last.
  const std::string& operator[](std::size_t at) const noexcept {
    static const std::string kNone;
    return at < words_.size() ? words_[at] : kNone;
  }
  const std::vector<std::string>& all() const noexcept { return words_; }
  /// Parses a number. Throws UserError that names `what`.
  template <typename T>
  T number(std::size_t at, std::string_view what) const {
    return number_of<T>((*this)[at], what);
  }
  /// Returns a word as a parameter's type: a text, or a pane. Throws UserError for an unknown pane.
  template <class Type>
  Type as(std::size_t at) const {
    if constexpr (std::is_same_v<Type, Slot>) return slot_named((*this)[at]);
    else return Type((*this)[at]);
  }
  /// Returns all words from this one on, joined by blanks.
  std::string rest(std::size_t from) const {
    const auto begin = static_cast<std::ptrdiff_t>(std::min(from, words_.size()));
    return fmt::format("{}", fmt::join(words_.begin() + begin, words_.end(), " "));
  }
  /// Returns the state after on, off or toggle; no word means toggle. Throws UserError for other words.
  bool switched(bool now, std::size_t at = 0) const {
    if (at >= size()) return !now;
    if (const auto on = gui::switched(now, words_[at], "on", "off"); on) return *on;
    throw UserError(fmt::format("say on, off or toggle, not \"{}\"", (*this)[at]));
  }
  /// Returns the value that the first word names in a table, or the one behind `now` for "next" or no word; nothing for other
  /// words.
  template <class Range>
  auto choice(const Range& all, const typename Range::value_type& now) const {
    if (!empty() && words_[0] != "next") return named(all, words_[0]);
    const auto at = std::find(all.begin(), all.end(), now);
    const bool last = at == all.end() || std::next(at) == all.end();
    return std::optional(last ? *all.begin() : *std::next(at));
  }

 private:
  std::vector<std::string> words_;
};

}  // namespace rankscope::gui
