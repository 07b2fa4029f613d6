// What the parts of a line of source are: words, texts, numbers, comments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rankscope {

enum class CodeInk : std::uint8_t { plain, keyword, text, number, comment };

struct CodeSpan {
  std::size_t begin = 0, end = 0;  ///< Bytes of the line.
  CodeInk ink = CodeInk::plain;
  bool operator==(const CodeSpan&) const = default;
};

enum class CodeLanguage : std::uint8_t { plain, python, cpp };
/// By the ending of its name; a notebook's cells are Python.
CodeLanguage language_of(const std::string& file);

/// By line, in order and without gaps. Texts and comments may go on over several lines.
std::vector<std::vector<CodeSpan>> code_spans(const std::vector<std::string>& lines,
                                              CodeLanguage language);

}  // namespace rankscope
