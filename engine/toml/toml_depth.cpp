// Scans TOML for its nesting depth.
#include "engine/toml/toml_depth.h"

#include <algorithm>

#include <fmt/format.h>

namespace rankscope {
namespace {

constexpr int kMostDots = 32;   // in a key
constexpr int kMostLists = 40;  // lists and inline tables within each other

/// Knows strings, comments and line ends; to all else it is enough that a key's parts have dots between
/// them. In what is no TOML it may lose its way, but there the parser stops.
class DepthScan {
 public:
  explicit DepthScan(std::string_view text) : text_(text) {}

  TooDeep run() {
    int dots = 0, lists = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      ++at_;
      if (c == '\n') ++line_;
      if (c == '[' || c == '{') ++lists;
      if (c == ']' || c == '}') lists = std::max(lists - 1, 0);
      if (c == '.') ++dots;
      if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos) dots = 0;
      if (dots > kMostDots)
        return {line_, fmt::format("a key with more than {} dots is not read", kMostDots)};
      if (lists > kMostLists)
        return {line_,
                fmt::format("more than {} lists within each other are not read", kMostLists)};
    }
    return {};
  }

 private:
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool block = text_.substr(at_, 3) == three;
    at_ += block ? 3 : 1;
    while (at_ < text_.size()) {
      if (text_[at_] == '\n') {
        if (!block) return;  // no TOML
        ++line_;
      }
      if (quote == '"' && text_[at_] == '\\') {
        // What is escaped may be the line's end.
        line_ += at_ + 1 < text_.size() && text_[at_ + 1] == '\n';
        at_ += 2;
        continue;
      }
      if (block ? text_.substr(at_, 3) == three : text_[at_] == quote) return close(block, quote);
      ++at_;
    }
  }

  /// Behind the quotes; a block may end with two that belong to it: """a""""".
  void close(bool block, char quote) {
    at_ += block ? 3 : 1;
    for (int i = 0; block && i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

TooDeep too_deep(std::string_view text) { return DepthScan(text).run(); }

}  // namespace rankscope
