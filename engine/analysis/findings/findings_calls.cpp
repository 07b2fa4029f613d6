// Finds built-in collectives that do not agree: each rank of a communicator must make the same calls, in the same order,
// with the same root, type, count and operator.
#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "engine/analysis/findings/source_calls.h"
#include "engine/analysis/findings/trace_operations.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/run/platform.h"

namespace rankscope::finder {
namespace {

using Kind = Finding::Kind;

/// Chunks of a reduce-scatter or an all-to-all may differ in length.
bool counts_agree(const CollectiveTraits& called) {
  return !called.reduces_to_chunks() && called.out != Extent::regrouped;
}

/// The calls of one communicator, by number and then by rank.
struct Group {
  std::string name;
  std::vector<Rank> members;
  std::map<std::int32_t, std::map<Rank, std::uint64_t>> calls;
};

class Calls {
 public:
  Calls(const TraceOperations& facts, Report& report) : facts_(facts), report_(report) {}

  void find() {
    std::map<ContextId, Group> groups;
    for (const BuiltInCall& call : facts_.calls) {
      const StepEvent& event = facts_.trace[call.begins];
      auto& group = groups[facts_.context(event)];
      if (group.calls.empty()) introduce(group, event);
      group.calls[event.tag].try_emplace(event.rank, call.begins);
    }
    for (const auto& [context, group] : groups) compare(group);
  }

 private:
  using Call = std::pair<Rank, std::uint64_t>;

  void introduce(Group& group, const StepEvent& event) const {
    const auto* comm = facts_.trace.definition(Definition::Kind::comm, event.comm);
    if (comm != nullptr) {
      group.name = comm->name;
      for (const std::int64_t rank : comm->extents) group.members.push_back(Rank(rank));
    }
    if (group.members.empty())
      for (Rank rank = 0; rank < facts_.trace.world_size(); ++rank) group.members.push_back(rank);
  }

  // Later differences follow from the first one.
  void compare(const Group& group) {
    int number = 0;
    for (const auto& [tag, calls] : group.calls) {
      ++number;
      if (differ(group, calls, number) || absent(group, calls, number)) return;
    }
  }

  const StepEvent& event(const Call& call) const { return facts_.trace[call.second]; }
  std::string name(const Call& call) const { return built_in_name(facts_.trace, event(call)); }
  std::string shown(const Call& call) const { return called_collective(facts_.trace, event(call)); }

  bool differ(const Group& group, const std::map<Rank, std::uint64_t>& calls, int number) {
    const auto by = [&](std::string_view what, const auto& value) {
      std::map<std::string, std::vector<Call>> by_value;
      for (const Call call : calls)
        if (auto text = value(call); !text.empty()) by_value[std::move(text)].push_back(call);
      if (by_value.size() > 1) report_difference(group, number, what, by_value);
      return by_value.size() > 1;
    };
    if (by("", [&](const Call& call) { return name(call); })) return true;
    // Other calls (a split) are compared by name only.
    const auto* called = find_collective(name(*calls.begin()));
    if (called == nullptr) return false;
    if (by("root", [&](const Call& call) {
          const Rank root = event(call).peer;
          return root < 0 ? std::string("no root") : fmt::format("root {}", root);
        }))
      return true;
    if (called->in != Extent::nothing) {
      if (by("dtype", [&](const Call& call) { return std::string(to_string(event(call).dtype)); }))
        return true;
      if (counts_agree(*called) && by("count", [&](const Call& call) { return count_of(call); }))
        return true;
    }
    return called->reduces && by("operator", [&](const Call& call) {
             return std::string(to_string(event(call).reduce_op));
           });
  }

  /// Empty when counts need not agree: the root of a gather may pass more than its own part.
  std::string count_of(const Call& call) const {
    const StepEvent& e = event(call);
    const auto* called = find_collective(name(call));
    const bool parts = called != nullptr && called->in != called->out;
    if (parts && e.peer == e.rank) return {};
    // A rank may have room for more than its part of a scatter.
    if (parts && called->in == Extent::whole_at_root && platform_of(facts_.platform).mpi &&
        facts_.ran_through())
      return {};
    if (e.bytes == 0 && !platform_of(facts_.platform).compiled) return {};  // it may be unknown
    return counted(e.bytes / dtype_size(e.dtype), "element");
  }

