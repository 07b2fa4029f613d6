// Finds, in a program's text, the line that writes to an array between two calls, which no event shows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/analysis/findings/source_calls.h"
#include "engine/core/trace/trace.h"

namespace rankscope::finder {

/// The text after any number of "[...]"; empty when a bracket stays open.
std::string_view behind_brackets(std::string_view text);

/// The text after the bracket that it begins with is closed; empty when it stays open.
std::string_view behind_bracket(std::string_view text);

/// Returns whether a text begins with "+=", "=", "//="; not with "==".
bool assigns(std::string_view text);

/// The function whose bracket is the last one open before `at`: "float" in "float(x".
std::string_view function_around(std::string_view code, std::size_t at);

/// Returns whether a line of Python or C++ writes to an array of this name: "rows[0] = 9", "x += y", "x.add_(1)",
/// "y.fill(0)".
bool writes_to(std::string_view line, std::string_view array);

/// The only line of a function in C++, behind the line of the text, that changes an array of this name; 0 where there are
/// several, or where the array goes to a function or a call that may change it, too.
std::size_t only_write(const SourceText& text, std::string_view array);

/// "worker.py:18": the first such line after the call at one site and before the call at another one of the same file;
/// where there is none, the last one above the call in a loop around it. Empty: there is none, or the text is not in the trace.
std::string write_site(const Trace& trace, std::uint32_t after, std::uint32_t before,
                       std::string_view array);

}  // namespace rankscope::finder
