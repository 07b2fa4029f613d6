// Makes the parts of a slide.
#include "lessons/slides/slide_parts.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/text.h"

namespace rankscope {
namespace {

void list_parts(const MarkdownBlock& list, bool whole, int depth, std::vector<SlidePart>& out) {
  int number = list.first;
  for (const MarkdownBlock& item : list.blocks) {
    SlidePart part;
    part.kind = SlidePart::Kind::item;
    part.depth = depth;
    part.sign = list.ordered ? fmt::format("{}.", number++) : "•";
    auto inner = item.blocks.begin();
    const MarkdownLine* line = &item.line;
    if (line->empty() && inner != item.blocks.end() &&
        inner->kind == MarkdownBlock::Kind::paragraph)
      line = &(inner++)->line;
    part.words = whole ? slide_words(*line) : key_sentences(slide_words(*line));
    out.push_back(std::move(part));
    for (; inner != item.blocks.end(); ++inner)
      for (SlidePart& below : slide_parts(*inner, whole, depth + 1))
        out.push_back(std::move(below));
  }
}

}  // namespace

std::vector<SlidePart> slide_parts(const MarkdownBlock& block, bool whole, int depth) {
  using K = MarkdownBlock::Kind;
  std::vector<SlidePart> out;
  SlidePart part;
  switch (block.kind) {
    case K::heading:
    case K::paragraph:
      part.words = whole ? slide_words(block.line) : key_sentences(slide_words(block.line));
      if (!part.words.empty()) out.push_back(std::move(part));
      break;
    case K::list: list_parts(block, whole, depth, out); break;
    case K::code:
      part.kind = SlidePart::Kind::code;
      for (const std::string_view line : lines_of(block.code)) part.lines.emplace_back(line);
      out.push_back(std::move(part));
      break;
    case K::table:
      part.kind = SlidePart::Kind::table;
      for (const auto& row : block.rows) {
        auto& cells = part.rows.emplace_back();
        for (const MarkdownLine& cell : row) cells.push_back(slide_words(cell));
      }
      out.push_back(std::move(part));
      break;
    case K::quote:
    case K::item:
      for (const MarkdownBlock& inner : block.blocks)
        for (SlidePart& one : slide_parts(inner, whole, depth)) out.push_back(std::move(one));
      break;
    case K::rule: break;
  }
  return out;
}

void add_markdown(std::string_view text, bool whole, std::vector<SlidePart>& parts,
                  std::string_view sign) {
  for (const MarkdownBlock& block : parse_markdown(text))
    for (SlidePart& part : slide_parts(block, whole)) {
      if (!sign.empty() && part.kind == SlidePart::Kind::words) {
        part.kind = SlidePart::Kind::item;
        part.sign = std::exchange(sign, "");
        if (part.sign.empty()) part.sign = " ";
      }
      parts.push_back(std::move(part));
    }
}

void add_right_answer(const std::string& shown, const std::vector<std::string>& options,
                      std::vector<SlidePart>& parts) {
  std::vector<std::size_t> chosen;
  for (const std::string_view letter : split_at(shown, ", "))
    if (letter.size() == 1 && letter[0] >= 'a' &&
        static_cast<std::size_t>(letter[0] - 'a') < options.size())
      chosen.push_back(static_cast<std::size_t>(letter[0] - 'a'));
    else if (!letter.empty()) chosen.push_back(options.size());
  if (options.empty() || ranges::find(chosen, options.size()) != chosen.end()) {
    SlidePart part;
    bool space = false;
    for (const std::string_view word : split_at(shown, " \n")) {
      if (!word.empty())
        part.words.push_back({std::string(word), true, false, false, space, false});
      space = true;
    }
    part.ink = {Tone::accent};
    parts.push_back(std::move(part));
    return;
  }
  for (const std::size_t option : chosen)
    add_markdown(options[option], true, parts, fmt::format("{})", static_cast<char>('a' + option)));
}

std::vector<SlidePart> program_parts(std::string_view program) {
  SlidePart words, code;
  words.scale = 0.75;
  words.ink = {Tone::muted};
  code.kind = SlidePart::Kind::code;
  int number = 0;
  for (const std::string_view line : lines_of(program)) {
    ++number;
    const bool is_head = line.empty() || line.starts_with("#") || line.starts_with("//") ||
                         line.starts_with("namespace ");
    if (code.lines.empty() && is_head) {
      if (line.starts_with("// "))
        for (const std::string_view word : split_at(line.substr(3), " "))
          words.words.push_back({std::string(word), false, false, false, true, false});
      continue;
    }
    if (code.lines.empty()) code.first_number = number;
    code.lines.emplace_back(line);
  }
  while (!code.lines.empty() &&
         (code.lines.back().empty() || code.lines.back().starts_with("}  // namespace")))
    code.lines.pop_back();
  if (words.words.empty()) return {code};
  return {words, code};
}

}  // namespace rankscope
