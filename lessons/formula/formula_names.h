// The words of a formula: which variable, function or sign each is.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct FormulaFunction {
  std::string_view name;   ///< as typed
  std::string_view calls;  ///< as the evaluator knows it
  int least = 1, most = 1;
  bool prefix = false;  ///< "log2 N" without brackets
};

const FormulaFunction* find_formula_function(std::string_view name);

struct FormulaWord {
  enum class Kind { variable, function, sign };
  Kind kind = Kind::variable;
  std::size_t variable = 0;
  const FormulaFunction* function = nullptr;
  std::string sign;
};

/// Finds words among the variables of a question. A word may be several: "2NDlog2N" holds N, D, log2
/// and N; then all of them must be exactly as the variables are written.
class FormulaNames {
 public:
  /// Throws UserError for variables that no formula could name.
  explicit FormulaNames(std::span<const std::string> variables);

  /// Throws UserError: the word is unknown, or could mean several things.
  std::vector<FormulaWord> find(std::string_view text, std::size_t place,
                                std::string_view word) const;
  /// The variable of exactly this name.
  bool is_variable(std::string_view word) const;

 private:
  std::vector<std::size_t> ignoring_case(std::string_view word) const;
  std::vector<FormulaWord> split(std::string_view plain, bool only_variables, int& ways) const;
  std::string unknown(std::string_view word) const;

  std::span<const std::string> variables_;
  std::vector<std::string> plain_;
};

}  // namespace rankscope
