// Reads texts that others wrote: decodes them to UTF-8, parses JSON of limited depth, removes TOML comments.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace rankscope {

/// A text file, decoded.
struct DecodedText {
  std::string text;  ///< UTF-8 without a byte-order mark; meaningless if there is a fault.
  std::string_view
      read_as;  ///< "UTF-16", "UTF-32", "Windows-1252", "Latin-1", "UTF-8 with damaged characters"; empty for UTF-8.
  int line = 0;  ///< The first line that is not UTF-8, in Windows-1252, Latin-1 or damaged UTF-8.
  std::string fault;  ///< "is not a text file: it has zero bytes"; empty for a text.
};

/// Decodes UTF-8, UTF-32 (by its mark), UTF-16 (known by its mark, or by the zero bytes of its first character), UTF-8 in which
/// few bytes are wrong, and everything else as Windows-1252, which agrees with Latin-1 in letters, or as Latin-1.
DecodedText decoded_text(std::string_view bytes);

/// Parses JSON of limited depth, since the library recurses for each level. Throws json::parse_error for text that is not
/// JSON, UserError for too many levels.
nlohmann::json parse_shallow_json(std::string_view text);

/// Removes comments, empty lines and blanks at the ends of lines, except in strings. Two TOML texts with the same result mean
/// the same.
std::string without_toml_comments(std::string_view text);

}  // namespace rankscope
