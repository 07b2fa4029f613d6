// One question about the smallest run that fails, computed from its trace, and the run as text.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/findings/trace_operations.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/run/job/transports.h"
#include "lessons/coding/smallest.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope {
namespace {

using Way = explore::FailureKind::Way;
using account::Fault;
using Pairs = std::vector<std::pair<int, int>>;

/// For each rank of the world, the message that it waits for, or that waits for its receive.
struct Wait {
  Rank rank = -1, peer = -1;
  bool send = false;
  std::string site;
};

std::vector<Wait> waits_in(const TraceAnalysis& trace) {
  const finder::TraceOperations facts(trace.trace());
  std::vector<Wait> out;
  for (const finder::Operation& one : facts.operations) {
    if (one.completed != kNoEvent || one.sync || one.dropped || one.peer < 0) continue;
    if (facts.has_ended(one.rank)) continue;
    const Wait wait{one.rank, one.peer, one.send, facts.at(one.posted)};
    if (ranges::none_of(out, [&](const Wait& other) {
          return other.rank == wait.rank && other.peer == wait.peer && other.send == wait.send;
        }))
      out.push_back(wait);
  }
  ranges::stable_sort(out, {}, &Wait::rank);
  return out;
}

std::vector<int> flat(const std::set<std::pair<int, int>>& pairs) {
  std::vector<int> out;
  for (const auto& [from, to] : pairs) out.insert(out.end(), {from, to});
  return out;
}

std::string pairs_text(const std::vector<Wait>& waits) {
  std::vector<std::string> out;
  for (const Wait& one : waits)
    out.push_back(fmt::format(
        "rank {} {} rank {}{}", one.rank,
        one.send ? "waits in a send for the receive of" : "waits in a receive for a message of",
        one.peer, one.site));
  return fmt::format("{}", fmt::join(out, "; "));
}

std::optional<RunQuestion> ask_who_waits(const SmallestRun& smallest) {
  const auto waits = waits_in(*smallest.trace);
  if (waits.empty()) return std::nullopt;
  std::set<std::pair<int, int>> all;
  for (const Wait& one : waits) all.emplace(one.rank, one.peer);
  RunQuestionPart part{
      "Who waits for whom? Write each waiting rank and the rank that it waits for.",
      "A>B C>D …",
      {flat(all)},
      true};
  for (const Finding& found : smallest.trace->findings()) {
    if (found.kind != Finding::Kind::deadlock || found.ranks.size() < 2) continue;
    std::set<std::pair<int, int>> circle;
    for (std::size_t i = 0; i < found.ranks.size(); ++i)
      circle.emplace(found.ranks[i], found.ranks[(i + 1) % found.ranks.size()]);
    part.answers.push_back(flat(circle));
  }
  return RunQuestion{{std::move(part)}, pairs_text(waits) + "."};
}

/// "its message 2>0 in round 1 brought r2; …"
std::string arrivals_text(const DataFlow& flow, Rank rank) {
  std::vector<std::string> out;
  for (const FlowMessage& message : flow.messages) {
    if (message.to != rank || message.received == kNoEvent) continue;
    std::vector<std::string> held;
    for (const account::Shares& one : message.elements) held.push_back(one.text());
    out.push_back(
        fmt::format("round {} from rank {}: {}", message.round, message.from,
                    held.empty() ? "(not read)" : fmt::format("{}", fmt::join(held, " "))));
  }
  if (out.empty()) return fmt::format("No message reached rank {}.", rank);
  return fmt::format("What reached rank {}: {}.", rank, fmt::join(out, "; "));
}

std::string place_text(const Fault& fault) {
  return fmt::format("element {} of rank {}'s result", fault.place, fault.rank);
}
const account::Shares& shares_at(const std::vector<std::vector<account::Shares>>& results,
                                 const Fault& fault) {
  return results[static_cast<std::size_t>(fault.rank)][static_cast<std::size_t>(fault.place)];
}

/// "Element 2 of rank 1's result lacks rank 0: it holds r1+r2. What reached rank 1: ..."
std::string explained(const DataFlow& flow, const Fault& fault) {
  account::Shares got = shares_at(flow.results, fault), want = shares_at(flow.expected, fault);
  const std::string holds = got.empty() ? "nothing" : got.text();
  // Only where data moves, or is added to another element, the elements matter.
  if (reduces(flow.run.collective) && fault.kind != Fault::Kind::foreign) {
    got = account::without_elements(got);
    want = account::without_elements(want);
  }
  return fmt::format("E{} {}: it holds {}. {}", place_text(fault).substr(1),
                     account::fault_words(got, want, "element"), holds,
                     arrivals_text(flow, fault.rank));
}

RunQuestion ask_what_is_missing(const DataFlow& flow, const Fault& fault,
                                const TraceAnalysis* right) {
  RunQuestion out;
  const std::vector<Rank> whose = fault.sources();
  const bool several = whose.size() > 1;
  out.parts.push_back({fmt::format("Which contribution{} missing in {}?", several ? "s are" : " is",
                                   place_text(fault)),
                       several ? "ranks" : "a rank",
                       {{whose.begin(), whose.end()}},
                       false});
  std::vector<Rank> senders = senders_of(flow, fault, right);
  const bool by_reference = !senders.empty() && right != nullptr;
  if (senders.empty()) senders = senders_of(flow, fault, nullptr);
  if (!several && whose.front() == fault.rank) senders.clear();
  if (!senders.empty()) {
    RunQuestionPart part{several ? "Which message should have brought one of them?"
                                 : "Which message should have brought it?",
                         "FROM>TO",
                         {},
                         true};
    for (const Rank from : senders) part.answers.push_back({from, fault.rank});
    out.parts.push_back(std::move(part));
  }
  out.explains = explained(flow, fault);
  if (!several && whose.front() == fault.rank)
    out.explains += " It is the rank's own contribution, which no message needs to bring.";
  else if (!senders.empty())
    out.explains +=
        by_reference
            ? fmt::format(" In a right run of this algorithm it comes from {}.", rank_list(senders))
            : fmt::format(" It could have come from {}, which had it.", rank_list(senders));
  return out;
}

RunQuestion ask_what_is_repeated(const DataFlow& flow, const Fault& fault) {
  RunQuestion out;
  RunQuestionPart part{
      fmt::format("Whose contribution is counted more than once in {}?", place_text(fault)),
      "a rank",
      {},
      false};
  for (const Rank one : fault.sources()) part.answers.push_back({one});
  out.parts.push_back(std::move(part));
  RunQuestionPart by{
      fmt::format("Which message brought rank {} a contribution that it had already?", fault.rank),
      "FROM>TO",
      {},
      true};
  for (const Rank one : fault.sources()) {
    const auto carriers = carriers_of(flow, fault.rank, one);
    // A rank has its own from the beginning.
    for (std::size_t i = one == fault.rank ? 0 : 1; i < carriers.size(); ++i)
      by.answers.push_back({flow.messages[carriers[i]].from, fault.rank});
  }
  if (!by.answers.empty()) out.parts.push_back(std::move(by));
  out.explains = explained(flow, fault);
  return out;
}

RunQuestion ask_what_lies_there(const DataFlow& flow, const Fault& fault) {
  const account::Shares& want = shares_at(flow.expected, fault);
  RunQuestion out;
  if (want.count() == 1) {
    const account::Share& one = *want.begin();
    out.parts.push_back({fmt::format("Which rank's data should lie in {}, and which element of its "
                                     "input?",
                                     place_text(fault)),
                         "RANK ELEMENT",
                         {{one.rank, static_cast<int>(one.element)}},
                         false});
  } else {
    out.parts.push_back(
        {fmt::format("Which element of the inputs should {} be the sum of?", place_text(fault)),
         "an element",
         {{static_cast<int>(want.begin()->element)}},
         false});
  }
  out.explains = explained(flow, fault);
  return out;
}

std::optional<RunQuestion> ask_about_data(const SmallestRun& smallest, const TraceAnalysis* right) {
  const DataFlow& flow = *smallest.flow;
  for (std::size_t rank = 0; rank < flow.expected.size(); ++rank) {
    const Shape wanted = expected_result(flow.run, static_cast<Rank>(rank)).shape;
    const Shape& got = smallest.results[rank].shape;
    if (got == wanted) continue;
    std::vector<int> extents(wanted.extents().begin(), wanted.extents().end());
    return RunQuestion{
        {{fmt::format("Which shape should the result of rank {} have?", rank),
          "numbers",
          {std::move(extents)},
          false}},
        fmt::format("It should be {}, and is {}.", wanted.to_string(), got.to_string())};
  }
  const auto fault = first_fault(flow);
  if (!fault) return std::nullopt;
  switch (fault->kind) {
    case Fault::Kind::missing:
      // Data that only moves lies in the wrong place, or never came.
      if (!reduces(flow.run.collective) && !shares_at(flow.results, *fault).empty() &&
          flow.reached(fault->rank, fault->source()))
        return ask_what_lies_there(flow, *fault);
      return ask_what_is_missing(flow, *fault, right);
    case Fault::Kind::doubled: return ask_what_is_repeated(flow, *fault);
    case Fault::Kind::foreign: return ask_what_lies_there(flow, *fault);
    default: break;
  }
  return std::nullopt;
}

std::optional<RunQuestion> ask_which_message(const SmallestRun& smallest) {
  if (smallest.event == kNoEvent || smallest.rule.empty()) return std::nullopt;
  const StepEvent& event = smallest.trace->trace()[smallest.event];
  if ((!is_send(event.verb) && !is_recv(event.verb)) || event.peer < 0) return std::nullopt;
  const bool send = is_send(event.verb);
  const int from = send ? event.rank : event.peer, to = send ? event.peer : event.rank;
  return RunQuestion{
      {{fmt::format("Which message is the first that breaks the rule \"{}\"?", smallest.rule),
        "FROM>TO",
        {{from, to}},
        true}},
      smallest.failure.words + "."};
}

std::vector<int> numbers_of(std::string_view text) {
  std::vector<int> out;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] < '0' || text[i] > '9') {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    out.push_back(end - i > 6 ? -1 : std::stoi(std::string(text.substr(i, end - i))));
    i = end;
  }
  return out;
}

