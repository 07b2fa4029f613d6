// A measured table of k*(N), the iterations that N workers need to reach an accuracy, and of the speedups k*(1)/k*(N),
// compared with reference runs:
//   worlds = [1, 2, 4, 8]
//   reference = "runs.csv"   beside lesson.toml, as `rankscope train` writes it
//   until = 0.97             the accuracy; `every`: iterations between two looks at the test pictures
//   batch = 32               pictures of a worker in an iteration; `pictures`: of the training set
//   curve = true             the accuracy over the iterations is asked for, too
//   linear = true            and whether the speedup is linear
#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/kinds/kind.h"
#include "lessons/kinds/speedup_answer.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr KindKey kSpeedupKeys[] = {
    {.name = "worlds", .required = true, .students = true},
    {.name = "reference", .is = KindKey::Is::file, .required = true},
    {.name = "until", .is = KindKey::Is::number, .required = true, .students = true},
    {.name = "every", .is = KindKey::Is::number, .students = true},
    {.name = "batch", .is = KindKey::Is::number, .required = true, .students = true},
    {.name = "pictures", .is = KindKey::Is::number, .required = true, .students = true},
    {.name = "curve", .is = KindKey::Is::flag, .students = true},
    {.name = "linear", .is = KindKey::Is::flag, .students = true},
};
constexpr KindRow kSpeedupRow{
    .name = "speedup",
    .title = "measured iterations and speedups",
    .answer =
        R"({ k = [1300, …], speedup = [1, …], linear = "yes" | "no", curve = "1 100 0.85, …" (N, iteration,)"
        R"( accuracy; or a list of such rows) }; "-" where an accuracy was never reached)",
    .keys = kSpeedupKeys,
    .lines = 6};

class SpeedupKind : public QuestionKind {
 public:
  const KindRow& row() const override { return kSpeedupRow; }

  void check_further(TomlNode& question) const override {
    const json& worlds = question.value("worlds");
    const auto good = [](const json& one) {
      return one.is_number_integer() && one >= 1 && one <= 1024;
    };
    if (!worlds.is_array() || worlds.size() < 2 || !ranges::all_of(worlds, good) ||
        worlds.front() != 1 || !std::ranges::is_sorted(worlds))
      question.complain("'worlds' is a list of world sizes, ascending, that begins with 1");
    for (const char* const name : {"until", "batch", "pictures"})
      if (!(question.number(name, 0) > 0))
        question.complain(fmt::format("'{}' is a number larger than 0", name));
  }

  json find_key(const Question& question, const Variant&, LessonRuns&) const override {
    return reference_answer(speedup_question(question.data));
  }

  AnswerForm form(const Question& question, const Variant&, LessonRuns&) const override {
    AnswerForm form;
    const json& worlds = question.data.at("worlds");
    for (std::size_t i = 0; i < worlds.size(); ++i)
      form.fields.push_back({fmt::format("/k/{}", i), fmt::format("k*({})", dump_json(worlds[i]))});
    for (std::size_t i = 0; i < worlds.size(); ++i)
      form.fields.push_back(
          {fmt::format("/speedup/{}", i), fmt::format("k*(1)/k*({})", dump_json(worlds[i]))});
    form.how = fmt::format("for N = {} the iterations and the speedups, with commas between them",
                           joined(worlds, ", ", [](const json& one) { return dump_json(one); }));
    form.example = "k: 4000, 3000, …; speedup: 1, 1.33, …";
    if (question.data.value("linear", false)) {
      form.fields.push_back({"/linear", "is the speedup linear: yes or no"});
      form.how += "; whether the speedup is linear";
      form.example += "; linear: yes";
    }
    if (question.data.value("curve", false)) {
      form.fields.push_back(
          {"/curve", "N, iteration, accuracy: one row per test", AnswerField::Type::long_text});
      form.how +=
          "; the accuracy over the iterations: N, iteration, accuracy, and so on, as in a CSV file";
      form.example += "; curve: 1 100 0.85, 1 200 0.91, …";
    }
    return form;
  }

  Judgement judge(const Question& question, const Variant&, const json&, const json& answer,
                  LessonRuns&) const override {
    return judge_speedup(speedup_question(question.data), speedup_answer(question.data, answer));
  }

  void require_form(const Question& question, const Variant&, const json& answer) const override {
    speedup_answer(question.data, answer);
  }

  // "k: 1300, 900; speedup: 1, 1.4; linear: no; curve: 1 100 0.85, 1 200 0.91"; the curve comes last.
  json parse(const Question&, const Variant&, std::string_view typed) const override {
    json out = json::object();
    const auto curve = typed.find("curve:");
    if (curve != std::string_view::npos)
      out["curve"] = std::string(trimmed(typed.substr(curve + std::string_view("curve:").size())));
    for (const std::string_view part : split_at(typed.substr(0, curve), ";")) {
      if (trimmed(part).empty()) continue;
      const auto colon = part.find(':');
      const std::string name(trimmed(part.substr(0, colon)));
      if (colon == std::string_view::npos || (name != "k" && name != "speedup" && name != "linear"))
        throw UserError(
            fmt::format("'{}' should be 'k: …', 'speedup: …', 'linear: …' or 'curve: …'",
                        shortened(std::string(part), 40)));
      const std::string_view rest = trimmed(part.substr(colon + 1));
      if (name == "linear") {
        out[name] = std::string(rest);
        continue;
      }
      out[name] = json::array();
      for (const std::string_view cell : split_at(rest, ",")) {
        if (out[name].size() > kMostParts) throw UserError("a row has too many cells");
        out[name].push_back(std::string(trimmed(cell)));
      }
    }
    return out;
  }

  std::string show(const Question&, const json& answer) const override {
    if (!answer.is_object()) return answer_text(answer);
    std::string out;
    for (const char* const name : {"k", "speedup", "linear", "curve"}) {
      if (!answer.contains(name)) continue;
      const json& part = answer.at(name);
      out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", name,
                         part.is_array() ? joined(part, ", ", shown_cell) : shown_cell(part));
    }
    return out;
  }

  // Only the parts that a known mistake names are compared.
  bool same(const Question& question, const Variant&, const json& other, const json& answer,
            LessonRuns&) const override {
    const SpeedupAnswer known = speedup_answer(question.data, other),
                        given = speedup_answer(question.data, answer);
    const auto alike = [](const auto& a, const auto& b) {
      return a.has_value() == b.has_value() && (!a || close(*a, *b));
    };
    return (known.k.empty() || ranges::equal(known.k, given.k, alike)) &&
           (known.speedup.empty() || ranges::equal(known.speedup, given.speedup, alike)) &&
           (known.linear.empty() || known.linear == given.linear);
  }

 private:
  static std::string shown_cell(const json& cell) {
    if (cell.is_null()) return "";
    if (!cell.is_array()) return answer_text(cell);
    return joined(cell, " ", [](const json& one) { return answer_text(one); });
  }
};

}  // namespace

const QuestionKind& speedup_kind() { return only_kind<SpeedupKind>(); }

}  // namespace rankscope
