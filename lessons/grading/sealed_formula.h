// A formula's right answer and known mistakes in a student's copy: what is said about each opens with that answer only.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "lessons/grading/grade.h"
#include "lessons/text/sealing.h"

namespace rankscope {

/// The answers that are compared at the same points.
struct SealedGroup {
  struct Text {
    std::string key;   ///< 32 bytes, of the answer's values (slow_key).
    std::string text;  ///< JSON: what is said, and the share of the points.
  };
  nlohmann::json domain, condition;
  std::string salt;               ///< Also scales the values before they are rounded.
  std::vector<std::size_t> skip;  ///< Points that do not count, by number.
  std::vector<Text> texts;        ///< Sorted by key, which hides which is right.
};

/// Seals each known answer, at the cost of a guess for each. A mistake that depends on the student's numbers is left out.
/// Returns nothing without a formula, or if its answer cannot be sealed.
std::vector<SealedGroup> seal_formula(const Question& question, const SealCost& cost);
/// Returns the list `sealed` of a question in a student's copy. `own` (may be empty) makes the boxes of two copies
/// differ.
nlohmann::json sealed_json(const std::vector<SealedGroup>& groups, const SealCost& cost,
                           std::string_view own);

/// Returns whether this copy's question can be judged here.
bool has_seals(const Question& question);
/// Returns whether an answer is judged here, not by a person or the lecturer's copy.
bool is_judged_here(const Question& question);
/// Judges an answer to such a question: right, a known mistake, or wrong without a word. Takes as long as a guess per
/// group. Throws UserError for what is no formula, and for a damaged copy.
Verdict judge_sealed(const Question& question, const Variant& variant,
                     const nlohmann::json& answer);

}  // namespace rankscope
