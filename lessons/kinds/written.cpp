// A short text, marked by hand:
//   rubric = [ { text = "names the latency term", points = 2 }, … ]     for the TA
//   model = "…"                                                          shown afterwards
#include <fmt/format.h>

#include "lessons/kinds/kind.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr KindKey kRubricRow[] = {{.name = "text", .is = KindKey::Is::text, .required = true},
                                  {.name = "points", .is = KindKey::Is::number}};
constexpr KindKey kWrittenKeys[] = {
    {.name = "rubric", .parts = kRubricRow},
    {.name = "model", .is = KindKey::Is::text, .required = true},
};
constexpr KindRow kWrittenRow{.name = "written",
                              .title = "a short text",
                              .answer = "a text",
                              .keys = kWrittenKeys,
                              .lines = 6};

class WrittenKind : public QuestionKind {
 public:
  const KindRow& row() const override { return kWrittenRow; }
  bool marked_by_hand() const override { return true; }

  void check_further(TomlNode& question) const override {
    double sum = 0;
    for (TomlNode row : question.at("rubric").elements())
      if (const json& points = row.value("points"); points.is_number()) sum += points.get<double>();
    if (!question.has("rubric"))
      question.complain("'rubric' is missing: what does a TA give points for?");
    if (question.has("rubric") && !close(sum, question.number("points", 1)))
      question.at("rubric").complain(fmt::format("the rubric's points add up to {}, not to {}",
                                                 number_text(sum),
                                                 number_text(question.number("points", 1))));
  }

  json find_key(const Question&, const Variant&, LessonRuns&) const override { return {}; }
  AnswerForm form(const Question&, const Variant&, LessonRuns&) const override {
    return {"a few sentences", {{"", "", AnswerField::Type::long_text}}};
  }
  void require_form(const Question&, const Variant&, const json& answer) const override {
    answer_text(answer);  // a list or a table is no text
  }
  Judgement judge(const Question& question, const Variant& variant, const json&, const json& answer,
                  LessonRuns&) const override {
    require_form(question, variant, answer);
    return {};
  }
};

}  // namespace

const QuestionKind& written_kind() { return only_kind<WrittenKind>(); }

}  // namespace rankscope
