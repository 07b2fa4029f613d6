// The signs between two values: as formula_tokens spells them, as the evaluator knows them.
#pragma once

#include <array>
#include <string_view>

namespace rankscope {

/// The evaluator's names for signs that it does not have itself.
inline constexpr std::string_view kModSign = "%";
inline constexpr std::string_view kWholeDivisionSign = "#";
inline constexpr std::string_view kXorSign = "~";
inline constexpr std::string_view kBitAndSign = "&";
inline constexpr std::string_view kBitOrSign = "|";
inline constexpr std::string_view kShiftLeftSign = "{";
inline constexpr std::string_view kShiftRightSign = "}";

struct FormulaSign {
  std::string_view typed, written;
  enum class Rank { logic, comparison, sum, bits, product, division, power } rank;
};
inline constexpr auto kFormulaSigns =
    std::to_array<FormulaSign>({{"or", "||", FormulaSign::Rank::logic},
                                {"and", "&&", FormulaSign::Rank::logic},
                                {"?", "?", FormulaSign::Rank::logic},
                                {":", ":", FormulaSign::Rank::logic},
                                {"=", "==", FormulaSign::Rank::comparison},
                                {"==", "==", FormulaSign::Rank::comparison},
                                {"!=", "!=", FormulaSign::Rank::comparison},
                                {"<", "<", FormulaSign::Rank::comparison},
                                {"<=", "<=", FormulaSign::Rank::comparison},
                                {">", ">", FormulaSign::Rank::comparison},
                                {">=", ">=", FormulaSign::Rank::comparison},
                                {"+", "+", FormulaSign::Rank::sum},
                                {"-", "-", FormulaSign::Rank::sum},
                                {"xor", kXorSign, FormulaSign::Rank::bits},
                                {"&", kBitAndSign, FormulaSign::Rank::bits},
                                {"|", kBitOrSign, FormulaSign::Rank::bits},
                                {"<<", kShiftLeftSign, FormulaSign::Rank::bits},
                                {">>", kShiftRightSign, FormulaSign::Rank::bits},
                                {"*", "*", FormulaSign::Rank::product},
                                {"/", "/", FormulaSign::Rank::division},
                                {"//", kWholeDivisionSign, FormulaSign::Rank::division},
                                {"mod", kModSign, FormulaSign::Rank::division},
                                {"^", "^", FormulaSign::Rank::power}});

}  // namespace rankscope
