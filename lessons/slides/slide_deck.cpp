// Goes through a lesson and makes slides of what its pages hold.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/diagrams/scene/compose.h"
#include "engine/diagrams/scene/drawing.h"
#include "lessons/grading/grade.h"
#include "lessons/handout/svg_scene.h"
#include "lessons/lesson/picture.h"
#include "lessons/slides/slide_frame.h"
#include "lessons/slides/slide_layout.h"
#include "lessons/slides/slide_pictures.h"
#include "lessons/slides/slides.h"
#include "lessons/text/list_text.h"
#include "lessons/text/markdown_html.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr std::size_t kMostParts = 3, kMostCharacters = 330;  // of one slide's text
constexpr std::size_t kShortIntro = 140;

class SlideWriter {
 public:
  SlideWriter(const Lesson& lesson, LessonRuns& runs, const SlideOptions& options,
              const Ruler& ruler)
      : lesson_(lesson), runs_(runs), options_(options), frame_(ruler) {}

  void all() {
    frame_.opening(lesson_);
    goals();
    for (const Step& step : lesson_.steps) {
      heading_ = step.title;
      for (std::size_t i = 0; i < step.blocks.size(); ++i)
        block(step.blocks[i], i + 1 < step.blocks.size() && shows_picture(step.blocks[i + 1]));
    }
  }

  std::vector<Slide> take() { return frame_.take(lesson_.title); }

 private:
  static bool shows_picture(const Block& block) {
    return block.kind == Block::Kind::run || block.kind == Block::Kind::figure;
  }

  void goals() {
    std::vector<SlidePart> parts;
    for (const std::string& goal : lesson_.goals) add_markdown(goal, true, parts, "•");
    if (!parts.empty()) frame_.text("", "After this lesson you can", parts, "");
  }

  void block(const Block& block, bool picture_follows) {
    switch (block.kind) {
      case Block::Kind::text: return text(block.text, picture_follows);
      case Block::Kind::note: return frame_.note(markdown_plain(block.text));
      case Block::Kind::reveal: return reveal(block);
      case Block::Kind::run:
        if (const LessonRun* found = lesson_.find_run(block.id)) run(*found);
        break;
      case Block::Kind::figure:
        if (const LessonFigure* found = lesson_.find_figure(block.id)) figure(*found);
        break;
      case Block::Kind::coding:
        if (const CodingExercise* found = lesson_.find_coding(block.id)) coding(*found);
        break;
      case Block::Kind::question:
        if (const Question* found = lesson_.find_question(block.id)) question(*found);
        break;
    }
    if (!lead_said_.empty()) frame_.note(lead_said_);
    lead_.clear();
    lead_said_.clear();
  }

  static void add_markdown(std::string_view text, bool whole, std::vector<SlidePart>& parts,
                           std::string_view sign = {}) {
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

  void text(std::string_view markdown, bool picture_follows) {
    const auto blocks = parse_markdown(markdown);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      using K = MarkdownBlock::Kind;
      const MarkdownBlock& one = blocks[i];
      if (one.kind == K::heading) {
        flush();
        heading_ = plain_text(one.line);
        continue;
      }
      if (one.kind == K::paragraph && picture_follows && i + 1 == blocks.size()) {
        const SlideWords words = slide_words(one.line);
        lead_ = sentences_for_picture(words);
        if (lead_.size() == words.size()) continue;
        if (!lead_.empty()) lead_said_ = text_of(words);
        const SlideWords first = before(words, lead_);
        if (!first.empty()) paragraph(words, first);
        continue;
      }
      if (one.kind == K::paragraph) paragraph(slide_words(one.line), slide_words(one.line));
      else apart(one);
    }
    flush();
  }

  // The sentences in front of the first one of `lead`: those behind it would refer to a picture that comes later.
  static SlideWords before(const SlideWords& words, const SlideWords& lead) {
    SlideWords out;
    const std::string said = text_of(lead);
    for (const SlideWords& sentence : sentences_of(words)) {
      if (said.find(text_of(sentence)) != std::string::npos) break;
      out.insert(out.end(), sentence.begin(), sentence.end());
    }
    return out;
  }

