// One question, with one set of numbers, as an item of a bank.
#pragma once

#include <string>

#include "lessons/bank/bank.h"
#include "lessons/grading/kind.h"

namespace rankscope {

/// Fills in what belongs to the question's kind. What is wrong with it as an item comes back ("its answer is
/// judged by running it"); empty: it is one.
std::string fill_item(const Question& question, const Variant& variant, LessonRuns& runs,
                      BankItem& item);
/// The `number`-th (from 0) set of values for a formula: the item asks for the number that it gives.
std::string fill_formula_item(const Question& question, const Variant& variant, int number,
                              BankItem& item);

}  // namespace rankscope
