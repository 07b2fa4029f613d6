// Computes peers from the text of a program: small expressions, and the assignments of their names.
#include "engine/analysis/findings/source_peers.h"

#include <array>
#include <cctype>
#include <charconv>
#include <string>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope::finder {
namespace {

constexpr int kDeepestName = 12;  // names that are made of names, and brackets

std::string_view trimmed_text(std::string_view text) {
  text = trimmed(text);
  while (text.ends_with(';')) text = trimmed(text.substr(0, text.size() - 1));
  return text;
}

/// "rank" for "self.rank" and "comm.Get_rank()": in lower case, without "get_" and "my_".
std::string last_word(std::string_view text) {
  text = trimmed_text(text);
  if (text.ends_with("()")) text.remove_suffix(2);
  std::string word = ascii_lower(text.substr(text.find_last_of(".>:") + 1));
  for (const std::string_view before : {"get_", "my_", "world_"})
    if (word.starts_with(before)) word.erase(0, before.size());
  return word;
}

/// Recursive descent over one expression; anything unknown makes it fail.
class Expression {
 public:
  /// `guesses`: a name without an assignment may be the rank or the size.
  Expression(const SourceText& text, Rank rank, int size, bool guesses, int depth = 0)
      : text_(text), rank_(rank), size_(size), guesses_(guesses), depth_(depth) {}

  std::optional<int> value(std::string_view expression) {
    rest_ = expression;
    failed_ = depth_ > kDeepestName;
    const int found = failed_ ? 0 : exclusive_or();
    skip();
    if (failed_ || !rest_.empty()) return std::nullopt;
    return found;
  }
  const std::optional<Division>& division() const noexcept { return division_; }

