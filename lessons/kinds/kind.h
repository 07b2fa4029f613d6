// The interface of a kind of question, the table of the kinds, and helpers that several of them share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/core/base/text.h"
#include "engine/toml/toml_source.h"
#include "lessons/lesson/expand.h"
#include "lessons/lesson/lesson.h"

namespace rankscope {

class LessonRuns;
struct JobSpec;

/// A question with its numbers.
struct Variant {
  std::uint64_t seed = 0;
  Values values;
};

/// The worth of an answer, before known misconceptions are considered.
struct Judgement {
  double share = 0;  ///< Share of the points, 0 to 1.
  std::string says;  ///< The mistake and its place; may be empty for a right answer.
};

/// A part of an answer, as widgets, the terminal and answer sheets ask for it.
struct AnswerField {
  std::string
      name;  ///< JSON pointer into the answer ("/x/2"); empty when the answer is this one value.
  std::string label;  ///< "rank 2, x", "from"
  enum class Type { number, text, choice, choices, long_text, order } type = Type::text;
  std::vector<std::string> options = {};  ///< The texts to choose from or to order.
  std::string unit = {};                  ///< Expected unit, for the hint beside the field.
};
/// The picture of the question's run in which an answer can be given.
struct AnswerPicture {
  enum class Is : std::uint8_t {
    none,
    messages,       ///< Arrows between ranks: fields "/from", "/to", "/chunk", and "/step" of rows.
    contributions,  ///< Slots of a buffer: fields "/RANK/CHUNK", the ranks whose data is in it.
    line,           ///< A line of the run's program: the field "/line".
  };
  Is is = Is::none;
  /// One of the lesson's runs; empty when the answer itself is a run (QuestionKind::trial).
  std::string run = {};
  int after = -1;     ///< Number of its rounds that are done; -1 for all.
  bool adds = false;  ///< A receiver adds the data unless the answer says otherwise.
};
struct AnswerForm {
  std::string how;  ///< One line that says what to type.
  std::vector<AnswerField> fields;
  /// The answer has any number of rows of these fields (a schedule, the arrows of a diagram).
  bool rows = false;
  bool arrows = false;  ///< The rows are arrows that can be drawn while the answer is incomplete.
  std::string example = {};  ///< An answer as it is typed.
  AnswerPicture picture = {};

  /// The texts to choose from or to order in the whole answer; empty for other answers.
  std::vector<std::string> options() const {
    return rows || fields.empty() ? std::vector<std::string>{} : fields.front().options;
  }
};

/// A key that a kind reads from a question's table, or from a table in it.
struct KindKey {
  /// `file` is a file beside lesson.toml, whose text becomes the question's data.
  enum class Is : std::uint8_t { any, text, number, flag, texts, file };
  std::string_view name;
  Is is = Is::any;
  bool required = false;
  /// Students' copies keep it, because it does not give the answer away. For a table, each row of `parts` says so.
  bool students = false;
  /// Computes its value in a student's copy from keys that the copy lacks.
  nlohmann::json (*in_copy)(const nlohmann::json& table) = nullptr;
  bool in_order = false;  ///< The order is the answer, so students' copies have it shuffled.
  std::span<const KindKey> parts = {};  ///< The keys of a table, or of each table of a list.
};

struct KindRow {
  std::string_view name;
  std::string_view
      title;  ///< Shown to people: "a number", "a formula", "a table with a row for each rank".
  /// The forms of an answer as JSON that `judge` accepts. A text never reaches `judge`: `grade` has `parse` read it first, so
  /// that an answer file may hold whatever can be typed.
  std::string_view answer;
  std::span<const KindKey> keys;
  int lines = 1;  ///< Lines to write on, on paper.
  /// A picture of the asked run would give the answer away, so `lesson check` looks for one.
  bool seen_in_run = false;
  /// Answers are numbers or formulas, so `lesson check` looks for them in the page's texts. Texts may mention the words
  /// and arrows of other kinds.
  bool said_in_text = false;
};

class QuestionKind {
 public:
  virtual ~QuestionKind() = default;
  virtual const KindRow& row() const = 0;
  std::string_view name() const { return row().name; }
  /// Complains about mistakes in the question's table.
  void check(TomlNode& question) const;
  /// Returns the right answer; null for a question that holds none, and for all in a student's copy, though some could be
  /// computed from what is left there. Throws UserError.
  nlohmann::json key(const Question& question, const Variant& variant, LessonRuns& runs) const;
  virtual AnswerForm form(const Question& question, const Variant& variant,
                          LessonRuns& runs) const = 0;
  /// Compares an answer with the key. Throws UserError for an answer of another form ("a number is expected, not ...").
  virtual Judgement judge(const Question& question, const Variant& variant,
                          const nlohmann::json& key, const nlohmann::json& answer,
                          LessonRuns& runs) const = 0;
  /// Throws UserError for an answer that is not of the form asked for, with the place. Parts may be empty. It needs no key, so
  /// that a student's copy says the same.
  virtual void require_form(const Question& question, const Variant& variant,
                            const nlohmann::json& answer) const = 0;
  /// Reads an answer that a person typed on one line; by default the text itself. Throws UserError.
  virtual nlohmann::json parse(const Question& question, const Variant& variant,
                               std::string_view typed) const;
  /// Writes an answer on one line, as a person would type it. Throws UserError.
  virtual std::string show(const Question& question, const nlohmann::json& answer) const;
  /// Returns whether two answers are the same, to recognise misconceptions; by default whether `answer` is right with `other`
  /// as key. May throw for an answer of another form.
  virtual bool same(const Question& question, const Variant& variant, const nlohmann::json& other,
                    const nlohmann::json& answer, LessonRuns& runs) const;
  /// Fills in the job that runs an answer (a schedule), from the parts that can be read. Returns false for kinds whose answers
  /// describe no run.
  virtual bool trial(const Question&, const Variant&, const nlohmann::json& /*answer*/,
                     JobSpec& /*job*/) const {
    return false;
  }
  /// Returns whether a TA marks the answers by the rubric.
  virtual bool marked_by_hand() const { return false; }

