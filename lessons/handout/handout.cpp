// Collects texts, pictures and questions of a lesson or course into a handout.
#include "lessons/handout/handout.h"

#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/paint/svg.h"
#include "engine/diagrams/scene/theme.h"
#include "lessons/course/locks.h"
#include "lessons/course/read_lesson.h"
#include "lessons/grading/grade.h"
#include "lessons/handout/svg_scene.h"
#include "lessons/lesson/picture.h"

namespace rankscope {
namespace {

using Kind = HandoutItem::Kind;

class Composer {
 public:
  Composer(LessonRuns& runs, const HandoutOptions& options) : runs_(runs), options_(options) {}

  void lesson(const Lesson& lesson) {
    enter(lesson);
    for (const Step& step : lesson.steps) {
      heading(2, step.title);
      for (const Block& block : step.blocks) {
        if (block.kind == Block::Kind::question) {
          if (const Question* found = lesson.find_question(block.id))
            question(*found, found->title, found->points);
        } else {
          other(block);
        }
      }
    }
  }

  void course(const std::vector<CourseEntry>& entries) {
    std::string part;
    for (const CourseEntry& entry : entries) {
      if (entry.heading != part) heading(2, entry.heading);
      part = entry.heading;
      enter(*entry.lesson);
      if (entry.question == nullptr) {
        coding(*entry.coding, entry.points);
        continue;
      }
      context(*entry.question);
      question(*entry.question, entry.title, entry.points);
    }
  }

  std::vector<HandoutItem> take() {
    show_locked();
    if (!answers_.empty()) {
      heading(2, word_("Answers"));
      for (HandoutItem& answer : answers_) items_.push_back(std::move(answer));
    }
    return std::move(items_);
  }

 private:
  void enter(const Lesson& lesson) {
    if (lesson_ == &lesson) return;
    lesson_ = &lesson;
    word_ = FixedWords(lesson.folder.parent_path(), lesson.language);
    runs_.know(lesson.runs);
  }

  std::string worth(double points) const {
    if (lesson_ == nullptr || lesson_->language.empty()) return points_text(points);
    return fmt::format("{} {}", number_text(points), word_(points == 1 ? "point" : "points"));
  }

  HandoutItem& add(Kind kind) {
    items_.emplace_back().kind = kind;
    return items_.back();
  }

  void heading(int level, const std::string& title) {
    HandoutItem& item = add(Kind::heading);
    item.level = level;
    item.title = title;
  }

  // Paper cannot lock a run, so its figure stands behind all questions, each picture once.
  struct Later {
    const Lesson* lesson;
    const Block* block;
    std::string run, picture;
    std::vector<std::string> captions =
        {};  ///< The captions of other places with the same picture.
  };

  void show_later(const Block& block) {
    Later wanted{lesson_, &block, std::string(run_shown_by(*lesson_, block)),
                 picture_shown_by(*lesson_, block)};
    const auto same = ranges::find_if(later_, [&](const Later& one) {
      return one.lesson == wanted.lesson && one.run == wanted.run && one.picture == wanted.picture;
    });
    const auto number = static_cast<std::size_t>(same - later_.begin()) + 1;
    if (same == later_.end()) later_.push_back(std::move(wanted));
    else if (same->block != &block) add_caption(*same, block);
    // Consecutive figures share a line.
    const bool goes_on = pointer_at_ > 0 && pointer_at_ == items_.size();
    if (goes_on && number >= pointer_from_ && number <= pointer_to_) return;
    const bool is_next = goes_on && number == pointer_to_ + 1;
    if (!is_next) pointer_from_ = number;
    pointer_to_ = number;
    HandoutItem& pointer = is_next ? items_.back() : add(Kind::text);
    pointer_at_ = items_.size();
    if (const std::string line = "*Answer first: the figure stands behind the questions.*";
        word_(line) != line) {
      pointer.text = word_(line);
      return;
    }
    pointer.text = fmt::format(
        "*Answer first: {} behind the questions, under \"Figures to compare with\".*",
        pointer_from_ == number ? fmt::format("figure {} stands", number)
                                : fmt::format("figures {} to {} stand", pointer_from_, number));
  }

  void add_caption(Later& to, const Block& block) const {
    const LessonRun* const run =
        block.kind == Block::Kind::run ? lesson_->find_run(block.id) : nullptr;
    const LessonFigure* const figure = lesson_->find_figure(block.id);
    const std::string caption = run != nullptr      ? run->caption
                                : figure != nullptr ? figure->caption
                                                    : "";
    if (!caption.empty() && ranges::find(to.captions, caption) == to.captions.end())
      to.captions.push_back(caption);
  }

