// Finds formulas in texts by their meaning, and takes them out.
#include "lessons/handout/giveaways.h"

#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/collectives/algorithm.h"
#include "engine/collectives/pseudocode.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/formula/formula_compare.h"
#include "lessons/kinds/kind.h"

namespace rankscope {
namespace {

constexpr std::string_view kXor = "xor";
constexpr std::size_t kLongest = 60, kFewPoints = 60, kFewSigns = 6;
constexpr std::array<std::string_view, 14> kFunctions = {"mod",  "xor",   "floor", "ceil", "log",
                                                         "log2", "ln",    "sqrt",  "min",  "max",
                                                         "abs",  "alpha", "beta",  "gamma"};

/// A formula that is asked for, with the points where it holds.
class AskedFormula {
 public:
  explicit AskedFormula(const Question& question)
      : domain_(
            FormulaDomain::of(question.data.at("domain"), question.data.value("condition", ""))),
        names_(domain_.names()),
        points_(sample(domain_, kFewPoints)),
        right_(question.data.at("answer").get<std::string>(), names_) {}

  bool is(std::string_view text) const {
    if (!has_no_other_words(text)) return false;
    for (const std::string& name : right_.variables_used())
      if (text.find(name) == std::string_view::npos) return false;
    try {
      const Formula given(text, names_);
      return given.variables_used() == right_.variables_used() &&
             compare(right_, given, points_).equal;
    } catch (const UserError&) {
      return false;
    }
  }
  /// Returns whether there is something to give away: one variable by itself is in every text.
  bool tells() const { return !right_.variables_used().empty(); }

 private:
  /// Most pieces of a text are words: they need not be parsed.
  bool has_no_other_words(std::string_view text) const {
    const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at;
      while (at < text.size() && letter(text[at])) ++at;
      const std::string_view word = text.substr(begin, at - begin);
      const bool known =
          word.empty() || ranges::find(kFunctions, word) != kFunctions.end() ||
          ranges::all_of(word, [&](char c) {
            return ranges::any_of(names_, [&](const std::string& name) { return name[0] == c; });
          });
      if (!known) return false;
      if (word.empty()) ++at;
    }
    return true;
  }

  FormulaDomain domain_;
  std::vector<std::string> names_;
  std::vector<Values> points_;
  Formula right_;
};

bool is_formula(const Question& question) {
  return question.kind == &formula_kind() && question.data.contains("answer") &&
         question.data.contains("domain");
}

std::string_view piece_of(std::string_view text, const AskedFormula& asked) {
  constexpr std::string_view kBefore = " \n(`*\"'$", kBehind = " \n,;:.)`*\"'$";
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    if (begin > 0 && kBefore.find(text[begin - 1]) == std::string_view::npos) continue;
    if (kBehind.find(text[begin]) != std::string_view::npos) continue;
    // The longest first: "2⌈log2 N⌉" before "⌈log2 N⌉".
    for (std::size_t end = std::min(text.size(), begin + kLongest); end > begin + 1; --end) {
      if (end < text.size() && kBehind.find(text[end]) == std::string_view::npos) continue;
      const std::string_view piece = text.substr(begin, end - begin);
      if (asked.is(piece)) return piece;
    }
  }
  return {};
}

/// Returns "xor" as the text writes it, as a word of its own; empty if there is none.
std::string_view xor_in(std::string_view text) {
  const auto at = find_name(ascii_lower(text), kXor);
  return at == text.npos ? std::string_view() : text.substr(at, kXor.size());
}

std::size_t signs_in(std::string_view formula) {
  return static_cast<std::size_t>(ranges::count_if(formula, [](char c) { return c != ' '; }));
}

class CourseTexts {
 public:
  CourseTexts(const Course& course, const LessonLibrary& library, Complaints& complaints)
      : course_(course), asked_(course, library), complaints_(complaints) {
    for (const CoursePart& part : course.parts)
      for (const CourseItem& item : part.items)
        if (const Lesson* const lesson = library.find(item.lesson)) lessons_.insert(lesson);
  }

  void check() {
    for (const Lesson* const lesson : lessons_) {
      const std::string file = lesson->folder.filename().string() + "/lesson.toml";
      for (const Step& step : lesson->steps)
        for (const Block& block : step.blocks)
          if (block.kind == Block::Kind::text || block.kind == Block::Kind::reveal)
            look(block.text, fmt::format("{}/{}", lesson->folder.filename().string(), step.file),
                 block.line);
      for (const LessonRun& run : lesson->runs) look(run.caption, file, 0);
      for (const LessonFigure& figure : lesson->figures) look(figure.caption, file, 0);
      for (const Question& question : lesson->questions) look_at(question, file);
      for (const CodingExercise& exercise : lesson->coding) {
        look(without_asked_formulas(exercise.contract, *lesson), file, exercise.line);
        for (const CodingRule& rule : exercise.rules)
          look(without_asked_formulas(rule.says, *lesson), file, exercise.line);
      }
    }
  }

