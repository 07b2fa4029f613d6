// The parts of a slide: text, lists, tables and programs, made of Markdown and of right answers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/diagrams/scene/scene.h"
#include "lessons/slides/slide_words.h"
#include "lessons/text/markdown.h"

namespace rankscope {

struct SlidePart {
  enum class Kind { words, item, code, table };
  Kind kind = Kind::words;
  int depth = 0;                   ///< An item's depth.
  std::string sign;                ///< The sign before it: "•", "a)".
  SlideWords words;                ///< The text of words and items.
  Ink ink;                         ///< The colour of words.
  double scale = 1;                ///< The size of its letters, relative to the slide's.
  std::vector<std::string> lines;  ///< The lines of code.
  int first_number = 0;            ///< The number of the first line of code; 0 without numbers.
  std::vector<std::vector<SlideWords>> rows;  ///< The rows of a table, its head first.
};

/// The parts of a block: whole, or only the key sentences of its paragraphs.
std::vector<SlidePart> slide_parts(const MarkdownBlock& block, bool whole, int depth = 0);

/// Adds the parts of a Markdown text: whole, or only its key sentences. With a sign ("a)") its paragraphs are items, of which
/// the first has it.
void add_markdown(std::string_view text, bool whole, std::vector<SlidePart>& parts,
                  std::string_view sign = {});

/// Adds the options of an answer "b, d" in its order, or any other answer as typed.
void add_right_answer(const std::string& shown, const std::vector<std::string>& options,
                      std::vector<SlidePart>& parts);

/// The comment at the head of a program as words, and its code with line numbers, without includes and namespace.
std::vector<SlidePart> program_parts(std::string_view program);

}  // namespace rankscope
