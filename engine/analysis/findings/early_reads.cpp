// Goes through the lines between a call and its wait, as far as they certainly run.
#include "engine/analysis/findings/early_reads.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text_parts.h"

namespace rankscope::finder {
namespace {

/// A line without its comment and the texts of strings, which keep their quotes and the expressions of f-strings.
std::string code_of(std::string_view line) {
  std::string code;
  char quote = 0;
  bool formatted = false;
  int braces = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (quote == 0) {
      if (c == '#') break;
      if (c == '"' || c == '\'') {
        quote = c;
        formatted = at > 0 && (line[at - 1] == 'f' || line[at - 1] == 'F');
      }
      code += c;
    } else if (c == quote && braces == 0) {
      quote = 0;
      code += c;
    } else if (formatted) {
      braces += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (braces > 0 || c == '}') code += c;
    }
  }
  return code;
}

std::string_view after_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

std::string word_at(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && in_name(text[end])) ++end;
  return std::string(text.substr(0, end));
}

/// The function whose bracket is the last one open before `at`: "float" in "float(x".
std::string function_around(std::string_view code, std::size_t at) {
  int depth = 0;
  while (at-- > 0) {
    if (code[at] == ')' || code[at] == ']') ++depth;
    if (code[at] == '[' && depth-- == 0) return {};
    if (code[at] == '(' && depth-- == 0) {
      std::size_t begin = at;
      while (begin > 0 && (in_name(code[begin - 1]) || code[begin - 1] == '.')) --begin;
      return std::string(code.substr(begin, at - begin));
    }
  }
  return {};
}

/// Whether the `name` at `at` has its elements read.
bool reads(std::string_view code, std::size_t at, std::string_view name) {
  constexpr std::array<std::string_view, 16> kShape{
      "shape",  "size",          "numel",    "dtype",    "device",        "dim",
      "ndim",   "nbytes",        "itemsize", "data_ptr", "is_contiguous", "element_size",
      "stride", "requires_grad", "append",   "grad"};
  constexpr std::array<std::string_view, 8> kReaders{"float", "int", "sum",   "max",
                                                     "min",   "abs", "print", "round"};
  const auto rest = after_spaces(code.substr(at + name.size()));
  if (rest.starts_with('.')) {
    const std::string member = word_at(rest.substr(1));
    return ranges::find(kShape, member) == kShape.end() && !member.ends_with('_') &&
           rest.substr(1 + member.size()).starts_with('(');
  }
  const auto operates = [](char c) {
    return std::string_view("+-*/@%<>").find(c) != std::string_view::npos;
  };
  if (!rest.empty() && operates(rest[0]) &&
      !(rest.size() > 1 && rest[1] == '=' && rest[0] != '<' && rest[0] != '>'))
    return true;
  const auto before = code.substr(0, at).find_last_not_of(' ');
  if (before != std::string_view::npos && operates(code[before]) && !rest.starts_with('['))
    return before == 0 || code[before - 1] != '*' || code[before] != '*';
  const bool whole = rest.starts_with(')') || rest.starts_with(',');
  return whole && ranges::find(kReaders, function_around(code, at)) != kReaders.end();
}

enum class Use { none, read, gone };

Use use_of(std::string_view code, std::string_view name) {
  for (auto at = code.find(name); at != std::string_view::npos; at = code.find(name, at + 1)) {
    const bool whole = (at == 0 || (!in_name(code[at - 1]) && code[at - 1] != '.')) &&
                       (at + name.size() >= code.size() || !in_name(code[at + name.size()]));
    if (!whole) continue;
    const auto rest = after_spaces(code.substr(at + name.size()));
    const bool first = code.find_first_not_of(" \t") == at;
    if (rest.starts_with('=') && !rest.starts_with("==")) {
      if (!first) continue;  // the name of an argument
      return use_of(rest.substr(1), name) == Use::read ? Use::read : Use::gone;
    }
    if (first && rest.starts_with('[')) continue;  // written, or another part
    if (reads(code, at, name)) return Use::read;
  }
  return Use::none;
}

bool contains_any(std::string_view code, std::initializer_list<std::string_view> words) {
  return ranges::any_of(words,
                        [&](auto word) { return code.find(word) != std::string_view::npos; });
}

