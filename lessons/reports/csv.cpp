// Writes cells and reads rows.
#include "lessons/reports/csv.h"

#include "engine/core/base/text.h"

namespace rankscope {

namespace {

bool is_blank(char32_t one) {
  return one <= U' ' || one == U'\u00A0' || (one >= U'\u2000' && one <= U'\u200F') ||
         one == U'\u3000' || one == U'\uFEFF';
}

}  // namespace

std::string csv_cell(std::string_view text) {
  std::string out = printable(text);
  // A spreadsheet obeys cells that begin like a formula, quoted or not, also after blanks and in wide letters.
  std::size_t at = 0, begin = 0;
  char32_t first = U' ';
  while (at < out.size() && is_blank(first)) {
    begin = at;
    first = next_character(out, at);
  }
  if (begin < out.size() &&
      std::u32string_view(U"=+-@＝＋－＠").find(first) != std::u32string_view::npos)
    out.insert(0, "'");
  if (out.find_first_of(",\"\n\r;") == std::string::npos && !out.starts_with(' ')) return out;
  std::string quoted = "\"";
  for (const char c : out) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

namespace {

std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

bool says_separator(std::string_view text) {
  return text.size() > 4 && ascii_lower(text.substr(0, 4)) == "sep=" &&
         std::string_view(",;\t").find(text[4]) != std::string_view::npos &&
         (text.size() == 5 || text[5] == '\r' || text[5] == '\n');
}

}  // namespace

char csv_separator(std::string_view text) {
  text = without_mark(text);
  if (says_separator(text)) return text[4];
  std::size_t commas = 0, semicolons = 0, tabs = 0;
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (c == '\n' || c == '\r') break;
    commas += c == ',';
    semicolons += c == ';';
    tabs += c == '\t';
  }
  if (tabs > commas && tabs > semicolons) return '\t';
  return semicolons > commas ? ';' : ',';
}

std::vector<CsvRow> csv_lines(std::string_view text, char separator) {
  text = without_mark(text);
  const bool skips_first = says_separator(text);
  std::vector<CsvRow> rows;
  CsvRow row{{""}, 1};
  int line = 1;
  bool is_quoted = false;
  const auto end_row = [&] {
    const bool is_empty = row.cells.size() == 1 && trimmed(row.cells[0]).empty();
    if (!is_empty && !(skips_first && row.line == 1)) rows.push_back(row);
    row = {{""}, line};
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool ends = c == '\n' || (c == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'));
    line += ends;
    if (is_quoted) {
      if (c != '"') row.cells.back() += c;
      else if (i + 1 < text.size() && text[i + 1] == '"') row.cells.back() += text[++i];
      else is_quoted = false;
    } else if (c == '"' && row.cells.back().empty()) {
      is_quoted = true;
    } else if (c == separator) {
      row.cells.emplace_back();
    } else if (ends) {
      end_row();
    } else if (c != '\r') {
      row.cells.back() += c;
    }
  }
  row.is_open = is_quoted;
  end_row();
  return rows;
}

std::vector<std::vector<std::string>> csv_rows(std::string_view text) {
  std::vector<std::vector<std::string>> out;
  for (CsvRow& row : csv_lines(text)) out.push_back(std::move(row.cells));
  return out;
}

}  // namespace rankscope
