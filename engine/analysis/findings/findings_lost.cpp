// Finds ranks that were lost, or failed with an error of their own.
#include <algorithm>
#include <bit>
#include <regex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/findings/trace_operations.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/run/platform.h"

namespace rankscope::finder {
namespace {

using Kind = Finding::Kind;

Finding lost(const TraceOperations& facts, const std::vector<Rank>& ranks) {
  Finding found(Kind::lost_rank);
  found.ranks = ranks;
  for (const Rank rank : ranks) {
    std::uint64_t last = kNoEvent;
    for (std::uint64_t k = facts.trace.size(); k-- > 0 && last == kNoEvent;)
      if (facts.trace[k].rank == rank) last = k;
    found.events.push_back(last);
  }
  if (const std::uint64_t first = found.events.front(); first != kNoEvent)
    found.site = facts.site(first);
  return found;
}

/// Returns the advice in a platform's own error: the sentences after its first one. Empty without advice, and for other errors.
std::string advice_in(const std::string& error) {
  const auto begin = std::min(
      {error.find(": rankscope."), error.find(": rankscope::Error"), error.find(": mpi4py.")});
  std::string text = begin == std::string::npos ? error : error.substr(begin);
  const auto place = std::min(text.find(" (/"), text.rfind(" ("));  // C++ has brackets in names
  if (place != std::string::npos && text.ends_with(")")) text.resize(place);
  // mpi4py's errors have it behind a semicolon.
  if (const auto give = text.rfind("; give "); give != std::string::npos)
    return "G" + text.substr(give + 3) + ".";
  if (begin == std::string::npos) return {};
  const auto first = text.find(". ");
  if (first == std::string::npos) return {};
  text.erase(0, first + 2);
  if (!text.ends_with('.')) text += '.';
  return text;
}

/// The number that stands behind a text: 4 in "(which is 4)" behind "__n (which is ".
std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view words) {
  const auto at = text.find(words);
  if (at == text.npos) return std::nullopt;
  text.remove_prefix(at + words.size());
  return as_number<std::uint64_t>(text.substr(0, text.find_first_not_of("0123456789")));
}

/// The program's text up to the line that an error names last, as "x.cpp:7 in main)"; empty if it is unknown.
std::vector<std::string_view> lines_to(const Trace& trace, std::string_view error) {
  const auto begin = error.rfind(" (");
  if (begin == error.npos) return {};
  const auto place = error.substr(begin + 2);
  const auto line = number_behind(place.substr(0, place.find(' ')), ":");
  for (const auto& [file, text] : trace.meta().sources)
    if (line && place.substr(0, place.find(':')).ends_with(file.substr(file.rfind('/') + 1))) {
      auto lines = lines_of(text);
      if (*line < 1 || *line > lines.size()) return {};
      lines.resize(*line);
      return lines;
    }
  return {};
}

/// Advice where a rank is named that does not exist, as by a loop that goes one rank too far, or by a distance that needs
/// a power of two. Empty if the line has neither.
std::string advice_on_bound(const Trace& trace, std::string_view error, Rank last) {
  const auto rank = number_behind(error, "Error: rank "),
             size = number_behind(error, "communicator of ");
  const auto lines = lines_to(trace, error);
  constexpr std::size_t kNear = 4;
  for (std::size_t up = 0; rank && size && *rank >= *size && up < std::min(kNear, lines.size());
       ++up) {
    const auto line = lines[lines.size() - 1 - up];
    if (line.find(" ^ ") != line.npos && std::popcount(*size) != 1)
      return fmt::format(
          "{0} is no power of two, so rank ^ distance names ranks that are not there. Let each "
          "rank r from {1} on first hand its data to rank r - {1}, and get the result from it at "
          "the end; or run it on {1} or {2} ranks.",
          *size, std::bit_floor(*size), std::bit_ceil(*size));
    if (up == 0 && rank == size && *size == static_cast<std::uint64_t>(last) + 1 &&
        line.find("if (") != line.npos)
      return fmt::format(
          "The last rank has none behind it: its condition in this line holds for rank {}, too. "
          "Leave it out there (rank + 1 < size), or compute the neighbour modulo the size if the "
          "ranks are a circle.",
          *size - 1);
    const auto loop = line.find("for (");
    if (rank == size && loop != line.npos && line.find("<=", loop) != line.npos)
      return fmt::format(
          "The ranks go from 0 to {}: let the loop in line {} end before {} (< in place of <=).",
          *size - 1, lines.size() - up, *size);
  }
  return {};
}

/// The divisors in a line of C++: "counts[me]" of "100 / counts[me]".
std::vector<std::string_view> divisors_in(std::string_view line) {
  std::vector<std::string_view> out;
  const std::string_view code = line.substr(0, line.find("//"));
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at] == '"') at = std::min(code.find('"', at + 1), code.size());
    if (at >= code.size() || (code[at] != '/' && code[at] != '%')) continue;
    const auto text = trimmed(code.substr(at + (code.substr(at + 1).starts_with('=') ? 2 : 1)));
    std::size_t end = 0;
    for (int depth = 0; end < text.size(); ++end) {
      const char c = text[end];
      if (c == '(' || c == '[') ++depth;
      if ((c == ')' || c == ']') && depth-- == 0) break;
      const bool arrow =
          text.substr(end).starts_with("->") || (end > 0 && text.substr(end - 1).starts_with("->"));
      if (depth == 0 && c != ')' && c != ']' && c != '.' && !in_name(c) && !arrow) break;
    }
    if (end > 0 && std::isdigit(static_cast<unsigned char>(text[0])) == 0)
      out.push_back(text.substr(0, end));
  }
  return out;
}