  // `shown`: what of it may stand on this slide.
  void paragraph(const SlideWords& whole, const SlideWords& shown) {
    SlidePart part;
    part.words = key_sentences(shown);
    std::size_t characters = text_of(part.words).size();
    for (const SlidePart& other : parts_) characters += text_of(other.words).size();
    if (parts_.size() >= kMostParts || (!parts_.empty() && characters > kMostCharacters)) flush();
    is_short_ = is_short_ || part.words.size() < whole.size();
    if (!part.words.empty()) parts_.push_back(std::move(part));
    said_ += (said_.empty() ? "" : "\n\n") + text_of(whole);
  }

  // Lists, tables and programs have a slide of their own, with the sentence that introduces them.
  void apart(const MarkdownBlock& block) {
    std::vector<SlidePart> intro;
    if (!parts_.empty() && parts_.back().kind == SlidePart::Kind::words &&
        (parts_.back().words.back().text.ends_with(':') ||
         text_of(parts_.back().words).size() <= kShortIntro)) {
      intro.push_back(std::move(parts_.back()));
      parts_.pop_back();
    }
    if (!parts_.empty()) flush();
    parts_ = std::move(intro);
    for (SlidePart& part : slide_parts(block, false)) parts_.push_back(std::move(part));
    flush();
  }

  void flush() {
    if (!parts_.empty()) frame_.text("", heading_, parts_, is_short_ ? said_ : "");
    parts_.clear();
    said_.clear();
    is_short_ = false;
  }

  void reveal(const Block& block) {
    std::vector<SlidePart> parts;
    add_markdown(block.text, false, parts);
    frame_.text("Going further", block.title, parts, markdown_plain(block.text));
  }

  void run(const LessonRun& run) {
    try {
      const std::string_view picture = picture_for_view(run.view);
      const std::string_view program = program_text(runs_.job(run.id, {}).algorithm);
      if (!picture.empty() || program.empty())
        return draw(run, picture.empty() ? "spacetime" : picture, run.caption);
      if (!drawn_.insert({run.id, "code"}).second) return;
      SlidePart part;
      part.kind = SlidePart::Kind::code;
      part.numbered = true;
      for (const std::string_view line : lines_of(program)) part.lines.emplace_back(line);
      // The end of the namespace has no place on a slide, least of all alone on one.
      while (!part.lines.empty() &&
             (part.lines.back().empty() || part.lines.back().starts_with("}  // namespace")))
        part.lines.pop_back();
      frame_.text(run.caption, heading_, {part}, text_of(lead_));
    } catch (const UserError& error) {
      plain_slide(fmt::format("{} ({})", run.caption, error.what()));
    }
  }

  void figure(const LessonFigure& figure) {
    if (figure.file.empty()) {
      const LessonRun* run = lesson_.find_run(figure.run);
      if (run == nullptr) return;
      try {
        draw(*run, figure.diagram, figure.caption);
      } catch (const UserError& error) {
        plain_slide(fmt::format("{} ({})", figure.caption, error.what()));
      }
      return;
    }
    if (!drawn_.insert({figure.id, "file"}).second) return;
    std::ifstream in(lesson_.folder / figure.file, std::ios::binary);
    const std::string svg(std::istreambuf_iterator<char>(in), {});
    try {
      const Scene scene = scene_of_svg(svg, frame_.ruler());
      if (frame_.picture(heading_, lead_, figure.caption, [&](double, double) { return scene; }) ==
          0)
        too_detailed(figure.caption);
    } catch (const UserError&) {
      plain_slide(figure.caption + " (This picture is in the HTML handout.)");
    }
  }

  void plain_slide(const std::string& words) {
    std::vector<SlidePart> parts;
    add_markdown(words, true, parts);
    frame_.text("", heading_, parts, "");
  }

  void draw(const LessonRun& run, std::string_view picture, const std::string& caption) {
    if (!drawn_.insert({run.id, std::string(picture)}).second) return;
    const RunRecord& record = runs_.run(run.id, {});
    const SlidePlace place{heading_, lead_, caption};
    if (put_picture(frame_, place, record, picture)) return;
    // Of buffers, the values need less room than whose they are.
    if (picture == "grid" && drawn_.insert({run.id, "strip"}).second &&
        put_picture(frame_, place, record, "strip"))
      return;
    too_detailed(caption);
  }

  void too_detailed(const std::string& caption) {
    std::vector<SlidePart> parts;
    if (!lead_.empty()) parts.emplace_back().words = lead_;
    add_markdown(caption, true, parts);
    const auto before = parts.size();
    add_markdown("Its picture has more detail than a slide can show: open it in the application.",
                 true, parts);
    for (std::size_t i = before; i < parts.size(); ++i) {
      parts[i].scale = 0.8;
      parts[i].ink = {Tone::muted};
    }
    frame_.text("", heading_, parts, fmt::format("rankscope-gui: lesson {}.", lesson_.slug));
  }

