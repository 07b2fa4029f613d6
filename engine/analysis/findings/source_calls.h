// Facts on a message verb that only the program's text has: its peer as written, the loop around it, later tags.
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

/// The text of a site's file, line by line; empty if the trace lacks it.
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
  /// Returns the line of the innermost loop around a line, 0 if there is none; a comprehension is no such loop.
  std::size_t loop_of(std::size_t number) const;
  /// Returns a line without its comment, and with only the quotes and the f-string expressions of its strings.
  std::string code(std::size_t number) const;

 private:
  std::vector<std::string_view> lines_;
  std::string file_;
  std::size_t line_ = 0;
};

/// The kind of block that a line begins: of the lines below it that are indented more.
enum class Block : std::uint8_t { other, loop, branch, lambda, definition };
Block block_of(const SourceText& text, std::size_t line);

struct FunctionHead {
  std::size_t line = 0;
  std::string name, brackets;  ///< `brackets` begins with the one of the parameters.
  bool operator==(const FunctionHead&) const = default;
};
/// Returns the function around a line; nothing in a lambda.
std::optional<FunctionHead> function_at(const SourceText& text, std::size_t line);

/// Returns the nearest line above, in the same function, that matches `shape`, and the match's first group; 0 if none does.
std::pair<std::size_t, std::string> line_above(const SourceText& text, std::size_t line,
                                               const std::regex& shape);
/// Returns the lines that call the C++ function around a line; the line itself if none does, as in main().
std::vector<std::size_t> calls_of(const SourceText& text, std::size_t line);

/// Returns the arguments in the brackets that `text` begins with.
std::vector<std::string_view> arguments_of(std::string_view text);

/// Calls `take` with the name and the brackets of each call that begins in a line, until it returns true.
void each_call(const SourceText& text, std::size_t line,
               const std::function<bool(std::string_view name, std::string_view brackets)>& take);

/// A send or a receive that a line calls, as its text shows it.
struct CallText {
  std::string verb;  ///< "Isend"; empty if there is no such call.
  std::string peer;  ///< "partner", "(rank + 1) % size"; empty if unknown.
  std::string tag;   ///< "TO_LEFT"; empty if none is given.
  std::string data;  ///< "rows[r]", of a program in C++; empty if unknown.
};
CallText call_text_of(const SourceText& text, std::size_t line, bool send);

/// A parameter of a function in C++ that is a copy of the caller's array, and only received into.
struct LostCopy {
  std::string name, type, function;
  std::size_t line = 0;  ///< The function's first line.
};
/// Returns the copy that the receive at the text's line writes, if its function does nothing else with it.
std::optional<LostCopy> lost_copy(const SourceText& text);

/// Returns whether the send (or receive) at the text's line takes an array that its function in C++ declares, or has as
/// a copy: no reference, no span, nothing static.
bool is_own_array(const SourceText& text, bool send);

/// Returns the peer of a message verb as the program writes it ("partner"), if all ranks compute it alike; nothing for a
/// number, or for the variable of a loop over the ranks.
std::string partner_text(const Trace& trace, std::uint32_t site, bool send);

/// The same, without these conditions, for the first receive (`send`: send) after a call at this site in the same block.
std::string next_partner_text(const Trace& trace, std::uint32_t site, bool send);

/// The first receive (`send`: send) after a line in the same block.
struct NextCall {
  std::size_t line = 0;  ///< 0 if there is none.
  CallText call;
};
NextCall next_call(const SourceText& text, std::size_t line, bool send);

/// Returns whether the verb is called for several peers in turn.
bool stands_in_for_loop(const Trace& trace, std::uint32_t site);

/// Returns the innermost places of one function from which two sites were reached, directly or by calls. Null if there are
/// none.
std::pair<const Definition*, const Definition*> in_one_function(const Trace& trace,
                                                                std::uint32_t one,
                                                                std::uint32_t other);

/// Returns whether a program that goes on after a call at one site always comes to another one: a later one in the same
/// block or one around it, of the same function.
bool leads_to(const Trace& trace, std::uint32_t from, std::uint32_t to);

/// A finding's words on the condition or loop that is around only one of two calls, which one function of Python leads to.
/// Empty if there is none.
struct Parting {
  std::string why, advice;
};
Parting parting_of(const Trace& trace, std::uint32_t one, std::uint32_t other);

/// Returns the tags, if written as numbers, of the sends (receives) after a call at this site.
std::vector<int> later_tags(const Trace& trace, std::uint32_t site, bool send);

/// Returns the collective that a program calls even if the library carries it out by another one (a gather of objects begins
/// with an allgather of their sizes); the built-in's name if the line shows no other.
std::string called_collective(const Trace& trace, const StepEvent& call);

/// Returns the name of an array that a collective of mpi4py gets both as input and as output.
std::string shared_buffer(const Trace& trace, std::uint32_t site);

}  // namespace rankscope::finder
