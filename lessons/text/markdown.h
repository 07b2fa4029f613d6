// Markdown as a tree: what the terminal, the handouts and the application draw.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// A stretch of text in one style.
struct MarkdownSpan {
  std::string text;
  bool strong = false, emphasis = false, code = false;
  bool line_break = false;  ///< A line ends here; there is no text.
  std::string link;         ///< Where it leads; empty: nowhere.
};
using MarkdownLine = std::vector<MarkdownSpan>;

struct MarkdownBlock {
  enum class Kind { paragraph, heading, list, item, quote, code, table, rule };
  enum class Align { left, center, right };

  Kind kind = Kind::paragraph;
  int level = 0;                      ///< Of a heading: 1 to 6.
  bool ordered = false;               ///< Of a list.
  int first = 1;                      ///< Number of its first item.
  MarkdownLine line;                  ///< Of a paragraph or heading, or of an item without blocks.
  std::string code, language;         ///< Of code.
  std::vector<MarkdownBlock> blocks;  ///< Of a list, item or quote.
  /// Of a table; the first row is its head.
  std::vector<std::vector<MarkdownLine>> rows;
  std::vector<Align> align;
};

/// CommonMark with tables, without HTML: what looks like a tag is text. Never fails.
std::vector<MarkdownBlock> parse_markdown(std::string_view text);

/// The words of a line, without their styles.
std::string plain_text(const MarkdownLine& line);

}  // namespace rankscope
