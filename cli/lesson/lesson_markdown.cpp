// Markdown for a terminal.
#include <algorithm>

#include <fmt/format.h>

#include "cli/lesson/lesson_page.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "engine/core/base/ranges.h"
#include "lessons/text/markdown.h"

namespace rankscope::cli {
namespace {

using Kind = MarkdownBlock::Kind;
constexpr int kLeastWidth = 20;

class Writer {
 public:
  Writer(const Style& style, int width) : style_(style), width_(width) {}

  std::string all(const std::vector<MarkdownBlock>& blocks, int indent) const {
    std::string out;
    for (const MarkdownBlock& block : blocks) {
      const std::string text = one(block, indent);
      if (!out.empty() && !text.empty()) out += "\n";
      out += text;
    }
    return out;
  }

 private:
  std::string one(const MarkdownBlock& block, int indent) const {
    switch (block.kind) {
      case Kind::heading: return margin(indent) + style_.bold(plain_text(block.line)) + "\n";
      case Kind::list: return list(block, indent);
      case Kind::quote: return all(block.blocks, indent + 4);
      case Kind::code: return code(block, indent + 4);
      case Kind::table: return table(block, indent);
      case Kind::rule: return margin(indent) + std::string(8, '-') + "\n";
      case Kind::item:
      case Kind::paragraph: break;
    }
    return margin(indent) + wrap(line(block.line), room(), indent) + "\n";
  }

  int room() const { return std::max(width_, kLeastWidth); }
  static std::string margin(int indent) {
    return std::string(static_cast<std::size_t>(indent), ' ');
  }

  std::string list(const MarkdownBlock& block, int indent) const {
    std::string out;
    int number = block.first;
    const bool loose = ranges::any_of(block.blocks, [](const MarkdownBlock& item) {
      return item.line.empty() && item.blocks.size() > 1;
    });
    for (const MarkdownBlock& item : block.blocks) {
      const std::string sign = block.ordered ? fmt::format("{}. ", number++) : "• ";
      const int inner = indent + display_width(sign);
      if (loose && !out.empty()) out += "\n";
      std::string text;
      if (!item.line.empty()) text = margin(inner) + wrap(line(item.line), room(), inner) + "\n";
      text += all(item.blocks, inner);
      // The sign stands in the margin of the first line.
      out += margin(indent) + sign + text.substr(std::min<std::size_t>(text.size(), inner));
      if (text.empty()) out += "\n";
    }
    return out;
  }

  static std::string code(const MarkdownBlock& block, int indent) {
    std::string out;
    std::string_view rest = block.code;
    while (!rest.empty()) {
      const auto end = rest.find('\n');
      out += margin(indent) + std::string(rest.substr(0, end)) + "\n";
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return out;
  }

  std::string table(const MarkdownBlock& block, int indent) const {
    if (block.rows.empty()) return {};
    std::vector<Table::Column> columns;
    for (std::size_t i = 0; i < block.rows.front().size(); ++i)
      columns.push_back({line(block.rows.front()[i]),
                         i < block.align.size() && block.align[i] == MarkdownBlock::Align::right
                             ? Table::Align::right
                             : kLeft});
    Table out(std::move(columns));
    for (std::size_t r = 1; r < block.rows.size(); ++r) {
      std::vector<std::string> cells;
      for (const MarkdownLine& cell : block.rows[r]) cells.push_back(line(cell));
      out.add_row(std::move(cells));
    }
    return out.to_string(style_, indent, width_);
  }

  // Without colours, signs say what is strong and what is code.
  std::string line(const MarkdownLine& spans) const {
    std::string out;
    for (const MarkdownSpan& span : spans) {
      if (span.line_break) {
        out += "\n";
        continue;
      }
      const std::string_view sign = span.code ? "`" : "*";
      const bool marked = span.code || ((span.strong || span.emphasis) && !style_.color());
      std::string text = marked ? fmt::format("{0}{1}{0}", sign, span.text) : span.text;
      if (!span.code && span.strong) text = style_.bold(text);
      else if (!span.code && span.emphasis) text = style_.underlined(text);
      out += text;
      if (!span.link.empty() && span.link != span.text) out += fmt::format(" ({})", span.link);
    }
    return out;
  }

  const Style& style_;
  int width_;
};

}  // namespace

std::string markdown_text(std::string_view markdown, const Style& style, int width, int indent) {
  return Writer(style, width).all(parse_markdown(markdown), indent);
}

}  // namespace rankscope::cli
