// Text files of others as UTF-8, whatever program saved them.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

struct DecodedText {
  std::string text;  ///< UTF-8, without a byte-order mark. Not to be used when there is a fault.
  std::string_view read_as;  ///< "UTF-16", "Windows-1252", "Latin-1"; empty: it was UTF-8.
  int line = 0;       ///< The first that is not UTF-8, of what was read as one of the latter two.
  std::string fault;  ///< Why it is no text: "is not a text file: it has zero bytes".
};

/// Reads UTF-8, UTF-16 (by its mark, or by the zero bytes of its first character) and, for all other bytes,
/// Windows-1252, which has Latin-1's letters at their places, or Latin-1 itself.
DecodedText decoded_text(std::string_view bytes);

}  // namespace rankscope