/// The pointers in a line of C++: "self.parent" of "self.parent->rank".
std::vector<std::string_view> pointers_in(std::string_view line) {
  std::vector<std::string_view> out;
  for (auto at = line.find("->"); at != line.npos; at = line.find("->", at + 1)) {
    auto begin = at;
    while (begin > 0 && (in_name(line[begin - 1]) || line[begin - 1] == '.')) --begin;
    if (begin < at) out.push_back(line.substr(begin, at - begin));
  }
  return out;
}

/// The name that is an index in the last line, "bin" of "counts.at(bin)", and the line above that computes it; 0 if unknown.
std::pair<std::string_view, std::size_t> index_in(const std::vector<std::string_view>& lines) {
  const auto at = lines.empty() ? std::string_view::npos : lines.back().find(".at(");
  if (at == std::string_view::npos) return {};
  const auto name = first_name(lines.back().substr(at + 4));
  if (!lines.back().substr(at + 4 + name.size()).starts_with(')')) return {};
  for (std::size_t line = lines.size(); line-- > 1 && !name.empty();) {
    const auto code = lines[line - 1];
    const auto found = find_name(code, name);
    if (found == code.npos) continue;
    const bool sets = code.find("for (") == code.npos &&
                      trimmed(code.substr(found + name.size())).starts_with("= ");
    return {name, sets ? line : 0};
  }
  return {};
}

/// Advice on an index that a check of the standard library refuses with its numbers; empty for other errors.
std::string advice_on_index(std::string_view error, const std::vector<std::string_view>& lines) {
  const auto index = number_behind(error, "__n (which is ");
  auto size = number_behind(error, "this->size() (which is ");
  if (!size) size = number_behind(error, "_Nm (which is ");
  if (!index || !size) return {};
  if (*size == 0)
    return "The array is empty there: fill it first, or give it its size with resize() "
           "(reserve() makes no elements).";
  if (*index > 1ULL << 62U)
    return fmt::format("The index is negative: {}. Check what is subtracted from it.",
                       static_cast<std::int64_t>(*index));
  if (const auto [name, computed] = index_in(lines); computed > 0)
    return fmt::format(
        "The index is {}, which line {} computes: the last element is {}. Keep it below {} there, "
        "as with std::min, or make the array longer.",
        name, computed, *size - 1, *size);
  if (*index == *size)
    return fmt::format(
        "The index {} is one past the end: the last element is {}. Check the bound of the loop (< "
        "in place of <=), and what is added to the index.",
        *index, *size - 1);
  return fmt::format(
      "The index {} is beyond the end: the last element is {}. Check how it is computed, and "
      "whether the array is as long as it should be.",
      *index, *size - 1);
}

