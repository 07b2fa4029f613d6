// Computed values in lesson files: from a question's variables, and from runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "lessons/formula/formula.h"

namespace rankscope {

class LessonRuns;

/// A question's variables as its file writes them:
///   variables = { N = [4, 8, 16], n = "0..N-1", D = 1000 }   the values that each may have
///   let       = { L = "ceil(log2(N))" }                      computed from them
///   where     = "N > n"                                      only such choices
struct VariableRules {
  nlohmann::json variables = nlohmann::json::object();
  nlohmann::json let = nlohmann::json::object();
  std::string where;
};

/// The question's numbers: with seed 0 the first value of each variable, as printed; with others drawn values.
/// Throws UserError, which names the variable, for rules that cannot be read or met.
Values draw(const VariableRules& rules, std::uint64_t seed);

/// All sets of numbers that can be drawn; nothing when they are more than `most` (or 64 times as many before `where`), or the
/// rules cannot be read (`draw` says why).
std::optional<std::vector<Values>> all_draws(const VariableRules& rules, std::size_t most);

/// Replaces the computed parts of a value:
///   "=2*(N-1)"                                    a number
///   { for = "r", count = "=N", value = "=r+1" }   a list (r from 0; `from` for another beginning)
///   { run = "ring", measure = "rounds" }          a measure of a run (see LessonRuns)
/// and "{N}", "{=2*N}" in texts. Everything else stays as it is. Throws UserError.
nlohmann::json expand(const nlohmann::json& value, const Values& values,
                      LessonRuns* runs = nullptr);

/// Replaces "{N}" and "{=2*N}" in a text by numbers; other braces stay.
std::string fill_in(std::string_view text, const Values& values);

/// A number as people write it: "12", "0.5", "1e-05".
std::string number_text(double value);
/// "1 point", "2.5 points".
std::string points_text(double points);
/// "N = 4, n = 2".
std::string values_text(const Values& values);

}  // namespace rankscope
