// Writes the script that takes the application through a lesson.
#include "lessons/slides/lecture_script.h"

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "lessons/grading/grade.h"
#include "lessons/kinds/kind.h"
#include "lessons/lesson/expand.h"
#include "lessons/text/markdown.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostOfPrompt = 100;

std::string comment(const std::string& text) {
  std::string out = "# ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "# ";
  }
  return out + "\n";
}

/// The text as one word of a command.
std::string word(const std::string& text) {
  if (text.find_first_of(" \t'\"") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

class LectureWriter {
 public:
  LectureWriter(const Lesson& lesson, const std::string& name) : lesson_(lesson) {
    out_ = comment(fmt::format(
        "A lecture: {} ({} minutes).\n"
        "Begin with: rankscope-gui --script FILE. A clicker (Page Down) goes on at each `wait "
        "click`.\nThe presenter's window (F9) shows the notes; P leaves the large letters. To see "
        "all of "
        "it first,\nwithout clicks and ten times as fast: rankscope-gui -c 'rehearse 0.1' --script "
        "FILE",
        lesson.title, lesson.minutes));
    out_ += fmt::format("\nwelcome off\nlesson {}\nwait lesson.busy no\nexpect lesson {}\n",
                        word(name), word(lesson.slug));
    // Scripts begin with four panes, too small to read from the last row.
    out_ += "layout stage\nlecture on\npresent on\npresenter on\n";
  }

  std::string whole() {
    for (std::size_t page = 0; page < lesson_.steps.size(); ++page) {
      const Step& step = lesson_.steps[page];
      out_ += "\n" + comment(fmt::format("---- Page {} of {}: {}", page + 1, lesson_.steps.size(),
                                         step.title));
      out_ += fmt::format("lesson page {0}\nexpect lesson.page {0}\n", page + 1);
      click();
      for (const Block& one : step.blocks) block(one);
    }
    return out_ + "\n# The end: the last page stays.\n";
  }

 private:
  void click() {
    if (!out_.ends_with("wait click\n")) out_ += "wait click\n";
  }

  void block(const Block& block) {
    switch (block.kind) {
      case Block::Kind::text:
      case Block::Kind::reveal: return;
      case Block::Kind::note: out_ += comment("Note: " + markdown_plain(block.text)); return;
      case Block::Kind::run: return run(block);
      case Block::Kind::figure: return figure(block);
      case Block::Kind::question: return question(block);
      case Block::Kind::coding:
        out_ += fmt::format("lesson to {}\n", word(block.id));
        return click();
    }
  }

  void open(const Block& block) {
    if (!block.after.empty()) out_ += fmt::format("unlock {}\n", word(block.id));
    out_ += fmt::format("lesson to {}\n", word(block.id));
  }

  void figure(const Block& block) {
    open(block);
    click();
  }

  // The first click plays the run, the second goes to its end, or to the round at which it opens.
  void run(const Block& block) {
    open(block);
    out_ += fmt::format("show-run {}\nwait run\n", word(block.id));
    const LessonRun* const shown = lesson_.find_run(block.id);
    if (shown != nullptr && shown->at.starts_with("round ")) return click();
    out_ += "first\n";
    click();
    out_ += "play\n";
    click();
    out_ += "pause\nlast\n";
    click();
  }

  void question(const Block& block) {
    const Question* const asked = lesson_.find_question(block.id);
    if (asked == nullptr) return;
    std::string prompt = markdown_plain(fill_in(asked->prompt, variant_of(*asked, 0).values));
    ranges::replace(prompt, '\n', ' ');
    out_ += comment(fmt::format("Question \"{}\": {}", asked->title,
                                shortened(std::move(prompt), kMostOfPrompt)));
    // A line of the shown program has to be visible.
    const bool of_program = asked->kind != nullptr && asked->kind->row().name == "bug";
    if (of_program) out_ += "view main code\n";
    out_ += fmt::format("lesson to {}\n", word(block.id));
    click();
    out_ += fmt::format("reveal {}\n", word(block.id));
    click();
    if (of_program) out_ += "view main stage\n";
  }

  const Lesson& lesson_;
  std::string out_;
};

}  // namespace

std::string lecture_script(const Lesson& lesson, const std::string& name) {
  return LectureWriter(lesson, name).whole();
}

}  // namespace rankscope