/// "one or parent" of these names; "A pointer of this line" without any.
std::string one_of(const std::vector<std::string_view>& names, std::string_view kind) {
  return names.empty() ? fmt::format("A {} of this line", kind)
                       : fmt::format("{}", fmt::join(names, " or "));
}

/// Advice on a null pointer that a line uses.
std::string advice_on_null(std::string_view line) {
  static const std::regex kEnd(R"((\w+_element)\(([\w.]+)\.c?begin\(\))");
  std::cmatch found;
  if (const auto names = pointers_in(line);
      !names.empty() || ranges::count(line, '*') > 1 ||
      !std::regex_search(line.begin(), line.end(), found, kEnd))
    return one_of(names, "pointer") +
           " is null on this rank. Test it before this line uses it, so that ranks without one "
           "leave the line out, or make it point to something first.";
  return fmt::format(
      "{0} is empty there: {1}() of no elements returns the end, which is no element. Test "
      "{0}.empty() before.",
      found[2].str(), found[1].str());
}

/// Advice on an error of the language or its library; empty for other errors.
std::string advice_on(const Trace& trace, const std::string& error, bool only_last) {
  const auto has = [&](std::string_view words) { return error.find(words) != error.npos; };
  const auto lines = lines_to(trace, error);
  // The program's own words may be like the library's.
  for (std::size_t up = 0; up < std::min<std::size_t>(2, lines.size()); ++up) {
    const auto line = lines[lines.size() - 1 - up];
    if (up > 0 && line.find(';') != line.npos) break;
    if (has_name(line, "throw"))
      return "The program itself throws there. Correct what leads to it on this rank, or let all "
             "ranks leave together.";
    if (has_name(line, "raise")) return {};
  }
  const std::string_view last = lines.empty() ? std::string_view() : lines.back();
  if (has("divided by zero") || has("ivision by zero"))
    return one_of(divisors_in(last), "divisor") +
           " is 0 there. Divide only where it is not, or make sure that it has its value before.";
  if (has("a null pointer")) return advice_on_null(last);
  const std::string_view part =
      only_last
          ? " Only the last ranks fail: does their part of the data reach beyond its end? End "
            "each part at the size (std::min), also where nothing is left for a rank."
          : "";
  const auto at = last.find(".at(");
  if (const auto next = last.find("+ 1)", std::min(at, last.size()));
      next != last.npos && last.substr(at, next - at).find("rank") != last.npos &&
      number_behind(error, "__n (which is ") == trace.world_size() &&
      number_behind(error, "this->size() (which is ") == trace.world_size())
    return "The array has one element for each rank, and the last rank has no next one: add an "
           "entry "
           "for the end, or take the end itself on the last rank.";
  if (std::string advice = advice_on_index(error, lines); !advice.empty())
    return advice.append(part);
  static const std::regex kDifference(
      R"(vector<[^;]*> \w+\(([\w.]+)(\(\))? - ([\w.]+)(\(\))?[,)])");
  std::cmatch found;
  if (has("std::length_error") && has("max_size()") &&
      std::regex_search(last.begin(), last.end(), found, kDifference))
    return fmt::format(
        "{0} - {1} is less than 0 there, and a size cannot be: it wraps round to a huge one. "
        "Subtract the smaller from the larger ({1} - {0}), or make none where nothing is left.",
        found[1].str() + found[2].str(), found[3].str() + found[4].str());
  struct Row {
    std::string_view words, advice;
    bool of_part = false;  ///< It may be the part of a rank that is too long.
  };
  static constexpr Row kRows[] = {
      {"__n < this->size()",
       "An index is beyond the end, or the array is empty. Check the bound of the loop, and "
       "whether the array has its size here: reserve() makes no elements.",
       true},
      {"!this->empty()", "The array is empty there. Test empty() first, or fill it before."},
      {"__offset",
       "The part reaches beyond the end of the array: its offset and its count together may be as "
       "large as the array's size. Check both.",
       true},
      {"__count <= ", "The part is longer than the array. Check the count.", true},
      {"get() != pointer()",
       "The pointer is empty there: no object was made for it on this rank. Make one on each rank "
       "that comes to this line, or leave the line out elsewhere."},
      {"_M_is_engaged", "The optional is empty there. Test it before its value is used."},
      {"bad_optional_access", "The optional is empty there. Test it before its value is used."},
      {"map::at (",
       "This key is not in the map on this rank. Insert it first, or look for it with find()."},
      {" out of bounds for type ",
       "Check the bound of the loop and what is added to the index, or make the array longer."},
      {"std::bad_alloc",
       "More memory is asked for than there is. Is the size negative, or not received yet?"},
      {"std::length_error",
       "The size is too large for any array. If it is negative, as where nothing is left for the "
       "last ranks, begin it at 0 (std::max). If it comes in a message, receive it first."},
      {"Assertion `",
       "The program's own check fails there. Correct where its values come from on this rank."},
      {"__pos (which",
       "The position is beyond the end of the text. Check the text that came, and its length."},
      {"integer overflow: ", "Use a wider type: long long, or a floating type."},
      {"-buffer-overflow",
       "The line reaches beyond the end of an array. Check the bound of the loop and what is added "
       "to the index, or make the array longer."},
      {"heap-use-after-free",
       "The memory was freed before, as a vector's when it grows or its block ends. Keep the array "
       "until its last use, and take pointers and spans after the last change of its size."},
      {"stack-use-after",
       "The variable's block or function has ended. Keep it until its last use."},
      {"ThreadSanitizer",
       "Use a std::mutex, or a std::atomic, for what several threads write; or give each thread a "
       "variable of its own, and combine them after join()."},
  };
  const auto row = ranges::find_if(kRows, [&](const Row& one) { return has(one.words); });
  if (row != std::end(kRows)) return std::string(row->advice).append(row->of_part ? part : "");
  return {};
}