  /// Reports the smallest and the largest group of ranks that differ in a value.
  void report_difference(const Group& group, int number, std::string_view what,
                         const std::map<std::string, std::vector<Call>>& by_value) {
    std::vector<std::pair<std::string, std::vector<Call>>> sorted(by_value.begin(), by_value.end());
    ranges::stable_sort(sorted, [](const auto& a, const auto& b) {
      return a.second.size() != b.second.size() ? a.second.size() < b.second.size()
                                                : a.second.front().first > b.second.front().first;
    });
    const auto &few = sorted.front(), &most = sorted.back();
    Finding found = begun(few.second, most.second);
    found.what =
        fmt::format("in call {} of {}, {}, but {}", number, comm_name(group),
                    part_of(few.second, what, few.first), part_of(most.second, what, most.first));
    found.why =
        "A collective is one operation of all ranks of its communicator: each must make "
        "the same calls in the same order, with the same arguments.";
    // A group that only meets, in a barrier, means all ranks. The other one's own communicator is the repair.
    std::string own = own_communicator(group, few.second);
    const bool only_meets = event(few.second.front()).bytes == 0;
    if (std::string other = own_communicator(group, most.second);
        own.empty() || (only_meets && !other.empty()))
      own = std::move(other);
    if (what.empty() && !own.empty()) found.advice = own;
    else
      found.advice = what.empty() ? "Move the call out of what only some ranks do (if rank == 0), "
                                    "and give all ranks the "
                                    "same order of calls."
                                  : fmt::format("Pass the same {} on all ranks.", what);
    if (!what.empty()) explain_lines(group, few.second, most.second, what, number, found);
    else {
      if (own.empty()) {
        const Parting parting = parting_of(facts_.trace, event(few.second.front()).site,
                                           event(most.second.front()).site);
        found.why += parting.why;
        if (!parting.advice.empty()) found.advice = parting.advice;
        explain_return(few.second, most.second, found);
      }
      explain_continue(group, few.second, most.second, found);
    }
    if (what == "count") {
      explain_parts(few.second, found);
      for (const auto& [text, made] : sorted)
        if (event(made.front()).bytes == 0)
          found.advice = fmt::format(
              "Give the array its size on {} before the call, with resize() (reserve() makes no "
              "elements). If only one rank knows the size, broadcast that first.",
              rank_list(ranks_of(made)));
    }
    report_.add(std::move(found));
  }

  /// Calls at different lines that differ in an argument may be two calls, one of which some ranks leave out.
  void explain_lines(const Group& group, const std::vector<Call>& few,
                     const std::vector<Call>& most, std::string_view what, int number,
                     Finding& found) const {
    if (event(few.front()).site == event(most.front()).site) return;
    std::vector<Rank> threaded;
    for (const auto* list : {&few, &most})
      for (const Call& call : *list)
        if (facts_.has_threads(call.first)) threaded.push_back(call.first);
    if (!threaded.empty()) {
      ranges::sort(threaded);
      found.why = fmt::format(
          "Several threads make calls on {}: which one's collective comes first is left to chance, "
          "and differs from rank to rank.",
          rank_list(threaded));
      found.advice =
          "Give each thread a communicator of its own (split), or let one thread make all "
          "collectives.";
      return;
    }
    for (const auto& [extra, others] : {std::pair(&few, &most), std::pair(&most, &few)}) {
      if (!is_extra(group, *extra, *others)) continue;
      found.site = facts_.site(extra->front().second);
      found.what = fmt::format("in call {} of {}, {}, which {} not; {}", number, comm_name(group),
                               part_of(*extra, "", ""),
                               others->size() == 1 ? "the other rank does" : "the other ranks do",
                               part_of(*others, "", ""));
      found.advice = fmt::format(
          "Let all ranks make the call{}, or none: which condition lets only {} come to it?",
          place(extra->front()), rank_list(ranks_of(*extra)));
      return;
    }
    found.advice = fmt::format(
        "Pass the same {} on all ranks, if the two lines are one call; if they are two, let all "
        "ranks make both, in the same order.",
        what);
  }

  /// Returns the only line above a call, in the same C++ function, that returns; 0 for none and for several.
  std::size_t return_before(std::uint32_t site) const {
    const SourceText text(facts_.trace, site);
    if (!text.is_cpp() || text.loop_of(text.line_number()) > 0) return 0;
    const auto function = function_at(text, text.line_number());
    std::size_t found = 0;
    for (auto at = function ? function->line + 1 : text.line_number(); at < text.line_number();
         ++at) {
      if (!has_name(text.code(at), "return") || block_of(text, at) == Block::lambda ||
          function_at(text, at) != function)
        continue;
      if (found > 0) return 0;
      found = at;
    }
    return found;
  }

