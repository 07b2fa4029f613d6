// Leaves out the comments of a text in TOML.
#include "lessons/text/toml_comments.h"

#include <algorithm>

namespace rankscope {
namespace {

/// The length of the string at the beginning of `text`, with its quotes. One that does not end goes on to the end.
std::size_t string_length(std::string_view text) {
  constexpr std::size_t kQuotes = 3, kMoreQuotes = 2;  // a long one may end in quotes of its own
  const char quote = text.front();
  const std::string_view three = quote == '"' ? "\"\"\"" : "'''";
  const bool is_long = text.starts_with(three);
  std::size_t at = is_long ? kQuotes : 1;
  for (; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') ++at;
    else if (!is_long && (text[at] == quote || text[at] == '\n')) return at + 1;
    else if (is_long && text.substr(at).starts_with(three)) {
      at += kQuotes;
      for (std::size_t more = 0; more < kMoreQuotes && at < text.size() && text[at] == quote;
           ++more)
        ++at;
      return at;
    }
  }
  return text.size();
}

}  // namespace

std::string without_toml_comments(std::string_view text) {
  std::string out;
  std::size_t line = 0;  // where the present one begins in `out`
  const auto end_line = [&] {
    while (out.size() > line && (out.back() == ' ' || out.back() == '\t' || out.back() == '\r'))
      out.pop_back();
    if (out.size() > line) out += '\n';
    line = out.size();
  };
  while (!text.empty()) {
    std::size_t length = 1;
    if (text.front() == '\n') {
      end_line();
    } else if (text.front() == '#') {
      length = std::min(text.find('\n'), text.size());
    } else {
      if (text.front() == '"' || text.front() == '\'') length = string_length(text);
      out += text.substr(0, length);
    }
    text.remove_prefix(std::min(length, text.size()));
  }
  end_line();
  return out;
}

}  // namespace rankscope
