// The elements of a small XML file, one after the other, with their attributes and lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

struct XmlElement {
  std::string_view name;
  bool ends = false;  ///< </name>; <name/> comes as two.
  std::vector<std::pair<std::string_view, std::string>> attributes;
  int line = 0;

  /// Null: there is none.
  const std::string* find(std::string_view attribute) const noexcept;
};

/// Elements and attributes only: text between elements, CDATA and document types are refused. Comments and processing
/// instructions are skipped, the five entities and numbers of characters are replaced.
class XmlElements {
 public:
  /// `file`: what errors call it. The text outlives the reader.
  XmlElements(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  /// Nothing at the end. Throws FormatError with file and line for what is no XML of this kind, and for elements that do
  /// not end in the order in which they began.
  std::optional<XmlElement> next();
  [[noreturn]] void fail(int line, const std::string& what) const;

 private:
  bool take(std::string_view word);
  void skip_to(std::string_view end, std::string_view what);
  void skip_blanks();
  std::string_view name();
  std::string value();
  std::string with_entities(std::string_view text) const;
  XmlElement begin();
  void add_attribute(XmlElement& out);

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<std::string_view> open_;
  bool ends_at_once_ = false, seen_any_ = false;
};

/// For a value between quotes.
std::string xml_text(std::string_view text);

}  // namespace rankscope