  std::string advice_on_return(const Call& call, const std::vector<Rank>& ranks,
                               std::size_t line) const {
    return fmt::format(
        "Let all ranks come to the call{}: {} may leave by the return in line {} before it.",
        place(call), rank_list(ranks), line);
  }

  /// Asks for the only return before a call that some ranks leave out for a later one.
  void explain_return(const std::vector<Call>& few, const std::vector<Call>& most,
                      Finding& found) const {
    for (const auto& [skipping, coming] : {std::pair(&few, &most), std::pair(&most, &few)}) {
      const auto skipped = event(coming->front()).site;
      const std::size_t line = return_before(skipped);
      const SourceText here(facts_.trace, skipped);
      const SourceText there(facts_.trace, event(skipping->front()).site);
      if (line == 0 || (there.file() == here.file() && there.line_number() < here.line_number()))
        continue;
      found.advice = advice_on_return(coming->front(), ranks_of(*skipping), line);
      return;
    }
  }

  /// Names the only `continue` between two calls of a loop, which some ranks take, so that they leave out the second call.
  void explain_continue(const Group& group, const std::vector<Call>& few,
                        const std::vector<Call>& most, Finding& found) const {
    const SourceText first(facts_.trace, event(few.front()).site);
    const SourceText other(facts_.trace, event(most.front()).site);
    if (!first.known() || !other.known() || first.file() != other.file()) return;
    const bool few_skip = first.line_number() < other.line_number();
    const auto& [skipping, coming] = few_skip ? std::tie(few, most) : std::tie(most, few);
    const std::size_t loop = other.loop_of(other.line_number());
    if (loop == 0 || loop != first.loop_of(first.line_number())) return;
    const auto skipped = event(coming.front()).site;
    const bool came_before = ranges::any_of(group.calls, [&](const auto& calls) {
      const auto own = calls.second.find(skipping.front().first);
      return own != calls.second.end() && facts_.trace[own->second].site == skipped;
    });
    std::vector<std::size_t> lines;
    const auto [begin, end] = std::minmax(first.line_number(), other.line_number());
    for (std::size_t at = begin + 1; at < end; ++at) {
      if (first_name(trimmed(first.line(at))) == "continue" && first.loop_of(at) == loop)
        lines.push_back(at);
    }
    if (!came_before || lines.size() != 1) return;
    found.why = fmt::format(
        "The continue in line {} goes on with the next turn of the loop in line {}, before the "
        "call{}: {} leaves it out there, and the others wait in it.",
        lines.front(), loop, place(coming.front()), rank_list(ranks_of(skipping)));
    found.advice = fmt::format(
        "Let all ranks make the call{} in each turn: also before the continue in line {}, or put "
        "what follows it into an else.",
        place(coming.front()), lines.front());
  }

  /// Parts of different lengths: MPI has calls for them.
  void explain_parts(const std::vector<Call>& few, Finding& found) const {
    const std::string called = shown(few.front());
    const auto* const kind = find_collective(called);
    if (kind == nullptr || kind->in == kind->out || kind->reduces) return;
    if (facts_.platform == "torch")
      found.advice =
          "Give all ranks parts of the same count, or gather the counts first, fill each part up "
          "to "
          "the largest, and cut the rest off after the call.";
    else if (platform_of(facts_.platform).mpi)
      found.advice = fmt::format(
          "Call {}v, which takes parts of different lengths and their counts, or give all ranks "
          "the same count.",
          capitalized(called));
  }

  static std::vector<Rank> ranks_of(const std::vector<Call>& calls) {
    std::vector<Rank> out;
    for (const Call& call : calls) out.push_back(call.first);
    return out;
  }

  /// Returns whether the others never make the call of these ranks, which have made theirs before.
  bool is_extra(const Group& group, const std::vector<Call>& calls,
                const std::vector<Call>& others) const {
    const auto own = event(calls.front()).site, theirs = event(others.front()).site;
    std::set<Rank> made_theirs;
    for (const auto& [tag, made] : group.calls)
      for (const auto& [rank, k] : made) {
        const bool is_one =
            ranges::any_of(calls, [&](const Call& one) { return one.first == rank; });
        const auto site = facts_.trace[k].site;
        if (!is_one && site == own) return false;
        if (is_one && site == theirs) made_theirs.insert(rank);
      }
    return made_theirs.size() == calls.size();
  }

