// Goes through the lines between a call and its wait, as far as they certainly run.
#include "engine/analysis/findings/early_reads.h"

#include <algorithm>
#include <array>

#include "engine/analysis/findings/source_lines.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope::finder {
namespace {

/// Returns whether the operator at `at`, before a name, is no part of a type, as in "std::vector<int> x" and "int *x".
bool is_operator(std::string_view code, std::size_t at, bool is_cpp) {
  if (!is_cpp || std::string_view("*<>").find(code[at]) == std::string_view::npos) return true;
  return at > 0 && code[at - 1] == ' ' && at + 1 < code.size() && code[at + 1] == ' ';
}

/// Returns whether the `name` at `at`, or an element of it, is read.
bool reads(std::string_view code, std::size_t at, std::string_view name, bool is_cpp) {
  // Members that do not read elements.
  constexpr std::array<std::string_view, 25> kShape{
      "shape",         "size",         "numel",     "dtype",         "device",
      "dim",           "ndim",         "nbytes",    "itemsize",      "data_ptr",
      "is_contiguous", "element_size", "stride",    "requires_grad", "append",
      "grad",          "view",         "reshape",   "numpy",         "detach",
      "flatten",       "squeeze",      "unsqueeze", "narrow",        "transpose"};
  constexpr std::array<std::string_view, 8> kReaders{"float", "int", "sum",   "max",
                                                     "min",   "abs", "print", "printf"};
  constexpr std::array<std::string_view, 3> kElements{"front", "back", "at"};
  const auto rest = behind_brackets(trimmed(code.substr(at + name.size())));
  if (rest.starts_with('.')) {
    const auto member = first_name(rest.substr(1)), called = rest.substr(1 + member.size());
    if (is_cpp)
      return ranges::find(kElements, member) != kElements.end() &&
             !assigns(trimmed(called.starts_with('(') ? behind_bracket(called) : called));
    return ranges::find(kShape, member) == kShape.end() && !member.ends_with('_') &&
           called.starts_with('(');
  }
  const auto operates = [](char c) {
    return std::string_view("+-*/@%<>").find(c) != std::string_view::npos;
  };
  if (!rest.empty() && operates(rest[0]) &&
      !(rest.size() > 1 && rest[1] == '=' && rest[0] != '<' && rest[0] != '>'))
    return true;
  const auto before = code.substr(0, at).find_last_not_of(' ');
  if (before != std::string_view::npos && operates(code[before]) &&
      is_operator(code, before, is_cpp))
    return before == 0 || code[before - 1] != '*' || code[before] != '*';
  const bool whole = rest.starts_with(')') || rest.starts_with(',');
  // "for (double one : halo)"
  if (is_cpp && whole && before != std::string_view::npos && code[before] == ':')
    return before > 0 && code[before - 1] == ' ' && code.find("for (") != std::string_view::npos &&
           code.find('&') == std::string_view::npos;
  return whole && ranges::find(kReaders, function_around(code, at)) != kReaders.end();
}

enum class Use { none, read, gone };

Use use_of(std::string_view code, std::string_view name, bool is_cpp) {
  for (auto at = find_name(code, name); at != code.npos; at = find_name(code, name, at + 1)) {
    const auto before = code.substr(0, at);
    if (before.ends_with('.') || before.ends_with("->")) continue;  // of an object
    const auto rest = trimmed(code.substr(at + name.size()));
    const bool first = trimmed(before).empty();
    if (rest.starts_with('=') && !rest.starts_with("==")) {
      if (!first) continue;  // the name of an argument
      return use_of(rest.substr(1), name, is_cpp) == Use::read ? Use::read : Use::gone;
    }
    if (first && rest.starts_with('[')) continue;  // written
    const auto function = is_cpp ? function_around(code, at) : std::string_view();
    if (function.ends_with("swap") || function.ends_with("move")) return Use::gone;
    if (reads(code, at, name, is_cpp)) return Use::read;
  }
  return Use::none;
}

bool contains_any(std::string_view code, std::initializer_list<std::string_view> words) {
  return ranges::any_of(words,
                        [&](auto word) { return code.find(word) != std::string_view::npos; });
}

/// Returns whether lines that are deeper than this one may not run, or not now (a function, a lambda).
bool opens_branch(const SourceText& text, std::size_t line) {
  const Block block = block_of(text, line);
  const bool may_not_begin =
      text.is_cpp() && block == Block::loop && has_name(text.code(line), "while");
  return may_not_begin || (block != Block::other && block != Block::loop);
}

/// The text's name for the array that the call writes.
struct Names {
  std::string array;
  std::string list;            ///< "grads" of "for grad in grads:" around the call, if any.
  std::size_t loop_depth = 0;  ///< Lines that are deeper are in that loop.
};

Names names_of(const SourceText& text, std::size_t call) {
  if (text.is_cpp()) {
    const CallText read = call_text_of(text, call, false);
    // The array must be given as a whole: a part of it may be another one than is read.
    const bool is_whole = read.verb == "irecv" && first_name(read.data) == read.data;
    return is_whole && !as_number<int>(read.data) ? Names{read.data, {}, 0} : Names{};
  }
  const std::string code = text.code(call);
  std::string_view name;
  for (std::string_view verb : {"all_reduce(", "broadcast(", "all_gather_into_tensor(",
                                "reduce_scatter_tensor(", "irecv(", "Irecv("})
    if (const auto at = code.find(verb); at != std::string::npos) {
      const auto argument = trimmed(std::string_view(code).substr(at + verb.size()));
      name = first_name(argument.starts_with('[') ? argument.substr(1) : argument);
      // It is not known which part is read.
      const auto rest = trimmed(argument.substr(std::min(argument.size(), name.size())));
      if (!argument.starts_with('[') && !rest.starts_with(',') && !rest.starts_with(')')) name = {};
    }
  if (name.empty() || as_number<int>(name)) return {};
  const std::string each = "for " + std::string(name) + " in ";
  const auto list_after = [&](std::string_view in) {
    const auto at = in.find(each);
    return std::string(at == in.npos ? in.substr(0, 0) : first_name(in.substr(at + each.size())));
  };
  if (code.find(each) != std::string::npos) return {list_after(code), {}, 0};
  const std::size_t loop = text.loop_of(call);
  return {std::string(name), list_after(text.code(loop)), indentation(text.line(loop))};
}

/// Returns whether a line reads `name`, or its elements in "for g in grads".
bool line_reads(const std::string& code, const std::string& name, bool is_cpp, Use& use) {
  use = use_of(code, name, is_cpp);
  if (use != Use::none || is_cpp) return use == Use::read;
  for (auto at = code.find(" in " + name); at != std::string::npos;
       at = code.find(" in " + name, at + 1)) {
    const auto end = at + 4 + name.size();
    if (end < code.size() && (in_name(code[end]) || code[end] == '[' || code[end] == '.')) continue;
    const auto element = last_name(std::string_view(code).substr(0, at));
    if (use_of(code, element, false) == Use::read) return true;
  }
  return false;
}

}  // namespace

