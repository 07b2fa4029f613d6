// A question bank: questions of lessons in a form that other systems can ask, and its file formats.
#pragma once

#include <string>
#include <vector>

#include "lessons/lesson/lesson.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope {

/// An option of a choice, or a known wrong number.
struct BankAnswer {
  std::string text;  ///< XHTML, or the number.
  double value = 0;  ///< The number.
  bool is_right = false;
  std::string feedback;  ///< XHTML; may be empty.
};

/// A place in the prompt (blank_mark) for a typed answer.
struct BankBlank {
  std::string label;
  double value = 0, tolerance = 0;  ///< The tolerance is absolute.
  std::vector<double> also;         ///< Other right values.
  std::string text;                 ///< The right word; empty where a number is typed.
};

struct BankPicture {
  std::string name, bytes;  ///< "reduce-picture-spacetime.png"; also SVG.
};

struct BankItem {
  enum class Kind { choice, blanks, order, essay };
  Kind kind = Kind::blanks;
  std::string id;      ///< Unique in the bank: "reduce-messages-2".
  std::string title;   ///< "Messages of a reduce (2)".
  std::string prompt;  ///< XHTML, with marks of blanks and pictures.
  double points = 1;
  std::vector<BankPicture> pictures;
  bool multiple = false;            ///< Several options of a choice may be right.
  std::vector<BankAnswer> options;  ///< The options of a choice.
  std::vector<BankBlank> blanks;
  std::vector<BankAnswer> known;   ///< Known mistakes of a single number.
  std::vector<std::string> steps;  ///< The steps of an order, in the right order; XHTML.
  std::string explanation;         ///< XHTML; shown after the answer.
  std::string for_marker;          ///< XHTML: rubric and model answer.
  std::vector<std::string> hints;  ///< XHTML.
  bool program = false;            ///< The answer to an essay is a file.
};

struct BankSection {
  std::string slug, title;
  std::vector<BankItem> items;
};

struct QuestionBank {
  std::vector<BankSection> sections;  ///< One per lesson.
  /// The questions that no other system can judge, with reasons: "ring-allreduce/next: predict: …".
  std::vector<std::string> left_out;
  std::size_t size() const noexcept;
};

/// Makes the bank. A question with variables appears up to `variants` times, each time with other numbers. Throws UserError
/// for a lesson's mistakes, and where pictures need Cairo and the program has none.
QuestionBank question_bank(const std::vector<Lesson>& lessons, LessonRuns& runs, int variants);

/// The bank in Moodle XML, pictures included.
std::string moodle_xml(const QuestionBank& bank);
/// The bank as the bytes of a zip file: an IMS content package of QTI 2.1 items.
std::string qti_package(const QuestionBank& bank, const std::string& title);

/// Stands in a prompt for a blank; pictures have such marks, too.
std::string blank_mark(std::size_t index);
/// Replaces the marks in a prompt: `blank` is called with an index, `picture` with a name.
template <class Blank, class Picture>
std::string with_marks(const std::string& prompt, Blank blank, Picture picture) {
  std::string out;
  for (std::size_t at = 0; at < prompt.size();) {
    const char sign = prompt[at];
    if (sign != '\1' && sign != '\2') {
      out += sign;
      ++at;
      continue;
    }
    const auto end = prompt.find(sign, at + 1);
    const std::string word = prompt.substr(at + 1, end - at - 1);
    out += sign == '\1' ? blank(static_cast<std::size_t>(std::stoul(word))) : picture(word);
    at = end + 1;
  }
  return out;
}

/// A number as both formats read it.
std::string bank_number(double value);

}  // namespace rankscope
