// Looks through the source texts of a trace for the line that writes to an array.
#include "engine/analysis/findings/source_lines.h"

#include <array>
#include <utility>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope::finder {

std::string_view behind_bracket(std::string_view text) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    depth += text[at] == '(' || text[at] == '[' ? 1 : text[at] == ')' || text[at] == ']' ? -1 : 0;
    if (depth == 0) return text.substr(at + 1);
  }
  return {};
}

std::string_view behind_brackets(std::string_view text) {
  while (text.starts_with('[')) text = trimmed(behind_bracket(text));
  return text;
}

bool assigns(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && at < 2 &&
         std::string_view("+-*/%@|&^").find(text[at]) != std::string_view::npos)
    ++at;
  return at < text.size() && text[at] == '=' && (at + 1 == text.size() || text[at + 1] != '=');
}

std::string_view function_around(std::string_view code, std::size_t at) {
  int depth = 0;
  while (at-- > 0) {
    if (code[at] == ')' || code[at] == ']') ++depth;
    if (code[at] == '[' && depth-- == 0) return {};
    if (code[at] == '(' && depth-- == 0) {
      std::size_t begin = at;
      while (begin > 0 && (in_name(code[begin - 1]) || code[begin - 1] == '.')) --begin;
      return code.substr(begin, at - begin);
    }
  }
  return {};
}

namespace {

/// Returns whether an element at `at` is only read: it is no whole argument of a function that may change it, nor gets
/// a name.
bool reads_element(std::string_view code, std::size_t at, std::string_view rest) {
  constexpr std::array<std::string_view, 9> kReaders{"if",  "while", "return", "printf",   "print",
                                                     "max", "min",   "abs",    "to_string"};
  const auto before = trimmed(code.substr(0, at));
  for (const std::string_view change : {"&", "++", "--", ">>"})
    if (before.ends_with(change)) return false;
  if (rest.starts_with("++") || rest.starts_with("--") || rest.starts_with('.')) return false;
  const bool is_named = before.ends_with('=') || before.ends_with(':');
  if (is_named && code.find('&') != code.npos) return false;
  const auto function = function_around(code, at);
  const bool is_whole = (before.ends_with('(') || before.ends_with(',')) &&
                        (rest.starts_with(')') || rest.starts_with(',') || rest.empty());
  return !is_whole || ranges::find(kReaders, function) != kReaders.end();
}

/// Returns whether a text begins with a method that writes in place: ".add_(", ".fill(".
bool writes_in_place(std::string_view text) {
  if (!text.starts_with('.')) return false;
  const auto method = first_name(text.substr(1));
  if (!text.substr(1 + method.size()).starts_with('(') || method.empty()) return false;
  return (method.ends_with('_') && !method.starts_with('_')) || method == "fill" ||
         method == "sort" || method == "assign";
}

/// Returns whether a loop of C++ in one line writes: "for (long& v : x) v = 0;", "for (int i = 0; i < n; ++i) x[i] =
/// i;".
bool loop_writes(std::string_view line, std::string_view array) {
  const auto body = behind_bracket(line.substr(line.find('(')));
  const auto head = line.substr(0, line.size() - body.size());
  if (writes_to(body, array)) return true;
  const auto in = head.find(" : " + std::string(array) + ")");
  const auto reference = head.find("& ");
  return in != std::string_view::npos && reference < in &&
         writes_to(body, head.substr(reference + 2, in - reference - 2));
}

}  // namespace

bool writes_to(std::string_view text, std::string_view array) {
  std::string_view line = trimmed(text);
  if (line.starts_with("for (")) return loop_writes(line, array);
  for (const std::string_view function :
       {"std::fill(", "std::iota(", "std::generate(", "std::ranges::fill(", "std::memset("})
    if (line.starts_with(function)) return find_name(line.substr(function.size()), array) == 0;
  if (find_name(line, array) != 0) return false;
  line = behind_brackets(trimmed(line.substr(array.size())));
  return assigns(line) || writes_in_place(line);
}

std::size_t only_write(const SourceText& text, std::string_view array) {
  std::size_t found = 0;
  for (std::size_t line = text.line_number() + 1; line <= text.size(); ++line) {
    const std::string kept = text.code(line);
    const std::string_view code = kept;
    if (code.starts_with('}')) return found;
    bool changes = writes_to(code, array);
    bool may_be_sent = call_text_of(text, line, true).data == array;  // where it first stands
    for (auto at = find_name(code, array); at != code.npos && !changes;
         at = find_name(code, array, at + 1)) {
      const auto before = trimmed(code.substr(0, at)), after = code.substr(at + array.size());
      const auto rest = behind_brackets(trimmed(after));
      changes = assigns(rest);
      const bool is_sent = std::exchange(may_be_sent, false);
      const bool is_element = trimmed(after).starts_with('[') && reads_element(code, at, rest);
      const bool in_loop = before.ends_with(':') && code.find('&') == code.npos;
      const bool is_size = after.starts_with(".size()");
      if (!changes && !is_sent && !is_element && !in_loop && !is_size) return 0;
    }
    if (!changes) continue;
    if (found != 0) return 0;
    found = line;
  }
  return found;
}

std::string write_site(const Trace& trace, std::uint32_t after, std::uint32_t before,
                       std::string_view array) {
  const SourceText first(trace, after), last(trace, before);
  if (!first.known() || !last.known() || first.file() != last.file()) return {};
  const std::size_t begin = first.line_number(), end = last.line_number();
  for (std::size_t line = begin + 1; line < end; ++line)
    if (writes_to(first.line(line), array)) return first.site(line);
  // In a loop, the next pass writes above the call.
  for (std::size_t loop = first.loop_of(begin); loop > 0; loop = first.loop_of(loop))
    for (std::size_t line = begin; line-- > loop + 1;)
      if (writes_to(first.line(line), array)) return first.site(line);
  return {};
}

}  // namespace rankscope::finder
