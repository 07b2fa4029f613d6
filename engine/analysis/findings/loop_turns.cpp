// Explains ranks that wait for a message because loops make different numbers of turns.
#include "engine/analysis/findings/loop_turns.h"

#include <array>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/findings/source_calls.h"
#include "engine/analysis/findings/source_peers.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/text.h"

namespace rankscope::finder {
namespace {

/// Returns the outermost loop around the text's line, or around the only call of its function; 0 if there is none.
std::size_t outer_loop(const SourceText& text) {
  std::size_t outer = 0;
  for (auto loop = text.loop_of(text.line_number()); loop > 0; loop = text.loop_of(loop))
    outer = loop;
  const auto calls = calls_of(text, text.line_number());
  if (outer == 0 && calls.size() == 1)
    for (auto loop = text.loop_of(calls[0]); loop > 0; loop = text.loop_of(loop)) outer = loop;
  return outer;
}

}  // namespace

bool explain_count(const TraceOperations& facts, const Operation& one, Finding& found) {
  const SourceText text(facts.trace, one.site);
  const std::size_t loop = text.loop_of(text.line_number());
  if (one.send || !text.is_cpp() || loop == 0) return false;
  const auto peer = call_text_of(text, text.line_number(), false).peer;
  std::size_t over_ranks = text.loop_of(loop);
  while (over_ranks > 0 &&
         text.line(over_ranks).find("for (int " + peer + " =") == std::string_view::npos)
    over_ranks = text.loop_of(over_ranks);
  if (over_ranks == 0) return false;
  std::uint64_t taken = 0;
  const Operation* last = nullptr;
  for (const Operation& each : facts.operations) {
    if (each.rank != one.peer || each.peer != one.rank || !each.send || each.inside()) continue;
    if (each.partner == kNone || facts.operations.at(each.partner).site != one.site) return false;
    ++taken;
    last = &each;
  }
  if (last == nullptr) return false;
  const std::string head = text.code(loop);
  const auto bound = first_name(trimmed(std::string_view(head).substr(head.find('<') + 1)));
  std::size_t line = loop;
  for (auto at = loop; at-- > over_ranks + 1;)
    if (text.code(at).find(fmt::format(" {} = ", bound)) != std::string::npos) line = at;
  const bool divides = text.code(line).find_first_of("/%") != std::string::npos;
  found.site = text.site(line);
  found.why =
      fmt::format("Rank {} sends {} there{}, and the loop at {} receives one more from it.",
                  one.peer, counted(taken, "message"), facts.at(last->posted), text.site(loop));
  found.advice = fmt::format(
      "Let {} be the number of messages that each rank sends{}.",
      line == loop ? "the loop's passes" : fmt::format("{}, computed in line {},", bound, line),
      divides ? ": where the division leaves some over, only the first ranks have one more" : "");
  return true;
}

void explain_left_out(const TraceOperations& facts, const Operation& one, Finding& found) {
  static const std::regex kDealt(
      R"(for \(\w+ (\w+) = ([^;]+); \1 < ([^;]+); \1 \+= ([^;]+)\) ?\{?$)");
  std::map<Rank, int> sent;
  const Operation* last = nullptr;
  int awaited = 0;
  for (const Operation& each : facts.operations) {
    if (each.rank != one.rank || each.site != one.site || each.send || each.inside()) continue;
    ++awaited;
    if (each.partner == kNone) continue;
    const Operation& send = facts.operations.at(each.partner);
    if (last != nullptr && last->site != send.site) return;
    last = &send;
    ++sent[send.rank];
  }
  if (last == nullptr) return;
  const SourceText text(facts.trace, last->site);
  const std::size_t loop = text.loop_of(text.line_number());
  const std::string head = text.code(loop);
  std::smatch part;
  if (!text.is_cpp() || !std::regex_search(head, part, kDealt)) return;
  std::set<int> dealt;
  std::vector<std::string> begins;
  for (const auto& [rank, messages] : sent) {
    std::array<std::optional<int>, 3> bound;  // of this rank: begin, end, step
    for (std::size_t i = 0; i < bound.size(); ++i)
      bound[i] =
          known_value_of(text, part[static_cast<int>(i) + 2].str(), rank, facts.trace.world_size());
    const auto [begin, end, step] = bound;
    if (!begin || end != awaited || !step || *step < 1) return;
    int turns = 0;
    for (int at = *begin; at < *end; at += *step, ++turns) dealt.insert(at);
    if (turns != messages) return;
    begins.push_back(fmt::format("rank {} with {}", rank, *begin));
  }
  if (dealt.empty() || *dealt.begin() <= 0 || std::ssize(dealt) + *dealt.begin() != awaited) return;
  found.site = text.site(loop);
  found.why =
      fmt::format("It waits for {}, and only {} come: in the loop at {} {}, and none with 0.",
                  counted(static_cast<std::uint64_t>(awaited), "message"), dealt.size(), found.site,
                  fmt::format("{} begins {}", part[1].str(), fmt::join(begins, ", ")));
  found.advice =
      fmt::format("Begin it {} lower: {} - {}.", *dealt.begin(), part[2].str(), *dealt.begin());
}

bool explain_left_loop(const TraceOperations& facts, const Operation& one, Finding& found) {
  const SourceText text(facts.trace, one.site);
  const std::size_t outer = outer_loop(text);
  if (outer == 0 || one.peer < 0) return false;
  std::map<std::uint32_t, bool> in_loop;  // by site
  const auto is_in_loop = [&](std::uint32_t site) {
    const auto [at, is_new] = in_loop.try_emplace(site);
    if (!is_new) return at->second;
    const SourceText other(facts.trace, site);
    return at->second = other.file() == text.file() && outer_loop(other) == outer;
  };
  bool left = facts.has_ended(one.peer);
  for (const BuiltInCall& call : facts.calls)
    if (call.rank == one.peer && call.ends == kNoEvent)
      left = !is_in_loop(facts.trace[call.begins].site);
  std::ptrdiff_t ours = 0, theirs = 0;
  for (const Operation& each : facts.operations) {
    if (each.inside()) continue;
    ours += each.rank == one.rank && each.site == one.site && each.send == one.send &&
            each.peer == one.peer;
    theirs += each.rank == one.peer && each.peer == one.rank && each.send != one.send &&
              is_in_loop(each.site);
  }
  if (!left || theirs == 0 || ours != theirs + 1) return false;
  found.site = text.site(outer);
  found.why = fmt::format(
      "Rank {} has left the loop at {} after {} with rank {}, which waits in it for one more.",
      one.peer, found.site, counted(static_cast<std::uint64_t>(theirs), "exchange"), one.rank);
  std::string shared = "what it tests";
  const std::string head = text.code(outer), tested(first_name(head.substr(head.find('(') + 1)));
  for (auto line = outer; trimmed(head).starts_with("while (") && !tested.empty() &&
                          indentation(text.line(++line)) > indentation(head);)
    if (trimmed(text.code(line)).starts_with(tested + " = "))
      shared = fmt::format("{} after line {}", tested, line);
  found.advice = fmt::format(
      "Let all ranks make equally many passes: what ends the loop at {} must be the same on all of "
      "them, such as an allreduce of {}.",
      found.site, shared);
  return true;
}

}  // namespace rankscope::finder
