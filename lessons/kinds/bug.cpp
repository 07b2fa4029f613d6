// A faulty program has been run: where is the fault?
//   run = "faulty"                          one of the lesson's runs
//   ask = ["line"]                          or ["rank", "round"], or any of the three
//   right = [ { line = "part of the source line" }, { rank = 0, round = 1, says = "…" } ]
// Each entry of `right` is a right answer, with all that is asked for. `line` means every source line that holds
// this text, so that the answer stays right when lines move; a text of several lines means the last of them,
// directly below the others. Misconceptions' answers are read in the same way.
#include <algorithm>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/kinds/answer_scanner.h"
#include "lessons/kinds/kind.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/lesson/picture.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr int kMostNumber = 1'000'000;

std::vector<std::string> asked(const Question& question) {
  const json& ask = question.data.at("ask");
  if (ask.is_string()) return {ask.get<std::string>()};
  return ask.get<std::vector<std::string>>();
}

const json& entries(const Question& question) { return question.data.at("right"); }

// Returns the program's source; line 1 has index 0.
std::vector<std::string_view> source_of(const JobSpec& job) {
  const std::string_view source = program_text(job.call.algorithm);
  if (source.empty())
    throw UserError(fmt::format("the source of {} is not in this program", job.call.algorithm));
  return lines_of(source);
}

std::vector<int> lines_with(const std::vector<std::string_view>& source, const json& part) {
  std::vector<int> out;
  const std::string text = part.get<std::string>();
  const auto wanted = lines_of(text);
  const auto found = [](std::string_view line, std::string_view some) {
    return line.find(some) != std::string_view::npos;
  };
  for (std::size_t i = wanted.size(); i <= source.size(); ++i)
    if (ranges::equal(std::span(source).subspan(i - wanted.size(), wanted.size()), wanted, found))
      out.push_back(static_cast<int>(i));
  if (out.empty()) throw UserError(fmt::format("no line of the program holds '{}'", text));
  return out;
}

constexpr KindKey kPlace[] = {{.name = "line", .is = KindKey::Is::text},
                              {.name = "rank"},
                              {.name = "round"},
                              {.name = "says"}};
constexpr KindKey kBugKeys[] = {
    {.name = "run", .is = KindKey::Is::text, .required = true, .students = true},
    {.name = "ask", .is = KindKey::Is::texts, .students = true},
    {.name = "right", .parts = kPlace},
};
constexpr KindRow kBugRow{
    .name = "bug",
    .title = "where the fault is",
    .answer = "{ line, rank, round } as far as asked for; one number where one thing is asked for",
    .keys = kBugKeys};

class BugKind : public QuestionKind {
 public:
  const KindRow& row() const override { return kBugRow; }

  void check_further(TomlNode& question) const override {
    const auto ask = question.texts("ask");
    if (ask.empty()) question.complain("'ask' is missing: [\"line\"], [\"rank\", \"round\"] …");
    for (const std::string& one : ask)
      if (one != "line" && one != "rank" && one != "round")
        question.at("ask").complain(
            fmt::format("'{}' cannot be asked for; use line, rank, round", one));
    const auto right = question.at("right").elements();
    if (right.empty()) question.complain("'right' is missing: where is the fault?");
    for (const TomlNode& entry : right)
      for (const std::string& one : ask)
        if (!entry.has(one)) entry.complain(fmt::format("'{}' is asked for, and not here", one));
  }

  json find_key(const Question& question, const Variant& variant, LessonRuns& runs) const override {
    if (!question.data.contains("right")) return {};
    json out = json::object();
    const JobSpec job = job_of(question, variant, runs);
    // Resolves all entries, so that `lesson check` finds a text that is in no line.
    for (const json& entry : entries(question))
      for (const std::string& field : asked(question)) {
        const int value = values_of(entry, field, job, variant).front();
        if (!out.contains(field)) out[field] = value;
      }
    for (const Misconception& known : question.misconceptions)
      if (known.answer.is_object() && known.answer.contains("line"))
        values_of(known.answer, "line", job, variant);
    return out;
  }

  AnswerForm form(const Question& question, const Variant& variant,
                  LessonRuns& runs) const override {
    const JobSpec job = job_of(question, variant, runs);
    const auto fields = asked(question);
    AnswerForm form;
    for (const std::string& field : fields)
      form.fields.push_back({"/" + field, field, AnswerField::Type::number});
    form.how = joined(fields, " and ", [&](const std::string& field) {
      return field == "line"   ? fmt::format("the line (1 to {})", source_of(job).size())
             : field == "rank" ? fmt::format("the rank (0 to {})", job.world.size - 1)
                               : "the round (from 1)";
    });
    if (ranges::find(fields, "line") != fields.end())
      form.picture = {AnswerPicture::Is::line, question.data.at("run").get<std::string>()};
    form.example = joined(fields, ", ", [](const std::string& field) { return field + " …"; });
    return form;
  }

  Judgement judge(const Question& question, const Variant& variant, const json&, const json& answer,
                  LessonRuns& runs) const override {
    const JobSpec job = job_of(question, variant, runs);
    const auto fields = asked(question);
    const json given = read(fields, answer);
    std::size_t best = 0;
    for (const json& entry : entries(question)) {
      std::size_t fits = 0;
      for (const std::string& field : fields) {
        const auto right = values_of(entry, field, job, variant);
        fits += ranges::find(right, given.at(field).get<int>()) != right.end() ? 1 : 0;
      }
      if (fits == fields.size()) return {1, fill_in(entry.value("says", ""), variant.values)};
      best = std::max(best, fits);
    }
    return {share_of(best, fields.size()), joined(fields, " ", [&](const std::string& field) {
              return remark(question, variant, job, field, given.at(field).get<int>());
            })};
  }