bool opens_branch(std::string_view line) {
  line.remove_prefix(indentation(line));
  const std::string word = word_at(line);
  constexpr std::array<std::string_view, 7> kBranches{"if",  "elif",  "else", "except",
                                                      "def", "class", "match"};
  return ranges::find(kBranches, word) != kBranches.end();
}

/// The text's name for the array that the call writes.
struct Names {
  std::string array;
  std::string
      list;  ///< "grads" of "for grad in grads:" around the call; empty where there is none.
  std::size_t loop_depth = 0;  ///< Lines that are deeper are in that loop.
};

Names names_of(const SourceText& text, std::size_t call) {
  const std::string code = code_of(text.line(call));
  std::string name;
  for (std::string_view verb : {"all_reduce(", "broadcast(", "all_gather_into_tensor(",
                                "reduce_scatter_tensor(", "irecv(", "Irecv("})
    if (const auto at = code.find(verb); at != std::string::npos) {
      const auto argument = after_spaces(std::string_view(code).substr(at + verb.size()));
      name = word_at(argument.starts_with('[') ? argument.substr(1) : argument);
      // It is not known which part is read.
      const auto rest = after_spaces(argument.substr(std::min(argument.size(), name.size())));
      if (!argument.starts_with('[') && !rest.starts_with(',') && !rest.starts_with(')'))
        name.clear();
    }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return {};
  const std::string each = "for " + name + " in ";
  const auto list_after = [&](const std::string& in) {
    const auto at = in.find(each);
    return at == std::string::npos ? std::string()
                                   : word_at(std::string_view(in).substr(at + each.size()));
  };
  if (code.find(each) != std::string::npos) return {list_after(code), {}, 0};
  const std::size_t loop = text.loop_of(call);
  return {name, list_after(code_of(text.line(loop))), indentation(text.line(loop))};
}

/// The part of `name` that a line reads: itself, or its elements in "for g in grads".
bool line_reads(const std::string& code, const std::string& name, Use& use) {
  use = use_of(code, name);
  if (use != Use::none) return use == Use::read;
  for (auto at = code.find(" in " + name); at != std::string::npos;
       at = code.find(" in " + name, at + 1)) {
    const auto end = at + 4 + name.size();
    if (end < code.size() && (in_name(code[end]) || code[end] == '[' || code[end] == '.')) continue;
    std::size_t begin = at;
    while (begin > 0 && in_name(code[begin - 1])) --begin;
    const std::string element = code.substr(begin, at - begin);
    if (!element.empty() && use_of(code, element) == Use::read) return true;
  }
  return false;
}

}  // namespace

std::optional<EarlyRead> find_early_read(const SourceText& text, std::size_t call,
                                         std::size_t wait) {
  const Names names = names_of(text, call);
  if (names.array.empty()) return std::nullopt;
  std::size_t skipped = std::string_view::npos;  // lines deeper than this are of a branch
  int open = 0;                                  // brackets
  for (std::size_t line = call; line < wait; ++line) {
    const std::string code = code_of(text.line(line));
    if (code.find_first_not_of(" \t") == std::string::npos) continue;
    const bool continued = open > 0;
    open += static_cast<int>(ranges::count(code, '(') - ranges::count(code, ')'));
    if (line == call || continued) continue;
    if (skipped != std::string_view::npos && indentation(code) > skipped) continue;
    skipped = opens_branch(code) ? indentation(code) : std::string_view::npos;
    if (word_at(after_spaces(code)) == "def" || word_at(after_spaces(code)) == "class") continue;
    if (contains_any(
            code, {"wait", "Wait", "test(", "Test", "synchronize", "is_completed", "get_future"}))
      return std::nullopt;
    if (contains_any(code, {"send", "recv", "Send", "Recv", "async_op"}))
      continue;  // memory of messages is known
    if (skipped != std::string_view::npos && code.find_last_of(':') != code.find_last_not_of(" \t"))
      continue;  // a branch in one line
    const bool behind_loop = !names.list.empty() && indentation(code) <= names.loop_depth;
    const std::string& name = behind_loop ? names.list : names.array;
    if (!behind_loop && code.find("for " + name + " in ") != std::string::npos) return std::nullopt;
    Use use = Use::none;
    if (line_reads(code, name, use)) return EarlyRead{line, name};
    if (use == Use::gone) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace rankscope::finder
