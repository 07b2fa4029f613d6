// A table with a row for each rank (or step ...):
//   rows = "=N"; row = "rank"                    how many, and what a row is; the variable is its initial
//   columns = [ { name = "x", answer = "=10*(src+1)" }, { name = "y", answer = ... } ]
// In a column's answer the row's number is `row`. Cells are numbers, or texts compared without case; `words` of a column
// are the only texts that may be written in it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/kinds/kind.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

using nlohmann::json;

std::string lower(std::string text) {
  text = ascii_lower(text);
  std::erase_if(text, [](unsigned char c) { return std::isspace(c); });
  return text;
}

/// Returns whether a column's rule gives numbers; false where only computing it would tell.
bool gives_numbers(const json& rule) {
  if (rule.is_array()) return ranges::all_of(rule, gives_numbers);
  if (rule.is_object())
    return rule.contains("measure") ? rule["measure"] != "status"
                                    : rule.contains("value") && gives_numbers(rule["value"]);
  return rule.is_number() ||
         (rule.is_string() && rule.get_ref<const std::string&>().starts_with('='));
}
json has_numbers(const json& column) {
  return column.value("numbers", column.contains("answer") && gives_numbers(column["answer"]));
}

constexpr KindKey kColumn[] = {
    {.name = "name", .is = KindKey::Is::text, .required = true, .students = true},
    {.name = "answer", .required = true},
    {.name = "words", .is = KindKey::Is::texts, .students = true},
    {.name = "numbers", .is = KindKey::Is::flag, .students = true, .in_copy = has_numbers}};
constexpr KindKey kTableKeys[] = {
    {.name = "rows", .required = true, .students = true},
    {.name = "row", .is = KindKey::Is::text, .students = true},
    {.name = "first_row", .is = KindKey::Is::number, .students = true},
    {.name = "columns", .students = true, .parts = kColumn},
    {.name = "tolerance", .is = KindKey::Is::number},
};
constexpr KindRow kTableRow{
    .name = "table",
    .title = "a table",
    .answer = "{ column: [cells], … }, a cell a number or a text; a lone value for one row",
    .keys = kTableKeys,
    .lines = 3,
    .seen_in_run = true,
    .said_in_text = true};

class TableKind : public QuestionKind {
 public:
  const KindRow& row() const override { return kTableRow; }

  void check_further(TomlNode& question) const override {
    if (question.at("columns").elements().empty()) question.complain("'columns' is missing");
  }

  // { "x": [20, 20], "y": [20, 20] }
  json find_key(const Question& question, const Variant& variant, LessonRuns& runs) const override {
    json out = json::object();
    for (const json& column : question.data.at("columns")) {
      if (!column.contains("answer")) return {};
      const json rule = {{"for", "row"},
                         {"from", first_row(question)},
                         {"count", rows(question, variant)},
                         {"value", column.at("answer")}};
      out[column.at("name").get<std::string>()] = expand(rule, variant.values, &runs);
    }
    return out;
  }

  AnswerForm form(const Question& question, const Variant& variant, LessonRuns&) const override {
    AnswerForm form;
    const auto names = column_names(question);
    const std::string row = question.data.value("row", "rank");
    const int first = first_row(question);
    for (int r = 0; r < rows(question, variant); ++r)
      for (const std::string& name : names)
        form.fields.push_back(
            {(json::json_pointer() / name / static_cast<std::size_t>(r)).to_string(),
             fmt::format("{} {}, {}", row, first + r, name)});
    form.how = fmt::format("for each column the values of {} {} to {}, with commas between them",
                           row, first, first + rows(question, variant) - 1);
    const std::string cells = rows(question, variant) == 1 ? ": …" : ": …, …";
    form.example = joined(names, "; ", [&](const auto& name) { return name + cells; });
    return form;
  }

  Judgement judge(const Question& question, const Variant&, const json& key, const json& answer,
                  LessonRuns&) const override {
    know_columns(question, answer);
    if (!key.is_object() || key.empty()) return {};  // a known mistake in another form
    const int first = first_row(question);
    std::size_t all = 0;
    std::vector<std::string> wrong;
    for (const auto& [name, right] : key.items()) {
      const json column = answer.contains(name) ? answer.at(name) : json::array();
      const json given = column.is_array() ? column : json::array({column});
      if (given.size() > right.size())
        throw UserError(fmt::format("column {} has {}, not {}", name, counted(right.size(), "cell"),
                                    given.size()));
      const double tolerance = tolerance_of(question, name);
      for (std::size_t r = 0; r < right.size(); ++r, ++all)
        if (r >= given.size() || !same_cell(right[r], given[r], tolerance))
          wrong.push_back(
              fmt::format("{} at {} {}{}", name, question.data.value("row", "rank"),
                          first + static_cast<int>(r),
                          r < given.size() ? unreadable(right[r], given[r]) : " (empty)"));
    }
    if (wrong.empty()) return {1, ""};
    return {share_of(all - wrong.size(), all),
            fmt::format("Not right: {}{}.", fmt::join(wrong, ", "),
                        wrong.size() == all
                            ? ""
                            : fmt::format("; the other {} right",
                                          all - wrong.size() == 1
                                              ? std::string("cell is")
                                              : fmt::format("{} cells are", all - wrong.size())))};
  }

