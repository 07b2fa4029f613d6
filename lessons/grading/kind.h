// The kinds of questions. One file per kind in lessons/kinds; a table, no static registration.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/core/base/utf8.h"
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

/// What an answer is worth, before misconceptions are looked at.
struct Judgement {
  double share = 0;  ///< Of the points, 0 to 1.
  std::string says;  ///< What is wrong and where; may be empty for a right answer.
};

/// How an answer is asked for. Widgets, the terminal and answer sheets are made of it.
struct AnswerField {
  std::string name;   ///< JSON pointer into the answer ("/x/2"); empty: the answer is this value.
  std::string label;  ///< "rank 2, x", "from"
  enum class Type { number, text, choice, choices, long_text, order } type = Type::text;
  std::vector<std::string> options = {};  ///< Of choice, choices and order.
  std::string unit = {};                  ///< Expected unit, for the hint beside the field.
};
/// The picture in which an answer can be given, and in which the run is that the question is about.
struct AnswerPicture {
  enum class Is : std::uint8_t {
    none,
    messages,       ///< Arrows between ranks: fields "/from", "/to", "/chunk", and of rows "/step".
    contributions,  ///< Slots of a buffer: fields "/RANK/CHUNK", the ranks whose data is in it.
    line,           ///< A line of the run's program: the field "/line".
  };
  Is is = Is::none;
  /// One of the lesson's runs; empty: the answer is a run itself (QuestionKind::trial).
  std::string run = {};
  int after = -1;     ///< So many of its rounds are done; -1: all.
  bool adds = false;  ///< A receiver adds what comes, unless it is said.
};
struct AnswerForm {
  std::string how;  ///< One line: what to type.
  std::vector<AnswerField> fields;
  /// Rows of the same fields, as many as one likes (a schedule, the arrows of a diagram).
  bool rows = false;
  bool arrows = false;       ///< The rows are arrows, which can be drawn as far as they are given.
  std::string example = {};  ///< As it would be typed.
  AnswerPicture picture = {};
};

/// A key of a question's table that a kind reads, or of a table in it.
struct KindKey {
  /// file: a file beside lesson.toml; a question's data have its text.
  enum class Is : std::uint8_t { any, text, number, flag, texts, file };
  std::string_view name;
  Is is = Is::any;
  bool required = false;
  /// A student may have it: it does not tell the answer. Of a table, `parts` says the same of each of its keys.
  bool students = false;
  bool in_order = false;  ///< The order is the answer: students have the texts as they are shown.
  std::span<const KindKey> parts = {};  ///< Of a table, or of each table of a list.
};

/// What is known of a kind without a question.
struct KindRow {
  std::string_view name;
  std::string_view
      title;  ///< For people: "a number", "a formula", "a table with a row for each rank".
  /// What an answer is as JSON; `judge` accepts these forms and no other. Text never comes to `judge` unread:
  /// `grade` has `parse` read it first, so that an answer file may hold whatever is typed.
  std::string_view answer;
  std::span<const KindKey> keys;
  int lines = 1;  ///< On paper: room to write.
};

class QuestionKind {
 public:
  virtual ~QuestionKind() = default;
  virtual const KindRow& row() const = 0;
  std::string_view name() const { return row().name; }
  /// Checks what this kind needs from the question's table, for messages with lines.
  void check(TomlNode& question) const;
  /// The right answer, computed. Null where there is none (written answers). Throws UserError.
  virtual nlohmann::json key(const Question& question, const Variant& variant,
                             LessonRuns& runs) const = 0;
  virtual AnswerForm form(const Question& question, const Variant& variant,
                          LessonRuns& runs) const = 0;
  /// Throws UserError for an answer that is not of the right form ("a number is expected, not ...");
  /// an answer that is merely wrong is a judgement.
  virtual Judgement judge(const Question& question, const Variant& variant,
                          const nlohmann::json& key, const nlohmann::json& answer,
                          LessonRuns& runs) const = 0;
  /// An answer as a person types it on one line, and back: by default the text itself. Throws UserError.
  virtual nlohmann::json parse(const Question& question, const Variant& variant,
                               std::string_view typed) const;
  virtual std::string show(const Question& question, const nlohmann::json& answer) const;
  /// Are these two the same answer (for misconceptions)? By default: judged right with `other` as key. May throw
  /// for what is not of the right form, and so is no such answer.
  virtual bool same(const Question& question, const Variant& variant, const nlohmann::json& other,
                    const nlohmann::json& answer, LessonRuns& runs) const;
  /// Of an answer that says what a run does (a schedule): that run, made of the parts of the answer that can be
  /// read, and not compared with what is right. False: such answers make none.
  virtual bool trial(const Question&, const Variant&, const nlohmann::json& /*answer*/,
                     JobSpec& /*job*/) const {
    return false;
  }
  /// No automatic mark: a TA's, by the rubric.
  virtual bool marked_by_hand() const { return false; }

 protected:
  /// What the row of the kind cannot say. The types of its keys have been checked.
  virtual void check_further(TomlNode&) const {}
};

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

/// Text, number or list of an answer, or UserError: "a number is expected, not 'abc'".
double answer_number(const nlohmann::json& answer);
std::string answer_text(const nlohmann::json& answer);
/// A whole number (2, 2.0, "2"), or UserError: "the rank must be a whole number from 0 to 7, not 'x'".
int answer_whole(const nlohmann::json& answer, std::string_view what, int least, int most);
/// An answer in an error message: short, and never an error itself.
std::string brief(const nlohmann::json& answer);
/// Nothing was filled in: null, blank text, or only such.
bool blank(const nlohmann::json& answer);
/// A field of an answer; null: it is missing, or nothing was filled in.
const nlohmann::json* filled_in(const nlohmann::json& answer, std::string_view field);
/// The most numbers or rows that one answer may have.
inline constexpr std::size_t kMostParts = 20'000;
/// How far an answer may be off where a question does not say, relative to the larger number: enough for
/// what was rounded to seven digits.
inline constexpr double kTolerance = 1e-6;
/// The same for numbers that are counted (bytes, messages, rounds of a run): nothing, except for the last bits
/// that a change of units costs.
inline constexpr double kExact = 1e-15;
/// Of a question whose key is computed by `rule` and that names no tolerance.
double default_tolerance(const nlohmann::json& rule);
/// What of an answer is right, as a share of the points.
inline double share_of(std::size_t right, std::size_t all) {
  return static_cast<double>(right) / static_cast<double>(all);
}
/// Equal within `relative` of the larger and `absolute`.
bool close(double a, double b, double relative = kTolerance, double absolute = 1e-9);

}  // namespace rankscope
