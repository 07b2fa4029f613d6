// Goes through a lesson's pages: what a page says, and where, beside what it asks.
#include "lessons/lesson/check_texts.h"

#include <array>
#include <span>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"
#include "lessons/grading/grade.h"
#include "lessons/lesson/giveaways.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/lesson/locks.h"

namespace rankscope {
namespace {

using nlohmann::json;

// Kinds whose answers are numbers or formulas. The others' are words or arrows, of which a page may speak.
constexpr std::array<std::string_view, 5> kSaid = {"number", "vector", "table", "fill", "formula"};
// A paragraph that has one of these speaks of what stands beside it, and so does one that ends with a colon.
constexpr std::array<std::string_view, 33> kPointing = {
    "run",   "runs",  "figure", "picture", "pictures", "drawing", "diagram", "matrix", "graph",
    "grid",  "table", "curve",  "curves",  "chart",    "bars",    "program", "here",   "below",
    "above", "look",  "watch",  "see",     "follow",   "step",    "compare", "shows",  "shown",
    "count", "both",  "first",  "second",  "columns",  "rows"};

bool one_of(std::span<const std::string_view> words, std::string_view word) {
  return ranges::find(words, word) != words.end();
}

bool points(std::string_view paragraph) {
  paragraph = trimmed(paragraph);
  if (paragraph.ends_with(':')) return true;
  std::string word;
  for (const char c : std::string(paragraph) + " ") {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else {
      if (one_of(kPointing, word)) return true;
      word.clear();
    }
  }
  return false;
}

std::string_view first_paragraph(std::string_view text) {
  return text.substr(0, text.find("\n\n"));
}
std::string_view last_paragraph(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const auto at = text.rfind("\n\n");
  return at == std::string_view::npos ? text : text.substr(at + 2);
}

class PageCheck {
 public:
  PageCheck(const Lesson& lesson, const Step& step, LessonRuns& runs, Complaints& complaints)
      : lesson_(lesson), step_(step), runs_(runs), complaints_(complaints) {}

  void check() {
    for (std::size_t i = 0; i < step_.blocks.size(); ++i) {
      const Block& block = step_.blocks[i];
      if (pictures(block) && !referred_to(i))
        complain(block.line,
                 fmt::format("the text beside @{} {} does not speak of it: say what "
                             "to look for (\"In the run below …\")",
                             block.kind == Block::Kind::run ? "run" : "figure", block.id));
      if (block.kind == Block::Kind::question) check_question(i);
    }
  }

 private:
  static bool pictures(const Block& block) {
    return block.kind == Block::Kind::run || block.kind == Block::Kind::figure;
  }

  void complain(int line, const std::string& text) {
    complaints_.add((lesson_.folder.filename() / step_.file).string(), line, text);
  }

  // ---- Answers that the page says ----

  // What stands on the page for everybody: what is opened in the application is printed in a handout.
  std::string said() const {
    std::string out;
    for (const Block& block : step_.blocks) {
      if (block.kind == Block::Kind::text || block.kind == Block::Kind::reveal) out += block.text;
      if (const LessonRun* run = run_in(block)) out += run->caption;
      if (block.kind == Block::Kind::figure)
        if (const LessonFigure* figure = lesson_.find_figure(block.id)) out += figure->caption;
      out += "\n\n";
    }
    return out;
  }

  const LessonRun* run_in(const Block& block) const {
    return block.kind == Block::Kind::run ? lesson_.find_run(block.id) : nullptr;
  }

  void check_question(std::size_t place) {
    const Block& block = step_.blocks[place];
    const Question* question = lesson_.find_question(block.id);
    if (question == nullptr || question->kind == nullptr) return;
    const std::string_view kind = question->kind->name();
    if (kind == "bug" && question->misconceptions.empty())
      complain(block.line, fmt::format("bug question {} has no [[question.misconception]]: say of "
                                       "the lines that a reader may take for it why they are right",
                                       question->id));
    try {
      const Variant printed = variant_of(*question, 0);
      if (one_of(kSaid, kind)) {
        const std::string where =
            find_answer(question->kind->key(*question, printed, runs_), said());
        if (!where.empty())
          complain(block.line, fmt::format("the page gives the answer of question {} away: \"{}\"",
                                           question->id, where));
      }
    } catch (
        const std::exception&) {  // check_lesson reports what is wrong with the question itself
    }
  }

  // The runs that a question names, as far as they can be made with its numbers alone.
  std::vector<std::string> runs_of(const Question& question) const {
    std::vector<std::string> out;
    const json parts = question.data.flatten();
    for (const auto& [key, value] : parts.items())
      if (key.ends_with("/run") && value.is_string() &&
          lesson_.find_run(value.get_ref<const std::string&>()) != nullptr)
        out.push_back(value.get<std::string>());
    return out;
  }

  // ---- Pictures of which the text speaks ----

  bool referred_to(std::size_t place) const {
    const auto& blocks = step_.blocks;
    const std::string run(run_shown_by(lesson_, blocks[place]));
    const auto speaks = [&](const Block& block, bool before) {
      if (block.kind == Block::Kind::text)
        return points(before ? last_paragraph(block.text) : first_paragraph(block.text));
      const Question* question =
          block.kind == Block::Kind::question ? lesson_.find_question(block.id) : nullptr;
      if (question == nullptr) return false;
      const auto about = runs_of(*question);
      return points(question->prompt) || (!run.empty() && ranges::count(about, run) > 0);
    };
    const auto passed = [](const Block& block) {
      return pictures(block) || block.kind == Block::Kind::note;
    };
    for (std::size_t i = place; i-- > 0;)
      if (!passed(blocks[i])) {
        if (speaks(blocks[i], true)) return true;
        break;
      }
    for (std::size_t i = place + 1; i < blocks.size(); ++i)
      if (!passed(blocks[i])) return speaks(blocks[i], false);
    return false;
  }

  const Lesson& lesson_;
  const Step& step_;
  LessonRuns& runs_;
  Complaints& complaints_;
};

// A contract may be read before any page. Numbers stand in it for many reasons; formulas do not.
void check_contracts(const Lesson& lesson, LessonRuns& runs, Complaints& complaints) {
  for (const Question& question : lesson.questions) {
    if (question.kind == nullptr || question.kind->name() != "formula") continue;
    json key;
    try {
      key = question.kind->key(question, variant_of(question, 0), runs);
    } catch (const std::exception&) {
      continue;  // check_lesson reports it
    }
    for (const CodingExercise& exercise : lesson.coding)
      if (const std::string where = find_answer(key, exercise.contract); !where.empty())
        complaints.add(
            (lesson.folder.filename() / "lesson.toml").string(), exercise.line,
            fmt::format("the contract of {} gives the answer of question {} away: \"{}\". Say "
                        "what is wanted in words, or name the question",
                        exercise.id, question.id, where));
  }
}

}  // namespace

void check_texts(const Lesson& lesson, LessonRuns& runs, Complaints& complaints) {
  for (const Step& step : lesson.steps) PageCheck(lesson, step, runs, complaints).check();
  check_contracts(lesson, runs, complaints);
  check_locks(lesson, runs, complaints);
}

}  // namespace rankscope
