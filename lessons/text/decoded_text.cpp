// Finds out how a text file was saved, and converts it.
#include "lessons/text/decoded_text.h"

#include <iconv.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"

namespace rankscope {
namespace {

/// The text in UTF-8; empty: it is none in that encoding.
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

/// Null: it is none. Some programs write no mark; then the first character, as ASCII, has a zero byte.
const char* utf16_form(std::string_view bytes) {
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) return "UTF-16";
  if (bytes.size() < 4 || bytes.size() % 2 != 0) return nullptr;
  const auto zero = [&](std::size_t i) { return bytes[i] == '\0'; };
  if (!zero(0) && zero(1) && !zero(2)) return "UTF-16LE";
  return zero(0) && !zero(1) && !zero(3) ? "UTF-16BE" : nullptr;
}

/// Where the first byte is that is no part of UTF-8; npos: nowhere.
std::size_t first_wrong_byte(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t begin = at;
    if (next_character(bytes, at) == U'\uFFFD' && bytes.substr(begin, at - begin) != "\xEF\xBF\xBD")
      return begin;
  }
  return std::string_view::npos;
}

}  // namespace

DecodedText decoded_text(std::string_view bytes) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kMark)) bytes.remove_prefix(kMark.size());
  DecodedText out;
  const auto has_zero = [](std::string_view text) {
    return text.find('\0') != std::string_view::npos;
  };
  if (const char* form = utf16_form(bytes)) {
    out.read_as = "UTF-16";
    out.text = recoded(bytes, form);
    if (out.text.empty() && bytes.size() > 2) out.fault = "begins as UTF-16, but is damaged";
  } else if (has_zero(bytes)) {
    out.fault = "is not a text file: it has zero bytes";
  } else if (const std::size_t wrong = first_wrong_byte(bytes); wrong != std::string_view::npos) {
    out.line = 1 + static_cast<int>(ranges::count(bytes.substr(0, wrong), '\n'));
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

}  // namespace rankscope