  void show_locked() {
    if (later_.empty()) return;
    heading(2, word_("Figures to compare with"));
    for (std::size_t i = 0; i < later_.size(); ++i) {
      enter(*later_[i].lesson);
      show(*later_[i].block);
      HandoutItem& last = items_.back();
      const std::string name = fmt::format("{} {}.", word_("Figure"), i + 1);
      if (last.kind == Kind::text) last.text.insert(0, "**" + name + "** ");
      else last.caption.insert(0, name + " ");
      for (const std::string& one : later_[i].captions)
        (last.kind == Kind::text ? last.text : last.caption) += " " + one;
    }
  }

  void other(const Block& block) {
    const auto closed = locked_by(*lesson_, block, [&](const Question& one) {
      return !one.student_copy && (options_.lecturer || block.kind != Block::Kind::reveal);
    });
    if (block.after.empty() || (options_.lecturer && closed.empty())) return show(block);
    if (closed.empty()) return show_later(block);
    add(Kind::text).text = "*" + locked_words(*lesson_, block, closed) + "*";
  }

  void show(const Block& block) {
    switch (block.kind) {
      case Block::Kind::text: add(Kind::text).text = block.text; break;
      case Block::Kind::note:
        if (options_.lecturer) add(Kind::note).text = block.text;
        break;
      case Block::Kind::reveal: {
        HandoutItem& item = add(Kind::reveal);
        item.title = block.title;
        item.text = block.text;
        break;
      }
      case Block::Kind::run:
        if (const LessonRun* found = lesson_->find_run(block.id)) run(*found);
        break;
      case Block::Kind::figure:
        if (const LessonFigure* found = lesson_->find_figure(block.id)) figure(*found);
        break;
      case Block::Kind::coding:
        if (const CodingExercise* found = lesson_->find_coding(block.id))
          coding(*found, found->points);
        break;
      case Block::Kind::question: break;
    }
  }

  // In a course, a question stands without its page, with the pictures right before it.
  void context(const Question& question) {
    for (const Step& step : lesson_->steps)
      for (std::size_t i = 0; i < step.blocks.size(); ++i) {
        if (step.blocks[i].kind != Block::Kind::question || step.blocks[i].id != question.id)
          continue;
        while (i > 0 && step.blocks[i - 1].kind != Block::Kind::question) --i;
        for (; step.blocks[i].kind != Block::Kind::question; ++i)
          if (step.blocks[i].kind == Block::Kind::run || step.blocks[i].kind == Block::Kind::figure)
            other(step.blocks[i]);
        return;
      }
  }

  void run(const LessonRun& run) {
    try {
      const RunRecord& record = runs_.run(run.id, {});
      const std::string_view picture = picture_for_view(run.view);
      const std::string_view program = program_text(record.job.call.algorithm);
      if (picture.empty() && !program.empty()) {
        if (!drawn_.insert({lesson_->slug, run.id, "code"}).second) return;
        HandoutItem& item = add(Kind::listing);
        item.text = program;
        item.caption = run.caption;
      } else {
        draw(run, picture.empty() ? "spacetime" : picture, run.caption);
      }
    } catch (const UserError& error) {
      add(Kind::text).text = fmt::format("{} ({})", run.caption, error.what());
    }
  }

  void draw(const LessonRun& run, std::string_view picture, const std::string& caption) {
    // A picture that was drawn before needs only its caption.
    if (!drawn_.insert({lesson_->slug, run.id, std::string(picture)}).second) {
      if (!caption.empty()) add(Kind::text).text = caption;
      return;
    }
    const RunRecord& record = runs_.run(run.id, {});
    Scene scene = picture_of(record, picture);
    // Paper draws all steps equally long, so a slow rank or another mode may change nothing visible.
    SvgOptions plain;
    plain.groups = false;
    const auto [same, is_new] =
        seen_.emplace(to_svg(scene, Theme(Theme::Kind::print), plain), caption);
    if (!is_new) {
      add(Kind::text).text = fmt::format(
          "{} ({} \"{}\")", caption,
          word_("On paper, where each step is equally long, its picture is the same as that of"),
          same->second);
      return;
    }
    HandoutItem& item = add(Kind::figure);
    item.caption = caption;
    item.name = fmt::format("{}-{}-{}", lesson_->slug, run.id, picture);
    item.scene = std::move(scene);
  }

  void figure(const LessonFigure& figure) {
    if (figure.file.empty()) {
      const LessonRun* run = lesson_->find_run(figure.run);
      if (run == nullptr) return;
      try {
        draw(*run, figure.diagram, figure.caption);
      } catch (const UserError& error) {
        add(Kind::text).text = fmt::format("{} ({})", figure.caption, error.what());
      }
      return;
    }
    if (!drawn_.insert({lesson_->slug, figure.id, "file"}).second) return;
    HandoutItem& item = add(Kind::figure);
    item.svg = read_lesson_file(lesson_->folder, figure.file);
    item.caption = figure.caption;
    item.name = fmt::format("{}-{}", lesson_->slug, figure.id);
    try {
      item.scene = scene_of_svg(item.svg, system_ruler());
    } catch (const UserError&) {
      item.scene.reset();  // a shape that is not supported: HTML shows the file itself
    }
  }