  /// Reports ranks that have ended, or gone on for good, without the call.
  bool absent(const Group& group, const std::map<Rank, std::uint64_t>& calls, int number) {
    std::vector<Rank> missing;
    for (const Rank rank : group.members)
      if (!calls.contains(rank) && facts_.has_ended(rank) && !lost_events(rank))
        missing.push_back(rank);
    if (missing.empty()) return not_called(group, calls) || is_too_large(group, calls, number);
    const std::vector<Call> made(calls.begin(), calls.end());
    Finding found = begun(made, {});
    for (const Rank rank : missing) {
      found.ranks.push_back(rank);
      found.events.push_back(facts_.ended[static_cast<std::size_t>(rank)]);
    }
    const std::string called = shown(made.front());
    if (const auto skipped = left_out(group, missing.front())) {
      found.site = facts_.site(skipped->second);
      found.events.front() = skipped->second;
      found.what = fmt::format(
          "rank {} leaves out the {}{}, which other ranks call, and is one call "
          "of {} short at its end",
          missing.front(), shown(*skipped), place(*skipped), comm_name(group));
      found.why =
          "A collective is one operation of all ranks of its communicator: each must make "
          "the same calls in the same order.";
      found.advice = fmt::format(
          "Let rank {} make that call, too: which condition keeps it from "
          "line {}?",
          missing.front(), found.site.substr(found.site.rfind(':') + 1));
      report_.add(std::move(found));
      return true;
    }
    const Handed::Remark* const left = noted_of(facts_, missing.front());
    found.what = fmt::format("{} ended without call {} of {}{}: {}", rank_list(missing), number,
                             comm_name(group), left == nullptr ? "" : " (" + left->what + ")",
                             part_of(made, "", called));
    found.why = fmt::format(
        "{} needs all ranks of its communicator, also those that get nothing "
        "of it.",
        (std::string_view("aeiou").find(called[0]) == std::string_view::npos ? "A " : "An ") +
            called);
    if (left != nullptr) found.advice = left->advice;
    else if (repeats(calls, made.front()))
      found.advice = fmt::format(
          "One {} is enough for the data of all ranks: take the call{} out of its loop. In the "
          "loop, the others would have to call it as often, and their data would count each time.",
          called, place(made.front()));
    else if (const std::string own = own_communicator(group, made); !own.empty())
      found.advice = own;
    else if (is_only_call(group, missing)) {
      const std::string loop = loop_around(event(made.front()).site);
      found.why +=
          fmt::format(" {} {} this call {}, the other ranks once more.",
                      capitalized(rank_list(missing)), missing.size() == 1 ? "makes" : "make",
                      counted(static_cast<std::uint64_t>(number - 1), "time"));
      found.advice = fmt::format(
          "Let all ranks come to this call equally often: what ends the loop {} must be the same "
          "on all of them, such as an allreduce of it.",
          loop.empty() ? "that leads to it, if there is one," : "at " + loop);
    } else if (const auto line = return_before(event(made.front()).site); line > 0)
      found.advice = advice_on_return(made.front(), missing, line);
    else
      found.advice =
          "Let all ranks of the communicator make the call, or make a communicator of "
          "those that do.";
    report_.add(std::move(found));
    return true;
  }

  /// Returns whether all calls of a group are made at one line, where these ranks have made some, too.
  bool is_only_call(const Group& group, const std::vector<Rank>& ranks) const {
    std::set<std::uint32_t> sites;
    std::set<Rank> before;
    for (const auto& [tag, calls] : group.calls)
      for (const auto& [rank, k] : calls) {
        sites.insert(facts_.trace[k].site);
        before.insert(rank);
      }
    return sites.size() == 1 &&
           ranges::all_of(ranks, [&](Rank rank) { return before.contains(rank); });
  }

  /// Returns the loop around a call, or around one that led to it: "train.py:5"; empty if unknown.
  std::string loop_around(std::uint32_t site) const {
    std::string found;
    find_around(facts_.trace, Definition::Kind::site, site, [&](const Definition& one) {
      const SourceText text(facts_.trace, one.id);
      const std::size_t loop = text.known() ? text.loop_of(text.line_number()) : 0;
      if (loop > 0) found = text.site(loop);
      return loop > 0;
    });
    return found;
  }