/// `alike`: ranks among these whose error has other numbers.
Finding failed(const TraceOperations& facts, const std::vector<Rank>& ranks, std::string what,
               const std::vector<Rank>& alike = {}) {
  Finding found = lost(facts, ranks);
  found.what = std::move(what);
  found.why =
      std::ssize(ranks) == facts.trace.world_size()
          ? "All ranks failed in the same way, so the cause is not one rank or its messages."
          : "A failed rank sends nothing more, so ranks that need its messages could not go on.";
  found.advice = advice_on_bound(facts.trace, found.what, ranks.back());
  if (found.advice.empty()) found.advice = advice_in(found.what);
  // A rank may have noted more than its error's text says.
  if (const auto& handed = facts.trace.meta().handed) {
    const Handed::Remark* noted = nullptr;
    for (const Handed::Remark& one : handed->advice)
      if (ranges::find(ranks, one.rank) != ranks.end() &&
          (noted == nullptr || one.rank < noted->rank))
        noted = &one;
    if (noted != nullptr && noted->lacks) {
      Finding lacking = unsupported(*noted);
      lacking.ranks = found.ranks, lacking.events = found.events;
      return lacking;
    }
    if (noted != nullptr && !noted->advice.empty()) found.advice = noted->advice;
    if (noted != nullptr && !noted->why.empty())
      found.why =
          alike.empty() ? noted->why : fmt::format("On rank {}: {}", noted->rank, noted->why);
  }
  const bool only_last =
      ranks.front() > 0 && std::ssize(ranks) == facts.trace.world_size() - ranks.front() &&
      ranges::none_of(facts.trace.meta().outcome->ranks,
                      [](auto& one) { return one.cause == rankscope::Cause::stopped; });
  if (found.advice.empty()) {
    found.advice = advice_on(facts.trace, found.what, only_last);
    if (!alike.empty() && !found.advice.empty())
      found.advice = fmt::format("On rank {}: {}", ranks.front(), found.advice);
  }
  if (found.advice.empty())
    found.advice = fmt::format("Correct the line that raised this error{}.",
                               ranks.size() == 1 ? "" : "; it is the same on these ranks");
  return found;
}