  void require_form(const Question& question, const Variant& variant,
                    const json& answer) const override {
    know_columns(question, answer);
    const auto most = static_cast<std::size_t>(rows(question, variant));
    for (const json& column : question.data.at("columns")) {
      const std::string name = column.at("name").get<std::string>();
      const json cells = answer.contains(name) ? filled(answer.at(name)) : json::array();
      if (cells.size() > most)
        throw UserError(
            fmt::format("column {} has {}, not {}", name, counted(most, "cell"), cells.size()));
      for (std::size_t r = 0; r < cells.size(); ++r)
        if (const std::string fault = cell_fault(column, cells[r]); !fault.empty())
          throw UserError(fmt::format("{} at {} {}: {}", name, question.data.value("row", "rank"),
                                      first_row(question) + static_cast<int>(r), fault));
    }
  }

  // "x: 1, 2, 3; y: 4, 5, 6", or "1 2 3" for the only column.
  json parse(const Question& question, const Variant& variant,
             std::string_view typed) const override {
    const bool one_row = rows(question, variant) == 1;
    const auto names = column_names(question);
    json out = json::object();
    std::size_t column = 0;
    for (std::string_view part : split_at(typed, ";")) {
      if (trimmed(part).empty()) continue;
      std::string name = column < names.size() ? names[column] : "";
      if (const auto colon = part.find(':'); colon != std::string_view::npos) {
        name = trimmed(part.substr(0, colon));
        part.remove_prefix(colon + 1);
      }
      if (ranges::find(names, name) == names.end()) throw no_column(name, names);
      if (out.contains(name))
        throw UserError(fmt::format("column {} is there twice", shortened(name, 60)));
      out[name] = cells(part, one_row);
      ++column;
    }
    return out;
  }

  // The columns in the question's order, without the empty cells at their ends.
  std::string show(const Question& question, const json& answer) const override {
    if (!answer.is_object()) return answer_text(answer);
    std::vector<std::string> names = column_names(question);
    for (const auto& one : answer.items())
      if (ranges::find(names, one.key()) == names.end()) names.push_back(one.key());
    std::erase_if(names, [&](const std::string& name) {
      return !answer.contains(name) || filled(answer.at(name)).empty();
    });
    return joined(names, "; ", [&](const std::string& name) {
      return name + ": " + joined(filled(answer.at(name)), ", ", [](const json& cell) {
               return cell.is_null() ? "" : answer_text(cell);
             });
    });
  }

 private:
  /// Returns why a cell cannot be read; empty if it can, or has nothing in it.
  static std::string cell_fault(const json& column, const json& cell) {
    if (blank(cell)) return "";
    try {
      const std::string text = answer_text(cell);
      const auto words = column.value("words", std::vector<std::string>{});
      const auto is_text = [&](const std::string& word) { return lower(word) == lower(text); };
      if (!words.empty() && ranges::none_of(words, is_text))
        return fmt::format("{} is expected, not {}", fmt::join(words, " or "), brief(cell));
      if (has_numbers(column) == true) answer_number(cell);
      return "";
    } catch (const UserError& error) {
      return error.what();
    }
  }
  static json filled(const json& column) {
    json cells = column.is_array() ? column : json::array({column});
    while (!cells.empty() && (cells.back().is_null() || cells.back() == ""))
      cells.erase(cells.size() - 1);
    return cells;
  }
  static int rows(const Question& question, const Variant& variant) {
    const double count = answer_number(expand(question.data.at("rows"), variant.values));
    if (!(count >= 1 && count <= 64)) throw UserError("a table has 1 to 64 rows");
    return static_cast<int>(count);
  }
  static int first_row(const Question& question) {
    return static_cast<int>(question.data.value("first_row", 0.0));
  }
  static std::vector<std::string> column_names(const Question& question) {
    std::vector<std::string> out;
    for (const json& column : question.data.at("columns"))
      out.push_back(column.at("name").get<std::string>());
    return out;
  }
  static UserError no_column(const std::string& name, const std::vector<std::string>& names) {
    return UserError(fmt::format(
        "there is no column '{}'{}", shortened(name, 60),
        nearest_hint(name, names, fmt::format("the columns are {}", fmt::join(names, ", ")))));
  }
  static void know_columns(const Question& question, const json& answer) {
    if (!answer.is_object())
      throw UserError(
          fmt::format("a list of values for each column is expected, not {}", brief(answer)));
    const auto names = column_names(question);
    for (const auto& [name, cells] : answer.items())
      if (ranges::find(names, name) == names.end()) throw no_column(name, names);
  }
  static double tolerance_of(const Question& question, const std::string& column) {
    if (question.data.contains("tolerance")) return question.data["tolerance"].get<double>();
    for (const json& one : question.data.at("columns"))
      if (one.at("name") == column) return default_tolerance(one.value("answer", json()));
    return kTolerance;
  }
  // Blanks may separate cells; in a table of one row they belong to the cell.
  static json cells(std::string_view text, bool one_row) {
    json out = json::array();
    const bool commas = one_row || text.find(',') != std::string_view::npos;
    for (const std::string_view part : split_at(text, commas ? "," : " ")) {
      if (out.size() > kMostParts) throw UserError("a column has too many cells");
      if (const auto cell = trimmed(part); commas || !cell.empty()) out.push_back(cell);
    }
    return out;
  }
  static std::string_view unreadable(const json& right, const json& given) {
    if (given.is_null()) return " (empty)";
    try {
      if (trimmed(answer_text(given)).empty()) return " (empty)";
      if (!right.is_string()) answer_number(given);
      return "";
    } catch (const UserError&) {
      return " (not a number)";
    }
  }
  static bool same_cell(const json& right, const json& given, double tolerance) {
    try {
      if (right.is_string()) return lower(right.get<std::string>()) == lower(answer_text(given));
      return close(answer_number(given), answer_number(right), tolerance);
    } catch (const UserError&) {
      return false;
    }
  }
};

}  // namespace

const QuestionKind& table_kind() { return only_kind<TableKind>(); }

}  // namespace rankscope