  void coding(const CodingExercise& exercise) {
    std::vector<SlidePart> parts;
    add_markdown(exercise.contract, false, parts);
    std::string notes = markdown_plain(exercise.contract);
    if (!exercise.starter.empty())
      notes +=
          fmt::format("\n\n{} {}.", exercise.repair ? "Repair" : "Start from", exercise.starter);
    frame_.text(fmt::format("Program · {}", points_text(exercise.points)), exercise.title, parts,
                notes);
  }

  void question(const Question& question) {
    const Variant variant = variant_of(question, options_.seed);
    std::vector<SlidePart> parts;
    add_markdown(fill_in(question.prompt, variant.values), true, parts);
    std::vector<std::string> options;
    if (question.kind != nullptr) {
      try {
        const AnswerForm form = question.kind->form(question, variant, runs_);
        if (!form.rows && !form.fields.empty()) options = form.fields.front().options;
      } catch (const UserError&) {
        options.clear();  // its page says what is wrong
      }
    }
    char letter = 'a';
    for (const std::string& option : options)
      add_markdown(option, true, parts, fmt::format("{})", letter++));
    std::string notes;
    for (const std::string& hint : question.hints)
      notes += (notes.empty() ? "Hints: " : " ") + fill_in(hint, variant.values);
    const int number = ++number_;
    const std::string title = question.title.empty() ? "What do you think?" : question.title;
    frame_.text(fmt::format("Question {} · {}", number, points_text(question.points)), title, parts,
                markdown_plain(notes));
    if (options_.answers) answer(question, variant, options, number, title);
  }

  void answer(const Question& question, const Variant& variant,
              const std::vector<std::string>& options, int number, const std::string& title) {
    std::vector<SlidePart> parts;
    try {
      const json key = question.kind == nullptr || question.student_copy
                           ? json()
                           : question.kind->key(question, variant, runs_);
      if (!key.is_null()) right_answer(question.kind->show(question, key), options, parts);
    } catch (const UserError& error) {
      add_markdown(error.what(), true, parts);
    }
    if (question.data.contains("model") && question.data["model"].is_string())
      add_markdown(fill_in(question.data["model"].get<std::string>(), variant.values), true, parts);
    const auto before = parts.size();
    add_markdown(fill_in(question.explanation, variant.values), true, parts);
    for (std::size_t i = before; i < parts.size(); ++i) parts[i].scale = 0.9;
    if (!parts.empty()) frame_.text(fmt::format("Answer to question {}", number), title, parts, "");
  }

  // "b, d" as these options' texts, in that order; anything else as it would be typed.
  static void right_answer(const std::string& shown, const std::vector<std::string>& options,
                           std::vector<SlidePart>& parts) {
    std::vector<std::size_t> chosen;
    for (const std::string_view letter : split_at(shown, ", "))
      if (letter.size() == 1 && letter[0] >= 'a' &&
          static_cast<std::size_t>(letter[0] - 'a') < options.size())
        chosen.push_back(static_cast<std::size_t>(letter[0] - 'a'));
      else if (!letter.empty()) chosen.push_back(options.size());
    if (options.empty() || std::ranges::find(chosen, options.size()) != chosen.end()) {
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
      add_markdown(options[option], true, parts,
                   fmt::format("{})", static_cast<char>('a' + option)));
  }

  const Lesson& lesson_;
  LessonRuns& runs_;
  const SlideOptions& options_;
  SlideFrame frame_;
  std::string heading_, said_;
  std::vector<SlidePart> parts_;
  bool is_short_ = false;  ///< The slide says less than the page.
  SlideWords lead_;        ///< What to look for in the picture that comes next.
  std::string lead_said_;  ///< The paragraph that this is taken from.
  std::set<std::tuple<std::string, std::string>> drawn_;
  int number_ = 0;
};

}  // namespace

std::vector<Slide> slides_of(const Lesson& lesson, LessonRuns& runs, const SlideOptions& options,
                             const Ruler& ruler) {
  runs.know(lesson.runs);
  SlideWriter writer(lesson, runs, options, ruler);
  writer.all();
  return writer.take();
}

}  // namespace rankscope
