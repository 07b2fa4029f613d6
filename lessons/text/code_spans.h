// Splits lines of source into keywords, texts, numbers and comments.
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
/// The language of a file, by the ending of its name; a notebook's cells are Python.
CodeLanguage language_of(const std::string& file);

/// The spans of each line, in order and without gaps. Texts and comments may span several lines.
std::vector<std::vector<CodeSpan>> code_spans(const std::vector<std::string>& lines,
                                              CodeLanguage language);

}  // namespace rankscope
