// Makes a bank item of a question, and of Markdown the XHTML of its texts.
#include "lessons/bank/bank_items.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/random.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/paint/svg.h"
#include "lessons/formula/formula_compare.h"
#include "lessons/lesson/lesson.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/lesson/picture.h"
#include "lessons/text/encodings.h"
#include "lessons/text/list_text.h"
#include "lessons/text/markdown.h"

namespace rankscope {
namespace {

std::string span_xhtml(const MarkdownSpan& span) {
  if (span.line_break) return "<br/>";
  std::string out = xml_escaped(span.text);
  if (span.code) out = "<code>" + out + "</code>";
  if (span.emphasis) out = "<em>" + out + "</em>";
  if (span.strong) out = "<strong>" + out + "</strong>";
  return out;
}

std::string line_xhtml(const MarkdownLine& line) {
  std::string out;
  for (const MarkdownSpan& span : line) out += span_xhtml(span);
  return out;
}

std::string table_xhtml(const MarkdownBlock& block) {
  std::string out = "<table>";
  for (std::size_t r = 0; r < block.rows.size(); ++r) {
    out += r == 0 ? "<thead>" : r == 1 ? "<tbody>" : "";
    out += "<tr>";
    for (const MarkdownLine& cell : block.rows[r])
      out += fmt::format("<{0}>{1}</{0}>", r == 0 ? "th" : "td", line_xhtml(cell));
    out += r == 0 ? "</tr></thead>" : "</tr>";
  }
  // Both formats want a body even for a table with only a head.
  out += block.rows.size() > 1 ? "</tbody>" : "<tbody><tr><td></td></tr></tbody>";
  return out + "</table>";
}

std::string blocks_xhtml(const std::vector<MarkdownBlock>& blocks);

std::string block_xhtml(const MarkdownBlock& block) {
  using K = MarkdownBlock::Kind;
  switch (block.kind) {
    case K::paragraph: return "<p>" + line_xhtml(block.line) + "</p>";
    case K::heading: return "<h3>" + line_xhtml(block.line) + "</h3>";
    case K::list:
      return fmt::format("<{0}>{1}</{0}>", block.ordered ? "ol" : "ul", blocks_xhtml(block.blocks));
    case K::item: return "<li>" + line_xhtml(block.line) + blocks_xhtml(block.blocks) + "</li>";
    case K::quote: return "<blockquote>" + blocks_xhtml(block.blocks) + "</blockquote>";
    case K::code:
      return "<pre>" +
             joined(lines_of(block.code), "\n", [](auto line) { return xml_escaped(line); }) +
             "</pre>";
    case K::table: return table_xhtml(block);
    case K::rule: return "<hr/>";
  }
  return {};
}

std::string blocks_xhtml(const std::vector<MarkdownBlock>& blocks) {
  return joined(blocks, "\n", block_xhtml);
}

// A single paragraph without its element, for places that hold a line.
std::string bank_xhtml_line(std::string_view markdown) {
  const auto blocks = parse_markdown(markdown);
  return blocks.size() == 1 && blocks[0].kind == MarkdownBlock::Kind::paragraph
             ? line_xhtml(blocks[0].line)
             : blocks_xhtml(blocks);
}

using nlohmann::json;

constexpr double kRounded = 0.005;  // relative: three significant digits
constexpr int kDraws = 200;

// Rounds a sampled point's real numbers so that people can type them, and recomputes those that follow from others.
Values rounded_point(const json& domain, const Values& sampled) {
  Values out;
  for (const json& one : domain) {
    const std::string name = one.at(0).get<std::string>();
    std::string range = one.at(1).get<std::string>();
    double value = sampled.at(name);
    if (const auto real = range.find(" real"); real != std::string::npos) {
      range.resize(real);
      const auto dots = range.find("..");
      const bool follows = range.substr(0, dots) == range.substr(dots + 2);
      value = follows ? evaluate(range.substr(0, dots), out) : three_digits(value);
    }
    out[name] = value;
  }
  return out;
}

bool mentions(const std::string& text, const std::string& name) {
  const auto part_of_word = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0);
  };
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
    if ((at == 0 || !part_of_word(at - 1)) && !part_of_word(at + name.size())) return true;
  return false;
}

std::string shown_name(const std::string& name) {
  return name == "alpha" ? "α" : name == "beta" ? "β" : name == "gamma" ? "γ" : name;
}

/// A formula, its domain, and its variables; those in `shown` get a value in the prompt.
struct FormulaQuestion {
  json domain;
  std::string condition;
  std::vector<std::string> names, shown;
  Formula formula;
};

