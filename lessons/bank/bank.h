// Questions of lessons as other systems can ask them: a question bank, whatever it is written as.
#pragma once

#include <string>
#include <vector>

#include "lessons/lesson/lesson.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope {

/// An option of a choice, or a known wrong number.
struct BankAnswer {
  std::string text;  ///< XHTML; of a number the number.
  double value = 0;  ///< Of a number.
  bool is_right = false;
  std::string feedback;  ///< XHTML; may be empty.
};

/// A place in the prompt where something is typed (blank_mark).
struct BankBlank {
  std::string label;
  double value = 0, tolerance = 0;  ///< Absolute.
  std::vector<double> also;         ///< Right as well.
  std::string text;                 ///< Of a blank for a word: what is right; empty: a number.
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
  bool multiple = false;            ///< Of a choice: several options may be right.
  std::vector<BankAnswer> options;  ///< Of a choice.
  std::vector<BankBlank> blanks;
  std::vector<BankAnswer> known;   ///< Of one number: known mistakes.
  std::vector<std::string> steps;  ///< Of an order: in the right order; XHTML.
  std::string explanation;         ///< XHTML; shown after the answer.
  std::string for_marker;          ///< XHTML: rubric and model answer.
  std::vector<std::string> hints;  ///< XHTML.
  bool program = false;            ///< Of an essay: a file is handed in.
};

struct BankSection {
  std::string slug, title;
  std::vector<BankItem> items;
};

struct QuestionBank {
  std::vector<BankSection> sections;  ///< One a lesson.
  /// Questions that no other system can judge: "ring-allreduce/next: predict: ...".
  std::vector<std::string> left_out;
  std::size_t size() const noexcept;
};

/// `variants`: how often a question with variables is there, each time with other numbers. Throws UserError
/// for what a lesson's fault is, and where pictures need Cairo and the program has none.
QuestionBank question_bank(const std::vector<Lesson>& lessons, LessonRuns& runs, int variants);

/// A file in Moodle XML, as its question bank imports it. Pictures are in it.
std::string moodle_xml(const QuestionBank& bank);
/// The bytes of a zip file: an IMS content package of QTI 2.1 items.
std::string qti_package(const QuestionBank& bank, const std::string& title);

/// Stands in a prompt where a blank or a picture is.
std::string blank_mark(std::size_t index);
std::string picture_mark(const std::string& name);
/// A prompt whose marks are replaced; `blank` gets an index, `picture` a name.
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

/// Points or numbers as both formats read them.
std::string bank_number(double value);

}  // namespace rankscope
