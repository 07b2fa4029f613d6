// "Did you mean ...?", for every list of words that people type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// Edits (insert, delete, replace, swap of neighbours) between two words.
int edit_distance(std::string_view a, std::string_view b);

/// The candidates that a mistyped word most likely meant, best first, at most `limit`.
/// Case does not matter.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates,
                                 std::size_t limit = 3);

/// "did you mean 'run'?" or, for several, "did you mean 'run' or 'man'?"; empty for none.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// The end of a message about a word that is not known: "; did you mean 'run'?", or `otherwise` behind the
/// semicolon where none is near.
std::string nearest_hint(std::string_view word, const std::vector<std::string>& known,
                         std::string_view otherwise = "");

}  // namespace rankscope
