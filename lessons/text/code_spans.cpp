// Cuts lines of Python and C++ into words, texts, numbers and comments.
#include "lessons/text/code_spans.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string_view>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

constexpr std::array<std::string_view, 36> kPython = {
    "False",    "None",  "True",     "and",  "as",     "assert", "async", "await",  "break",
    "case",     "class", "continue", "def",  "del",    "elif",   "else",  "except", "finally",
    "for",      "from",  "global",   "if",   "import", "in",     "is",    "lambda", "match",
    "nonlocal", "not",   "or",       "pass", "raise",  "return", "try",   "while",  "yield"};
constexpr std::array<std::string_view, 58> kCpp = {
    "auto",     "bool",      "break",    "case",     "catch",   "char",        "class",
    "const",    "constexpr", "continue", "default",  "delete",  "do",          "double",
    "else",     "enum",      "explicit", "false",    "float",   "for",         "friend",
    "if",       "inline",    "int",      "long",     "mutable", "namespace",   "new",
    "noexcept", "nullptr",   "operator", "override", "private", "protected",   "public",
    "return",   "short",     "signed",   "sizeof",   "static",  "static_cast", "struct",
    "switch",   "template",  "this",     "throw",    "true",    "try",         "typedef",
    "typename", "union",     "unsigned", "using",    "virtual", "void",        "volatile",
    "while",    "final"};

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Cutter {
 public:
  explicit Cutter(CodeLanguage language) : python_(language == CodeLanguage::python) {}

  std::vector<CodeSpan> cut(std::string_view line) {
    line_ = line;
    at_ = 0;
    spans_.clear();
    const bool directive = !python_ && open_.empty() && first() == '#';
    while (at_ < line_.size()) next(directive);
    return std::move(spans_);
  }

 private:
  char first() const {
    const auto at = line_.find_first_not_of(" \t");
    return at == std::string_view::npos ? '\0' : line_[at];
  }
  bool here(std::string_view text) const { return line_.substr(at_).starts_with(text); }

  void put(std::size_t end, CodeInk ink) {
    if (!spans_.empty() && spans_.back().ink == ink) spans_.back().end = end;
    else spans_.push_back({at_, end, ink});
    at_ = end;
  }

  void next(bool directive) {
    if (!open_.empty()) return go_on();
    const char c = line_[at_];
    if (python_ ? c == '#' : here("//")) return put(line_.size(), CodeInk::comment);
    if (!python_ && here("/*")) return begin("*/", 2, CodeInk::comment);
    if (python_ && (here("\"\"\"") || here("'''")))
      return begin(line_.substr(at_, 3), 3, CodeInk::text);
    if (c == '"' || c == '\'') return quoted(c);
    if (directive && c == '<' && line_.find('>', at_) != std::string_view::npos)
      return put(line_.find('>', at_) + 1, CodeInk::text);
    if (starts_word(c) || (directive && c == '#')) return word(directive);
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return number();
    put(at_ + 1, CodeInk::plain);
  }

  // Continues an open text or comment to its end, which may be on another line.
  void begin(std::string_view end, std::size_t skip, CodeInk ink) {
    open_ = end;
    ink_ = ink;
    put(at_ + skip, ink);
    if (at_ < line_.size()) go_on();
  }
  void go_on() {
    const auto end = line_.find(open_, at_);
    if (end == std::string_view::npos) return put(line_.size(), ink_);
    const auto behind = end + open_.size();
    open_.clear();
    put(behind, ink_);
  }

  void quoted(char quote) {
    // The ' in the C++ number 1'000 is no quote; number() takes it.
    std::size_t end = at_ + 1;
    while (end < line_.size() && line_[end] != quote) end += line_[end] == '\\' ? 2 : 1;
    put(std::min(end + 1, line_.size()), CodeInk::text);
  }

  void word(bool directive) {
    std::size_t end = at_ + 1;
    while (end < line_.size() && in_name(line_[end])) ++end;
    const auto text = line_.substr(at_, end - at_);
    const auto words = python_ ? std::span<const std::string_view>(kPython) : kCpp;
    const bool known = ranges::find(words, text) != words.end();
    // The letters before a Python text (f"", rb"") belong to it.
    if (python_ && !known && text.size() <= 2 && end < line_.size() &&
        (line_[end] == '"' || line_[end] == '\''))
      return put(end, CodeInk::text);
    const bool leads = directive && text.front() == '#';
    put(end, known || leads ? CodeInk::keyword : CodeInk::plain);
  }

  void number() {
    std::size_t end = at_ + 1;
    while (end < line_.size() && (in_name(line_[end]) || line_[end] == '.' || line_[end] == '\''))
      ++end;
    put(end, CodeInk::number);
  }

  const bool python_;
  std::string_view line_;
  std::size_t at_ = 0;
  std::string open_;  ///< The end of the open text or comment.
  CodeInk ink_ = CodeInk::plain;
  std::vector<CodeSpan> spans_;
};

}  // namespace

CodeLanguage language_of(const std::string& file) {
  if (file.ends_with(".py") || file.find(".ipynb") != std::string::npos)
    return CodeLanguage::python;
  constexpr std::array<std::string_view, 6> kEndings = {".cpp", ".cc", ".h", ".hpp", ".c", ".cxx"};
  const bool cpp = ranges::any_of(kEndings, [&](auto ending) { return file.ends_with(ending); });
  return cpp ? CodeLanguage::cpp : CodeLanguage::plain;
}

std::vector<std::vector<CodeSpan>> code_spans(const std::vector<std::string>& lines,
                                              CodeLanguage language) {
  std::vector<std::vector<CodeSpan>> all;
  Cutter cutter(language);
  for (const auto& line : lines) {
    if (language != CodeLanguage::plain) all.push_back(cutter.cut(line));
    else
      all.push_back(line.empty() ? std::vector<CodeSpan>()
                                 : std::vector<CodeSpan>{{0, line.size()}});
  }
  return all;
}

}  // namespace rankscope
