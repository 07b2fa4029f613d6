// Writes a Markdown tree as XHTML.
#include "lessons/bank/bank_text.h"

#include <fmt/format.h>

#include "engine/diagrams/paint/svg.h"
#include "lessons/text/list_text.h"
#include "lessons/text/markdown.h"

namespace rankscope {
namespace {

std::string span_xhtml(const MarkdownSpan& span) {
  if (span.line_break) return "<br/>";
  std::string out = xml_escaped(span.text);
  if (span.code) out = "<code>" + out + "</code>";
  if (span.emphasis) out = "<em>" + out + "</em>";
  if (span.strong) out = "<strong>" + out + "</strong>";
  return out;
}

std::string line_xhtml(const MarkdownLine& line) {
  std::string out;
  for (const MarkdownSpan& span : line) out += span_xhtml(span);
  return out;
}

std::string table_xhtml(const MarkdownBlock& block) {
  std::string out = "<table>";
  for (std::size_t r = 0; r < block.rows.size(); ++r) {
    out += r == 0 ? "<thead>" : r == 1 ? "<tbody>" : "";
    out += "<tr>";
    for (const MarkdownLine& cell : block.rows[r])
      out += fmt::format("<{0}>{1}</{0}>", r == 0 ? "th" : "td", line_xhtml(cell));
    out += r == 0 ? "</tr></thead>" : "</tr>";
  }
  // Both want a body, also of a table with a head only.
  out += block.rows.size() > 1 ? "</tbody>" : "<tbody><tr><td></td></tr></tbody>";
  return out + "</table>";
}

std::string blocks_xhtml(const std::vector<MarkdownBlock>& blocks);

std::string block_xhtml(const MarkdownBlock& block) {
  using K = MarkdownBlock::Kind;
  switch (block.kind) {
    case K::paragraph: return "<p>" + line_xhtml(block.line) + "</p>";
    case K::heading: return "<h3>" + line_xhtml(block.line) + "</h3>";
    case K::list:
      return fmt::format("<{0}>{1}</{0}>", block.ordered ? "ol" : "ul", blocks_xhtml(block.blocks));
    case K::item: return "<li>" + line_xhtml(block.line) + blocks_xhtml(block.blocks) + "</li>";
    case K::quote: return "<blockquote>" + blocks_xhtml(block.blocks) + "</blockquote>";
    case K::code:
      return "<pre>" +
             joined(lines_of(block.code), "\n", [](auto line) { return xml_escaped(line); }) +
             "</pre>";
    case K::table: return table_xhtml(block);
    case K::rule: return "<hr/>";
  }
  return {};
}

std::string blocks_xhtml(const std::vector<MarkdownBlock>& blocks) {
  return joined(blocks, "\n", block_xhtml);
}

}  // namespace

std::string bank_xhtml(std::string_view markdown) { return blocks_xhtml(parse_markdown(markdown)); }

std::string bank_xhtml_line(std::string_view markdown) {
  const auto blocks = parse_markdown(markdown);
  return blocks.size() == 1 && blocks[0].kind == MarkdownBlock::Kind::paragraph
             ? line_xhtml(blocks[0].line)
             : blocks_xhtml(blocks);
}

}  // namespace rankscope