/// Returns an error's text without its numbers, except for those of its place, "(ring.cpp:7 in main)"; the whole text if it
/// has no place, since other lines may then have written it.
std::string without_numbers(const std::string& error) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto place = error.rfind(" (");
  const auto line = error.find(':', std::min(place, error.size()));
  if (line == error.npos || line + 1 == error.size() || !digit(error[line + 1]) ||
      !error.ends_with(')'))
    return error;
  std::string text;
  bool kept = false;  // a number behind a colon is a line
  for (std::size_t i = 0; i < error.size(); ++i) {
    kept = digit(error[i]) ? kept || i >= place : error[i] == ':';
    if (!digit(error[i]) || kept) text += error[i];
  }
  return text;
}

}  // namespace

void find_lost(const TraceOperations& facts, Report& report) {
  if (!facts.trace.meta().outcome) return;
  const JobResult& result = *facts.trace.meta().outcome;
  // Ranks that are lost after another rank's error were ended because of it, or were slow to stop.
  if (result.failed_rank < 0)
    for (const RankFailure& failure : result.failures) {
      Finding found = lost(facts, {failure.rank});
      found.what = fmt::format("rank {} {}", failure.rank, failure.what);
      if (!failure.where.empty()) found.what += fmt::format("; it was {}", failure.where);
      found.why = "The other ranks need its messages, so nobody could go on.";
      const bool crashed = failure.loss == RankLoss::killed && platform_of(facts.platform).compiled;
      found.advice = crashed
                         ? "If nobody killed it, its memory was overwritten, as past the end of "
                           "an array: run the .cpp file again with --sanitize address."
                         : "Look at its last events, and run again: the ranks are restarted.";
      report.add(std::move(found));
    }
  if (report.has(Kind::lost_rank) ||
      ranges::any_of(kFindingKinds, [&](auto& row) { return row.fails && report.has(row.kind); }))
    return;  // the cause of their failure has been reported
  // By rank; ranks that fail in one line with one error are one finding, whichever numbers its words name.
  struct Failure {
    std::string kind, error;
    std::vector<Rank> same, alike;
  };
  std::vector<Failure> of_their_own;
  for (const RankOutcome& outcome : result.ranks) {
    if (outcome.error.empty() || outcome.cause == rankscope::Cause::stopped) continue;
    if (outcome.cause != rankscope::Cause::own && names_rank(outcome.rank, outcome.error)) {
      report.add(failed(facts, {outcome.rank}, outcome.error));
      continue;
    }
    const std::string kind = without_numbers(outcome.error);
    const auto known = ranges::find_if(of_their_own, [&](auto& one) { return one.kind == kind; });
    if (known == of_their_own.end())
      of_their_own.push_back({kind, outcome.error, {outcome.rank}, {}});
    else (known->error == outcome.error ? known->same : known->alike).push_back(outcome.rank);
  }
  for (auto& [kind, error, same, alike] : of_their_own) {
    const std::string what = fmt::format("{} failed: {}", rank_list(same), error);
    same.insert(same.end(), alike.begin(), alike.end());
    Finding found = failed(facts, same, what, alike);
    if (!alike.empty())
      found.what += fmt::format("; so did {}, with other numbers", rank_list(alike));
    report.add(std::move(found));
  }
}

}  // namespace rankscope::finder
