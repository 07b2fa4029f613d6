// Readers of sizes and lists as users type them: "8", "64KiB", "8:64MiB", "2,4,8". All throw UserError.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/base/quantity.h"
#include "engine/core/base/types.h"

namespace rankscope::cli {

/// `what` names the option in errors: "--bytes".
using rankscope::parse_size;

/// Reads "8", "8,1KiB,1MiB", a range "8:64MiB" (powers of two times 8; the end is included) or "8:64MiB:x4" (times 4
/// each). Returns them ascending, without repetitions.
std::vector<std::uint64_t> parse_sizes(std::string_view text, std::string_view what);

/// Reads a whole number; the error has the limits.
std::int64_t parse_integer(std::string_view text, std::string_view what, std::int64_t lowest,
                           std::int64_t highest);
/// Reads "2,4,8".
std::vector<int> parse_integers(std::string_view text, std::string_view what, int lowest,
                                int highest);
[[noreturn]] void refuse_word(std::string_view option, const std::string& word,
                              const std::vector<std::string>& known);
/// Returns the value of a word: one_of<bool>("--send-mode", word, {{"rendezvous", true}, {"buffered", false}}).
template <class T>
T one_of(std::string_view option, const std::string& word,
         std::initializer_list<std::pair<const char*, T>> choices) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) {
    if (word == name) return value;
    names.emplace_back(name);
  }
  refuse_word(option, word, names);
}

/// Reads texts of --delay like "3=250" into a delay for each rank, 0 where none was given.
std::vector<double> parse_delays(const std::vector<std::string>& texts, int world_size);

}  // namespace rankscope::cli
