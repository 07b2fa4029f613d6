// Finds an answer that stands in a text: a number, a list of numbers, or a formula, as it is written.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace rankscope {

/// The words of `text` in which the right answer `key` stands; empty: in none.
///   a number           whole ones of two digits or more, others of three: 88.9 is 88.888…
///   a list             the same numbers one after the other, "3, 6, 10"; or all of them that have two digits or more;
///                      of equal ones the number
///   columns            each of them
///   a text             a formula, whatever stands for ·, −, ⌈ and ⌉; not one that is part of a longer formula
/// Smaller numbers and shorter formulas stand in texts for many reasons, and count as nothing.
std::string find_answer(const nlohmann::json& key, std::string_view text);

}  // namespace rankscope
