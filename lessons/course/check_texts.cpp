// Looks for answers in a lesson's pages, and for pictures that no text mentions.
#include "lessons/course/check_texts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/course/locks.h"
#include "lessons/grading/grade.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr std::size_t kLeastSigns = 3;  // of a formula: "N-1" has three
constexpr std::size_t kLeastDigits = 2, kLeastDecimals = 3;
constexpr std::size_t kAround = 24;  // characters that a complaint shows on each side

bool letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// ---- A text as words ----

struct TextWord {
  std::string text;
  std::size_t begin = 0, end = 0;  // in the text
  bool number() const { return digit(text.front()); }
};

// Returns the end of the number at `at`, such as "1,024.5".
std::size_t number_end(std::string_view text, std::size_t at) {
  const auto digits = [&](std::size_t from) {
    while (from < text.size() && digit(text[from])) ++from;
    return from;
  };
  std::size_t end = digits(at);
  while (end < text.size() && text[end] == ',' && digits(end + 1) == end + 4) end += 4;
  if (end + 1 < text.size() && text[end] == '.' && digit(text[end + 1])) end = digits(end + 1);
  return end;
}

std::vector<TextWord> words_of_text(std::string_view text) {
  std::vector<TextWord> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
      continue;
    }
    if (digit(text[at])) at = number_end(text, at);
    else if (letter(text[at])) {
      while (at < text.size() && letter(text[at])) ++at;
      while (at < text.size() && digit(text[at])) ++at;  // log2
    } else {
      ++at;
      while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    }
    std::string word(text.substr(begin, at - begin));
    if (digit(word.front())) std::erase(word, ',');
    out.push_back({std::move(word), begin, at});
  }
  return out;
}

std::string around(std::string_view text, std::size_t begin, std::size_t end) {
  begin = begin > kAround ? begin - kAround : 0;
  end = std::min(end + kAround, text.size());
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  std::string out(trimmed(text.substr(begin, end - begin)));
  ranges::replace(out, '\n', ' ');
  return out;
}

// ---- Numbers ----

// Returns the numbers that are values, which those in "2^23", "100r" and "3.2.1" are not.
std::vector<TextWord> numbers_in(std::string_view text) {
  std::vector<TextWord> out;
  for (TextWord& word : words_of_text(text)) {
    if (!word.number()) continue;
    const char before = word.begin > 0 ? text[word.begin - 1] : ' ';
    const char after = word.end < text.size() ? text[word.end] : ' ';
    if (letter(before) || digit(before) ||
        std::string_view("^_.,/").find(before) != std::string_view::npos)
      continue;
    if (letter(after) || after == '^' || after == '_') continue;
    out.push_back(std::move(word));
  }
  return out;
}

bool says_value(const TextWord& word, double value) {
  const auto point = word.text.find('.');
  if (point == std::string::npos)
    return word.text.size() >= kLeastDigits && std::stod(word.text) == value;
  const auto decimals = word.text.size() - point - 1;
  const auto first = word.text.find_first_not_of("0.");
  if (first == std::string::npos) return false;
  const auto digits = word.text.size() - first - (first < point ? 1 : 0);
  return digits >= kLeastDecimals && fmt::format("{:.{}f}", value, decimals) == word.text;
}

// Returns whether this may stand between the numbers of a list: ", ", " and ".
bool lists_on(std::string_view between) {
  between = trimmed(between);
  return between.empty() || between == "," || between == ";" || between == "and" ||
         between == ", and";
}

std::string find_row(const std::vector<double>& row, std::string_view text,
                     const std::vector<TextWord>& numbers) {
  for (std::size_t i = 0; i + row.size() <= numbers.size(); ++i) {
    bool fits = true;
    for (std::size_t k = 0; fits && k < row.size(); ++k) {
      fits = std::stod(numbers[i + k].text) == row[k];
      if (fits && k > 0) {
        const auto end = numbers[i + k - 1].end;
        fits = lists_on(text.substr(end, numbers[i + k].begin - end));
      }
    }
    if (fits) return around(text, numbers[i].begin, numbers[i + row.size() - 1].end);
  }
  return "";
}

std::string find_one(double value, std::string_view text, const std::vector<TextWord>& numbers) {
  const auto found =
      ranges::find_if(numbers, [&](const TextWord& word) { return says_value(word, value); });
  return found == numbers.end() ? "" : around(text, found->begin, found->end);
}

std::string find_values(const std::vector<double>& values, std::string_view text) {
  const auto numbers = numbers_in(text);
  const std::set<double> different(values.begin(), values.end());
  if (different.empty()) return "";
  if (different.size() > 1)
    if (std::string row = find_row(values, text, numbers); !row.empty()) return row;
  std::string out;
  for (const double value : different) {
    if (different.size() > 1 && std::abs(value) < 10) continue;
    out = find_one(value, text, numbers);
    if (out.empty()) return "";
  }
  return out;
}

// Collects the numbers of a list and of lists in it; sets `only` to false if there is something else.
void take_numbers(const json& value, std::vector<double>& out, bool& only) {
  if (value.is_number()) out.push_back(value.get<double>());
  else if (value.is_array())
    for (const json& one : value) take_numbers(one, out, only);
  else only = false;
}