FormulaQuestion formula_question(const Question& question, const std::string& prompt) {
  std::vector<std::string> names;
  for (const json& one : question.data.at("domain")) names.push_back(one.at(0).get<std::string>());
  FormulaQuestion out{question.data.at("domain"),
                      question.data.value("condition", ""),
                      names,
                      {},
                      Formula(question.data.at("answer").get<std::string>(), names)};
  const auto& used = out.formula.variables_used();
  for (const std::string& name : names) {
    const bool needed = ranges::find(used, name) != used.end();
    if (needed || mentions(prompt, name) || mentions(prompt, shown_name(name)))
      out.shown.push_back(name);
  }
  return out;
}

/// Returns up to `count` sets of numbers with different results, which exceed 1 if possible, so that nobody guesses them.
std::vector<Values> good_points(const FormulaQuestion& question, int count, std::uint64_t seed) {
  const std::vector<Values> all = sample(FormulaDomain::of(question.domain, question.condition));
  RandomNumbers random(seed);
  std::vector<Values> out;
  std::set<double> results;
  for (int i = 0; i < kDraws && static_cast<int>(out.size()) < count; ++i) {
    const Values point = rounded_point(question.domain, all[random.below(all.size())]);
    if (!question.condition.empty() && evaluate(question.condition, point) == 0) continue;
    const double value = question.formula.at(point);
    const bool easy = std::abs(value) <= 1 && i < kDraws / 2;
    if (!std::isfinite(value) || easy || !results.insert(value).second) continue;
    out.push_back(point);
  }
  return out;
}

constexpr std::size_t kMostBlanks = 48;
constexpr double kThreeDigits = 0.005;  // relative, for values rounded to three digits
constexpr int kMostRounds = 64;

// Other systems do not calculate, so people type rounded numbers unless the right one is whole.
double bank_tolerance(double value, double relative) {
  if (value == std::floor(value) && relative <= kTolerance) return 0;
  return std::abs(value) * std::max(relative, kThreeDigits);
}

double relative_of(const Question& question) {
  return question.data.value("whole", false) ? 0 : tolerance_of(question);
}

std::string how_to_type(const BankItem& item, const std::string& unit) {
  const bool rounded =
      ranges::any_of(item.blanks, [](const BankBlank& one) { return one.tolerance > 0; });
  if (unit.empty() && !rounded) return {};
  return fmt::format("<p>{}{}{}</p>", unit.empty() ? "" : "In " + xml_escaped(unit) + ".",
                     unit.empty() || !rounded ? "" : " ",
                     rounded ? "Write a decimal number; three significant digits are enough." : "");
}

// Adds a wrong number with its comment, unless it equals the right one within kTolerance.
void add_known(double wrong, const std::string& says, BankItem& item) {
  BankBlank& blank = item.blanks.front();
  const double apart = std::abs(wrong - blank.value);
  if (!std::isfinite(wrong) || apart <= std::abs(blank.value) * kTolerance) return;
  blank.tolerance = std::min(blank.tolerance, apart / 3);
  item.known.push_back({bank_number(wrong), wrong, false, bank_xhtml(says)});
}

void add_known(const Question& question, const Variant& variant, LessonRuns& runs, BankItem& item) {
  for (const Misconception& one : question.misconceptions) {
    json value;
    try {
      value = expand(one.answer, variant.values, &runs);
    } catch (const UserError&) {
      continue;  // it cannot be computed with these numbers
    }
    if (value.is_number()) add_known(value.get<double>(), fill_in(one.says, variant.values), item);
  }
}

std::string number_item(const Question& question, const Variant& variant, LessonRuns& runs,
                        BankItem& item) {
  const double value = answer_number(question.kind->key(question, variant, runs));
  item.blanks.push_back({"", value, bank_tolerance(value, relative_of(question)), {}, ""});
  add_known(question, variant, runs, item);
  item.prompt +=
      how_to_type(item, question.data.value("unit", "")) + "<p>" + blank_mark(0) + "</p>";
  return {};
}

std::string vector_item(const Question& question, const Variant& variant, LessonRuns& runs,
                        BankItem& item) {
  const json key = question.kind->key(question, variant, runs);
  const double relative = relative_of(question);
  std::string line;
  for (const json& one : key) {
    const double value = answer_number(one);
    line += (line.empty() ? "" : " , ") + blank_mark(item.blanks.size());
    item.blanks.push_back({fmt::format("number {}", item.blanks.size() + 1),
                           value,
                           bank_tolerance(value, relative),
                           {},
                           ""});
  }
  item.prompt += how_to_type(item, "") + "<p>" + line + "</p>";
  return {};
}

