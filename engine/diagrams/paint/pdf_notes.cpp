// Finds the pages of a PDF, and writes their notes behind it.
#include "engine/diagrams/paint/pdf_notes.h"

#include <charconv>
#include <map>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "engine/core/base/utf8.h"

namespace rankscope {
namespace {

[[noreturn]] void not_understood(std::string_view what) {
  throw std::runtime_error(fmt::format("PDF: {} is not where it is expected", what));
}

/// The number at `at`, behind blanks.
std::size_t number_at(std::string_view text, std::size_t at, std::string_view what) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r')) ++at;
  std::size_t out = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), out);
  if (error != std::errc() || end == text.data() + at) not_understood(what);
  return out;
}

class PdfFile {
 public:
  explicit PdfFile(std::string_view bytes) : bytes_(bytes) {
    const auto start = bytes_.rfind("startxref");
    if (start == std::string_view::npos) not_understood("startxref");
    table_ = number_at(bytes_, start + 9, "startxref");
    if (!bytes_.substr(table_).starts_with("xref")) not_understood("the cross-reference table");
    const auto trailer = bytes_.find("trailer", table_);
    if (trailer == std::string_view::npos) not_understood("the trailer");
    trailer_ = bytes_.substr(trailer, start - trailer);
    std::size_t at = table_ + 4;
    const std::size_t first = number_at(bytes_, at, "xref");
    at = bytes_.find_first_of("0123456789", at);
    at = bytes_.find(' ', at);
    const std::size_t count = number_at(bytes_, at, "xref");
    at = bytes_.find('\n', at) + 1;
    constexpr std::size_t kEntry = 20;  // bytes, by the standard
    for (std::size_t i = 0; i < count; ++i)
      offsets_[first + i] = number_at(bytes_, at + i * kEntry, "xref");
  }

  /// The dictionary of an object: from "<<" to "endobj".
  std::string_view object(std::size_t number) const {
    const auto known = offsets_.find(number);
    if (known == offsets_.end()) not_understood(fmt::format("object {}", number));
    const auto begin = bytes_.find("<<", known->second);
    const auto end = bytes_.find("endobj", known->second);
    if (begin == std::string_view::npos || end == std::string_view::npos || begin > end)
      not_understood(fmt::format("object {}", number));
    return bytes_.substr(begin, end - begin);
  }

  std::size_t reference(std::string_view dictionary, std::string_view key) const {
    const auto at = dictionary.find(key);
    if (at == std::string_view::npos) not_understood(key);
    return number_at(dictionary, at + key.size(), key);
  }

  void pages_below(std::size_t node, std::vector<std::size_t>& out) const {
    const std::string_view text = object(node);
    const auto kids = text.find("/Kids");
    if (kids == std::string_view::npos) return out.push_back(node);
    const auto end = text.find(']', kids);
    auto at = text.find('[', kids) + 1;
    for (;;) {  // "5 0 R 12 0 R"
      at = text.find_first_of("0123456789", at);
      if (at == std::string_view::npos || at > end) return;
      pages_below(number_at(text, at, "/Kids"), out);
      at = text.find('R', at);
    }
  }

  std::size_t table() const noexcept { return table_; }
  std::string_view trailer() const noexcept { return trailer_; }

 private:
  std::string_view bytes_, trailer_;
  std::size_t table_ = 0;
  std::map<std::size_t, std::size_t> offsets_;
};

/// UTF-16 with a mark of its order, in hexadecimal digits.
std::string pdf_text(std::string_view text) {
  std::string out = "<FEFF";
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    if (c < 0x10000) out += fmt::format("{:04X}", static_cast<unsigned>(c));
    else
      out += fmt::format("{:04X}{:04X}", 0xD7C0 + static_cast<unsigned>(c >> 10),
                         0xDC00 + static_cast<unsigned>(c & 0x3FF));
  }
  return out + ">";
}

}  // namespace

std::string with_page_notes(std::string pdf, const std::vector<std::string>& notes) {
  const std::string original = pdf;
  const PdfFile file(original);
  const auto root = file.reference(file.trailer(), "/Root");
  std::vector<std::size_t> pages;
  file.pages_below(file.reference(file.object(root), "/Pages"), pages);
  std::size_t next = file.reference(file.trailer(), "/Size");
  std::map<std::size_t, std::size_t> offsets;
  const auto add = [&](std::size_t number, std::string_view dictionary) {
    offsets[number] = pdf.size();
    pdf += fmt::format("{} 0 obj\n{}\nendobj\n", number, dictionary);
  };
  if (!pdf.ends_with('\n')) pdf += '\n';
  for (std::size_t i = 0; i < pages.size() && i < notes.size(); ++i) {
    if (notes[i].empty()) continue;
    std::string page(file.object(pages[i]));
    while (page.ends_with('\n')) page.pop_back();
    page.insert(2, fmt::format(" /Annots [ {} 0 R ]", next));
    add(pages[i], page);
    // Flag 6, NoView: only programs that ask for notes show it (table 165).
    add(next++, fmt::format("<< /Type /Annot /Subtype /Text /Rect [ 8 8 28 28 ] /F 32 /Name /Note\n"
                            "   /Open false /Contents {} >>",
                            pdf_text(notes[i])));
  }
  const std::size_t table = pdf.size();
  pdf += "xref\n";
  for (const auto& [number, offset] : offsets)
    pdf += fmt::format("{} 1\n{:010} 00000 n \n", number, offset);
  pdf += fmt::format(
      "trailer\n<< /Size {} /Root {} 0 R /Info {} 0 R /Prev {} >>\nstartxref\n{}\n%%EOF\n", next,
      root, file.reference(file.trailer(), "/Info"), file.table(), table);
  return pdf;
}

}  // namespace rankscope
