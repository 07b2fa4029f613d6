// One or several of some statements:
//   options = [ { text = "…", right = true, says = "…" }, { text = "…", says = "why not" } ]
//   multiple = true       several may be right: c of n options judged correctly are worth max(0, 2c/n - 1)
// `right` may be a formula in the question's variables ("=N > 4").
#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "lessons/kinds/kind.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr KindKey kOption[] = {
    {.name = "text", .is = KindKey::Is::text, .required = true, .students = true},
    {.name = "right"},
    {.name = "says", .is = KindKey::Is::text}};
constexpr KindKey kChoiceKeys[] = {
    {.name = "options", .students = true, .parts = kOption},
    {.name = "multiple", .is = KindKey::Is::flag, .students = true},
};
constexpr KindRow kChoiceRow{
    .name = "choice",
    .title = "a choice",
    .answer = "a list of letters or of the options' texts, or one text of them",
    .keys = kChoiceKeys};

class ChoiceKind : public QuestionKind {
 public:
  const KindRow& row() const override { return kChoiceRow; }

  void check_further(TomlNode& question) const override {
    const bool multiple = question.value("multiple") == true;
    int right = 0, formulas = 0;
    const auto options = question.at("options").elements();
    if (options.size() < 2 || options.size() > 26)
      question.complain("'options' has 2 to 26 entries");
    for (TomlNode option : options) {
      const json flag = option.value("right");
      const bool formula = flag.is_string() && flag.get_ref<const std::string&>().starts_with("=");
      if (!flag.is_null() && !flag.is_boolean() && !formula)
        option.at("right").complain("'right' is true, false or a formula: \"=N > 4\"");
      right += flag == true ? 1 : 0;
      formulas += formula ? 1 : 0;
    }
    // A formula's value is known only for a draw; check_lesson tries the draws.
    if (right + formulas == 0) question.at("options").complain("no option is right = true");
    if (right > 1 && !multiple)
      question.at("options").complain("several are right: write multiple = true");
  }

  json find_key(const Question& question, const Variant& variant, LessonRuns& runs) const override {
    json out = json::array();
    const json& options = question.data.at("options");
    bool any = false;
    for (std::size_t i = 0; i < options.size(); ++i) {
      any |= options[i].contains("right");
      const json right = expand(options[i].value("right", json(false)), variant.values, &runs);
      if (right == true || (right.is_number() && right != 0)) out.push_back(letter(i));
    }
    return any ? out : json();
  }

  AnswerForm form(const Question& question, const Variant& variant, LessonRuns&) const override {
    const bool multiple = question.data.value("multiple", false);
    AnswerField field{"", "", multiple ? AnswerField::Type::choices : AnswerField::Type::choice};
    for (const json& option : question.data.at("options"))
      field.options.push_back(fill_in(option.at("text").get<std::string>(), variant.values));
    return {.how = multiple ? "the letters of all that hold" : "one letter",
            .fields = {field},
            .example = multiple ? "a, …" : ""};  // a letter would be a hint
  }

  Judgement judge(const Question& question, const Variant& variant, const json& key,
                  const json& answer, LessonRuns&) const override {
    const std::set<std::size_t> right = chosen(question, key, variant.values),
                                given = chosen(question, answer, variant.values);
    const json& options = question.data.at("options");
    std::string says;
    int score = 0;
    for (std::size_t i = 0; i < options.size(); ++i) {
      const bool wanted = right.contains(i), has = given.contains(i);
      score += wanted == has ? 1 : 0;
      if (has && options[i].contains("says"))
        says += (says.empty() ? "" : "\n") +
                fill_in(options[i]["says"].get<std::string>(), variant.values);
    }
    if (given == right) return {1, says};
    if (!question.data.value("multiple", false)) return {0, says};
    if (std::ranges::includes(right, given) && says.empty() && !given.empty()) {
      std::string letters;
      for (const std::size_t one : given)
        letters += fmt::format("{}{}", letters.empty() ? "" : ", ", static_cast<char>('a' + one));
      says = fmt::format("{} {} right so far; something is missing.", letters,
                         given.size() == 1 ? "is" : "are");
    }
    const double all = static_cast<double>(options.size());
    // An answer as good as guessing is worth nothing.
    return {std::max(0.0, 2 * score / all - 1), says};
  }

  void require_form(const Question& question, const Variant& variant,
                    const json& answer) const override {
    chosen(question, answer, variant.values);
  }

  json parse(const Question& question, const Variant& variant,
             std::string_view typed) const override {
    json out = json::array();
    for (const std::size_t i : chosen(question, std::string(typed), variant.values))
      out.push_back(letter(i));
    return out;
  }
  std::string show(const Question& question, const json& answer) const override {
    return joined(chosen(question, answer, {}), ", ", letter);
  }

 private:
  static std::string letter(std::size_t i) { return std::string(1, static_cast<char>('a' + i)); }

  // "a", "A, C", ["a", "c"], or the option's text.
  static std::set<std::size_t> chosen(const Question& question, const json& answer,
                                      const Values& values) {
    std::set<std::size_t> out;
    if (answer.is_array() && answer.size() > kMostParts) throw UserError("too many letters");
    for (const json& one : answer.is_array() ? answer : json::array({answer}))
      out.merge(letters(question, one, values));
    if (out.size() > 1 && !question.data.value("multiple", false))
      throw UserError("one letter is expected, not several");
    return out;
  }

  static std::set<std::size_t> letters(const Question& question, const json& answer,
                                       const Values& values) {
    std::set<std::size_t> out;
    if (blank(answer)) return out;
    const std::string text = answer_text(answer);
    const json& options = question.data.at("options");
    for (std::size_t i = 0; i < options.size(); ++i)
      if (const auto& own = options[i].at("text").get_ref<const std::string&>();
          own == text || fill_in(own, values) == text)
        return {i};
    for (const char raw : text) {
      if (std::isspace(static_cast<unsigned char>(raw)) ||
          std::string_view(",;().").find(raw) != std::string_view::npos)
        continue;
      const int i = std::tolower(static_cast<unsigned char>(raw)) - 'a';
      if (i < 0 || static_cast<std::size_t>(i) >= options.size())
        throw UserError(fmt::format("a letter from a to {} is expected, not '{}'",
                                    letter(options.size() - 1), shortened(text, 60)));
      out.insert(static_cast<std::size_t>(i));
    }
    return out;
  }
};

}  // namespace

const QuestionKind& choice_kind() { return only_kind<ChoiceKind>(); }

}  // namespace rankscope
