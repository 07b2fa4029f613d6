// Finds numbers that a program in C++ most likely does not mean: memory that nobody wrote, remainders left over,
// and results of a root used elsewhere.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/analysis/findings/early_reads.h"
#include "engine/analysis/findings/source_calls.h"
#include "engine/analysis/findings/source_peers.h"
#include "engine/analysis/meant/hints.h"
#include "engine/core/base/collective.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/run/handed.h"
#include "engine/core/run/platform.h"

namespace rankscope::meant {
namespace {

using finder::Operation;
using finder::Report;
using finder::SourceText;
using finder::TraceOperations;

constexpr auto kDoubtful = Finding::Kind::doubtful_numbers;

// ---- Memory that nobody wrote ----

constexpr std::size_t kMostMessages = 200, kSmallest = 4;

/// The number of elements that have the bytes of new memory.
Count unwritten_in(const std::vector<std::byte>& content, std::size_t size) {
  Count found = 0;
  for (std::size_t at = 0; at + size <= content.size(); at += size)
    found += std::all_of(content.begin() + static_cast<std::ptrdiff_t>(at),
                         content.begin() + static_cast<std::ptrdiff_t>(at + size),
                         [](std::byte one) { return one == kUnwritten; });
  return found;
}

void find_unwritten(const TraceOperations& facts, Report& report) {
  if (facts.trace.size() > kMostEvents) return;
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

/// Returns whether another line treats what a division leaves over: it takes the remainder or a least value, divides
/// once more, or knows the last rank.
bool treats_rest(const SourceText& text, std::size_t division, std::string_view dividend,
                 std::string_view ranks) {
  const std::string remainder = std::string(dividend) + " %", last = fmt::format(" {} - 1", ranks);
  for (std::size_t line = 1; line <= text.size(); ++line) {
    const std::string code = text.code(line);
    const auto has = [&](std::string_view words) { return code.find(words) != code.npos; };
    if (has(remainder) || has("==" + last) || has("<" + last) || has("!=" + last) ||
        (line != division && has_name(code, dividend) && has(" / ")) ||
        ranges::any_of(
            std::initializer_list<std::string_view>{"min", "rest", "remain", "remainder", "left"},
            [&](auto name) { return has_name(code, name); }))
      return true;
  }
  return false;
}

/// The division of a line that assigns whole numbers; its text is of `code`.
std::optional<finder::Division> division_of(const SourceText& text, std::string_view code,
                                            Rank rank, int size) {
  const std::string_view head = code.substr(0, code.find('='));
  const bool whole =
      ranges::any_of(std::initializer_list<std::string_view>{"int", "auto", "long", "size_t"},
                     [&](auto type) { return has_name(head, type); });
  for (auto at = code.find_first_of("=(<,"); whole && at != code.npos;
       at = code.find_first_of("=(<,", at + 1))
    if (const auto found = finder::division_in(text, code.substr(at + 1), rank, size)) return found;
  return std::nullopt;
}

/// Reports the first division of a number of elements by the number of ranks that leaves some over.
void find_rest(const TraceOperations& facts, const SourceText& text, Report& report) {
  const int size = facts.trace.world_size();
  for (std::size_t line = 1; line <= text.size(); ++line) {
    const std::string code = text.code(line);
    const auto one = division_of(text, code, 0, size);
    if (!one || one->parts != size || one->total <= size || one->total % size == 0) continue;
    const auto other = division_of(text, code, 1, size + 1);
    if (!other || other->parts != size + 1 || other->total != one->total ||
        treats_rest(text, line, one->dividend, one->divisor))
      continue;
    std::vector<Rank> every;
    for (Rank rank = 0; rank < size; ++rank) every.push_back(rank);
    Finding out = hint_at(kDoubtful, every, text.site(line));
    const int each = one->total / size, rest = one->total % size;
    out.what = fmt::format("at {}, {} / {} is {} in whole numbers, which leaves {} over", out.site,
                           one->total, size, each, rest);
    out.why = fmt::format(
        "{} ranks with {} each have {} of {}. If no other line gives the last {} to a rank, they "
        "are left out.",
        size, each, each * size, one->total, rest);
    out.advice = fmt::format(
        "Let part r begin at r * {0} / {1} and end at (r + 1) * {0} / {1}; parts of different "
        "sizes go by scatterv and gatherv.",
        one->dividend, one->divisor);
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
    return finder::known_value_of(text, one, rank, size);
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
  const auto function = finder::function_at(text, text.line_number());
  if (!function || function->name == "main" ||
      trimmed(text.code(text.line_number() + 1)) != "return " + out.front().first + ";")
    return out;
  for (std::size_t line = text.line_number() + 1; line <= text.size(); ++line) {
    const std::string code = text.code(line);
    const auto sign = code.find(" = ");
    if (sign == code.npos || !has_name(code.substr(sign), function->name)) continue;
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
    std::optional<Rank> only;
    std::size_t depth = 0;
    for (std::size_t line = from + 1; line <= text.size() && !text.line(line).starts_with('}');
         ++line) {
      const std::string code = text.code(line);
      if (trimmed(code).empty()) continue;
      if (!only || indentation(code) <= depth) {
        only = only_rank(text, line, facts.trace.world_size());
        depth = indentation(code);
      }
      if (!has_name(code, name)) continue;
      if (!finder::only_reads(code, name)) break;  // it may hold something else then
      if (!only || *only == event.peer) continue;
      Finding out = hint_at(kDoubtful, {*only}, text.site(line));
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

}  // namespace

void add_doubtful_numbers(const TraceOperations& facts, Report& report) {
  if (!platform_of(facts.platform).compiled) return;
  find_unwritten(facts, report);
  std::set<std::string> seen;
  for (const Definition& site : facts.trace.definitions(Definition::Kind::site))
    if (seen.insert(site.file).second)
      if (const SourceText text(facts.trace, site.id); text.known()) find_rest(facts, text, report);
  std::set<std::uint32_t> calls;
  for (const BuiltInCall& call : facts.calls)
    if (calls.insert(facts.trace[call.begins].site).second)
      find_used_elsewhere(facts, call, report);
}

}  // namespace rankscope::meant