bool only_reads(std::string_view code, std::string_view name) {
  return use_of(code, name, true) == Use::read && !writes_to(code, name);
}

std::optional<EarlyRead> find_early_read(const SourceText& text, std::size_t call,
                                         std::size_t wait) {
  const Names names = names_of(text, call);
  if (names.array.empty()) return std::nullopt;
  const bool is_cpp = text.is_cpp();
  std::size_t skipped = std::string_view::npos;  // lines deeper than this are of a branch
  int open = 0;                                  // brackets
  for (std::size_t line = call; line < wait; ++line) {
    const std::string code = text.code(line);
    if (trimmed(code).empty()) continue;
    const bool continued = open > 0;
    open += static_cast<int>(ranges::count(code, '(') - ranges::count(code, ')'));
    if (line == call || continued) continue;
    if (skipped != std::string_view::npos && indentation(code) > skipped) continue;
    const bool only_brace = is_cpp && trimmed(code) == "{";
    if (only_brace && skipped != std::string_view::npos) continue;
    skipped = opens_branch(text, line) ? indentation(code) : std::string_view::npos;
    const auto word = first_name(trimmed(code));
    if (word == "def" || word == "class") continue;
    if (contains_any(
            code, {"wait", "Wait", "test(", "Test", "synchronize", "is_completed", "get_future"}))
      return std::nullopt;
    if (contains_any(code, {"send", "recv", "Send", "Recv", "async_op"}))
      continue;  // memory of messages is known
    // A condition in the line, or a reference, leaves open whether it reads.
    if (is_cpp &&
        (skipped != std::string_view::npos ||
         contains_any(code, {"?", "&&", "||", "sizeof", "decltype", "auto&", "/*", "= &"})))
      continue;
    if (skipped != std::string_view::npos && code.find_last_of(':') != code.find_last_not_of(" \t"))
      continue;  // a branch in one line
    const bool behind_loop = !names.list.empty() && indentation(code) <= names.loop_depth;
    const std::string& name = behind_loop ? names.list : names.array;
    if (!behind_loop && code.find("for " + name + " in ") != std::string::npos) return std::nullopt;
    Use use = Use::none;
    if (line_reads(code, name, is_cpp, use)) return EarlyRead{line, name};
    if (use == Use::gone) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace rankscope::finder