 private:
  void look_at(const Question& question, const std::string& file) {
    look(question.prompt, file, question.line, &question);
    for (const std::string& hint : question.hints) look(hint, file, question.line, &question);
    if (!question.data.contains("options") || !question.data["options"].is_array()) return;
    for (const auto& option : question.data["options"])
      if (option.is_object()) look(option.value("text", ""), file, question.line, &question);
  }

  void look(std::string_view text, const std::string& file, int line,
            const Question* own = nullptr) {
    for (const auto& [item, piece] : asked_.given_away_in(text, own))
      complaints_.add(file, line,
                      fmt::format("this tells what {} of the course {} asks for: \"{}\"", item,
                                  course_.slug, piece));
  }

  const Course& course_;
  AskedFormulas asked_;
  Complaints& complaints_;
  std::set<const Lesson*> lessons_;
};

}  // namespace

struct AskedFormulas::Asked {
  const Question* question;
  std::string item;
  AskedFormula formula;
  bool has_xor;  ///< Few formulas do: the word is the answer.
};

AskedFormulas::AskedFormulas(const Course& course, const LessonLibrary& library) {
  for (const CoursePart& part : course.parts)
    for (const CourseItem& item : part.items) {
      const Lesson* const lesson = library.find(item.lesson);
      const Question* const question = lesson == nullptr ? nullptr : lesson->find_question(item.id);
      if (question == nullptr || !is_formula(*question)) continue;
      const auto& key = question->data["answer"].get_ref<const std::string&>();
      AskedFormula asked(*question);
      if (asked.tells() && signs_in(key) >= kFewSigns)
        asked_.push_back({question, item.key(), std::move(asked), !xor_in(key).empty()});
    }
}

AskedFormulas::~AskedFormulas() = default;

std::vector<AskedFormulas::Giveaway> AskedFormulas::given_away_in(std::string_view text,
                                                                  const Question* own) const {
  std::vector<Giveaway> out;
  for (const Asked& one : asked_) {
    if (one.question == own) continue;
    std::string_view piece = piece_of(text, one.formula);
    if (piece.empty() && one.has_xor) piece = xor_in(text);
    if (!piece.empty()) out.push_back({one.item, piece});
  }
  return out;
}

void check_course_texts(const Course& course, const LessonLibrary& library,
                        Complaints& complaints) {
  CourseTexts(course, library, complaints).check();
}

std::string_view formula_given_away(std::string_view text, const Question& question) {
  if (!is_formula(question)) return {};
  const AskedFormula asked(question);
  return asked.tells() ? piece_of(text, asked) : std::string_view();
}

std::string without_asked_formulas(std::string text, const Lesson& lesson) {
  for (const Question& question : lesson.questions)
    for (;;) {
      const std::string_view piece = formula_given_away(text, question);
      if (piece.empty()) break;
      text.replace(static_cast<std::size_t>(piece.data() - text.data()), piece.size(), "…");
    }
  return text;
}

namespace {

/// Returns the algorithms that the runs of a copy show while its answers are kept back; nothing if none are.
std::optional<std::set<std::string>> find_shown() {
  const char* const named = std::getenv("RANKSCOPE_LESSONS");
  if (named == nullptr || *named == '\0') return {};
  std::set<std::string> out;
  bool kept = false;
  try {
    const LessonLibrary library(lessons_folder());
    for (const Lesson& lesson : library.lessons()) {
      kept = kept || ranges::any_of(lesson.questions,
                                    [](const Question& one) { return !kept_back(one).empty(); });
      for (const LessonRun& run : lesson.runs) out.insert(run.job.value("algorithm", ""));
    }
  } catch (const UserError&) {
    return {};  // what reads a lesson next says what is wrong
  }
  if (!kept) return {};
  return out;
}

const std::optional<std::set<std::string>>& shown() {
  static const std::optional<std::set<std::string>> shown = find_shown();
  return shown;
}

}  // namespace

bool keeps_answers() { return shown().has_value(); }

bool keeps_listing(std::string_view algorithm) {
  if (!keeps_answers() || find_algorithm(algorithm) == nullptr) return false;
  // A program with a mistake to find is there to be read.
  return !pseudocode_of(algorithm).empty() || !shown()->contains(std::string(algorithm));
}

}  // namespace rankscope
