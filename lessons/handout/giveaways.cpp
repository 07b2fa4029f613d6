// Finds formulas in texts by their meaning, and takes them out.
#include "lessons/handout/giveaways.h"

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "lessons/formula/formula_compare.h"
#include "lessons/kinds/kind.h"

namespace rankscope {
namespace {

constexpr std::size_t kLongest = 60, kFewPoints = 60;

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
  constexpr std::string_view kBefore = " \n(`*\"$", kBehind = " \n,;:.)`*\"$";
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

}  // namespace

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

std::string without_asked_limit(const std::string& limit, const std::vector<int>& worlds,
                                const Lesson& lesson) {
  const bool asked = ranges::any_of(lesson.questions, [&](const Question& question) {
    return !formula_given_away(limit, question).empty();
  });
  if (!asked || worlds.empty()) return limit;
  try {
    std::string out;
    for (const int ranks : worlds)
      out += fmt::format("N == {} ? {} : ", ranks,
                         evaluate(limit, {{"N", static_cast<double>(ranks)}}));
    return out + "0";
  } catch (const UserError&) {  // in other variables, too
    return limit;
  }
}

}  // namespace rankscope