  /// The first call that a rank leaves out: its own call of that number is at the line of the others' next one.
  std::optional<Call> left_out(const Group& group, Rank rank) const {
    const auto site = [&](std::uint64_t k) { return facts_.trace[k].site; };
    for (auto at = group.calls.begin(); at != group.calls.end(); ++at) {
      const auto own = at->second.find(rank);
      const auto next = std::next(at);
      if (own == at->second.end() || next == group.calls.end()) return std::nullopt;
      for (const Call call : at->second) {
        if (call.first == rank || site(call.second) == site(own->second)) continue;
        const auto later = next->second.find(call.first);
        if (later == next->second.end() || site(later->second) != site(own->second))
          return std::nullopt;
        return call;
      }
    }
    return std::nullopt;
  }

  /// Returns whether a rank has called the same collective at the same line before.
  bool repeats(const std::map<Rank, std::uint64_t>& calls, const Call& call) const {
    if (calls.size() != 1) return false;
    return ranges::any_of(facts_.calls, [&](const BuiltInCall& other) {
      const StepEvent &now = event(call), &before = facts_.trace[other.begins];
      return other.begins < call.second && other.rank == call.first && before.site == now.site &&
             before.comm == now.comm && before.phase == now.phase;
    });
  }

  /// Returns the advice for ranks that have their own communicator and call in a larger one; empty if they have none.
  std::string own_communicator(const Group& group, const std::vector<Call>& calls) const {
    std::vector<Rank> callers = ranks_of(calls);
    ranges::sort(callers);
    if (callers.size() < 2 || callers.size() >= group.members.size()) return {};
    for (const Definition& comm : facts_.trace.definitions(Definition::Kind::comm)) {
      std::vector<Rank> members;
      for (const std::int64_t rank : comm.extents) members.push_back(static_cast<Rank>(rank));
      ranges::sort(members);
      if (members == callers)
        return fmt::format(
            "The call{} is one of {}, not of {} alone, who have a communicator of their own: pass "
            "that one, or let all ranks make the call.",
            place(calls.front()), comm_name(group), rank_list(callers));
    }
    return {};
  }

  /// " at helper.py:5, called from train.py:12"
  std::string place(const Call& call) const {
    const auto callers = callers_of(facts_.trace, event(call).site);
    if (callers.empty() || callers.front().site.empty()) return {};
    if (callers.size() < 2 || callers[1].site.empty()) return " at " + callers.front().site;
    return fmt::format(" at {}, called from {}", callers.front().site, callers[1].site);
  }

  /// Reports ranks that wait for their next call, while others wait for them in the collective.
  bool not_called(const Group& group, const std::map<Rank, std::uint64_t>& calls) {
    std::vector<Rank> idle;
    for (const Rank rank : group.members)
      if (!calls.contains(rank) && facts_.is_idle(rank)) idle.push_back(rank);
    if (idle.empty()) return false;
    const std::vector<Call> made(calls.begin(), calls.end());
    Finding found = never_called(facts_, idle.front(), part_of(made, "", shown(made.front())));
    const Finding begins = begun(made, {});
    found.ranks = begins.ranks;
    found.events = begins.events;
    found.site = begins.site;
    for (const Rank rank : idle) {
      found.ranks.push_back(rank);
      found.events.push_back(facts_.stays[static_cast<std::size_t>(rank)]);
    }
    if (idle.size() > 1)
      found.what += fmt::format("; {} {}, too", rank_list({idle.begin() + 1, idle.end()}),
                                idle.size() == 2 ? "waits for its call" : "wait for their calls");
    report_.add(std::move(found));
    return true;
  }

  /// Reports ranks that call on a communicator of more ranks than their own has, where the others wait in other calls.
  bool is_too_large(const Group& group, const std::map<Rank, std::uint64_t>& calls, int number) {
    const std::vector<Call> made(calls.begin(), calls.end());
    std::vector<Call> others;
    for (const BuiltInCall& call : facts_.calls)
      if (call.ends == kNoEvent && !calls.contains(call.rank) &&
          ranges::find(group.members, call.rank) != group.members.end())
        others.emplace_back(call.rank, call.begins);
    if (others.empty() || made.size() + others.size() != group.members.size()) return false;
    Finding found = begun(made, others);
    const SourceText here(facts_.trace, event(made.front()).site);
    const SourceText there(facts_.trace, event(others.front()).site);
    found.advice = own_communicator(group, made);
    // Outside of loops, ranks that stand behind a line of their function have passed it.
    if (here.is_cpp() && here.file() == there.file() && here.line_number() < there.line_number() &&
        here.loop_of(here.line_number()) == 0 && found.advice.empty() &&
        function_at(here, here.line_number()) == function_at(there, there.line_number()))
      found.advice = fmt::format(
          "{} passed the call{} without making it. Call it on a communicator of {} alone "
          "(split), or let all ranks make it.",
          capitalized(rank_list(ranks_of(others))), place(made.front()), rank_list(ranks_of(made)));
    if (found.advice.empty()) return false;
    found.what = fmt::format("in call {} of {}, {}, but {}", number, comm_name(group),
                             part_of(made, "", ""), part_of(others, "", ""));
    found.why = "A collective ends when all ranks of its communicator have come to it.";
    report_.add(std::move(found));
    return true;
  }