 protected:
  virtual nlohmann::json find_key(const Question& question, const Variant& variant,
                                  LessonRuns& runs) const = 0;
  /// Complains about mistakes that the kind's row cannot describe. The types of its keys have been checked.
  virtual void check_further(TomlNode&) const {}
};

/// The only object of a kind's class.
template <class Kind>
const QuestionKind& only_kind() {
  static const Kind kKind;
  return kKind;
}

// The kinds, each in lessons/kinds/<name>.cpp.
const QuestionKind& number_kind();
const QuestionKind& vector_kind();
const QuestionKind& table_kind();
const QuestionKind& formula_kind();
const QuestionKind& choice_kind();
const QuestionKind& order_kind();
const QuestionKind& predict_kind();
const QuestionKind& fill_kind();
const QuestionKind& schedule_kind();
const QuestionKind& bug_kind();
const QuestionKind& diagram_kind();
const QuestionKind& speedup_kind();
const QuestionKind& written_kind();
inline constexpr const QuestionKind& (*kQuestionKinds[])() = {
    number_kind, vector_kind,   table_kind, formula_kind, choice_kind,  order_kind,  predict_kind,
    fill_kind,   schedule_kind, bug_kind,   diagram_kind, speedup_kind, written_kind};
const QuestionKind* find_kind(std::string_view name) noexcept;

// Shared by kinds.

/// The number or text of an answer. Throws UserError: "a number is expected, not 'abc'".
double answer_number(const nlohmann::json& answer);
std::string answer_text(const nlohmann::json& answer);
/// The whole number of an answer (2, 2.0, "2"). Throws UserError: "the rank must be a whole number from 0 to 7, not 'x'".
int answer_whole(const nlohmann::json& answer, std::string_view what, int least, int most);
/// An answer as error messages quote it, shortened. Never throws.
std::string brief(const nlohmann::json& answer);
/// Returns whether nothing was filled in: null, blank text, or lists and tables of these.
bool blank(const nlohmann::json& answer);
/// A field of an answer; null when it is missing or blank.
const nlohmann::json* filled_in(const nlohmann::json& answer, std::string_view field);
/// The most numbers or rows that one answer may have.
inline constexpr std::size_t kMostParts = 20'000;
/// The default tolerance, relative to the larger number: it accepts numbers rounded to seven digits.
inline constexpr double kTolerance = 1e-6;
/// The default tolerance for counted numbers (bytes, messages, rounds of a run), which only a change of units makes inexact.
inline constexpr double kExact = 1e-15;
/// The tolerance of a question that names none and whose key is computed by `rule`.
double default_tolerance(const nlohmann::json& rule);
/// The tolerance that a question names, or that of its answer.
double tolerance_of(const Question& question);
/// The share of the points for an answer that is right in part.
inline double share_of(std::size_t right, std::size_t all) {
  return static_cast<double>(right) / static_cast<double>(all);
}
/// Returns whether two numbers are equal within `relative` of the larger, or `absolute`.
bool close(double a, double b, double relative = kTolerance, double absolute = 1e-9);

}  // namespace rankscope