  void coding(const CodingExercise& exercise, double points) {
    HandoutItem& item = add(Kind::coding);
    item.title =
        fmt::format("{}: {} ({})", word_("Coding exercise"), exercise.title, worth(points));
    item.text = exercise.contract;
    if (!exercise.starter.empty())
      item.how =
          fmt::format("{} {}.", exercise.repair ? "Repair" : word_("Start from"), exercise.starter);
    if (exercise.repair)
      add(Kind::listing).text = read_lesson_file(lesson_->folder, exercise.starter);
  }

  void question(const Question& question, const std::string& title, double points) {
    const std::string name =
        fmt::format("{} {}{}", word_("Question"), ++number_, title.empty() ? "" : ": " + title);
    HandoutItem item;
    item.kind = Kind::question;
    item.title = fmt::format("{} ({})", name, worth(points));
    const Variant variant = variant_of(question, options_.seed);
    item.text = fill_in(question.prompt, variant.values);
    if (question.kind != nullptr) {
      item.lines = question.kind->row().lines;
      form(question, variant, item);
    }
    items_.push_back(std::move(item));
    if (options_.answers) answer(question, variant, name);
  }

  void form(const Question& question, const Variant& variant, HandoutItem& item) {
    try {
      const AnswerForm form = question.kind->form(question, variant, runs_);
      item.how = form.example.empty() ? word_(form.how)
                                      : fmt::format("{}; {}: {}", word_(form.how),
                                                    word_("for example"), form.example);
      item.options = form.options();
    } catch (const UserError& error) {
      item.how = error.what();
    }
  }

  void answer(const Question& question, const Variant& variant, const std::string& name) {
    HandoutItem item;
    item.kind = Kind::answer;
    item.title = name;
    try {
      item.how = right_answer(question, variant, runs_);
    } catch (const UserError& error) {
      item.how = error.what();
    }
    if (const std::string model = model_answer(question); !model.empty())
      item.text += fill_in(model, variant.values) + "\n\n";
    item.text += fill_in(question.explanation, variant.values);
    if (options_.lecturer && question.data.contains("rubric")) {
      item.text += "\n\nRubric:\n\n";
      for (const RubricRow& row : rubric_of(question))
        item.text += fmt::format("- {} ({})\n", row.text, points_text(row.points));
    }
    answers_.push_back(std::move(item));
  }

  LessonRuns& runs_;
  const HandoutOptions& options_;
  const Lesson* lesson_ = nullptr;
  FixedWords word_;
  std::vector<HandoutItem> items_, answers_;
  std::vector<Later> later_;
  std::size_t pointer_at_ = 0, pointer_from_ = 0,
              pointer_to_ = 0;  ///< The figures in the line that says where figures stand.
  std::set<std::tuple<std::string, std::string, std::string>> drawn_;
  std::map<std::string, std::string> seen_;  ///< Captions, by the painted scene.
  int number_ = 0;
};

/// "about {} minutes" with its number.
std::string with_number(std::string words, int number) {
  if (const auto at = words.find("{}"); at != std::string::npos)
    words.replace(at, 2, std::to_string(number));
  return words;
}

std::vector<GlossaryWord> glossary_in(const std::filesystem::path& content) {
  Complaints ignored;  // `lesson check` says them
  return read_glossary(content, ignored);
}

void add_seed(Handout& handout, const HandoutOptions& options) {
  if (options.seed != 0)
    handout.facts.push_back(fmt::format("with the numbers of seed {}", options.seed));
}

}  // namespace

Handout handout_of(const Lesson& lesson, LessonRuns& runs, const HandoutOptions& options) {
  Handout out;
  out.title = lesson.title;
  out.summary = lesson.summary;
  out.language = lesson.language;
  out.fixed = FixedWords(lesson.folder.parent_path(), lesson.language);
  if (lesson.language.empty()) out.glossary = glossary_in(lesson.folder.parent_path());
  if (lesson.minutes > 0)
    out.facts.push_back(with_number(out.fixed("about {} minutes"), lesson.minutes));
  out.facts.push_back(lesson.language.empty() ? points_text(lesson.points())
                                              : fmt::format("{} {}", number_text(lesson.points()),
                                                            out.fixed("points")));
  add_seed(out, options);
  Composer composer(runs, options);
  composer.lesson(lesson);
  out.items = composer.take();
  return out;
}

Handout handout_of(const Course& course, const LessonLibrary& library, LessonRuns& runs,
                   const HandoutOptions& options) {
  Handout out;
  out.title = course.title;
  out.summary = course.summary;
  out.facts.push_back(points_text(course.points()));
  out.glossary = glossary_in(library.root() / "content");
  add_seed(out, options);
  Composer composer(runs, options);
  composer.course(entries_of(course, library));
  out.items = composer.take();
  return out;
}

}  // namespace rankscope
