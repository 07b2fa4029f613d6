// Writes cells and reads rows.
#include "lessons/reports/csv.h"

#include "engine/core/base/utf8.h"

namespace rankscope {

std::string csv_cell(std::string_view text) {
  std::string out = printable(text);
  // A spreadsheet obeys cells that begin like a formula, quoted or not.
  if (!out.empty() && std::string_view("=+-@\t\r").find(out.front()) != std::string_view::npos)
    out.insert(0, "'");
  if (out.find_first_of(",\"\n\r;") == std::string::npos && !out.starts_with(' ')) return out;
  std::string quoted = "\"";
  for (const char c : out) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::vector<std::vector<std::string>> csv_rows(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row(1);
  bool is_quoted = false;
  const auto end_row = [&] {
    if (row.size() > 1 || !trimmed(row[0]).empty()) rows.push_back(row);
    row.assign(1, {});
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted) {
      if (c != '"') row.back() += c;
      else if (i + 1 < text.size() && text[i + 1] == '"') row.back() += text[++i];
      else is_quoted = false;
    } else if (c == '"' && row.back().empty()) {
      is_quoted = true;
    } else if (c == ',') {
      row.emplace_back();
    } else if (c == '\n' || c == '\r') {
      end_row();
    } else {
      row.back() += c;
    }
  }
  end_row();
  return rows;
}

}  // namespace rankscope