// Adds a table of blanks, a row for each label and a column for each name.
void blanks_table(const std::vector<std::string>& columns, const std::vector<std::string>& rows,
                  BankItem& item) {
  std::string out = "<table><thead><tr><th></th>";
  for (const std::string& column : columns) out += "<th>" + xml_escaped(column) + "</th>";
  out += "</tr></thead><tbody>";
  std::size_t index = 0;
  for (const std::string& row : rows) {
    out += "<tr><th>" + xml_escaped(row) + "</th>";
    for (std::size_t c = 0; c < columns.size(); ++c) out += "<td>" + blank_mark(index++) + "</td>";
    out += "</tr>";
  }
  item.prompt += how_to_type(item, "") + out + "</tbody></table>";
}

BankBlank blank_of(const json& cell, const std::string& label, double relative) {
  BankBlank out;
  out.label = label;
  if (cell.is_string()) {
    out.text = cell.get<std::string>();
    return out;
  }
  out.value = answer_number(cell);
  out.tolerance = bank_tolerance(out.value, relative);
  return out;
}

std::string table_item(const Question& question, const Variant& variant, LessonRuns& runs,
                       BankItem& item) {
  const json key = question.kind->key(question, variant, runs);
  const std::string row = question.data.value("row", "rank");
  const int first = static_cast<int>(question.data.value("first_row", 0.0));
  std::vector<std::string> columns, rows;
  for (const json& column : question.data.at("columns")) columns.push_back(column.at("name"));
  const std::size_t count = key.at(columns.front()).size();
  for (std::size_t r = 0; r < count; ++r) {
    rows.push_back(fmt::format("{} {}", row, first + static_cast<int>(r)));
    for (const std::string& name : columns)
      item.blanks.push_back(blank_of(key.at(name).at(r), rows.back() + ", " + name,
                                     question.data.value("tolerance", kTolerance)));
  }
  if (item.blanks.size() <= kMostBlanks) blanks_table(columns, rows, item);
  return {};
}

std::string fill_in_item(const Question& question, const Variant& variant, LessonRuns& runs,
                         BankItem& item) {
  if (question.data.value("show", "values") == "contributions")
    return "sets of ranks can be written in many ways";
  const json key = question.kind->key(question, variant, runs);
  std::vector<std::string> rows, columns;
  for (std::size_t r = 0; r < key.size(); ++r) {
    if (key[r].size() != key[0].size()) return "its ranks hold different numbers of elements";
    rows.push_back(fmt::format("rank {}", r));
    for (std::size_t i = 0; i < key[r].size(); ++i) {
      if (!key[r][i].is_number()) return "some of its values are not defined";
      item.blanks.push_back(blank_of(key[r][i], fmt::format("{}, element {}", rows.back(), i),
                                     question.data.value("tolerance", kTolerance)));
    }
  }
  for (std::size_t i = 0; i < key[0].size(); ++i) columns.push_back(fmt::format("element {}", i));
  if (item.blanks.size() <= kMostBlanks) blanks_table(columns, rows, item);
  return {};
}

std::string choice_item(const Question& question, const Variant& variant, LessonRuns& runs,
                        BankItem& item) {
  item.kind = BankItem::Kind::choice;
  item.multiple = question.data.value("multiple", false);
  const json key = question.kind->key(question, variant, runs);
  char letter = 'a';
  for (const json& option : question.data.at("options")) {
    BankAnswer answer;
    answer.text = bank_xhtml_line(fill_in(option.at("text").get<std::string>(), variant.values));
    answer.is_right = ranges::find(key, json(std::string(1, letter++))) != key.end();
    answer.feedback = bank_xhtml(fill_in(option.value("says", ""), variant.values));
    item.options.push_back(std::move(answer));
  }
  const auto right = ranges::count_if(item.options, &BankAnswer::is_right);
  if (right == 0) return "none of its options is right with these numbers";
  return {};
}

std::string order_item(const Question& question, const Variant& variant, BankItem& item) {
  if (question.data.contains("before")) return "several orders are right";
  item.kind = BankItem::Kind::order;
  for (const json& one : question.data.at("items"))
    item.steps.push_back(bank_xhtml_line(fill_in(one.get<std::string>(), variant.values)));
  return {};
}

std::string listing_xhtml(std::string_view program) {
  int number = 0;
  return "<pre>" +
         joined(lines_of(program), "\n",
                [&](auto line) { return fmt::format("{:>3}  {}", ++number, xml_escaped(line)); }) +
         "</pre>";
}

