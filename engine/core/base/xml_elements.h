// Reads the elements of a small XML file one by one, with their attributes and lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

struct XmlElement {
  std::string_view name;
  bool ends = false;  ///< </name>; <name/> is reported as two elements.
  std::vector<std::pair<std::string_view, std::string>> attributes;
  int line = 0;

  /// Returns null if there is none.
  const std::string* find(std::string_view attribute) const noexcept;
};

/// Supports elements and attributes only; refuses text between elements, CDATA and document types. Skips comments and
/// processing instructions; replaces the five entities, and refuses numeric character references.
class XmlElements {
 public:
  /// `file` is the name in error messages. The text must outlive the reader.
  XmlElements(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  /// Returns nothing at the end. Throws FormatError with file and line for XML of another kind, and for elements that
  /// are not properly nested.
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

/// Escapes a value between quotes; drops control characters.
std::string xml_text(std::string_view text);

}  // namespace rankscope
