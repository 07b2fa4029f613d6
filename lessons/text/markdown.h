// Parses Markdown into a tree, and writes it as HTML or plain text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// A stretch of text in one style.
struct MarkdownSpan {
  std::string text;
  bool strong = false, emphasis = false, code = false;
  bool line_break = false;  ///< A line ends here, without text.
  std::string link;         ///< A link's address; empty for other text.
};
using MarkdownLine = std::vector<MarkdownSpan>;

struct MarkdownBlock {
  enum class Kind { paragraph, heading, list, item, quote, code, table, rule };
  enum class Align { left, center, right };

  Kind kind = Kind::paragraph;
  int level = 0;                      ///< A heading's level, 1 to 6.
  bool ordered = false;               ///< A list has numbers.
  int first = 1;                      ///< Number of its first item.
  MarkdownLine line;                  ///< The text of a paragraph, heading, or item without blocks.
  std::string code, language;         ///< A block of code.
  std::vector<MarkdownBlock> blocks;  ///< The blocks of a list, item or quote.
  /// The rows of a table, its head first.
  std::vector<std::vector<MarkdownLine>> rows;
  std::vector<Align> align;
};

/// Parses CommonMark with tables. HTML is plain text. Never fails.
std::vector<MarkdownBlock> parse_markdown(std::string_view text);

/// The words of a line, without their styles.
std::string plain_text(const MarkdownLine& line);

/// CommonMark with tables as HTML. HTML in the source is shown, not interpreted.
std::string markdown_html(std::string_view markdown);
/// Markdown as plain text, without signs of emphasis and code.
std::string markdown_plain(std::string_view markdown);

}  // namespace rankscope
