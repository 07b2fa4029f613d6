// Finds numbers that a program in C++ most likely does not mean: memory that nobody wrote, remainders left over,
// and results of a root used elsewhere.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/analysis/findings/source_calls.h"
#include "engine/analysis/findings/source_peers.h"
#include "engine/analysis/meant/hints.h"
#include "engine/core/base/collective.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text_parts.h"
#include "engine/core/base/utf8.h"
#include "engine/core/run/platform.h"

namespace rankscope::meant {
namespace {

using finder::Operation;
using finder::Report;
using finder::SourceText;
using finder::TraceOperations;

constexpr auto kDoubtful = Finding::Kind::doubtful_numbers;

// ---- Memory that nobody wrote ----

/// A program's new memory is filled with this byte (engine/capi/watched.cpp): large negative numbers, of no program's own.
constexpr std::byte kFill{0xFE};
constexpr std::size_t kMostMessages = 200, kSmallest = 4;
constexpr std::uint64_t kLargestTrace = 100'000;

/// The number of elements that have the bytes of new memory.
Count unwritten_in(const std::vector<std::byte>& content, std::size_t size) {
  Count found = 0;
  for (std::size_t at = 0; at + size <= content.size(); at += size)
    found += std::all_of(content.begin() + static_cast<std::ptrdiff_t>(at),
                         content.begin() + static_cast<std::ptrdiff_t>(at + size),
                         [](std::byte one) { return one == kFill; });
  return found;
}

void find_unwritten(const TraceOperations& facts, Report& report) {
  if (facts.trace.size() > kLargestTrace) return;
  std::size_t looked = 0;
  std::set<Rank> ranks;
  const Operation* first = nullptr;
  Count elements = 0;
  for (const Operation& one : facts.operations) {
    if (!one.send || one.sync || one.bytes == 0 || dtype_size(one.dtype) < kSmallest) continue;
    if (++looked > kMostMessages) break;
    const Count here = unwritten_in(content_of(facts.trace, one), dtype_size(one.dtype));
    if (here == 0 || (first != nullptr && facts.site(one.posted) != facts.site(first->posted)))
      continue;
    ranks.insert(one.rank);
    if (first == nullptr) first = &one, elements = here;
  }
  if (first == nullptr) return;
  Finding out = hint_at(kDoubtful, {ranks.begin(), ranks.end()}, facts.site(first->posted));
  out.what = fmt::format("at {}, rank {} sends {} of an array that nobody has written", out.site,
                         first->rank, counted(static_cast<std::uint64_t>(elements), "element"));
  out.why =
      "New memory holds whatever was there before: new double[n] and malloc() set nothing, and a "
      "sum that begins in it is wrong.";
  out.advice =
      "Begin with zeros: new double[n]() with brackets, or a std::vector. If these elements are "
      "room that the receiver does not look at, send only those that are filled.";
  report.add(std::move(out));
}

// ---- Remainders ----

/// The name, call or number that ends a text: "v.size()" of "= v.size()", also within a cast: "int(v.size())".
std::string_view last_operand(std::string_view text) {
  text = trimmed(text);
  std::size_t begin = text.size();
  for (int depth = 0; begin > 0; --begin) {
    const char c = text[begin - 1];
    if (c == ')') ++depth;
    if (c == '(' && depth-- == 0) break;
    if (depth == 0 && c != '(' && c != '.' && !in_name(c)) break;
  }
  std::string_view out = text.substr(begin);
  const auto before = trimmed(text.substr(0, begin));
  if (!before.empty() && std::string_view("+-*/%").find(before.back()) != std::string_view::npos)
    return {};  // a part of a longer expression
  for (const std::string_view cast : {"int(", "long("})
    if (out.starts_with(cast)) out = out.substr(cast.size(), out.size() - cast.size() - 1);
  return out;
}

std::string_view first_operand(std::string_view text) {
  text = trimmed(text);
  std::size_t end = 0;
  while (end < text.size() && (in_name(text[end]) || text[end] == '.')) ++end;
  if (text.substr(end).starts_with("()")) end += 2;
  const auto behind = trimmed(text.substr(end));
  return behind.empty() || std::string_view(";,)").find(behind.front()) != std::string_view::npos
             ? text.substr(0, end)
             : std::string_view();
}

/// The number of elements of an array that the text declares with one, for "v.size()"; else the expression.
std::string size_text(const SourceText& text, std::string_view expression) {
  constexpr std::string_view kSize = ".size()";
  if (!expression.ends_with(kSize)) return std::string(expression);
  const std::string name(expression.substr(0, expression.size() - kSize.size()));
  for (std::size_t line = 1; line <= text.size(); ++line) {
    const std::string code = text.code(line);
    const auto at = code.find("> " + name + "(");
    if (at == code.npos) continue;
    const std::string size = code.substr(at + name.size() + 3);
    return size.substr(0, size.find_first_of(",)"));
  }
  return std::string(expression);
}

/// Whether another line treats what a division leaves over: it takes the remainder or a least value, divides once more, or
/// knows the last rank.
bool treats_rest(const SourceText& text, std::size_t division, std::string_view dividend,
                 std::string_view ranks) {
  const std::string remainder = std::string(dividend) + " %", last = fmt::format(" {} - 1", ranks);
  for (std::size_t line = 1; line <= text.size(); ++line) {
    const std::string code = text.code(line);
    const auto has = [&](std::string_view words) { return code.find(words) != code.npos; };
    if (line == division) continue;
    if (has(remainder) || has("min(") || has("rest") || has("remain") ||
        (has(dividend) && has(" / ")) || has("==" + last) || has("<" + last) || has("!=" + last))
      return true;
  }
  return false;
}

/// Reports the first division of a number of elements by the number of ranks that leaves some over.
void find_rest(const TraceOperations& facts, const SourceText& text, Report& report) {
  const int size = facts.trace.world_size();
  for (std::size_t line = 1; line <= text.size(); ++line) {
    const std::string code = text.code(line);
    const auto sign = code.find(" / ");
    const bool whole = ranges::any_of(
        std::initializer_list<std::string_view>{"int ", "auto ", "long ", "size_t "},
        [&](auto type) { return code.substr(0, code.find('=')).find(type) != code.npos; });
    if (sign == code.npos || !whole || code.find('.') < code.find('=')) continue;
    const auto left = last_operand(code.substr(0, sign));
    const auto right = first_operand(code.substr(sign + 3));
    if (left.empty() || right.empty()) continue;
    const auto value = [&](std::string_view one, Rank rank, int ranks) {
      return finder::value_of(text, one, rank, ranks);
    };
    const auto count = size_text(text, left);
    const auto total = value(count, 0, size);
    const bool by_ranks = value(right, 0, size) == size && value(right, 1, size + 1) == size + 1;
    if (!total || !by_ranks || *total <= size || *total % size == 0 ||
        value(count, 1, size + 1) != total || treats_rest(text, line, left, right))
      continue;
    std::vector<Rank> every;
    for (Rank rank = 0; rank < size; ++rank) every.push_back(rank);
    Finding out = hint_at(kDoubtful, every, fmt::format("{}:{}", text.file(), line));
    const int each = *total / size, rest = *total % size;
    out.what = fmt::format("at {}, {} / {} is {} in whole numbers, which leaves {} over", out.site,
                           *total, size, each, rest);
    out.why = fmt::format(
        "{} ranks with {} each have {} of {}. If no other line gives the last {} to a rank, they "
        "are left out.",
        size, each, each * size, *total, rest);
    out.advice = fmt::format(
        "Let part r begin at r * {0} / {1} and end at (r + 1) * {0} / {1}; parts of different "
        "sizes "
        "go by scatterv and gatherv.",
        left, right);
    report.add(std::move(out));
    return;
  }
}

// ---- Results of the root, used elsewhere ----

/// The rank that alone goes into a block: 3 for "if (comm.rank() == comm.size() - 1) {" on 4 ranks.
std::optional<Rank> only_rank(const SourceText& text, std::size_t line, int size) {
  const std::string whole = text.code(line);
  const auto code = trimmed(whole);
  const auto equal = code.find(" == ");
  if (!code.starts_with("if (") || equal == code.npos || code.find("&&") != code.npos ||
      code.find("||") != code.npos)
    return std::nullopt;
  auto right = code.substr(equal + 4);
  right = right.substr(0, right.rfind(')'));
  const auto value = [&](std::string_view one, Rank rank) {
    return finder::value_of(text, one, rank, size);
  };
  const auto left = code.substr(4, equal - 4);
  const auto only = value(right, 0);
  return only && value(right, 1) == only && value(left, 0) == 0 && value(left, 1) == 1
             ? only
             : std::nullopt;
}

/// The names that a reduce's result has below its line: its array, and what takes the value that its function returns.
std::vector<std::pair<std::string, std::size_t>> names_of_result(const SourceText& text) {
  const auto here = text.here();
  const auto call = here.find(".reduce(");
  if (call == here.npos) return {};
  std::vector<std::pair<std::string, std::size_t>> out{
      {std::string(first_name(here.substr(call + 8))), text.line_number()}};
  std::string function;
  for (std::size_t line = text.line_number(); line-- > 1 && function.empty();) {
    const std::string whole = text.code(line);
    const auto code = trimmed(whole);
    const auto open = code.find('(');
    if (code.ends_with('{') && open != code.npos &&
        indentation(text.line(line)) < indentation(here)) {
      function = last_name(code.substr(0, open));
      if (function == "if" || function == "for" || function == "while" || function == "main")
        return out;
    }
  }
  if (trimmed(text.code(text.line_number() + 1)) != "return " + out.front().first + ";" ||
      function.empty())
    return out;
  for (std::size_t line = text.line_number() + 1; line <= text.size(); ++line) {
    const std::string code = text.code(line);
    const auto sign = code.find(" = ");
    if (sign == code.npos || !has_name(code.substr(sign), function)) continue;
    const auto before = trimmed(code.substr(0, sign));
    out.emplace_back(before.substr(before.find_last_of(" *&") + 1), line);
  }
  return out;
}

/// Reports a block of one rank that reads the result of a reduce, which another rank has.
void find_used_elsewhere(const TraceOperations& facts, const BuiltInCall& call, Report& report) {
  const StepEvent& event = facts.trace[call.begins];
  const SourceText text(facts.trace, event.site);
  const auto* const called = find_collective(built_in_name(facts.trace, event));
  if (!text.known() || called == nullptr || called->collective != Collective::reduce) return;
  for (const auto& [name, from] : names_of_result(text)) {
    if (name.empty()) continue;
    for (std::size_t line = from + 1; line <= text.size() && !text.line(line).starts_with('}');
         ++line) {
      const auto only = only_rank(text, line, facts.trace.world_size());
      if (!only || *only == event.peer) continue;
      const auto depth = indentation(text.line(line));
      for (auto inside = line + 1; indentation(text.line(inside)) > depth; ++inside) {
        if (!has_name(text.code(inside), name)) continue;
        Finding out = hint_at(kDoubtful, {*only}, fmt::format("{}:{}", text.file(), inside));
        out.what = fmt::format("at {}, rank {} uses {}, the result of the reduce at {}", out.site,
                               *only, name, facts.site(call.begins));
        out.why = fmt::format(
            "Only rank {}, its root, has the result; on other ranks {} holds what the reduce left "
            "there.",
            event.peer, name);
        out.advice =
            fmt::format("Use it on rank {}, give the reduce the root {}, or call an allreduce.",
                        event.peer, *only);
        report.add(std::move(out));
        return;
      }
    }
  }
}

}  // namespace

void add_doubtful_numbers(const TraceOperations& facts, Report& report) {
  if (!platform_of(facts.platform).compiled) return;
  find_unwritten(facts, report);
  std::set<std::string> seen;
  for (const Operation& one : facts.operations) {
    if (one.sync || one.built_in) continue;
    const SourceText text(facts.trace, one.site);
    if (text.known() && seen.insert(text.file()).second) find_rest(facts, text, report);
  }
  std::set<std::uint32_t> calls;
  for (const BuiltInCall& call : facts.calls) {
    if (calls.insert(facts.trace[call.begins].site).second)
      find_used_elsewhere(facts, call, report);
    const SourceText text(facts.trace, facts.trace[call.begins].site);
    if (text.known() && seen.insert(text.file()).second) find_rest(facts, text, report);
  }
}

}  // namespace rankscope::meant
