// Markdown with the blocks of a lesson in it.
#include <optional>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"
#include "lessons/lesson/lesson.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

struct Directive {
  std::string_view word;
  Block::Kind kind;
};
constexpr Directive kPointers[] = {{"@run", Block::Kind::run},
                                   {"@figure", Block::Kind::figure},
                                   {"@question", Block::Kind::question},
                                   {"@coding", Block::Kind::coding}};
constexpr Directive kFences[] = {{"note", Block::Kind::note}, {"reveal", Block::Kind::reveal}};

class Splitter {
 public:
  Splitter(const std::string& file, Complaints& complaints)
      : file_(file), complaints_(complaints) {}

  void line(std::string_view raw) {
    ++number_;
    const std::string_view text = trimmed(raw);
    if (text.starts_with("```") || text.starts_with("~~~")) in_code_ = !in_code_;
    if (!in_code_ && text.starts_with(":::")) return fence(trimmed(text.substr(3)));
    if (!in_code_ && !fenced_ && text.starts_with("@") && pointer(text)) return;
    add_text(raw);
  }

  std::vector<Block> finish() {
    if (fenced_) complaints_.add(file_, fence_line_, "this ::: is not closed");
    end_text();
    return std::move(blocks_);
  }

 private:
  void fence(std::string_view rest) {
    end_text();
    if (rest.empty()) {
      if (!fenced_) complaints_.add(file_, number_, "::: closes nothing");
      fenced_.reset();
      return;
    }
    if (fenced_) complaints_.add(file_, number_, "::: inside of :::; close the first one");
    const std::string_view word = rest.substr(0, rest.find(' '));
    const auto found = ranges::find(kFences, word, &Directive::word);
    if (found == std::end(kFences))
      return complaints_.add(file_, number_,
                             fmt::format("'::: {}' is neither note nor reveal", word));
    fenced_ = Block{found->kind, "", "", std::string(trimmed(rest.substr(word.size()))), number_};
    fence_line_ = number_;
  }

  bool pointer(std::string_view text) {
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    const auto found = ranges::find(kPointers, word, &Directive::word);
    if (found == std::end(kPointers)) return false;
    end_text();
    Block block{found->kind, "", "", "", number_};
    std::vector<std::string> words = words_of(text.substr(word.size()));
    if (words.empty()) complaints_.add(file_, number_, fmt::format("{} needs an id", word));
    else block.id = words.front();
    if (words.size() > 1) block.after = locked_by(block.kind, word, words);
    blocks_.push_back(std::move(block));
    return true;
  }

  static std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    for (const std::string_view part : split_at(text, " ,\t"))
      if (!part.empty()) words.emplace_back(part);
    return words;
  }

  // "@run ID after QUESTION …"
  std::vector<std::string> locked_by(Block::Kind kind, std::string_view word,
                                     const std::vector<std::string>& words) {
    const bool opens = kind == Block::Kind::run || kind == Block::Kind::figure;
    if (opens && words[1] == "after" && words.size() > 2) return {words.begin() + 2, words.end()};
    complaints_.add(file_, number_,
                    opens ? fmt::format("\"{0} {1}\" may only go on with the questions that open "
                                        "it: \"{0} {1} after QUESTION\"",
                                        word, words[0])
                          : fmt::format("\"{} {}\" ends with its id", word, words[0]));
    return {};
  }

  void add_text(std::string_view raw) {
    if (text_.empty()) {
      if (trimmed(raw).empty()) return;
      text_line_ = number_;
    }
    text_ += raw;
    text_ += '\n';
  }

  void end_text() {
    while (text_.ends_with("\n\n")) text_.pop_back();
    if (!text_.empty()) {
      Block block = fenced_.value_or(Block{});
      block.text = std::move(text_);
      if (!fenced_) block.line = text_line_;
      blocks_.push_back(std::move(block));
    }
    text_.clear();
  }

  const std::string& file_;
  Complaints& complaints_;
  std::vector<Block> blocks_;
  std::optional<Block> fenced_;
  std::string text_;
  int number_ = 0, text_line_ = 0, fence_line_ = 0;
  bool in_code_ = false;
};

}  // namespace

std::vector<Block> split_blocks(std::string_view markdown, const std::string& file,
                                Complaints& complaints) {
  Splitter splitter(file, complaints);
  for (const std::string_view line : lines_of(markdown)) splitter.line(line);
  return splitter.finish();
}

}  // namespace rankscope