Pairs in_pairs(const std::vector<int>& numbers) {
  Pairs out;
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2)
    out.emplace_back(numbers[i], numbers[i + 1]);
  ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

bool is_right(const RunQuestionPart& part, std::string_view answer) {
  const std::vector<int> given = numbers_of(answer);
  if (given.empty() || (part.pairs && given.size() % 2 != 0)) return false;
  return ranges::any_of(part.answers, [&](const std::vector<int>& one) {
    if (part.pairs) return in_pairs(given) == in_pairs(one);
    return part.form == "ranks" ? std::ranges::is_permutation(given, one) : given == one;
  });
}

std::optional<RunQuestion> ask_about(const SmallestRun& smallest, const TraceAnalysis* right) {
  if (!smallest.trace) return std::nullopt;
  if (smallest.failure.way == Way::deadlock) return ask_who_waits(smallest);
  if (smallest.flow && smallest.failure.way == Way::wrong_result)
    if (auto question = ask_about_data(smallest, right)) return question;
  return ask_which_message(smallest);
}

std::optional<TraceAnalysis> right_run(const CodingExercise& exercise, const CodeCase& one) {
  std::string algorithm;
  bool left = false;
  for (const CodingRule& rule : exercise.rules) {
    if (rule.judge != CodingRule::Judge::trace || rule.remark || rule.bonus || !algorithm.empty())
      continue;
    if (one.collective == Collective::allreduce) {
      if (rule.rule.kind == Rule::Kind::ring) algorithm = "allreduce.ring";
      if (rule.rule.kind == Rule::Kind::xor_partners) algorithm = "allreduce.bde";
      if (rule.rule.kind == Rule::Kind::tree)
        algorithm = rule.rule.tree == Rule::Tree::homework ? "allreduce.tree" : "allreduce.mst";
      left = rule.rule.direction == Rule::Direction::left;
    }
    if (one.collective == Collective::alltoall && rule.rule.kind == Rule::Kind::pairs)
      algorithm = "alltoall.linear";
  }
  if (algorithm.empty()) return std::nullopt;
  JobSpec job;
  job.call.algorithm = algorithm;
  job.world.size = one.ranks;
  job.call.shape = one.shape.extents();
  const int dims = one.shape.dims();
  job.call.scatter_dim = one.scatter_dim < 0 ? one.scatter_dim + dims : one.scatter_dim;
  job.call.gather_dim = one.gather_dim < 0 ? one.gather_dim + dims : one.gather_dim;
  job.call.left_ring = left;
  job.transport.name = kThreadTransport;
  try {
    LessonRuns runs;
    return *runs.run_once(job);
  } catch (const UserError&) {
    return std::nullopt;  // not of this shape: the question goes without it
  }
}

}  // namespace rankscope