 private:
  void skip() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0)
      rest_.remove_prefix(1);
  }
  bool takes(std::string_view sign) {
    skip();
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }
  int fail() {
    failed_ = true;
    return 0;
  }

  int exclusive_or() {
    int left = sum();
    while (!failed_ && takes("^")) left ^= sum();
    return left;
  }
  int sum() {
    int left = product();
    while (!failed_) {
      if (takes("+")) left += product();
      else if (takes("-")) left -= product();
      else break;
    }
    return left;
  }
  int product() {
    skip();
    const std::string_view begin = rest_;
    int left = single();
    while (!failed_) {
      const auto dividend = begin.substr(0, begin.size() - rest_.size());
      const bool times = takes("*"), whole = !times && (takes("//") || takes("/"));
      if (!times && !whole && !takes("%")) break;
      skip();
      const std::string_view behind = rest_;
      const int right = single();
      const auto divisor = behind.substr(0, behind.size() - rest_.size());
      skip();
      const bool ends = rest_.empty() || std::string_view(";,)").find(rest_.front()) != rest_.npos;
      if (whole && !failed_ && !division_ && ends)
        division_ = Division{trimmed(dividend), trimmed(divisor), left, right};
      left = combined(left, right, times ? '*' : whole ? '/' : '%');
    }
    return left;
  }
  int combined(int left, int right, char sign) {
    if (failed_ || std::abs(left) > 1 << 15 || std::abs(right) > 1 << 15) return fail();
    if (sign == '*') return left * right;
    if (right <= 0) return fail();
    // C++ rounds towards zero, Python down.
    const int down = left / right - (left % right < 0 && !text_.is_cpp() ? 1 : 0);
    return sign == '/' ? down : left - down * right;
  }
  int single() {
    if (takes("-")) return -single();
    if (takes("(")) {
      if (++depth_ > kDeepestName) return fail();
      const int inside = exclusive_or();
      return takes(")") ? inside : fail();
    }
    skip();
    int number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error == std::errc()) {
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      return number;
    }
    return name();
  }
  /// "rank", "self.size", "comm.Get_rank()".
  int name() {
    std::size_t at = 0;
    while (at < rest_.size() && (in_name(rest_[at]) || rest_[at] == '.')) ++at;
    if (at == 0) return fail();
    const std::string_view word = rest_.substr(0, at);
    rest_.remove_prefix(at);
    if (word == "int" || word == "long") return rest_.starts_with('(') ? single() : fail();
    const bool called = takes("()");
    const auto found = !called ? assigned(word) : guesses_ ? known(word) : asked(word);
    return found ? *found : fail();
  }

  /// rank() and size() of a communicator, and the size() of an array that the text declares with one.
  std::optional<int> asked(std::string_view word) const {
    const std::string of(word.substr(0, word.rfind('.'))), what = last_word(word);
    if (of == word || (what != "rank" && what != "size")) return std::nullopt;
    std::optional<int> length;
    for (std::size_t line = 1; line <= text_.size(); ++line) {
      const std::string code = text_.code(line);
      if (code.find(of + ".rank()") != code.npos) return what == "rank" ? rank_ : size_;
      const auto changes = {".resize(", ".push_back(", ".emplace_back(", ".assign("};
      if (ranges::any_of(changes, [&](auto* one) { return code.find(of + one) != code.npos; }))
        return std::nullopt;
      const auto at = code.find("> " + of + "(");
      if (at == code.npos) continue;
      const auto count = std::string_view(code).substr(at + of.size() + 3);
      length = inner().value(count.substr(0, count.find_first_of(",)")));
    }
    return length;
  }

  /// By its name alone; the caller compares the value with the run.
  std::optional<int> known(std::string_view word) const {
    if (!guesses_) return std::nullopt;
    constexpr std::array<std::string_view, 4> kRank{"rank", "me", "r", "i"};
    constexpr std::array<std::string_view, 9> kSize{
        "size", "world", "n", "p", "ranks", "nranks", "num_ranks", "workers", "nprocs"};
    const std::string last = last_word(word);
    if (ranges::find(kRank, last) != kRank.end()) return rank_;
    if (ranges::find(kSize, last) != kSize.end()) return size_;
    return std::nullopt;
  }

  /// The value of a name whose assignments are all written alike; without any, the one that its name says.
  std::optional<int> assigned(std::string_view word) const {
    std::string_view made_of;
    for (std::size_t line = 1; line <= text_.size(); ++line) {
      std::string_view one = assignment(trimmed_text(text_.line(line)), word, guesses_);
      if (one.empty()) one = property(line, word);
      if (one.empty()) continue;
      if (!made_of.empty() && made_of != one) return std::nullopt;
      made_of = one;
    }
    if (made_of.empty() || (guesses_ && last_word(made_of) == last_word(word))) return known(word);
    return inner().value(made_of);
  }
  Expression inner() const { return {text_, rank_, size_, guesses_, depth_ + 1}; }

  /// The expression that "def left(self):" of "self.left" returns on the next line.
  std::string_view property(std::size_t line, std::string_view word) const {
    std::string_view text = trimmed_text(text_.line(line));
    if (!word.starts_with("self.") || !text.starts_with("def ")) return {};
    text.remove_prefix(4);
    word.remove_prefix(5);
    if (!text.starts_with(word) || !text.substr(word.size()).starts_with("(self):")) return {};
    const std::string_view next = trimmed_text(text_.line(line + 1));
    return next.starts_with("return ") ? next.substr(7) : "?";
  }

  /// The expression that a line assigns to a name, also among several: "a, b = 1, 2". "?" where it changes it otherwise.
  static std::string_view assignment(std::string_view line, std::string_view word, bool guesses) {
    if (const auto note = line.find(" #"); note != std::string_view::npos)
      line = trimmed_text(line.substr(0, note));
    const bool loops = line.starts_with("for (") && line.find(';') != line.npos;  // of C++
    if (loops) line = line.substr(5, line.find(';') - 5);
    if (line.starts_with("for ")) {
      const auto names =
          line.substr(4, line.find(" in ") == std::string_view::npos ? std::string_view::npos
                                                                     : line.find(" in ") - 4);
      return place_of(names, word) >= 0 ? "?" : "";
    }
    std::size_t at = line.find('=');
    if (at == std::string_view::npos || at == 0 || at + 1 >= line.size() || line[at + 1] == '=')
      return {};
    if (std::string_view("<>!").find(line[at - 1]) != std::string_view::npos) return {};
    const std::string_view left = line.substr(0, at);
    const bool changes = std::string_view("+-*/%^|&").find(left.back()) != std::string_view::npos;
    if (changes)
      return trimmed_text(left.substr(0, left.find_last_not_of("+-*/%^|&") + 1)) == word ? "?" : "";
    if (left.find('(') != std::string_view::npos) return {};
    std::string_view declared = line;  // "const int n = comm.size(), me = comm.rank();"
    for (const std::string_view type :
         {"const int ", "const auto ", "int ", "auto ", "const Rank ", "constexpr int ",
          "static constexpr int ", "static const int ", "const std::size_t ", "std::size_t ",
          "constexpr std::size_t ", "const long ", "long "})
      if (declared.starts_with(type)) declared.remove_prefix(type.size());
    for (int i = 0; declared.size() < line.size(); ++i) {
      const std::string_view one = part(declared, i);
      if (one == "?") return {};
      const auto sign = one.find('=');
      if (sign != one.npos && trimmed_text(one.substr(0, sign)) == word)
        return loops ? "?" : trimmed_text(one.substr(sign + 1));
    }
    const int place = place_of(left, word);
    if (place < 0) return {};
    if (loops || !guesses) return "?";
    const std::string_view right = trimmed_text(line.substr(at + 1));
    return left.find(',') == std::string_view::npos ? right : part(right, place);
  }

  /// The place of a name among those before a sign of assignment; or -1.
  static int place_of(std::string_view names, std::string_view word) {
    for (int place = 0;; ++place) {
      const auto comma = names.find(',');
      if (trimmed_text(names.substr(0, comma)) == word) return place;
      if (comma == std::string_view::npos) return -1;
      names.remove_prefix(comma + 1);
    }
  }
  static std::string_view part(std::string_view values, int place) {
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= values.size(); ++at) {
      const char c = at < values.size() ? values[at] : ',';
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      if (c != ',' || depth != 0) continue;
      if (place-- == 0) return trimmed_text(values.substr(begin, at - begin));
      begin = at + 1;
    }
    return "?";
  }

  const SourceText& text_;
  std::string_view rest_;
  const Rank rank_;
  const int size_;
  const bool guesses_;
  int depth_;
  std::optional<Division> division_;
  bool failed_ = false;
};

