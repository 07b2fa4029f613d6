// One question, with one set of numbers, as an item of a bank; Markdown as the XHTML that both formats allow.
#pragma once

#include <string>
#include <string_view>

#include "lessons/bank/bank.h"
#include "lessons/kinds/kind.h"

namespace rankscope {

/// Fills in the parts of the question's kind. Returns why the question cannot be an item ("its answer is judged by running
/// it"); empty when it can.
std::string fill_item(const Question& question, const Variant& variant, LessonRuns& runs,
                      BankItem& item);
/// Fills in an item that asks for the formula's value at the `number`-th set of values, from 0. Returns as fill_item().
std::string fill_formula_item(const Question& question, const Variant& variant, int number,
                              BankItem& item);

/// Markdown as block elements: p, ul, ol, pre, table, h3, blockquote, hr. Links become their text.
std::string bank_xhtml(std::string_view markdown);

}  // namespace rankscope
