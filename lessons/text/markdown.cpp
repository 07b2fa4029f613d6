// Parses Markdown with md4c, and writes it as HTML or plain text.
#include "lessons/text/markdown.h"

#include <md4c-html.h>
#include <md4c.h>

namespace rankscope {
namespace {

using BlockKind = MarkdownBlock::Kind;

// Deeper levels are dropped: code that draws the tree calls itself for each.
constexpr std::size_t kMostLevels = 24;

std::string_view text_of(const MD_ATTRIBUTE& attribute) { return {attribute.text, attribute.size}; }

// The entities that texts use; others stay as they are written.
std::string_view character_of(std::string_view entity) {
  constexpr std::pair<std::string_view, std::string_view> kKnown[] = {
      {"&amp;", "&"},  {"&lt;", "<"},    {"&gt;", ">"},     {"&quot;", "\""},
      {"&nbsp;", " "}, {"&ndash;", "–"}, {"&hellip;", "…"}, {"&times;", "×"},
  };
  for (const auto& [name, character] : kKnown)
    if (entity == name) return character;
  return entity;
}

class TreeBuilder {
 public:
  TreeBuilder() { open_.push_back(&root_); }

  int enter(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_DOC:
      case MD_BLOCK_THEAD:
      case MD_BLOCK_TBODY: return 0;
      case MD_BLOCK_TR: table().rows.emplace_back(); return 0;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD: cell(*static_cast<MD_BLOCK_TD_DETAIL*>(detail)); return 0;
      default: open(type, detail); return 0;
    }
  }

  int leave(MD_BLOCKTYPE type) {
    switch (type) {
      case MD_BLOCK_DOC:
      case MD_BLOCK_THEAD:
      case MD_BLOCK_TBODY:
      case MD_BLOCK_TR:
      case MD_BLOCK_TH:
      case MD_BLOCK_TD: return 0;
      default: break;
    }
    if (too_deep_ > 0) --too_deep_;
    else open_.pop_back();
    return 0;
  }

  int span(MD_SPANTYPE type, const void* detail, int change) {
    if (type == MD_SPAN_STRONG) strong_ += change;
    if (type == MD_SPAN_EM) emphasis_ += change;
    if (type == MD_SPAN_CODE) code_ += change;
    if (type == MD_SPAN_A)
      link_ = change > 0 ? std::string(text_of(static_cast<const MD_SPAN_A_DETAIL*>(detail)->href))
                         : std::string();
    return 0;
  }

  int text(MD_TEXTTYPE type, std::string_view words) {
    MarkdownBlock& into = *open_.back();
    if (into.kind == BlockKind::code) {
      into.code += words;
      return 0;
    }
    MarkdownLine& line = line_of(into);
    if (type == MD_TEXT_BR) {
      MarkdownSpan end;
      end.line_break = true;
      line.push_back(std::move(end));
      return 0;
    }
    if (type == MD_TEXT_SOFTBR) words = " ";
    if (type == MD_TEXT_NULLCHAR) words = "\uFFFD";
    if (type == MD_TEXT_ENTITY) words = character_of(words);
    MarkdownSpan next{std::string(words), strong_ > 0, emphasis_ > 0, code_ > 0, false, link_};
    if (!line.empty() && same_style(line.back(), next)) line.back().text += next.text;
    else line.push_back(std::move(next));
    return 0;
  }

  std::vector<MarkdownBlock> take() { return std::move(root_.blocks); }

 private:
  static bool same_style(const MarkdownSpan& a, const MarkdownSpan& b) {
    return !a.line_break && a.strong == b.strong && a.emphasis == b.emphasis && a.code == b.code &&
           a.link == b.link;
  }

  MarkdownBlock& table() { return *open_.back(); }

  void cell(const MD_BLOCK_TD_DETAIL& detail) {
    using Align = MarkdownBlock::Align;
    MarkdownBlock& into = table();
    into.rows.back().emplace_back();
    if (into.rows.size() > 1) return;
    into.align.push_back(detail.align == MD_ALIGN_RIGHT    ? Align::right
                         : detail.align == MD_ALIGN_CENTER ? Align::center
                                                           : Align::left);
  }