// ---- Formulas ----

// Returns the signs of a formula, in one spelling, without signs for products.
std::vector<std::string> signs_of(std::string_view raw) {
  std::string text(raw);
  for (const auto& [from, to] : {std::pair{"−", "-"},
                                 {"·", " "},
                                 {"×", " "},
                                 {"*", " "},
                                 {"α", " alpha "},
                                 {"β", " beta "},
                                 {"γ", " gamma "},
                                 {"⌈log2 N⌉", "ceil(log2(N))"},
                                 {"log2 N", "log2(N)"}})
    replace_all(text, from, to);
  std::vector<std::string> out;
  for (TextWord& word : words_of_text(text)) {
    const bool product = word.text.size() <= 3 && ranges::all_of(word.text, [](char c) {
                           return std::isupper(static_cast<unsigned char>(c)) != 0;
                         });
    if (!product) out.push_back(std::move(word.text));
    else
      for (const char c : word.text) out.emplace_back(1, c);
  }
  return out;
}

// Returns whether a formula continues with this sign: "a N - 1" is not part of one, "2 (N - 1)" is.
bool goes_on(const std::string& sign, std::string_view brackets) {
  if (sign.size() == 1 && letter(sign[0])) return sign != "a" && sign != "A" && sign != "I";
  return digit(sign[0]) || sign == "alpha" || sign == "beta" || sign == "gamma" || sign == "²" ||
         sign == "³" || std::string_view("+-/^").find(sign[0]) != std::string_view::npos ||
         brackets.find(sign) != std::string_view::npos;
}

std::string find_formula(const std::string& key, std::string_view text) {
  const auto wanted = signs_of(key), signs = signs_of(text);
  const auto size = wanted.size();
  if (size < kLeastSigns) return "";
  for (std::size_t i = 0; i + size <= signs.size(); ++i) {
    if (!std::equal(wanted.begin(), wanted.end(), signs.begin() + static_cast<std::ptrdiff_t>(i)))
      continue;
    if (i > 0 && goes_on(signs[i - 1], "(⌈⌊|")) continue;
    if (i + size < signs.size() && goes_on(signs[i + size], ")⌉⌋|")) continue;
    return fmt::format("{}", fmt::join(wanted, " "));
  }
  return "";
}

// ---- Pages ----

// Words by which a paragraph refers to a picture beside it; a colon at its end does so, too.
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

// Returns the words of `text` that contain the right answer `key`; empty if none do.
//   a number           whole ones of two digits or more, others of three: 88.9 is 88.888…
//   a list             the same numbers one after the other, "3, 6, 10"; or all of them that have two digits or more;
// if all are equal, that number
//   columns            each of them
//   a text             a formula, whatever stands for ·, −, ⌈ and ⌉; not one that is part of a longer formula
// Smaller numbers and shorter formulas stand in texts for many reasons, and count as nothing.
std::string find_answer(const json& key, std::string_view text) {
  if (key.is_string()) return find_formula(key.get<std::string>(), text);
  if (key.is_object()) {
    std::string out;
    for (const json& column : key) {
      out = find_answer(column, text);
      if (out.empty()) return "";
    }
    return out;
  }
  std::vector<double> values;
  bool only = true;
  take_numbers(key, values, only);
  return only ? find_values(values, text) : "";
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

  // Returns all that the page says before the question is answered; handouts print reveals, too.
  std::string said_before(const Question& question) const {
    std::string out;
    for (const Block& block : step_.blocks) {
      if (block.kind == Block::Kind::text ||
          (block.kind == Block::Kind::reveal && ranges::count(block.after, question.id) == 0))
        out += block.text;
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
    if (question->kind->name() == "bug" && question->misconceptions.empty())
      complain(block.line, fmt::format("bug question {} has no [[question.misconception]]: say of "
                                       "the lines that a reader may take for it why they are right",
                                       question->id));
    try {
      const Variant printed = variant_of(*question, 0);
      if (question->kind->row().said_in_text) {
        const std::string where =
            find_answer(question->kind->key(*question, printed, runs_), said_before(*question));
        if (!where.empty())
          complain(block.line, fmt::format("the page gives the answer of question {} away: \"{}\"",
                                           question->id, where));
      }
    } catch (
        const std::exception&) {  // check_lesson reports what is wrong with the question itself
    }
  }

  // ---- Pictures that the text refers to ----

  bool referred_to(std::size_t place) const {
    const auto& blocks = step_.blocks;
    const std::string run(run_shown_by(lesson_, blocks[place]));
    const auto speaks = [&](const Block& block, bool before) {
      if (block.kind == Block::Kind::text)
        return points(before ? last_paragraph(block.text) : first_paragraph(block.text));
      const Question* question =
          block.kind == Block::Kind::question ? lesson_.find_question(block.id) : nullptr;
      if (question == nullptr) return false;
      return points(question->prompt) ||
             (lesson_.find_run(run) != nullptr && ranges::count(runs_asked(*question), run) > 0);
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

// A contract may be read before any page. Its numbers have many reasons, but its formulas may be answers.
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
}

}  // namespace rankscope