  bool lost_events(Rank rank) const {
    return ranges::any_of(facts_.trace.gaps(),
                          [&](const auto& gap) { return gap.first == rank; }) ||
           facts_.trace.meta().lost_events > 0 || facts_.trace.issues().any();
  }

  Finding begun(const std::vector<Call>& few, const std::vector<Call>& most) const {
    Finding found(Kind::mismatched_call);
    for (const auto* list : {&few, &most})
      for (const Call& call : *list) {
        found.ranks.push_back(call.first);
        found.events.push_back(call.second);
      }
    found.site = facts_.site(found.events.front());
    return found;
  }

  static std::string comm_name(const Group& group) {
    return group.name.empty() || group.name == "world" ? "the world" : '"' + group.name + '"';
  }

  /// "rank 2 calls broadcast with root 1 at worker.py:9"
  std::string part_of(const std::vector<Call>& calls, std::string_view what,
                      const std::string& value) const {
    const std::vector<Rank> ranks = ranks_of(calls);
    const std::string with = what.empty() ? "" : fmt::format(" with {}", value);
    return fmt::format("{} {} {}{}{}", rank_list(ranks), ranks.size() == 1 ? "calls" : "call",
                       shown(calls.front()), with, place(calls.front()));
  }

  const TraceOperations& facts_;
  Report& report_;
};

/// Reports that some ranks called new_group less often than others, in a run that it did not stop.
void find_groups(const TraceOperations& facts, Report& report) {
  std::map<Rank, std::vector<std::uint64_t>> made;  // each rank's calls, in program order
  for (const std::uint64_t k : facts.notes)
    if (static_cast<Note>(facts.trace[k].tag) == Note::group_made)
      made[facts.trace[k].rank].push_back(k);
  if (made.empty() || !facts.ran_through()) return;
  const auto count = [&](Rank rank) {
    const auto at = made.find(rank);
    return at == made.end() ? std::size_t{0} : at->second.size();
  };
  std::size_t most = 0;
  for (const auto& [rank, calls] : made) most = std::max(most, calls.size());
  Finding found(Kind::mismatched_call);
  std::vector<Rank> with, without;
  for (Rank rank = 0; rank < facts.trace.world_size(); ++rank)
    (count(rank) == most ? with : without).push_back(rank);
  if (without.empty()) return;
  // The first call, of a rank with all, that a rank without all has not made in the same line.
  std::map<std::uint32_t, int> open;
  if (const auto at = made.find(without.front()); at != made.end())
    for (const std::uint64_t k : at->second) ++open[facts.trace[k].site];
  const auto& calls = made.at(with.front());
  const auto only =
      ranges::find_if(calls, [&](std::uint64_t k) { return --open[facts.trace[k].site] < 0; });
  found.severity = Finding::Severity::warning;
  found.ranks = with;
  for (const Rank rank : with) found.events.push_back(made.at(rank).back());
  found.events.front() = *only;
  found.site = facts.site(*only);
  found.what =
      fmt::format("{} {} {} of new_group, rank {} {}: one{} is missing there", rank_list(with),
                  with.size() == 1 ? "makes" : "make", counted(most, "call"), without.front(),
                  count(without.front()), facts.at(*only));
  found.why =
      "torch.distributed asks all ranks to call new_group, also those outside of the group. This "
      "release lets it pass; others wait there for all ranks.";
  found.advice =
      "Call new_group on every rank, before what only some ranks do: the ranks outside of the "
      "group get a placeholder.";
  report.add(std::move(found));
}

}  // namespace

void find_calls(const TraceOperations& facts, Report& report) {
  Calls(facts, report).find();
  find_groups(facts, report);
}

}  // namespace rankscope::finder