  MarkdownLine& line_of(MarkdownBlock& block) {
    if (block.kind == BlockKind::table) return block.rows.back().back();
    // In a tight list an item's words come before the list that it holds.
    if (block.kind == BlockKind::item && !block.blocks.empty()) {
      if (block.blocks.back().kind != BlockKind::paragraph) block.blocks.emplace_back();
      return block.blocks.back().line;
    }
    return block.line;
  }

  void open(MD_BLOCKTYPE type, void* detail) {
    if (open_.size() > kMostLevels) {
      ++too_deep_;
      return;
    }
    MarkdownBlock& block = open_.back()->blocks.emplace_back();
    switch (type) {
      case MD_BLOCK_H:
        block.kind = BlockKind::heading;
        block.level = static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
        break;
      case MD_BLOCK_OL:
        block.first = static_cast<int>(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start);
        block.ordered = true;
        block.kind = BlockKind::list;
        break;
      case MD_BLOCK_UL: block.kind = BlockKind::list; break;
      case MD_BLOCK_LI: block.kind = BlockKind::item; break;
      case MD_BLOCK_QUOTE: block.kind = BlockKind::quote; break;
      case MD_BLOCK_HR: block.kind = BlockKind::rule; break;
      case MD_BLOCK_TABLE: block.kind = BlockKind::table; break;
      case MD_BLOCK_CODE:
        block.kind = BlockKind::code;
        block.language = text_of(static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->lang);
        break;
      default: break;
    }
    open_.push_back(&block);
  }

  MarkdownBlock root_;
  std::vector<MarkdownBlock*>
      open_;  // the pointers stay valid: a block gets a sibling only when it is closed
  std::size_t too_deep_ = 0;
  int strong_ = 0, emphasis_ = 0, code_ = 0;
  std::string link_;
};

TreeBuilder& builder(void* data) { return *static_cast<TreeBuilder*>(data); }

void append(const MD_CHAR* text, MD_SIZE size, void* into) {
  static_cast<std::string*>(into)->append(text, size);
}

}  // namespace

std::vector<MarkdownBlock> parse_markdown(std::string_view text) {
  MD_PARSER parser{};
  parser.flags = MD_FLAG_TABLES | MD_FLAG_NOHTML | MD_FLAG_PERMISSIVEURLAUTOLINKS;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* data) {
    return builder(data).enter(type, detail);
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* data) {
    return builder(data).leave(type);
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* data) {
    return builder(data).span(type, detail, 1);
  };
  parser.leave_span = [](MD_SPANTYPE type, void* detail, void* data) {
    return builder(data).span(type, detail, -1);
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* words, MD_SIZE size, void* data) {
    return builder(data).text(type, {words, size});
  };
  TreeBuilder tree;
  md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &tree);
  return tree.take();
}

std::string plain_text(const MarkdownLine& line) {
  std::string out;
  for (const MarkdownSpan& span : line) out += span.line_break ? "\n" : span.text;
  return out;
}

std::string markdown_html(std::string_view markdown) {
  std::string out;
  md_html(markdown.data(), static_cast<MD_SIZE>(markdown.size()), append, &out,
          MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_NOHTML, 0);
  return out;
}

namespace {

std::string plain_blocks(const std::vector<MarkdownBlock>& blocks) {
  std::string out;
  for (const MarkdownBlock& block : blocks) {
    std::string text = block.kind == BlockKind::code ? block.code : plain_text(block.line);
    for (const auto& row : block.rows) {
      for (const MarkdownLine& cell : row) text += plain_text(cell) + "  ";
      text += "\n";
    }
    if (!text.empty() && !text.ends_with('\n')) text += "\n";
    if (block.kind == BlockKind::item) out += "- ";
    out += text + plain_blocks(block.blocks);
  }
  return out;
}

}  // namespace

std::string markdown_plain(std::string_view markdown) {
  std::string out = plain_blocks(parse_markdown(markdown));
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

}  // namespace rankscope
