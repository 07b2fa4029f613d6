// Reads elements of XML without building a tree.
#include "engine/core/base/xml_elements.h"

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostDepth = 64, kMostAttributes = 64;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == ':';
}

}  // namespace

const std::string* XmlElement::find(std::string_view attribute) const noexcept {
  const auto found = ranges::find(attributes, attribute, [](const auto& one) { return one.first; });
  return found == attributes.end() ? nullptr : &found->second;
}

void XmlElements::fail(int line, const std::string& what) const {
  throw FormatError(fmt::format("{}:{}: {}", file_, line, what));
}

bool XmlElements::take(std::string_view word) {
  if (!text_.substr(at_).starts_with(word)) return false;
  line_ += static_cast<int>(ranges::count(word, '\n'));
  at_ += word.size();
  return true;
}

void XmlElements::skip_to(std::string_view end, std::string_view what) {
  const auto found = text_.find(end, at_);
  if (found == std::string_view::npos)
    fail(line_, fmt::format("{} has no end: \"{}\" is missing", what, end));
  take(text_.substr(at_, found + end.size() - at_));
}

void XmlElements::skip_blanks() {
  for (; at_ < text_.size() && is_blank(text_[at_]); ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
}

std::string_view XmlElements::name() {
  const std::size_t first = at_;
  while (at_ < text_.size() && is_name(text_[at_])) ++at_;
  if (at_ == first) fail(line_, "a name is missing here");
  return text_.substr(first, at_ - first);
}

std::string XmlElements::with_entities(std::string_view text) const {
  static constexpr std::pair<std::string_view, char> kEntities[] = {
      {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '&') {
      out += text[i];
      continue;
    }
    const auto end = text.find(';', i);
    const auto word = text.substr(i + 1, end == std::string_view::npos ? end : end - i - 1);
    const auto* found = ranges::find(kEntities, word, [](const auto& one) { return one.first; });
    if (end == std::string_view::npos || found == std::end(kEntities))
      fail(line_, fmt::format("\"&{}\" is no entity of XML: write &amp; for an ampersand",
                              word.substr(0, 20)));
    out += found->second;
    i = end;
  }
  return out;
}

std::string XmlElements::value() {
  if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '\''))
    fail(line_, "a value in quotes is missing here");
  const char quote = text_[at_++];
  const std::size_t first = at_;
  const auto end = text_.find(quote, at_);
  if (end == std::string_view::npos) fail(line_, "a value has no closing quote");
  const auto raw = text_.substr(first, end - first);
  if (raw.find('<') != std::string_view::npos)
    fail(line_, "a value has a \"<\" in it: is its closing quote missing?");
  std::string out = with_entities(raw);
  take(text_.substr(first, end - first + 1));
  return out;
}

void XmlElements::add_attribute(XmlElement& out) {
  const auto key = name();
  skip_blanks();
  if (!take("=")) fail(line_, fmt::format("\"=\" is missing after {}", key));
  skip_blanks();
  if (out.find(key) != nullptr) fail(line_, fmt::format("the attribute {} is there twice", key));
  if (out.attributes.size() == kMostAttributes)
    fail(line_, "an element has more than 64 attributes");
  out.attributes.emplace_back(key, value());
}

XmlElement XmlElements::begin() {
  XmlElement out{name(), false, {}, line_};
  for (;;) {
    const bool blank = at_ < text_.size() && is_blank(text_[at_]);
    skip_blanks();
    ends_at_once_ = take("/>");
    if (ends_at_once_ || take(">")) break;
    if (at_ >= text_.size())
      fail(out.line, fmt::format("<{} has no end: \">\" is missing", out.name));
    if (!blank) fail(line_, "a blank is missing before an attribute");
    add_attribute(out);
  }
  if (open_.size() == kMostDepth) fail(out.line, "elements are nested more than 64 deep");
  open_.push_back(out.name);
  return out;
}

std::optional<XmlElement> XmlElements::next() {
  if (ends_at_once_) {
    ends_at_once_ = false;
    const XmlElement out{open_.back(), true, {}, line_};
    open_.pop_back();
    return out;
  }
  for (;;) {
    skip_blanks();
    if (at_ == text_.size()) {
      if (!open_.empty())
        fail(line_, fmt::format("the file ends before </{}>: was it cut?", open_.back()));
      if (!seen_any_) fail(line_, "there is no element in it: this is no XML file");
      return std::nullopt;
    }
    if (take("<!--")) skip_to("-->", "a comment");
    else if (take("<?")) skip_to("?>", "an instruction");
    else break;
  }
  if (text_.substr(at_).starts_with("<!"))
    fail(line_, "document types and CDATA are not read here: take them out");
  const int line = line_;
  if (take("</")) {
    const auto closed = name();
    skip_blanks();
    if (!take(">")) fail(line, fmt::format("\">\" is missing after </{}", closed));
    if (open_.empty() || open_.back() != closed)
      fail(line,
           fmt::format("</{}> ends {}", closed,
                       open_.empty() ? "what has not begun" : fmt::format("<{}>", open_.back())));
    open_.pop_back();
    return XmlElement{closed, true, {}, line};
  }
  if (!take("<")) fail(line, "there is text where an element should be");
  if (open_.empty() && seen_any_) fail(line, "there is a second element after the file's own");
  seen_any_ = true;
  return begin();
}

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out;
}

}  // namespace rankscope
