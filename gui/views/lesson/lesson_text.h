// Markdown in the window: paragraphs, lists, tables and code, broken at the column's width.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gui/views/base/view.h"
#include "lessons/text/markdown.h"

namespace rankscope::gui {

struct TextStyle {
  double size = 14;
  ImU32 color = 0;  ///< 0: of text.
  bool strong = false;
};

/// Texts that were parsed, by what they are.
class MarkdownCache {
 public:
  const std::vector<MarkdownBlock>& of(const std::string& text);

 private:
  std::map<std::string, std::vector<MarkdownBlock>, std::less<>> parsed_;
};

/// At the cursor, `width` pixels wide; the cursor is below it afterwards.
void draw_markdown(const Look& look, const std::vector<MarkdownBlock>& blocks, float width,
                   const TextStyle& style = {});
/// One run of spans. Its height; with `draw` false it is only measured. `used`: how wide it is.
float flow(const Look& look, const MarkdownLine& line, ImVec2 at, float width,
           const TextStyle& style, bool draw = true, float* used = nullptr);
/// The same for plain words.
void draw_words(const Look& look, const std::string& words, float width, const TextStyle& style);

}  // namespace rankscope::gui