/// The next call of the other kind; without a verb where it does not follow at once.
CallText following_call(const SourceText& text, bool send) {
  const auto same = next_call(text, text.line_number(), send);
  const auto other = next_call(text, text.line_number(), !send);
  return same.line != 0 && same.line <= other.line ? CallText{} : other.call;
}

}  // namespace

std::optional<int> value_of(const SourceText& text, std::string_view expression, Rank rank,
                            int size) {
  return Expression(text, rank, size, true).value(expression);
}

std::optional<int> known_value_of(const SourceText& text, std::string_view expression, Rank rank,
                                  int size) {
  return Expression(text, rank, size, false).value(expression);
}

std::optional<Division> division_in(const SourceText& text, std::string_view expression, Rank rank,
                                    int size) {
  Expression reader(text, rank, size, false);
  reader.value(expression);
  return reader.division();
}

std::optional<Rank> next_peer(const Trace& trace, const BlockedCall& blocked) {
  const SourceText text(trace, blocked.site);
  if (!text.known()) return std::nullopt;
  const CallText mine = call_text_of(text, text.line_number(), blocked.send);
  const CallText next = following_call(text, blocked.send);
  if (mine.peer.empty() || next.peer.empty() || mine.tag != next.tag) return std::nullopt;
  if (mine.peer == next.peer) return blocked.peer;
  const int size = trace.world_size();
  if (value_of(text, mine.peer, blocked.rank, size) != std::optional(blocked.peer))
    return std::nullopt;
  const auto found = value_of(text, next.peer, blocked.rank, size);
  return found && *found >= 0 && *found < size ? std::optional<Rank>(*found) : std::nullopt;
}

}  // namespace rankscope::finder
