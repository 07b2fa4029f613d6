// "Did you mean ...?", for every list of words that people type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// Edits (insert, delete, replace, swap of neighbours) between two words.
int edit_distance(std::string_view a, std::string_view b);

/// Returns the candidates most likely meant by a mistyped word, best first, at most `limit`. Ignores case.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates,
                                 std::size_t limit = 3);

/// "did you mean 'run'?" or, for several, "did you mean 'run' or 'man'?"; empty for none.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// Returns the end of a message about an unknown word: "; did you mean 'run'?", or `otherwise` after the semicolon if
/// no candidate is close.
std::string nearest_hint(std::string_view word, const std::vector<std::string>& known,
                         std::string_view otherwise = "");

}  // namespace rankscope
