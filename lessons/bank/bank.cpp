// Goes through lessons and gathers what another system can ask.
#include "lessons/bank/bank.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/diagrams/paint/cairo_painter.h"
#include "engine/diagrams/paint/svg.h"
#include "lessons/bank/bank_items.h"
#include "lessons/course/read_lesson.h"
#include "lessons/grading/grade.h"
#include "lessons/lesson/picture.h"

namespace rankscope {
namespace {

constexpr double kPictureDpi = 96;
constexpr std::uint64_t kMostSeeds = 60;  // tried to find other numbers

std::string picture_mark(const std::string& name) { return "\2" + name + "\2"; }

class BankMaker {
 public:
  BankMaker(LessonRuns& runs, int variants) : runs_(runs), variants_(variants) {}

  void add(const Lesson& lesson) {
    lesson_ = &lesson;
    runs_.know(lesson.runs);
    section_ = &bank_.sections.emplace_back();
    section_->slug = lesson.slug;
    section_->title = lesson.title;
    for (const Step& step : lesson.steps) {
      shown_.clear();
      for (const Block& block : step.blocks) {
        if (block.kind == Block::Kind::run || block.kind == Block::Kind::figure)
          shown_.push_back(&block);
        if (block.kind == Block::Kind::coding)
          if (const CodingExercise* found = lesson.find_coding(block.id)) coding(*found);
        if (block.kind != Block::Kind::question) continue;
        if (const Question* found = lesson.find_question(block.id)) question(*found);
        shown_.clear();
      }
    }
  }

  QuestionBank take() { return std::move(bank_); }

 private:
  // The first set of numbers is the printed one; the others come from the first seeds that differ.
  std::vector<Variant> variants_of(const Question& question) const {
    std::vector<Variant> out = {variant_of(question, 0)};
    if (question.rules.variables.empty()) return out;
    std::set<std::string> seen = {values_text(out[0].values)};
    for (std::uint64_t seed = 1; seed < kMostSeeds && static_cast<int>(out.size()) < variants_;
         ++seed) {
      Variant variant = variant_of(question, seed);
      if (seen.insert(values_text(variant.values)).second) out.push_back(std::move(variant));
    }
    return out;
  }

  void question(const Question& question) {
    if (question.kind == nullptr || question.student_copy)
      return left_out(question, "its key is not here (a student's copy)");
    const bool formula = question.kind->name() == "formula";
    const auto variants = variants_of(question);
    const std::size_t count = formula ? static_cast<std::size_t>(variants_) : variants.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Variant& variant = variants[std::min(i, variants.size() - 1)];
      BankItem item = begin(question, variant, i);
      const std::string why = formula
                                  ? fill_formula_item(question, variant, static_cast<int>(i), item)
                                  : fill_item(question, variant, runs_, item);
      if (why.empty()) section_->items.push_back(std::move(item));
      else if (i == 0) return left_out(question, why);
    }
  }

  BankItem begin(const Question& question, const Variant& variant, std::size_t number) {
    BankItem item;
    const std::string title = question.title.empty() ? question.id : question.title;
    item.id = fmt::format("{}-{}", lesson_->slug, question.id);
    item.title = title;
    if (number > 0) {
      item.id += fmt::format("-{}", number + 1);
      item.title += fmt::format(" ({})", number + 1);
    }
    item.points = question.points;
    // A question about a line of a program has the program below its prompt.
    const bool with_programs = question.kind->name() != "bug";
    for (const Block* block : shown_) picture(*block, with_programs, item);
    item.prompt += bank_xhtml(fill_in(question.prompt, variant.values));
    item.explanation = bank_xhtml(fill_in(question.explanation, variant.values));
    for (const std::string& hint : question.hints)
      item.hints.push_back(bank_xhtml(fill_in(hint, variant.values)));
    return item;
  }

  void left_out(const Question& question, const std::string& why) {
    bank_.left_out.push_back(
        fmt::format("{}/{}: {}: {}", lesson_->slug, question.id,
                    question.kind == nullptr ? "question" : question.kind->name(), why));
  }

  void coding(const CodingExercise& exercise) {
    BankItem item;
    item.kind = BankItem::Kind::essay;
    item.program = true;
    item.id = fmt::format("{}-{}", lesson_->slug, exercise.id);
    item.title = exercise.title;
    item.points = exercise.points;
    item.prompt = bank_xhtml(exercise.contract);
    item.for_marker =
        fmt::format("<p>Graded by <code>rankscope exercise {} FILE</code>, rule by rule.</p>",
                    xml_escaped(exercise.id));
    section_->items.push_back(std::move(item));
  }

  // Adds the picture right above a question on its page.
  void picture(const Block& block, bool with_programs, BankItem& item) {
    const LessonFigure* figure =
        block.kind == Block::Kind::figure ? lesson_->find_figure(block.id) : nullptr;
    if (figure != nullptr && !figure->file.empty()) {
      return attach(fmt::format("{}-{}.svg", lesson_->slug, figure->id),
                    read_lesson_file(lesson_->folder, figure->file), figure->caption, item);
    }
    const LessonRun* run = lesson_->find_run(figure != nullptr ? figure->run : block.id);
    if (run == nullptr) return;
    const std::string_view diagram =
        figure != nullptr ? std::string_view(figure->diagram) : picture_for_view(run->view);
    if (diagram.empty()) {  // the program's text needs no run
      if (!with_programs) return;
      item.prompt += bank_xhtml(fmt::format(
          "```\n{}\n```\n\n{}", program_text(runs_.job(run->id, {}).call.algorithm), run->caption));
      return;
    }
    const std::string name = fmt::format("{}-{}-{}.png", lesson_->slug, run->id, diagram);
    for (const BankPicture& one : item.pictures)
      if (one.name == name) return;
    auto known = drawn_.find(name);
    if (known == drawn_.end())
      known = drawn_
                  .emplace(name, to_png(picture_of(runs_.run(run->id, {}), diagram),
                                        Theme(Theme::Kind::light), kPictureDpi))
                  .first;
    attach(name, known->second, figure != nullptr ? figure->caption : run->caption, item);
  }

  static void attach(const std::string& name, std::string bytes, const std::string& caption,
                     BankItem& item) {
    item.pictures.push_back({name, std::move(bytes)});
    item.prompt += fmt::format("<p><img src=\"{}\" alt=\"{}\"/></p><p><em>{}</em></p>",
                               picture_mark(name), xml_escaped(caption), xml_escaped(caption));
  }

  LessonRuns& runs_;
  const int variants_;
  QuestionBank bank_;
  const Lesson* lesson_ = nullptr;
  BankSection* section_ = nullptr;
  std::vector<const Block*> shown_;  ///< The blocks since the last question.
  std::map<std::string, std::string> drawn_;
};

}  // namespace

std::size_t QuestionBank::size() const noexcept {
  std::size_t out = 0;
  for (const BankSection& section : sections) out += section.items.size();
  return out;
}

QuestionBank question_bank(const std::vector<Lesson>& lessons, LessonRuns& runs, int variants) {
  BankMaker maker(runs, variants);
  for (const Lesson& lesson : lessons) maker.add(lesson);
  return maker.take();
}

std::string blank_mark(std::size_t index) { return fmt::format("\1{}\1", index); }
std::string bank_number(double value) { return fmt::format("{:.12g}", value); }

}  // namespace rankscope
