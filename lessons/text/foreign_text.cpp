// Decodes text files that were written by other programs.
#include "lessons/text/foreign_text.h"

#include <algorithm>
#include <cstddef>

#include <iconv.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

/// Returns the text in UTF-8; empty if it is not valid in that encoding.
std::string recoded(std::string_view bytes, const char* encoding) {
  const iconv_t converter = iconv_open("UTF-8", encoding);
  if (converter == reinterpret_cast<iconv_t>(-1)) return {};
  std::string in(bytes), out(4 * bytes.size() + 4, '\0');
  char *from = in.data(), *to = out.data();
  std::size_t left = in.size(), room = out.size();
  const bool failed = iconv(converter, &from, &left, &to, &room) == static_cast<std::size_t>(-1);
  iconv_close(converter);
  out.resize(failed ? 0 : out.size() - room);
  return out;
}

/// Returns the encoding of a text in UTF-16, else null. Without a byte order mark, the zero bytes of the first two
/// characters decide.
const char* utf16_form(std::string_view bytes) {
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) return "UTF-16";
  if (bytes.size() < 4 || bytes.size() % 2 != 0) return nullptr;
  const auto zero = [&](std::size_t i) { return bytes[i] == '\0'; };
  if (!zero(0) && zero(1) && !zero(2)) return "UTF-16LE";
  return zero(0) && !zero(1) && !zero(3) ? "UTF-16BE" : nullptr;
}

bool is_utf32(std::string_view bytes) {
  using namespace std::string_view_literals;
  return bytes.size() % 4 == 0 &&
         (bytes.starts_with("\xff\xfe\0\0"sv) || bytes.starts_with("\0\0\xfe\xff"sv));
}

/// Bytes that are not UTF-8, and characters of several bytes that are.
struct WrongBytes {
  std::size_t first = std::string_view::npos, count = 0, right = 0;
  std::string replaced;  ///< The text with U+FFFD for each.
};
WrongBytes wrong_bytes(std::string_view bytes) {
  WrongBytes out;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t begin = at;
    const char32_t character = next_character(bytes, at);
    const std::string_view own = bytes.substr(begin, at - begin);
    const bool wrong = character == U'\uFFFD' && own != "\xEF\xBF\xBD";
    if (wrong && out.count++ == 0) out.first = begin;
    out.right += !wrong && own.size() > 1;
    out.replaced += wrong ? "\xEF\xBF\xBD" : own;
  }
  return out;
}

/// Returns the length of the TOML string at the beginning of `text`, with its quotes; all of the text without a closing
/// quote.
std::size_t string_length(std::string_view text) {
  constexpr std::size_t kQuotes = 3,
                        kMoreQuotes = 2;  // a multi-line string may end in quotes of its own
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

DecodedText decoded_text(std::string_view bytes) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kMark)) bytes.remove_prefix(kMark.size());
  DecodedText out;
  const auto has_zero = [](std::string_view text) {
    return text.find('\0') != std::string_view::npos;
  };
  if (is_utf32(bytes)) {
    out.read_as = "UTF-32";
    out.text = recoded(bytes, "UTF-32");
    if (out.text.empty() && bytes.size() > 4) out.fault = "begins as UTF-32, but is damaged";
  } else if (const char* form = utf16_form(bytes)) {
    out.read_as = "UTF-16";
    out.text = recoded(bytes, form);
    if (out.text.empty() && bytes.size() > 2) out.fault = "begins as UTF-16, but is damaged";
  } else if (has_zero(bytes)) {
    out.fault = "is not a text file: it has zero bytes";
  } else if (WrongBytes wrong = wrong_bytes(bytes); wrong.count > 0) {
    out.line = 1 + static_cast<int>(ranges::count(bytes.substr(0, wrong.first), '\n'));
    if (wrong.right > wrong.count) {  // mostly UTF-8: a text in another encoding would not be
      out.text = std::move(wrong.replaced);
      out.read_as = "UTF-8 with damaged characters";
      return out;
    }
    // Five bytes mean nothing in Windows-1252; all of them mean something in Latin-1.
    out.text = recoded(bytes, "WINDOWS-1252");
    out.read_as = out.text.empty() ? "Latin-1" : "Windows-1252";
    if (out.text.empty()) out.text = recoded(bytes, "ISO-8859-1");
  } else {
    out.text = bytes;
  }
  if (out.text.starts_with(kMark)) out.text.erase(0, kMark.size());
  if (out.fault.empty() && has_zero(out.text)) out.fault = "is not a text file: it has zero bytes";
  return out;
}

std::string without_toml_comments(std::string_view text) {
  std::string out;
  std::size_t line = 0;  // where the current line begins in `out`
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

// Counts levels before parsing, since the library's parser with a callback searches a whole list at the end of each
// object in it. The count is right up to the text's first mistake, where the library stops.
nlohmann::json parse_shallow_json(std::string_view text) {
  constexpr int kMostLevels = 40;  // more than any real file has
  int level = 0;
  bool in_quotes = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\') ++at;
    else if (c == '"') in_quotes = !in_quotes;
    else if (in_quotes) continue;
    else if (c == ']' || c == '}') --level;
    else if ((c == '[' || c == '{') && ++level > kMostLevels)
      throw UserError("it has lists within lists, too deep");
  }
  return parse_json(text);
}

}  // namespace rankscope
