// Collects problems from a run's result and its trace.
#include "gui/state/run/problems.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/findings/blocked_ranks.h"
#include "engine/analysis/meant/wrong_value.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/trace/streamed_trace.h"
#include "engine/core/trace/trace_file.h"
#include "gui/state/run/code_places.h"
#include "gui/state/run/large_run.h"
#include "lessons/grading/run_worth.h"

namespace rankscope::gui {
namespace {

using Severity = Problem::Severity;
using Status = JobResult::Status;

/// A window has no room for a thousand ranks.
constexpr std::size_t kMostRanks = 16;
/// Memory of an event, with what findings keep of it.
constexpr std::uint64_t kBytesAnEvent = 220;

constexpr std::size_t kMostNamed = 8;
constexpr std::size_t kMostExcerpts = 4;

/// "rank 2", "ranks 0, 1, 2", "ranks 0 to 63", "12 ranks, from 0 to 40"
std::string ranks_named(const std::vector<Rank>& ranks) {
  if (ranks.size() == 1) return fmt::format("rank {}", ranks.front());
  if (ranks.size() <= kMostNamed) return fmt::format("ranks {}", fmt::join(ranks, ", "));
  const bool all = static_cast<std::size_t>(ranks.back() - ranks.front()) + 1 == ranks.size();
  if (all) return fmt::format("ranks {} to {}", ranks.front(), ranks.back());
  return fmt::format("{} ranks, from {} to {}", ranks.size(), ranks.front(), ranks.back());
}

/// Removes the indentation that all lines have.
void remove_indentation(Problem::Excerpt& excerpt) {
  std::size_t least = std::string::npos;
  for (const auto& [number, line] : excerpt.lines)
    least = std::min(least, std::min(line.find_first_not_of(" \t"), line.size()));
  for (auto& [number, line] : excerpt.lines) line.erase(0, std::min(least, line.size()));
}

/// Returns a line of a source with the lines beside it.
Problem::Excerpt excerpt_of(const Trace& trace, std::string title, const std::string& file,
                            unsigned line) {
  Problem::Excerpt shown;
  shown.title = std::move(title);
  shown.marked = line;
  for (const auto& [name, text] : trace.meta().sources) {
    if (!same_file(name, file)) continue;
    std::string_view rest = text;
    for (unsigned at = 1; at <= line + 1 && !rest.empty(); ++at) {
      const auto end = rest.find('\n');
      const auto words = rest.substr(0, end);
      const bool blank = words.find_first_not_of(" \t\r") == std::string_view::npos;
      // Empty lines are no context.
      if (at + 1 >= line && (at == line || !blank)) shown.lines.emplace_back(at, printable(words));
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    break;
  }
  remove_indentation(shown);
  return shown;
}

/// The lines of a program's source at which blocked ranks stand.
class BlockedPlaces {
 public:
  explicit BlockedPlaces(const Trace& trace) : trace_(trace), blocked_(blocked_ranks(trace)) {}

  /// Adds where the ranks of a finding stand, and the line that would free the first one.
  void add_to(const Finding& finding, Problem& problem) const {
    const BlockedGroup* group = group_of(finding);
    if (group == nullptr) return;
    struct Stand {
      std::vector<Rank> ranks;
      std::uint64_t event = 0;
    };
    std::map<std::pair<std::string, unsigned>, Stand> lines;
    for (const auto* verbs : {&group->roots, &group->followers})
      for (const BlockedVerb& verb : *verbs) {
        if (verb.line == 0) continue;
        Stand& stand = lines[{verb.file, verb.line}];
        if (stand.ranks.empty()) stand.event = verb.event;
        stand.ranks.push_back(verb.rank);
      }
    for (auto& [at, stand] : lines) {
      if (problem.stands.size() >= kMostExcerpts) break;
      ranges::sort(stand.ranks);
      const auto known = std::ranges::unique(stand.ranks);
      stand.ranks.erase(known.begin(), known.end());
      problem.stands.push_back(
          excerpt(fmt::format("{} · {}:{}", ranks_named(stand.ranks), at.first, at.second),
                  at.first, at.second));
      problem.stands.back().event = static_cast<std::int64_t>(stand.event);
    }
    if (!group->by_order) return;
    const BlockedVerb& first = group->roots.front();
    const BlockedVerb& next = group->roots[group->roots.size() > 1 ? 1 : 0];
    if (next.next_line == 0) return;
    problem.frees_title =
        fmt::format("The {} that would free rank {}", first.send ? "receive" : "send", first.rank);
    problem.frees.push_back(excerpt(
        fmt::format("rank {} never reaches it · {}:{}", next.rank, next.file, next.next_line),
        next.file, next.next_line));
  }

 private:
  const BlockedGroup* group_of(const Finding& finding) const {
    for (const BlockedGroup& group : blocked_.groups)
      for (const BlockedVerb& verb : group.roots)
        if (ranges::find(finding.events, verb.event) != finding.events.end()) return &group;
    return nullptr;
  }
  Problem::Excerpt excerpt(std::string title, const std::string& file, unsigned line) const {
    return excerpt_of(trace_, std::move(title), file, line);
  }

  Trace trace_;
  BlockedRanks blocked_;
};

std::string_view advice_for_failure(Status status, const RankFailure& failure) {
  if (status == Status::timeout)
    return "Compare where the ranks stand: who waits for whom? If the run is only slow, `set "
           "timeout` gives it more time.";
  if (status == Status::deadlock) return "It is blocked for ever, or waits for a rank that is.";
  if (status == Status::interrupted)
    return "It did not end when the run was stopped. Run again: the ranks are restarted.";
  if (failure.loss == RankLoss::killed)
    return "The other ranks were stopped. Select the rank to see its last event. Run again: the "
           "ranks are restarted.";
  return "The other ranks were stopped. Run again: the ranks are restarted.";
}

Problem problem_of(const RankFailure& failure, Status status) {
  Problem problem;
  problem.what = fmt::format("rank {} {}", failure.rank, failure.what);
  problem.where = failure.where;
  problem.advice = advice_for_failure(status, failure);
  if (failure.lost_events > 0)
    problem.advice +=
        fmt::format(" Its last {} could not be recorded.", counted(failure.lost_events, "event"));
  problem.rank = failure.rank;
  // In a time-out, a rank that had ended is not the cause.
  if (failure.loss == RankLoss::ended) problem.severity = Severity::note;
  // Waiting ranks are listed, but are not the cause.
  problem.consequence = status == Status::deadlock || status == Status::timeout;
  return problem;
}

Problem problem_of(const RankOutcome& outcome) {
  Problem problem;
  problem.rank = outcome.rank;
  if (!outcome.mismatch.ok()) {
    problem.what = fmt::format("rank {} has a wrong result", outcome.rank);
    problem.where = fmt::format("element {} is {}, it should be {}", outcome.mismatch.index,
                                outcome.mismatch.got, outcome.mismatch.expected);
    problem.advice = "Play the steps: the stage shows where the value goes wrong.";
    problem.finding = Finding::Kind::wrong_result;
    return problem;
  }
  problem.what = outcome.reason.empty() ? shown_error(outcome.rank, outcome.cause, outcome.error)
                                        : fmt::format("rank {}: {}", outcome.rank, outcome.reason);
  if (!outcome.site.empty()) problem.where = "at " + outcome.site;
  problem.advice = "The other ranks were stopped. Open the code at this line.";
  return problem;
}

Severity severity_of(Finding::Severity severity) {
  if (severity == Finding::Severity::error) return Severity::error;
  return severity == Finding::Severity::warning ? Severity::warning : Severity::note;
}

class Collector {
 public:
  explicit Collector(std::vector<Problem>& problems) : problems_(problems) {}

  void take(const JobResult& result) {
    if (result.status == Status::timeout || result.status == Status::deadlock) add_of_run(result);
    for (const auto& failure : result.failures) add_of_rank(problem_of(failure, result.status));
    if (result.status != Status::interrupted && result.status != Status::deadlock)
      for (const auto& outcome : result.ranks)
        if ((!outcome.mismatch.ok() || !outcome.error.empty()) && !known(outcome.rank)) {
          Problem problem = problem_of(outcome);
          // Ranks that were stopped because another one was lost.
          problem.consequence = outcome.mismatch.ok() && !result.failures.empty();
          add_of_rank(std::move(problem));
        }
    if (left_out_ > 0) {
      add(Severity::note, fmt::format("and {} more", counted(left_out_, "rank")), "",
          "The result in the saved trace names them all.");
      problems_.back().consequence = true;
    }
    if (result.status == Status::interrupted)
      add(Severity::note, "the run was stopped", "", "What it had recorded until then is shown.");
    else if (!result.ok() && problems_.empty()) add_of_run(result);
    if (result.lost_events > 0) {
      add(Severity::warning,
          fmt::format("{} of {} were lost", counted(result.lost_events, "event"),
                      result.lost_events + result.events),
          "", "They were still in a rank's memory when it ended. The diagrams lack them.");
      problems_.back().consequence = !result.failures.empty();
    }
  }

  void take(const Document& document) {
    const auto& trace = document.trace();
    if (const auto text = trace.issues().to_string(); !text.empty())
      add(Severity::warning, text, document.path(), "What can be read is shown.");
    for (const auto& [rank, missing] : trace.gaps()) {
      if (known(rank)) continue;
      add(Severity::warning,
          fmt::format("{} of rank {} are missing", counted(missing, "event"), rank), "",
          "The diagrams lack them.", rank);
    }
    if (is_to_be_read(document))
      return add(Severity::note, "findings are looked for when all of the trace is read", "", "");
    if (document.run()) {
      add(Severity::note,
          fmt::format("findings are not looked for: the run has {} events",
                      grouped(document.run()->events())),
          "",
          fmt::format("They need all events in memory, which are {} at most here. Record a shorter "
                      "run; or, with some {} GiB of memory free, set RANKSCOPE_STREAM_EVENTS to a "
                      "larger number and open the trace again.",
                      grouped(most_events_held()),
                      document.run()->events() * kBytesAnEvent / (std::uint64_t{1} << 30) + 1));
      return;
    }
    if (!trace.meta().complete) return;
    if (!document.large() && ranges::any_of(document.findings(), is_of_waiting))
      places_.emplace(trace);
    for (const Finding& finding : document.findings())
      if (!is_reported_elsewhere(finding.kind)) add_finding(finding);
    if (!broke_off_) take_unreceived(document);
    tell_wrong_value(document);
  }

  void broke_off(bool so) noexcept { broke_off_ = so; }

  /// Puts consequences below the first problem that explains them.
  void fold() {
    const auto explains = [](const Problem& one) {
      return !one.consequence && one.severity == Severity::error;
    };
    if (ranges::none_of(problems_, explains)) return;
    std::vector<Problem> follows;
    for (Problem& one : problems_)
      if (one.consequence) follows.push_back(std::move(one));
    std::erase_if(problems_, [](const Problem& one) { return one.consequence; });
    auto& below = ranges::find_if(problems_, explains)->follows;
    std::move(follows.begin(), follows.end(), std::back_inserter(below));
  }

  /// Puts a grader's verdict on the run first. Other problems stay unless they say the same.
  void take(const RunFaults& faults, const Trace& trace) {
    for (const RunFault& fault : faults.faults) {
      Problem problem;
      problem.what = fault.says;
      problem.where = fmt::format("{}, with {}", faults.exercise, faults.run);
      problem.why = fmt::format("The exercise asks: {}", fault.rule);
      problem.rank = fault.rank;
      take_same(problem, fault);
      if (const auto event = event_of(trace, fault); event != kNoEvent)
        problem.places.emplace_back(fault.rank, event);
      problems_.insert(problems_.begin() + grader_problems_++, std::move(problem));
    }
  }

 private:
  static bool is_of_waiting(const Finding& finding) {
    return info(finding.kind).blocks || info(finding.kind).may_block;
  }

  /// Returns whether the run's result reports it instead: always (a lost rank), or if the run broke off.
  bool is_reported_elsewhere(Finding::Kind kind) const {
    using Elsewhere = FindingKind::Elsewhere;
    const Elsewhere elsewhere = info(kind).elsewhere;
    return elsewhere == Elsewhere::always || (broke_off_ && elsewhere == Elsewhere::when_broken);
  }

  /// Gives a grader's fault the advice of the finding that it reports, and removes that finding.
  void take_same(Problem& fault, const RunFault& of) {
    const auto same = std::find_if(
        problems_.begin() + grader_problems_, problems_.end(),
        [&](const Problem& one) { return one.finding && info(*one.finding).name == of.finding; });
    if (same != problems_.end()) {
      fault.advice = same->why.empty() ? same->advice : same->why + " " + same->advice;
      problems_.erase(same);
    }
    for (const Problem& one : problems_)
      if (!one.where.empty() && fault.what.ends_with(": " + one.where)) {
        fault.what.resize(fault.what.size() - one.where.size() - 2);
        return;
      }
  }

  void add(Severity severity, std::string what, std::string where, std::string advice,
           Rank rank = -1) {
    problems_.push_back({severity, std::move(what), std::move(where), std::move(advice), rank});
  }
  void add_of_rank(Problem problem) {
    if (problems_.size() < kMostRanks) problems_.push_back(std::move(problem));
    else ++left_out_;
  }
  bool known(Rank rank) const {
    return ranges::find(problems_, rank, &Problem::rank) != problems_.end();
  }

  void add_of_run(const JobResult& result) {
    const std::string message = result.message.empty() ? "the run failed" : result.message;
    if (result.status == Status::wrong_result)
      return add(Severity::error, message, "",
                 "All ranks must end with the same bits: compare their buffers at the end.");
    if (result.status == Status::deadlock) {
      add(Severity::error, result.deadlock ? result.deadlock->what : message, "",
          "The ranks were stopped. Change the code, and run it again.");
      problems_.back().finding = Finding::Kind::deadlock;
      if (result.deadlock) problems_.back().why = result.deadlock->advice;
      return;
    }
    if (result.status == Status::timeout)
      return add(Severity::error, message, "",
                 "If the run is only slow, `set timeout` gives it more time.");
    add(Severity::error, message, "", "Run again: the ranks are restarted where necessary.");
  }

  /// Gives the first wrong result its cause and line; the others become its consequences.
  void tell_wrong_value(const Document& document) {
    if (document.large()) return;
    const auto is_wrong = [](const Problem& one) {
      return one.finding == Finding::Kind::wrong_result;
    };
    const auto first = ranges::find_if(problems_, is_wrong);
    if (first == problems_.end()) return;
    const auto wrong = meant::find_wrong_value(document.analysis());
    if (!wrong) return;
    Problem told = std::move(*first);
    const auto finding =
        ranges::find(document.findings(), Finding::Kind::wrong_result, &Finding::kind);
    if (finding != document.findings().end()) {
      const auto colon = finding->site.rfind(':');
      const std::string file = finding->site.substr(0, colon);
      const auto line = static_cast<unsigned>(
          colon == std::string::npos ? 0 : std::atoi(finding->site.c_str() + colon + 1));
      if (line > 0) told.stands.push_back(excerpt_of(document.trace(), finding->site, file, line));
      if (!told.stands.empty() && told.stands.back().lines.empty()) told.stands.clear();
    }
    told.what = wrong->what;
    told.where = wrong->why;
    told.rank = wrong->result.rank;
    *first = std::move(told);
    const auto others = std::stable_partition(first + 1, problems_.end(),
                                              [&](const Problem& one) { return !is_wrong(one); });
    std::move(others, problems_.end(), std::back_inserter(first->follows));
    problems_.erase(others, problems_.end());
  }

  /// Replaces the conductor's problem, since a finding says more about where the ranks stand.
  void replace_reported(const Finding& finding) {
    std::erase_if(problems_, [&](const Problem& one) {
      if (!one.places.empty() || !one.circle.empty()) return false;  // a finding's
      return one.finding == Finding::Kind::deadlock ||
             ranges::find(finding.ranks, one.rank) != finding.ranks.end();
    });
  }

  void add_finding(const Finding& finding) {
    Problem problem;
    problem.what = finding.what;
    problem.why = finding.why;
    problem.advice = finding.advice;
    problem.finding = finding.kind;
    const bool result = finding.kind == Finding::Kind::wrong_result;  // its first rank is wrong
    if (!finding.events.empty() && !finding.ranks.empty())
      problem.rank = result ? finding.ranks.front() : finding.ranks.back();
    if (places_) places_->add_to(finding, problem);
    problem.consequence = !finding.advice.empty() &&
                          ranges::find(kFindingKinds, finding.advice, &FindingKind::follows) !=
                              std::end(kFindingKinds);
    if (finding.kind == Finding::Kind::deadlock) {
      replace_reported(finding);
      problem.what = "Deadlock: " + cycle_text(finding);
      problem.where = finding.what;
      problem.rank = finding.ranks.front();
      for (std::size_t i = 0; i < finding.ranks.size(); ++i)
        problem.circle.emplace_back(finding.ranks[i], finding.events[i]);
      // Only calls that do not agree come first: they may cause the deadlock, which causes the rest.
      const auto at = std::min(causes_ + deadlocks_++, std::ssize(problems_));
      problems_.insert(problems_.begin() + at, std::move(problem));
      return;
    }
    const bool waits = finding.kind == Finding::Kind::unmatched;
    if (waits && known(problem.rank)) return;  // where it waits was reported
    if (finding.kind == Finding::Kind::early_exit || finding.kind == Finding::Kind::self_send)
      replace_reported(finding);
    problem.severity = severity_of(finding.severity);
    if (waits && problem.severity == Severity::error) problem.severity = Severity::warning;
    auto& links = finding.kind == Finding::Kind::needs_buffering ? problem.circle : problem.places;
    if (finding.events.size() == finding.ranks.size())
      for (std::size_t i = 0; i < finding.ranks.size() && i < kMostRanks; ++i)
        if (finding.events[i] != kNoEvent && finding.ranks[i] >= 0)
          links.emplace_back(finding.ranks[i], finding.events[i]);
    if (finding.kind == Finding::Kind::mismatched_call)
      problems_.insert(problems_.begin() + causes_++, std::move(problem));
    else problems_.push_back(std::move(problem));
  }

  void take_unreceived(const Document& document) {
    const auto count = document.statistics().unreceived;
    if (count == 0) return;
    Problem problem{
        Severity::warning,
        fmt::format("{} {} never received", counted(count, "message"), count == 1 ? "was" : "were"),
        "", "Is there a receive with this sender and tag?", -1};
    const auto& messages = document.rounds().messages;
    const auto first = ranges::find_if(messages, [](const MessageRecord& message) {
      return message.received == kNoEvent && !message.sync && message.sent != kNoEvent;
    });
    if (first != messages.end()) {
      problem.where = place_of(document.trace(), *first);
      problem.rank = first->from;
    }
    problem.finding = Finding::Kind::unreceived;
    problem.consequence = true;
    problems_.push_back(std::move(problem));
  }

  /// "from rank 0 to rank 1, tag 0, sent at allreduce_ring.cpp:27"
  static std::string place_of(const Trace& trace, const MessageRecord& message) {
    auto text =
        fmt::format("from rank {} to rank {}, tag {}", message.from, message.to, message.tag);
    const auto* site = trace.definition(Definition::Kind::site, trace[message.sent].site);
    if (site != nullptr && site->line > 0)
      text += fmt::format(", sent at {}:{}", file_name(site->file), site->line);
    return text;
  }

  std::vector<Problem>& problems_;
  std::uint64_t left_out_ = 0;
  bool broke_off_ = false;
  std::optional<BlockedPlaces> places_;
  std::ptrdiff_t grader_problems_ = 0;  ///< The number of a grader's problems, which come first.
  std::ptrdiff_t deadlocks_ = 0;        ///< The number of deadlocks, which come next.
  std::ptrdiff_t causes_ = 0;           ///< The number of first problems that explain the others.
};

}  // namespace

std::vector<Problem> problems_of(const std::optional<JobResult>& result, const Document* document) {
  std::vector<Problem> problems;
  Collector collector(problems);
  auto known = result;
  if (!known && document != nullptr) {
    const TraceMeta& meta = document->trace().meta();
    known = meta.outcome;
    // A result that only a later version can read still says that the run ended.
    if (!known && !meta.unread_result.empty()) known = JobResult();
  }
  if (known) {
    collector.take(*known);
    collector.broke_off(known->status == Status::failed || known->status == Status::interrupted);
  }
  if (document != nullptr) collector.take(*document);
  ranges::stable_sort(problems, std::greater{}, &Problem::severity);
  collector.fold();
  if (document == nullptr) return problems;
  if (const auto& faults = document->trace().meta().faults)
    collector.take(*faults, document->trace());
  return problems;
}

}  // namespace rankscope::gui