// The question's kind judges each line, to find all right ones.
std::string bug_item(const Question& question, const Variant& variant, LessonRuns& runs,
                     BankItem& item) {
  const json key = question.kind->key(question, variant, runs);
  const JobSpec job = runs.job(question.data.at("run").get<std::string>(), variant.values);
  const auto is_right = [&](const json& answer) {
    return question.kind->judge(question, variant, key, answer, runs).share >= 1;
  };
  if (key.size() != 1 || !key.contains("line"))
    return "it is about a moment of a run, which is not in the picture";
  const std::string_view program = program_text(job.call.algorithm);
  if (program.empty()) return "the text of its program is not in this program";
  BankBlank blank;
  blank.value = key["line"].get<double>();
  const auto lines = static_cast<int>(lines_of(program).size());
  for (int line = 1; line <= lines; ++line) {
    const json answer = {{"line", line}};
    if (is_right(answer)) {
      if (line != blank.value) blank.also.push_back(line);
      continue;
    }
    for (const Misconception& one : question.misconceptions)
      if (question.kind->same(question, variant, one.answer, answer, runs)) {
        item.known.push_back({bank_number(line), static_cast<double>(line), false,
                              bank_xhtml(fill_in(one.says, variant.values))});
        break;
      }
  }
  item.blanks.push_back(std::move(blank));
  item.prompt += listing_xhtml(program) + "<p>Line " + blank_mark(0) + "</p>";
  return {};
}

std::string written_item(const Question& question, const Variant& variant, BankItem& item) {
  item.kind = BankItem::Kind::essay;
  for (const RubricRow& row : rubric_of(question))
    item.for_marker +=
        fmt::format("<li>{} ({})</li>", bank_xhtml_line(fill_in(row.text, variant.values)),
                    points_text(row.points));
  if (!item.for_marker.empty()) item.for_marker = "<ul>" + item.for_marker + "</ul>";
  item.for_marker += bank_xhtml(fill_in(model_answer(question), variant.values));
  return {};
}

}  // namespace

std::string bank_xhtml(std::string_view markdown) { return blocks_xhtml(parse_markdown(markdown)); }

std::string fill_formula_item(const Question& question, const Variant& variant, int number,
                              BankItem& item) {
  const std::string prompt = fill_in(question.prompt, variant.values);
  const FormulaQuestion asked = formula_question(question, prompt);
  const auto points = good_points(asked, number + 1, stable_hash(question.id));
  if (number >= static_cast<int>(points.size()))
    return number == 0 ? "no numbers were found for which its formula is defined"
                       : "there are no further numbers";
  const Values& point = points[static_cast<std::size_t>(number)];
  BankBlank blank;
  blank.value = asked.formula.at(point);
  if (blank.value != std::floor(blank.value)) blank.tolerance = std::abs(blank.value) * kRounded;
  item.blanks.push_back(std::move(blank));
  for (const Misconception& one : question.misconceptions)
    if (one.answer.is_string())
      add_known(Formula(one.answer.get<std::string>(), asked.names).at(point),
                fill_in(one.says, variant.values), item);
  const bool rounded = item.blanks.front().tolerance > 0;
  item.prompt +=
      fmt::format("<p>Find the formula, and give the number that it has for {}.{}</p><p>{}</p>",
                  joined(asked.shown, ", ",
                         [&](const std::string& name) {
                           return fmt::format("{} = {}", xml_escaped(shown_name(name)),
                                              bank_number(point.at(name)));
                         }),
                  rounded ? " Three significant digits are enough." : "", blank_mark(0));
  return {};
}

std::string fill_item(const Question& question, const Variant& variant, LessonRuns& runs,
                      BankItem& item) {
  const std::string_view kind = question.kind->name();
  std::string why = "its answer is judged by running it";
  if (kind == "number") why = number_item(question, variant, runs, item);
  else if (kind == "vector") why = vector_item(question, variant, runs, item);
  else if (kind == "table") why = table_item(question, variant, runs, item);
  else if (kind == "fill") why = fill_in_item(question, variant, runs, item);
  else if (kind == "choice") why = choice_item(question, variant, runs, item);
  else if (kind == "order") why = order_item(question, variant, item);
  else if (kind == "bug") why = bug_item(question, variant, runs, item);
  else if (kind == "written") why = written_item(question, variant, item);
  else if (kind == "predict") why = "any message that may come next is right";
  else if (kind == "speedup") why = "it is about the student's own measurements";
  if (why.empty() && item.blanks.size() > kMostBlanks)
    why = fmt::format("it has {} numbers to type", item.blanks.size());
  return why;
}

}  // namespace rankscope
