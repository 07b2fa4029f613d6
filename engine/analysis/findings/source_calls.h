// Facts on a message verb that only the program's text has: how it writes the peer, in which loop it stands, which tags
// come later.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/trace/trace.h"

namespace rankscope::finder {

/// The text of a site's file, line by line; empty where the trace lacks it.
class SourceText {
 public:
  SourceText(const Trace& trace, std::uint32_t site);
  bool known() const noexcept { return line_ > 0 && line_ <= lines_.size(); }
  /// Line numbers begin with 1; a line that is not there is empty.
  std::string_view line(std::size_t number) const {
    return number >= 1 && number <= lines_.size() ? lines_[number - 1] : std::string_view();
  }
  std::string_view here() const { return line(line_); }  ///< The site's line.
  std::size_t line_number() const noexcept { return line_; }
  std::size_t size() const noexcept { return lines_.size(); }
  const std::string& file() const noexcept { return file_; }  ///< Without folders.
  /// "ring.cpp:7"
  std::string site(std::size_t number) const { return file_ + ":" + std::to_string(number); }
  bool is_cpp() const noexcept {
    return file_.ends_with(".cpp") || file_.ends_with(".cc") || file_.ends_with(".cxx") ||
           file_.ends_with(".h");
  }
  /// The line of the innermost loop that this line stands in, 0: none; a comprehension is no such line.
  std::size_t loop_of(std::size_t number) const;
  /// A line without its comment and the texts of strings, which keep their quotes and the expressions of f-strings.
  std::string code(std::size_t number) const;

 private:
  std::vector<std::string_view> lines_;
  std::string file_;
  std::size_t line_ = 0;
};

/// The block that a line begins: the lines below it that are deeper.
enum class Block : std::uint8_t { other, loop, branch, lambda, definition };
Block block_of(const SourceText& text, std::size_t line);

struct FunctionHead {
  std::size_t line = 0;
  std::string name, brackets;  ///< The latter begins with the parameters' bracket.
  bool operator==(const FunctionHead&) const = default;
};
/// The function that a line stands in; nothing in a lambda.
std::optional<FunctionHead> function_at(const SourceText& text, std::size_t line);

/// The nearest line above in the function that has such text, and the text's first part; 0 where there is none.
std::pair<std::size_t, std::string> line_above(const SourceText& text, std::size_t line,
                                               const std::regex& shape);
/// The lines that call the function of C++ around a line; the line itself where none does, as in main().
std::vector<std::size_t> calls_of(const SourceText& text, std::size_t line);

/// The arguments in the brackets that begin at `text`'s first character, divided at commas.
std::vector<std::string_view> arguments_of(std::string_view text);

/// Calls `take` with the name and the brackets of each call that begins in a line, until it returns true.
void each_call(const SourceText& text, std::size_t line,
               const std::function<bool(std::string_view name, std::string_view brackets)>& take);

/// A send or a receive that a line calls, as far as its text shows it.
struct CallText {
  std::string verb;  ///< "Isend"; empty where there is no such call.
  std::string peer;  ///< "partner", "(rank + 1) % size"; empty if unknown.
  std::string tag;   ///< "TO_LEFT"; empty where none is given.
  std::string data;  ///< "rows[r]", of a program in C++; empty if unknown.
};
CallText call_text_of(const SourceText& text, std::size_t line, bool send);

/// A parameter of a function in C++ that is a copy of the caller's array, and only received into.
struct LostCopy {
  std::string name, type, function;
  std::size_t line = 0;  ///< The function's first line.
};
/// The copy that the receive at the text's line writes, where its function does nothing else with it.
std::optional<LostCopy> lost_copy(const SourceText& text);

/// Returns whether the send (or receive) at the text's line takes an array that its function in C++ declares, or has as
/// a copy: no reference, no span, nothing static.
bool is_own_array(const SourceText& text, bool send);

/// The peer of a message verb as the program writes it, where all ranks compute it alike ("partner"): nothing for
/// a number, and for the variable of a loop that goes through the ranks.
std::string partner_text(const Trace& trace, std::uint32_t site, bool send);

/// The same, without these conditions, for the first receive (`send`: send) after a call at this site in the same block.
std::string next_partner_text(const Trace& trace, std::uint32_t site, bool send);

/// The first receive (`send`: the first send) that comes after a line in the same block.
struct NextCall {
  std::size_t line = 0;  ///< 0 where there is none.
  CallText call;
};
NextCall next_call(const SourceText& text, std::size_t line, bool send);

/// Returns whether the verb is called for several peers in turn.
bool stands_in_for_loop(const Trace& trace, std::uint32_t site);

/// Places of one function from which, or from functions that these call, two sites were reached: the innermost ones.
/// Null where there are none.
std::pair<const Definition*, const Definition*> in_one_function(const Trace& trace,
                                                                std::uint32_t one,
                                                                std::uint32_t other);

/// Returns whether a program that goes on after a call at one site comes to another one, whatever its conditions are:
/// the other one comes later in the same block or one around it, of the same function of the program.
bool leads_to(const Trace& trace, std::uint32_t from, std::uint32_t to);

/// The condition, or the loop, that stands around one call and not around the other, where one function of Python leads to
/// both: what a finding on the two says of it. Empty where there is none.
struct Parting {
  std::string why, advice;
};
Parting parting_of(const Trace& trace, std::uint32_t one, std::uint32_t other);

/// The tags that the text gives, as numbers, to sends (receives) that come after a call at this site.
std::vector<int> later_tags(const Trace& trace, std::uint32_t site, bool send);

/// The collective that a program calls, though the library makes it of another one (of objects: a gather begins with an
/// allgather of their sizes); the built-in's name where the line shows no other.
std::string called_collective(const Trace& trace, const StepEvent& call);

/// The name in the text of an array that a collective of mpi4py is given both as input and output.
std::string shared_buffer(const Trace& trace, std::uint32_t site);

}  // namespace rankscope::finder
