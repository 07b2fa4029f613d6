// A list of numbers (the contents of a buffer) or a shape:
//   answer = [0, 10, 1, 11] | { for = "i", count = "=N", value = "=i" } | { run = .., measure = "values" }
//   shape = true           the answer is a shape: "[2, 8, 4]"
//   tolerance = 0.01       relative, for each element; default 1e-6
//   partial = true         a share for each right element; otherwise all or nothing
#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/text.h"
#include "lessons/kinds/kind.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr KindKey kVectorKeys[] = {
    {.name = "answer", .required = true},
    {.name = "shape", .is = KindKey::Is::flag, .students = true},
    {.name = "partial", .is = KindKey::Is::flag},
    {.name = "tolerance", .is = KindKey::Is::number},
};
constexpr KindRow kVectorRow{.name = "vector",
                             .title = "a list of numbers",
                             .answer = "a list of numbers; one number",
                             .keys = kVectorKeys,
                             .seen_in_run = true,
                             .said_in_text = true};

class VectorKind : public QuestionKind {
 public:
  const KindRow& row() const override { return kVectorRow; }

  json find_key(const Question& question, const Variant& variant, LessonRuns& runs) const override {
    if (!question.data.contains("answer")) return {};
    return list_of(expand(question.data["answer"], variant.values, &runs));
  }

  AnswerForm form(const Question& question, const Variant&, LessonRuns&) const override {
    const bool shape = question.data.value("shape", false);
    return {.how = shape ? "a shape, such as [2, 8]" : "numbers with commas between them",
            .fields = {{"", "", AnswerField::Type::text}},
            .example = shape ? "[2, 8]" : "1, 2, 3"};
  }

  Judgement judge(const Question& question, const Variant&, const json& key, const json& answer,
                  LessonRuns&) const override {
    const json given = list_of(answer), right = list_of(key);
    const bool shape = question.data.value("shape", false);
    if (given.size() != right.size())
      return {0, fmt::format("{} {}, not {}.", shape ? "The shape has" : "It holds",
                             counted(right.size(), shape ? "dimension" : "number"), given.size())};
    const double tolerance = tolerance_of(question);
    std::vector<std::size_t> wrong;
    for (std::size_t i = 0; i < right.size(); ++i)
      if (!close(given[i].get<double>(), right[i].get<double>(), tolerance)) wrong.push_back(i);
    if (wrong.empty()) return {1, ""};
    const bool partial = question.data.value("partial", false);
    const std::size_t good = right.size() - wrong.size();
    return {partial ? share_of(good, right.size()) : 0.0,
            fmt::format("Wrong at {}{}.", named(wrong, right.size(), shape), rest_of(good))};
  }

  void require_form(const Question&, const Variant&, const json& answer) const override {
    list_of(answer);
  }

  json parse(const Question&, const Variant&, std::string_view typed) const override {
    return list_of(std::string(typed));
  }
  std::string show(const Question& question, const json& answer) const override {
    if (answer.is_string()) return answer.get<std::string>();
    const std::string out = joined(answer, ", ", answer_text);
    return question.data.value("shape", false) ? "[" + out + "]" : out;
  }

 private:
  // "the 2nd and the 4th number", "dimension 1".
  static std::string named(const std::vector<std::size_t>& wrong, std::size_t all, bool shape) {
    constexpr std::size_t kMostNamed = 10;
    if (wrong.size() == all && all > 1)
      return fmt::format("all {} {}", all, shape ? "dimensions" : "numbers");
    if (shape)
      return fmt::format("dimension{} {} (the first one is dimension 0)",
                         wrong.size() == 1 ? "" : "s", first_few(wrong, kMostNamed));
    if (all == 1) return "the number";
    std::vector<std::string> places;
    for (const std::size_t place : wrong) places.push_back(ordinal(place + 1));
    return fmt::format("the {} number", first_few(places, kMostNamed));
  }

  static std::string rest_of(std::size_t good) {
    return good == 0   ? ""
           : good == 1 ? "; the other one is right"
                       : fmt::format("; the other {} are right", good);
  }

  // "1st", "12th", "22nd"
  static std::string ordinal(std::size_t number) {
    const std::size_t last = number % 10;
    const bool teens = number / 10 % 10 == 1;
    return fmt::format("{}{}", number,
                       !teens && last == 1   ? "st"
                       : !teens && last == 2 ? "nd"
                       : !teens && last == 3 ? "rd"
                                             : "th");
  }

  // "[1, 2]", "(1 2)", "1,2": brackets do not matter; or a list already.
  static json list_of(const json& answer) {
    if (answer.is_number()) return json::array({answer});
    json out = json::array();
    if (answer.is_array()) {
      if (answer.size() > kMostParts) throw UserError("these are too many numbers");
      for (const json& one : answer) out.push_back(answer_number(one));
      return out;
    }
    const std::string text = answer_text(answer);
    for (const std::string_view word : split_at(text, "[](){},; \t\r\n")) {
      if (word.empty()) continue;
      if (out.size() >= kMostParts) throw UserError("these are too many numbers");
      out.push_back(evaluate(word, {}));
    }
    if (out.empty()) throw UserError("numbers are expected, such as 1, 2, 3");
    return out;
  }
};

}  // namespace

const QuestionKind& vector_kind() { return only_kind<VectorKind>(); }

}  // namespace rankscope
