// Looks for imports and arguments in a program's text.
#include "gui/state/code/code_rows.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace rankscope::gui {
namespace {

constexpr std::size_t kLeastFolded = 3;

std::string_view trimmed(std::string_view line) {
  const auto first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? "" : line.substr(first);
}

class Folder {
 public:
  Folder(const std::vector<std::string>& lines, CodeLanguage language)
      : lines_(lines), python_(language == CodeLanguage::python) {}

  std::vector<CodeFold> folds() {
    std::size_t at = 0;
    while (at < lines_.size()) {
      const auto [end, what] = block(at);
      if (end > at && end - at >= kLeastFolded)
        folds_.push_back({at, end - 1, fmt::format("{} lines: {}", end - at, what)});
      at = std::max(end, at + 1);
    }
    return std::move(folds_);
  }

 private:
  std::string_view line(std::size_t at) const { return trimmed(lines_[at]); }
  bool blank(std::size_t at) const { return line(at).empty(); }

  // Returns the end of the block that begins here, without empty lines at its end; `at` if none begins.
  std::pair<std::size_t, const char*> block(std::size_t at) {
    if (blank(at)) return {at, ""};
    if (!code_seen_)
      if (const auto end = comment(at); end > at) return {end, "comment"};
    code_seen_ = true;
    if (const auto end = imports(at); end > at) return {end, "imports"};
    if (const auto end = arguments(at); end > at) return {end, "arguments"};
    return {at, ""};
  }

  std::size_t comment(std::size_t at) const {
    const auto begins = [&](std::string_view with) { return line(at).starts_with(with); };
    const std::string_view quotes = begins("\"\"\"") ? "\"\"\"" : begins("'''") ? "'''" : "";
    if (python_ && !quotes.empty()) return ends_with(at, quotes, 3);
    if (!python_ && begins("/*")) return ends_with(at, "*/", 2);
    const std::string_view mark = python_ ? "#" : "//";
    std::size_t end = at;
    while (end < lines_.size() && line(end).starts_with(mark)) ++end;
    return end;
  }
  std::size_t ends_with(std::size_t at, std::string_view mark, std::size_t skip) const {
    if (line(at).find(mark, skip) != std::string_view::npos) return at + 1;
    for (std::size_t end = at + 1; end < lines_.size(); ++end)
      if (line(end).find(mark) != std::string_view::npos) return end + 1;
    return at;
  }

  bool imports_at(std::size_t at) const {
    const std::string_view text = lines_[at];  // not inside of a function
    if (python_) return text.starts_with("import ") || text.starts_with("from ");
    return text.starts_with("#include") || text.starts_with("#pragma once") ||
           text.starts_with("using ") || text.starts_with("namespace ");
  }
  std::size_t imports(std::size_t at) const {
    std::size_t last = at;
    for (std::size_t k = at; k < lines_.size(); ++k) {
      if (blank(k)) continue;
      if (!imports_at(k)) break;
      // "from x import (" goes on until it is closed.
      while (python_ && lines_[k].find('(') != std::string::npos &&
             lines_[k].find(')') == std::string::npos && k + 1 < lines_.size() &&
             line(k).find(')') == std::string_view::npos) {
        ++k;
        if (line(k).find(')') != std::string_view::npos) break;
      }
      last = k + 1;
    }
    return last;
  }

  // From the parser to where it has parsed.
  std::size_t arguments(std::size_t at) const {
    if (!python_ || line(at).find("ArgumentParser(") == std::string_view::npos) return at;
    constexpr std::size_t kLongest = 60;
    for (std::size_t end = at; end < std::min(lines_.size(), at + kLongest); ++end)
      if (line(end).find("parse_args(") != std::string_view::npos) return end + 1;
    return at;
  }

  const std::vector<std::string>& lines_;
  const bool python_;
  bool code_seen_ = false;
  std::vector<CodeFold> folds_;
};

}  // namespace

std::vector<CodeFold> code_folds(const std::vector<std::string>& lines, CodeLanguage language) {
  if (language == CodeLanguage::plain) return {};
  return Folder(lines, language).folds();
}

}  // namespace rankscope::gui
