// Goes through a lesson, makes slides of what its pages hold, and writes them as PDF.
#include "lessons/slides/slides.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/grid/buffer_grid.h"
#include "engine/diagrams/paint/cairo_painter.h"
#include "engine/diagrams/scene/drawing.h"
#include "lessons/course/locks.h"
#include "lessons/course/read_lesson.h"
#include "lessons/grading/grade.h"
#include "lessons/handout/svg_scene.h"
#include "lessons/lesson/picture.h"
#include "lessons/slides/slide_frame.h"
#include "lessons/text/markdown.h"
#include "lessons/text/page_flow.h"

namespace rankscope {
namespace {

/// The text around a picture.
struct SlidePlace {
  std::string title;
  SlideWords lead;  ///< The words above the picture; may be empty.
  std::string caption;
  int at = 0;  ///< The only round after which a picture with moments is shown; 0 for all of them.
};

constexpr double kReadLetters =
    14;  // readable in the last row of a lecture hall; larger letters are not worth more slides
constexpr double kWorthMore = 1.15;  // more slides have to make letters this much larger
constexpr int kMostTogether = 4;     // moments on a slide
constexpr int kMostSlides = 8;       // of one run

using Moments = std::pair<int, int>;  // after how many rounds: the first and the last

/// The moments from 0 to `last` in parts of at most `together`, about equally large, the larger ones first.
std::vector<Moments> parts_of(int last, int together) {
  const int all = last + 1, count = (all + together - 1) / together;
  const auto begin = [&](int part) { return (part * all + count - 1) / count; };
  std::vector<Moments> out;
  for (int i = 0; i < count; ++i) out.emplace_back(begin(i), begin(i + 1) - 1);
  return out;
}

/// Single moments at equal distances, the first and the last among them.
std::vector<Moments> chosen_of(int last) {
  std::vector<Moments> out;
  for (int i = 0; i < kMostSlides; ++i) {
    const int at = i * last / (kMostSlides - 1);
    if (out.empty() || out.back().first != at) out.emplace_back(at, at);
  }
  return out;
}

using Draw = std::function<Scene(double, double)>;

/// The ways to divide moments among slides, fewest slides first: all on one, then parts of 4 to 1.
std::vector<std::vector<Moments>> divisions_of(int last) {
  std::vector<std::vector<Moments>> out{{{0, last}}};
  for (int together = std::min(kMostTogether, last); together > 0; --together) {
    auto parts = parts_of(last, together);
    if (parts.size() <= kMostSlides) out.push_back(std::move(parts));
  }
  if (last >= kMostSlides) out.push_back(chosen_of(last));
  return out;
}

/// `picture`: its name for picture_of(). Returns false, without a slide, where its letters would be too small to read.
bool put_picture(SlideFrame& frame, const SlidePlace& place, const TraceAnalysis& analysis,
                 std::string_view picture) {
  const Draw whole = [&](double width, double height) {
    return picture_of(analysis, picture, width, height);
  };
  if (!has_moments(picture))
    return frame.picture(place.title, place.lead, place.caption, whole) > 0;
  const auto put = [&](const std::vector<Moments>& parts, std::size_t i) {
    if (parts.size() == 1) return frame.picture(place.title, place.lead, place.caption, whole);
    const std::string caption =
        fmt::format("{} ({}\u00A0of\u00A0{})", place.caption, i + 1, parts.size());
    return frame.picture(place.title, place.lead, caption, [&](double width, double height) {
      return moments_of(analysis, picture, parts[i].first, parts[i].second, width, height);
    });
  };
  const int last = last_moment(analysis);
  if (place.at > 0 && place.at < last)
    return frame.picture(place.title, place.lead, place.caption, [&](double width, double height) {
      return moments_of(analysis, picture, place.at, place.at, width, height);
    }) > 0;
  const auto divisions = divisions_of(last);
  const std::vector<Moments>* chosen = nullptr;
  double best = 0;
  for (const auto& parts : divisions) {
    const double letters = put(parts, 0);
    if (letters > 0) frame.drop(1);
    if (letters > kWorthMore * best) chosen = &parts, best = letters;
    if (best >= kReadLetters) break;
  }
  for (std::size_t i = 0; chosen != nullptr && i < chosen->size(); ++i) {
    if (put(*chosen, i) > 0) continue;
    frame.drop(i);
    return chosen->size() > 1 && put(divisions.front(), 0) > 0;
  }
  return chosen != nullptr;
}

constexpr std::size_t kMostParts = 3, kMostCharacters = 430;  // of one slide's text
constexpr std::size_t kShortIntro = 140, kShortQuestionLead = 170, kShortBelow = 230;
constexpr std::size_t kWholeText = 600;  // a text up to this length is not shortened
constexpr double kEasilyRead = 34, kReadClosely = 28, kSmallestText = 26;  // letters, in pixels

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
        block(step.blocks[i], i + 1 < step.blocks.size() ? &step.blocks[i + 1] : nullptr);
    }
  }

  std::vector<Slide> take() { return frame_.take(lesson_.title); }

 private:
  using Is = Block::Kind;

  static bool shows_picture(const Block* next) {
    return next != nullptr && (next->kind == Is::run || next->kind == Is::figure);
  }
  static bool asks(const Block* next) {
    return next != nullptr && (next->kind == Is::question || next->kind == Is::coding);
  }

  void goals() {
    std::vector<SlidePart> parts;
    for (const std::string& goal : lesson_.goals) add_markdown(goal, true, parts, "•");
    if (!parts.empty()) frame_.text("", "After this lesson you can", parts, "");
  }

  void block(const Block& block, const Block* next) {
    const auto is_open = [](const Question& one) { return !one.student_copy; };
    if (!locked_by(lesson_, block, is_open).empty()) return;
    switch (block.kind) {
      case Is::text: return text(block.text, next);
      case Is::note: return frame_.note(markdown_plain(block.text));
      case Is::reveal: return reveal(block);
      case Is::run:
        if (const LessonRun* found = lesson_.find_run(block.id)) run(*found);
        break;
      case Is::figure:
        if (const LessonFigure* found = lesson_.find_figure(block.id)) figure(*found);
        break;
      case Is::coding:
        if (const CodingExercise* found = lesson_.find_coding(block.id)) coding(*found);
        break;
      case Is::question:
        if (const Question* found = lesson_.find_question(block.id)) question(*found);
        break;
    }
    if (!lead_said_.empty()) frame_.note(lead_said_);
    lead_.clear();
    lead_said_.clear();
  }

  void text(std::string_view markdown, const Block* next) {
    const auto blocks = parse_markdown(markdown);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      using K = MarkdownBlock::Kind;
      const MarkdownBlock& one = blocks[i];
      if (one.kind == K::heading) {
        flush();
        heading_ = plain_text(one.line);
        continue;
      }
      if (one.kind == K::paragraph && shows_picture(next) && i + 1 == blocks.size()) {
        const SlideWords words = slide_words(one.line);
        lead_ = sentences_for_picture(words);
        if (lead_.size() == words.size()) continue;
        if (!lead_.empty()) lead_said_ = text_of(words);
        const SlideWords first = sentences_before(words, lead_);
        if (!first.empty()) paragraph(words, first);
        continue;
      }
      if (one.kind == K::paragraph) paragraph(slide_words(one.line), slide_words(one.line));
      else apart(one);
    }
    if (asks(next)) keep_for_question();
    flush();
  }

  // Keeps a short text before a question for the question's slide, unless it names a term or belongs to the table above.
  void keep_for_question() {
    constexpr auto kWords = SlidePart::Kind::words;
    if (parts_.empty() || parts_.back().kind != kWords || last_is_short_ ||
        (parts_.size() > 1 && parts_[parts_.size() - 2].kind != kWords))
      return;
    const SlideWords& last = parts_.back().words;
    if (goes_on(last) || text_of(last).size() > kShortQuestionLead ||
        ranges::any_of(last, &SlideWord::key))
      return;
    lead_ = last;
    parts_.pop_back();
  }

  // Puts `lead_` above `parts` in smaller letters if there is room; else only the notes have it.
  std::vector<SlidePart> below_lead(const std::string& label, const std::string& title,
                                    std::vector<SlidePart> parts) {
    if (lead_.empty()) return parts;
    SlidePart lead;
    lead.words = std::exchange(lead_, {});
    lead.scale = 0.85;
    lead.ink = {Tone::muted};
    std::vector<SlidePart> all = parts;
    all.insert(all.begin(), lead);
    if (frame_.fits(label, title, all, kReadClosely)) return all;
    lead_said_ = text_of(lead.words);
    return parts;
  }

  // `shown`: the part of the paragraph that may stand on this slide.
  void paragraph(const SlideWords& whole, const SlideWords& shown) {
    SlidePart part;
    part.words = key_sentences(shown);
    if (!has_room_for(part)) flush();
    is_short_ = is_short_ || part.words.size() < whole.size();
    last_is_short_ = part.words.size() < whole.size();
    if (!part.words.empty()) parts_.push_back(std::move(part));
    said_ += (said_.empty() ? "" : "\n\n") + text_of(whole);
  }

  bool has_room_for(const SlidePart& part) {
    if (parts_.empty()) return true;
    if (parts_.back().kind != SlidePart::Kind::words) {  // below a list, a table or a program
      std::vector<SlidePart> all = parts_;
      all.push_back(part);
      return text_of(part.words).size() <= kShortBelow &&
             frame_.fits("", heading_, all, kEasilyRead);
    }
    if (goes_on(part.words)) return true;
    std::size_t characters = text_of(part.words).size();
    for (const SlidePart& other : parts_) characters += text_of(other.words).size();
    return parts_.size() < kMostParts && characters <= kMostCharacters;
  }

  // Gives a list, table or program a slide of its own, with the sentence that introduces it and, if there is room, the text
  // before that sentence and a short text below.
  void apart(const MarkdownBlock& block) {
    std::vector<SlidePart> all = parts_;
    std::vector<SlidePart> below = slide_parts(block, false);
    all.insert(all.end(), below.begin(), below.end());
    if (parts_.size() <= 2 && frame_.fits("", heading_, all, kEasilyRead)) {
      parts_ = std::move(all);
      return;
    }
    std::vector<SlidePart> intro;
    if (!parts_.empty() && parts_.back().kind == SlidePart::Kind::words &&
        (parts_.back().words.back().text.ends_with(':') ||
         text_of(parts_.back().words).size() <= kShortIntro)) {
      intro.push_back(std::move(parts_.back()));
      parts_.pop_back();
    }
    if (!parts_.empty()) flush();
    parts_ = std::move(intro);
    parts_.insert(parts_.end(), below.begin(), below.end());
  }

  void flush() {
    if (!parts_.empty()) frame_.text("", heading_, parts_, is_short_ ? said_ : "");
    parts_.clear();
    said_.clear();
    is_short_ = false;
  }

  void reveal(const Block& block) {
    std::vector<SlidePart> parts;
    add_markdown(block.text, block.text.size() <= kWholeText, parts);
    frame_.text("Going further", block.title, parts, markdown_plain(block.text));
  }

  void run(const LessonRun& run) {
    try {
      const std::string_view picture = picture_for_view(run.view);
      const std::string_view program = program_text(runs_.job(run.id, {}).call.algorithm);
      if (!picture.empty() || program.empty())
        return draw(run, picture.empty() ? "spacetime" : picture, run.caption, starts_at(run));
      if (!drawn_.insert({run.id, "code"}).second) return;
      std::vector<SlidePart> parts = program_parts(program);
      if (!frame_.fits(run.caption, heading_, parts, kSmallestText) && parts.size() > 1)
        parts.erase(parts.begin());
      frame_.text(run.caption, heading_, parts, text_of(lead_));
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
    try {
      const Scene scene =
          scene_of_svg(read_lesson_file(lesson_.folder, figure.file), frame_.ruler());
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

  // The round at which a run opens, which the text is about; 0 for its beginning or end.
  static int starts_at(const LessonRun& run) {
    const double round = start_round(run.at).value_or(0);
    return std::isfinite(round) ? static_cast<int>(round) : 0;
  }

  void draw(const LessonRun& run, std::string_view picture, const std::string& caption,
            int at = 0) {
    if (!drawn_.insert({run.id, std::string(picture)}).second) return;
    const RunRecord& record = runs_.run(run.id, {});
    const SlidePlace place{heading_, lead_, caption, at};
    if (put_picture(frame_, place, record, picture)) return;
    // Values of buffers need less room than contributions.
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
    add_markdown(exercise.contract, exercise.contract.size() <= kWholeText, parts);
    std::string notes = markdown_plain(exercise.contract);
    if (!exercise.starter.empty())
      notes +=
          fmt::format("\n\n{} {}.", exercise.repair ? "Repair" : "Start from", exercise.starter);
    const std::string label = fmt::format("Program · {}", points_text(exercise.points));
    frame_.text(label, exercise.title, below_lead(label, exercise.title, parts), notes);
  }

  void question(const Question& question) {
    const Variant variant = variant_of(question, options_.seed);
    std::vector<SlidePart> parts;
    add_markdown(fill_in(question.prompt, variant.values), true, parts);
    std::vector<std::string> options;
    if (question.kind != nullptr) {
      try {
        options = question.kind->form(question, variant, runs_).options();
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
    const std::string label = fmt::format("Question {} · {}", number, points_text(question.points));
    frame_.text(label, title, below_lead(label, title, parts), markdown_plain(notes));
    if (options_.answers) answer(question, variant, options, number, title);
  }

  void answer(const Question& question, const Variant& variant,
              const std::vector<std::string>& options, int number, const std::string& title) {
    std::vector<SlidePart> parts;
    try {
      if (const std::string shown = right_answer(question, variant, runs_); !shown.empty())
        add_right_answer(shown, options, parts);
    } catch (const UserError& error) {
      add_markdown(error.what(), true, parts);
    }
    add_markdown(fill_in(model_answer(question), variant.values), true, parts);
    const auto before = parts.size();
    add_markdown(fill_in(question.explanation, variant.values), true, parts);
    for (std::size_t i = before; i < parts.size(); ++i) parts[i].scale = 0.9;
    if (!parts.empty()) frame_.text(fmt::format("Answer to question {}", number), title, parts, "");
  }

  const Lesson& lesson_;
  LessonRuns& runs_;
  const SlideOptions& options_;
  SlideFrame frame_;
  std::string heading_, said_;
  std::vector<SlidePart> parts_;
  bool is_short_ = false;       ///< The slide says less than the page.
  bool last_is_short_ = false;  ///< The slide says less than the page's last paragraph.
  SlideWords lead_;             ///< The words that lead to the next picture or question.
  std::string lead_said_;       ///< The paragraph that `lead_` is taken from.
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

std::string slides_pdf(const std::vector<Slide>& slides, const Theme& theme, bool with_notes) {
  std::vector<const Scene*> pages;
  std::vector<std::string> notes;
  for (const Slide& slide : slides) {
    pages.push_back(&slide.scene);
    if (with_notes) notes.push_back(slide.notes);
  }
  return to_pdf(pages, theme, notes);
}

std::string slide_notes_pdf(const std::vector<Slide>& slides, const std::string& title) {
  constexpr Font kNotes{13, Font::Weight::regular, false};
  constexpr double kNewPage = PageFlow::kHeight;  // more than any page has room for
  PageFlow flow(system_ruler(), title);
  for (const Slide& slide : slides) {
    flow.keep(kNewPage);
    Scene framed = slide.scene;
    Drawing(framed, system_ruler()).box(framed.page(), {}, Ink{Tone::frame});
    flow.picture(framed);
    flow.space(kNotes.size);
    for (const std::string_view line : lines_of(slide.notes)) {
      flow.words(flow_words(line, kNotes));
      flow.space(kNotes.size / 2);
    }
  }
  return to_pdf(flow.take(), Theme(Theme::Kind::print));
}

}  // namespace rankscope