  void require_form(const Question& question, const Variant&, const json& answer) const override {
    read(asked(question), answer);
  }

  bool same(const Question& question, const Variant& variant, const json& other, const json& answer,
            LessonRuns& runs) const override {
    const auto fields = asked(question);
    const json given = read(fields, answer);
    if (!other.is_object()) return read(fields, other) == given;
    // A known mistake may say less than is asked for: the wrong rank, whatever the round.
    const JobSpec job = job_of(question, variant, runs);
    for (const auto& [field, value] : other.items()) {
      if (!given.contains(field)) return false;
      const auto known = values_of(other, field, job, variant);
      if (ranges::find(known, given[field].get<int>()) == known.end()) return false;
    }
    return !other.empty();
  }

  json parse(const Question& question, const Variant&, std::string_view typed) const override {
    return read(asked(question), std::string(typed));
  }

  std::string show(const Question& question, const json& answer) const override {
    if (!answer.is_object()) return answer_text(answer);
    std::vector<std::string> parts;
    for (const std::string& field : asked(question))
      if (const json* value = filled_in(answer, field))
        parts.push_back(fmt::format("{} {}", field, answer_text(*value)));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

 private:
  static JobSpec job_of(const Question& question, const Variant& variant, LessonRuns& runs) {
    return runs.job(question.data.at("run").get<std::string>(), variant.values);
  }

  static std::vector<int> values_of(const json& entry, const std::string& field, const JobSpec& job,
                                    const Variant& variant) {
    if (field == "line" && entry.at(field).is_string())
      return lines_with(source_of(job), entry.at(field));
    const json value = expand(entry.at(field), variant.values);
    std::vector<int> out;
    for (const json& one : value.is_array() ? value : json::array({value}))
      out.push_back(answer_whole(one, fmt::format("'{}'", field), 0, kMostNumber));
    if (out.empty()) throw UserError(fmt::format("'{}' is an empty list", field));
    return out;
  }

  // { line: 17 }, 17 where one thing is asked for, "rank 1, round 2".
  static json read(const std::vector<std::string>& fields, const json& answer) {
    json out = json::object();
    if (answer.is_object()) {
      for (const std::string& field : fields) {
        const json* value = filled_in(answer, field);
        if (value == nullptr) throw UserError(fmt::format("'{}' is missing", field));
        out[field] = answer_whole(*value, "the " + field, -kMostNumber, kMostNumber);
      }
      return out;
    }
    if (answer.is_number() && fields.size() == 1) {
      out[fields[0]] = answer_whole(answer, "the " + fields[0], -kMostNumber, kMostNumber);
      return out;
    }
    const std::string text = answer_text(answer);
    const std::string example = fmt::format("{} 1", fmt::join(fields, " 1, "));
    AnswerScanner in(text, example);
    for (std::size_t next = 0; !in.at_end(); ++next) {
      if (next >= fields.size()) in.fail("there is something after it");
      std::string field = fields[next];
      for (const std::string& one : fields)
        if (in.take(one)) field = one;
      if (!in.take("=")) in.take(":");
      if (out.contains(field)) in.fail(fmt::format("the {} is there twice", field));
      out[field] = in.number("the " + field, -kMostNumber, kMostNumber);
      if (!in.take(",")) in.take(";");
    }
    for (const std::string& field : fields)
      if (!out.contains(field)) throw UserError(fmt::format("'{}' is missing", field));
    return out;
  }

  static std::string remark(const Question& question, const Variant& variant, const JobSpec& job,
                            const std::string& field, int given) {
    std::set<int> right;
    for (const json& entry : entries(question))
      for (const int one : values_of(entry, field, job, variant)) right.insert(one);
    const bool fits = right.contains(given);
    if (field == "rank") {
      if (given < 0 || given >= job.world.size)
        return fmt::format("There is no rank {} in this run (0 to {}).", given, job.world.size - 1);
      return fits ? "The rank is right." : fmt::format("Rank {} is not where it begins.", given);
    }
    if (field == "round") {
      if (fits) return "The round is right.";
      if (right.size() > 1) return fmt::format("Round {} is not where it begins.", given);
      return given < *right.begin() ? "It begins in a later round."
                                    : "It begins in an earlier round.";
    }
    const auto source = source_of(job);
    const auto lines = static_cast<int>(source.size());
    if (given < 1 || given > lines) return fmt::format("The program has lines 1 to {}.", lines);
    if (fits) return "The line is right.";
    if (right.contains(given - 1) || right.contains(given + 1))
      return "Close: look at the neighbouring line.";
    const std::string_view line = trimmed(source[static_cast<std::size_t>(given) - 1]);
    if (line.empty()) return fmt::format("Line {} is empty.", given);
    if (line.starts_with("//")) return fmt::format("Line {} is a comment.", given);
    return fmt::format("Line {}, \"{}\", is not where the fault is.", given, line);
  }
};

}  // namespace

const QuestionKind& bug_kind() { return only_kind<BugKind>(); }

}  // namespace rankscope
