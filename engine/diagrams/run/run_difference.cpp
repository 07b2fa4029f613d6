// Compares the jobs, networks, results, steps and times of two runs.
#include "engine/diagrams/run/run_difference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/diff.h"
#include "engine/analysis/events/built_in_calls.h"
#include "engine/analysis/events/event_text.h"
#include "engine/analysis/meant/verdict.h"
#include "engine/analysis/statistics.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/base/value_text.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/network/files/sized_topology.h"
#include "engine/network/files/topology_file.h"

namespace rankscope {
namespace {

constexpr std::int64_t kShortNs = 100'000'000;
constexpr std::size_t kMostLinks = 2;  ///< More changed links are counted, not named.

using Texts = std::vector<std::string>;

std::set<Rank> slow_ranks(const JobSpec& job) {
  std::set<Rank> slow;
  for (std::size_t rank = 0; rank < job.world.delays_us.size(); ++rank)
    if (job.world.delays_us[rank] > 0) slow.insert(static_cast<Rank>(rank));
  return slow;
}

void add_slow(const JobSpec& before, const JobSpec& now, Texts& changes) {
  const auto then = slow_ranks(before), slow = slow_ranks(now);
  const bool same = before.world.delays_us == now.world.delays_us &&
                    before.network.slow_ranks == now.network.slow_ranks;
  if (same || (slow.empty() && then.empty() && now.network.slow_ranks.empty() &&
               before.network.slow_ranks.empty()))
    return;
  if (!now.network.slow_ranks.empty() && slow == then)
    for (const auto one : split_at(now.network.slow_ranks, ",")) {  // "2=10"
      const auto equals = std::min(one.find('='), one.size());
      changes.push_back(fmt::format("rank {} computes {} times as long", one.substr(0, equals),
                                    one.substr(std::min(equals + 1, one.size()))));
    }
  else if (slow.empty()) changes.emplace_back("no slow rank");
  else if (slow == then) changes.push_back(fmt::format("rank {} slow otherwise", *slow.begin()));
  else
    changes.push_back(fmt::format("{} {} slow", slow.size() == 1 ? "rank" : "ranks",
                                  fmt::join(slow, slow.size() == 2 ? " and " : ", ")));
}

/// Returns "100 MB" for a decimal size, else "16 KiB".
std::string size_words(std::uint64_t bytes) {
  constexpr std::uint64_t kKilo = 1000;
  constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  std::uint64_t number = bytes;
  for (; number > 0 && number % kKilo == 0 && unit + 1 < kUnits.size(); ++unit) number /= kKilo;
  return unit > 1 || (unit == 1 && bytes % 1024 != 0) ? fmt::format("{} {}", number, kUnits[unit])
                                                      : amount_text(bytes);
}

std::uint64_t bytes_of(const JobSpec& job) {
  std::uint64_t all = dtype_size(job.call.dtype);
  for (const auto extent : job.call.shape) all *= static_cast<std::uint64_t>(extent);
  return all;
}

/// Returns whether there is more data only because each of more ranks has one element.
bool grew_with_ranks(const JobSpec& before, const JobSpec& now) {
  return before.call.dtype == now.call.dtype &&
         now.call.shape == std::vector<Count>{now.world.size} && before.call.shape.size() == 1 &&
         before.call.shape[0] < now.call.shape[0] && before.world.size < now.world.size;
}

/// Returns "on torus-2d", with its number of ranks if the job does not use all; only the speed, if that alone changed;
/// nothing, if only the number of ranks changed.
std::string on_network(const JobSpec& before, const JobSpec& now) {
  const std::string &was = before.network.topology, &is = now.network.topology;
  if (!was.empty() && is.starts_with(was + "@"))
    if (const std::string faster = topology_in_words(is.substr(is.rfind('@')));
        faster.starts_with(", "))
      return faster.substr(2);
  // The network's size follows the number of ranks, which is a change of its own.
  const std::string own = fmt::format("@{}", now.world.size);
  if (before.world.size != now.world.size && is.ends_with(own) &&
      was.substr(0, was.find('@')) == is.substr(0, is.size() - own.size()))
    return {};
  if (!is.empty() && was.starts_with(is + "@") && was.find('x', is.size()) != std::string::npos)
    return "the usual speed";
  return "on " + topology_in_words(is, now.world.size);
}

/// Adds what differs in the speed of uniform networks; processes are compared with the default speed.
void add_speed(const JobSpec& before, const JobSpec& now, Texts& changes) {
  const JobSpec usual;
  const JobSpec::Network& was = before.is_simulated() ? before.network : usual.network;
  const JobSpec::Network& is = now.network;
  const double wider = is.bandwidth / was.bandwidth, sooner = was.alpha_s / is.alpha_s;
  if (wider == 1 && is.alpha_s == was.alpha_s) return;
  if (std::abs(wider - sooner) < 1e-9 * wider) {
    changes.push_back(wider > 1 ? fmt::format("{:g} times as fast", wider)
                                : fmt::format("{:g} times as slow", 1 / wider));
    return;
  }
  if (wider != 1) changes.push_back("links of " + bandwidth_text(is.bandwidth));
  if (is.alpha_s == 0) changes.emplace_back("no latency");
  else if (is.alpha_s != was.alpha_s)
    changes.push_back(microseconds_text(is.alpha_s * 1e6) + " a message");
}

/// Returns "50 GB/s" for "50GB/s".
std::string with_space(std::string text) {
  const auto unit = text.find_first_not_of("0123456789.");
  if (unit != std::string::npos && unit > 0 && text[unit] != ' ') text.insert(unit, " ");
  return text;
}

/// Adds, in words, what differs between two texts like "0:1=cut,0:2=50GB/s".
void add_links(const std::string& before, const std::string& now, Texts& changes) {
  const auto parts = [](const std::string& text) {
    std::map<std::string, std::string> links;
    for (const std::string_view part : split_at(text, ",")) {
      if (part.empty()) continue;
      const auto equals = std::min(part.find('='), part.size());
      std::string pair(part.substr(0, equals));
      replace_all(pair, ":", "–");
      links[pair] = part.substr(std::min(equals + 1, part.size()));
    }
    return links;
  };
  const auto then = parts(before), all = parts(now);
  for (const auto& [pair, is] : all)
    if (const auto was = then.find(pair); was == then.end() || was->second != is)
      changes.push_back(is == "cut" ? fmt::format("without link {}", pair)
                                    : fmt::format("link {} at {}", pair, with_space(is)));
  for (const auto& [pair, was] : then)
    if (!all.contains(pair)) changes.push_back(fmt::format("link {} as usual", pair));
}

/// Adds what differs between the networks of two simulated runs, if their jobs do not say it.
void add_networks(const TraceMeta& before, const TraceMeta& now, Texts& changes) {
  if (before.network == now.network || before.network.empty() || now.network.empty()) return;
  using Links = std::map<std::string, double>;
  const auto links_of = [](const Topology& topology) {
    Links links;
    for (const TopologyLink& link : topology.links)
      links[fmt::format("{}–{}", topology.name_of(link.a), topology.name_of(link.b))] =
          link.bandwidth;
    return links;
  };
  try {
    const Topology a = parse_topology(before.network, "before"),
                   b = parse_topology(now.network, "now");
    if (a.nodes.size() != b.nodes.size()) return changes.push_back("on " + b.title);
    const Links then = links_of(a), all = links_of(b);
    Texts links;
    for (const auto& [pair, bandwidth] : then)
      if (!all.contains(pair)) links.push_back(fmt::format("without link {}", pair));
    for (const auto& [pair, bandwidth] : all)
      if (const auto was = then.find(pair); was == then.end())
        links.push_back(fmt::format("with a link {}", pair));
      else if (was->second != bandwidth)
        links.push_back(fmt::format("link {} at {}", pair, bandwidth_text(bandwidth)));
    if (links.size() > kMostLinks) links = {fmt::format("{} links changed", links.size())};
    if (links.empty()) links = {a.title == b.title ? "another network" : "on " + b.title};
    changes.insert(changes.end(), links.begin(), links.end());
  } catch (const UserError&) {  // a text of another version: the pictures show it
    changes.emplace_back("another network");
  }
}

/// Returns how a run ended, for use with "instead of": "a right result", "wrong on 4 ranks".
std::string ending_of(const TraceAnalysis& run) {
  const TraceMeta& meta = run.trace().meta();
  std::set<Rank> wrong;
  if (meta.outcome)
    for (const RankOutcome& rank : meta.outcome->ranks)
      if (!rank.mismatch.ok()) wrong.insert(rank.rank);
  const auto verdict = wrong.empty() ? meant::judge(meta) : std::nullopt;
  if (verdict)
    for (const meant::WrongElement& one : verdict->wrong) wrong.insert(one.rank);
  if (!wrong.empty()) return "wrong on " + counted(wrong.size(), "rank");
  if (const std::string outcome = run_outcome(run.trace()); !outcome.empty()) return outcome;
  // A program that nothing judges has ended well, right or not.
  const bool unjudged = !verdict && meta.job && meta.job->is_program();
  return unjudged && meta.outcome ? "ended well" : meta.outcome || verdict ? "right" : "";
}

/// Returns whether neither data nor a slow rank takes time. Processes share the machine, so such a run may take several
/// times as long the next time.
bool is_quick(const TraceMeta& run, std::int64_t longest_ns) {
  constexpr std::uint64_t kFewBytes = 1 << 20;
  if (!run.job || run.job->is_program()) return longest_ns < kShortNs;
  return !run.job->is_simulated() && bytes_of(*run.job) < kFewBytes && slow_ranks(*run.job).empty();
}

/// Returns whether two runs' times can be compared, given which are quick, and how many times as long the second took.
bool are_told_apart(bool quick, bool quick_now, double ratio) {
  constexpr double kClearly = 1.5;
  if (quick && quick_now) return false;
  return quick ? ratio > kClearly : !quick_now || ratio < 1 / kClearly;
}

/// Compares two times in words; empty if both vary.
std::string times_of(const TraceMeta& before, const TraceMeta& now, std::int64_t was,
                     std::int64_t is) {
  if (was <= 0 || is <= 0) return {};
  const bool simulated =
      before.job && now.job && before.job->is_simulated() && now.job->is_simulated();
  const bool quick = is_quick(before, std::max(was, is)),
             quick_now = is_quick(now, std::max(was, is));
  if (quick && quick_now) return {};
  const double ratio = static_cast<double>(is) / static_cast<double>(was);
  // Chance made the quick one longer, or nearly so.
  if (!are_told_apart(quick, quick_now, ratio)) return time_text(is) + ", measured once";
  const double same = simulated ? 1.005 : 1.5;
  if (ratio < same && ratio > 1 / same)
    return simulated ? fmt::format("just as long: {}", time_text(is))
                     : fmt::format("about as long, measured once: {} and {}", time_text(was),
                                   time_text(is));
  const std::string both = fmt::format("{} instead of {}", time_text(is), time_text(was));
  if (quick || quick_now) return both;  // a multiple of a varying time says nothing
  if (const double percent = (ratio - 1) * 100; std::abs(percent) < 5)
    return fmt::format("{}, {:.1f} % {}", both, std::abs(percent), percent > 0 ? "more" : "less");
  const auto times = [](double many) {
    return many < 10 ? fmt::format("{:.1f}", many) : fmt::format("{:.0f}", many);
  };
  return ratio > 1 ? fmt::format("{}, {} times as long", both, times(ratio))
                   : fmt::format("{}, {} times as fast", both, times(1 / ratio));
}

}  // namespace

Texts changes_of(const JobSpec& before, const JobSpec& now) {
  Texts changes;
  const auto add = [&](bool differs, std::string text) {
    if (differs) changes.push_back(std::move(text));
  };
  const JobSpec::Call &a = before.call, &b = now.call;
  // For the same collective, the algorithm is enough: "ring" of "allreduce.ring".
  const auto up_to_dot = [](const std::string& name) { return name.find('.') + 1; };
  const auto own = up_to_dot(b.algorithm);
  const bool same_collective =
      own > 0 && own == up_to_dot(a.algorithm) &&
      std::equal(a.algorithm.begin(), a.algorithm.begin() + own, b.algorithm.begin());
  add(a.algorithm != b.algorithm,
      same_collective ? "by " + std::string(b.algorithm, own) : b.algorithm);
  add(before.world.size != now.world.size,
      counted(static_cast<std::uint64_t>(now.world.size), "rank"));
  add(a.dtype != b.dtype, std::string(to_string(b.dtype)));
  add(bytes_of(before) != bytes_of(now) && !grew_with_ranks(before, now),
      size_words(bytes_of(now)));
  add(bytes_of(before) == bytes_of(now) && a.shape != b.shape, "another shape");
  add(a.op != b.op, fmt::format("{} in place of {}", to_string(b.op), to_string(a.op)));
  add(a.root != b.root, fmt::format("root {}", b.root));
  add(a.left_ring != b.left_ring, b.left_ring ? "to the left" : "to the right");
  add(before.transport.mode != now.transport.mode,
      fmt::format("{} sends", to_string(now.transport.mode)));
  const bool moved = before.network.topology != now.network.topology;
  if (now.is_simulated()) {
    const std::string where = now.network.topology.empty() ? "simulated" : on_network(before, now);
    add((moved || !before.is_simulated()) && !where.empty(), where);
    if (now.network.topology.empty()) add_speed(before, now, changes);
  } else {
    add(before.transport.name != now.transport.name, "over " + now.transport.name);
  }
  add_links(moved ? std::string() : before.network.links, now.network.links, changes);
  add(before.network.placement != now.network.placement,
      now.network.placement.empty() ? "ranks in their order" : "ranks in another order");
  add(before.network.failures != now.network.failures,
      now.network.failures.empty() ? "nothing breaks" : "breaking " + now.network.failures);
  add_slow(before, now, changes);
  return changes;
}

Texts changes_of(const TraceMeta& before, const TraceMeta& now) {
  if (!before.job || !now.job || before.job->is_program() || now.job->is_program())
    return run_name(before) == run_name(now) ? Texts{} : Texts{run_name(now)};
  Texts changes = changes_of(*before.job, *now.job);
  // A network that was edited is a file of its own; what was changed in it says more than its name.
  const std::string &was = before.job->network.topology, &is = now.job->network.topology;
  if (was == is || was.empty() || is.find('/') == std::string::npos) return changes;
  const Texts named = changes;
  std::erase(changes, on_network(*before.job, *now.job));
  const auto without = changes.size();
  add_networks(before, now, changes);
  return changes.size() == without ? named : changes;
}

bool has_varying_times(const TraceAnalysis& before, const TraceAnalysis& now) {
  const auto longest = std::max(before.statistics().duration_ns, now.statistics().duration_ns);
  return !are_told_apart(
      is_quick(before.trace().meta(), longest), is_quick(now.trace().meta(), longest),
      static_cast<double>(now.statistics().duration_ns) /
          static_cast<double>(std::max<std::int64_t>(before.statistics().duration_ns, 1)));
}

std::string difference_in_words(const TraceAnalysis& before, const TraceAnalysis& now) {
  const TraceMeta &a = before.trace().meta(), &b = now.trace().meta();
  const Texts changes = changes_of(a, b);
  Texts facts;
  const std::string was = ending_of(before), is = ending_of(now);
  if (was != is)
    facts.push_back(fmt::format("{} instead of {}", is.empty() ? "not judged" : is,
                                was.empty() ? "not judged" : was));
  const Statistics &then = before.statistics(), &all = now.statistics();
  if (then.rounds != all.rounds)
    facts.push_back(fmt::format(
        "{} instead of {}", counted(static_cast<std::uint64_t>(all.rounds), "step"), then.rounds));
  else if (then.total.messages != all.total.messages)
    facts.push_back(fmt::format("{} instead of {}", counted(all.total.messages, "message"),
                                then.total.messages));
  const bool fails = !was.empty() && !is.empty() && was != is && (was != "right" || is != "right");
  const bool one_clock = (a.job && a.job->is_simulated()) == (b.job && b.job->is_simulated());
  // The time of a run that failed says nothing, nor does virtual time beside measured time.
  if (!one_clock)
    facts.push_back(time_text(all.duration_ns) +
                    (b.job && b.job->is_simulated() ? " of virtual time" : ""));
  else if (!fails || was.starts_with("wrong") || is.starts_with("wrong"))
    if (auto times = times_of(a, b, then.duration_ns, all.duration_ns); !times.empty())
      facts.push_back(std::move(times));
  if (facts.empty() && !changes.empty()) facts.emplace_back("the same steps");
  std::string text = changes.empty() ? "" : fmt::format("{}", fmt::join(changes, ", "));
  if (text.empty() && was == is && then.rounds == all.rounds) text = "the same steps and result";
  text += text.empty() || facts.empty() ? "" : ": ";
  text += fmt::format("{}", fmt::join(facts, "; "));
  return capitalized(std::move(text));
}

namespace {

/// Returns "line 14", or in a module "line 3 of helper.py"; empty if the trace does not say.
std::string line_of(const Trace& trace, std::uint64_t event) {
  const std::string site = short_site(trace, trace[event].site);
  const auto colon = site.rfind(':');
  if (colon == std::string::npos) return {};
  const std::string file = site.substr(0, colon);
  return "line " + site.substr(colon + 1) + (file == trace.meta().algorithm ? "" : " of " + file);
}

/// Returns the first element that differs, in both: "4" and "5".
std::pair<std::string, std::string> first_values(const Trace& before, const Trace& now,
                                                 std::pair<std::uint64_t, std::uint64_t> events) {
  const auto a = before.preview(events.first), b = now.preview(events.second);
  const DType x = before[events.first].dtype, y = now[events.second].dtype;
  const std::size_t wide = dtype_size(x);
  if (x != y) return {std::string(to_string(x)), std::string(to_string(y))};
  for (std::size_t at = 0; at + wide <= std::min(a.size(), b.size()); at += wide)
    if (!std::equal(a.data() + at, a.data() + at + wide, b.data() + at)) {
      std::string was = value_text(x, a.data() + at), is = value_text(x, b.data() + at);
      if (was == is)
        was = value_text(x, a.data() + at, true), is = value_text(x, b.data() + at, true);
      return {std::move(was), std::move(is)};
    }
  return {counted(a.size() / wide, "value"), counted(b.size() / wide, "value")};
}

/// The words for one step of two programs that differ in it.
class EditedStep {
 public:
  EditedStep(const TraceAnalysis& before, const TraceAnalysis& now, const Difference& difference)
      : then_(before.trace()),
        now_(now.trace()),
        failed_(!run_outcome(then_).empty()),
        fails_(!run_outcome(now_).empty()),
        at_(difference) {}

  std::string text() const {
    const std::string who = fmt::format("rank {}", at_.rank);
    if (!at_.right)
      return fmt::format("{} no longer {}{}", who, action(then_, *at_.left),
                         fails_ ? ", because it does not get there" : "");
    const StepEvent& is = now_[*at_.right];
    const std::string does = action(now_, *at_.right);
    if (!at_.left)
      return fmt::format("{} {}; before, {}", who, does,
                         failed_ ? "it did not get there" : "it did not");
    const StepEvent& was = then_[*at_.left];
    if (is_recv(was.verb) && !is_recv(is.verb) && !at_.left_done)
      return fmt::format("{} {}; before, it waited for {} from {}", who, does,
                         amount_text(was.bytes), name(was.peer));
    if (is.kind != was.kind || is.verb != was.verb || is.kind == EventKind::call)
      return fmt::format("{} {}; before, it {}", who, does, past(action(then_, *at_.left)));
    const std::string verb = is_recv(is.verb) ? "receives" : "sends",
                      to = is_recv(is.verb) ? "from " : "to ";
    if (is.peer != was.peer)
      return fmt::format("{} {} {}{} instead of {}{}", who, verb, to, name(is.peer), name(was.peer),
                         within());
    if (is.tag != was.tag)
      return fmt::format("{} {} tag {} instead of {} {}{}{}", who, verb, is.tag, was.tag, to,
                         name(is.peer), within());
    if (is.bytes != was.bytes)
      return fmt::format("{} {} {} instead of {} {}{}{}", who, verb, amount_text(is.bytes),
                         amount_text(was.bytes), to, name(is.peer), within());
    if (at_.contents) {
      const auto [before, now] = first_values(then_, now_, *at_.contents);
      return fmt::format("{} {} {} instead of {} {}{}{}", who, verb, now, before, to,
                         name(peer(now_, at_.right_done, is)), within());
    }
    if (!at_.left_done || !at_.right_done)
      return fmt::format("{} waits for a message {}{}; before, {}", who, to, name(is.peer),
                         at_.left_done ? "it came" : "none came");
    return fmt::format("{} receives from {} first; before, from {}", who,
                       name(now_[*at_.right_done].peer), name(then_[*at_.left_done].peer));
  }

 private:
  static std::string name(Rank rank) {
    return rank == kAnyRank ? "any rank" : fmt::format("rank {}", rank);
  }
  static Rank peer(const Trace& trace, std::optional<std::uint64_t> done, const StepEvent& posted) {
    return done ? trace[*done].peer : posted.peer;
  }
  /// Returns "sends 16 B to rank 1", "calls allreduce (4 float32, SUM)"
  static std::string action(const Trace& trace, std::uint64_t event) {
    const StepEvent& is = trace[event];
    if (is.kind == EventKind::call) return "calls " + call_text(trace, is);
    return fmt::format("{} {} {}{}", is_recv(is.verb) ? "receives" : "sends", amount_text(is.bytes),
                       is_recv(is.verb) ? "from " : "to ", name(is.peer));
  }
  static std::string past(const std::string& action) {
    const auto gap = action.find(' ');
    const std::string verb = action.substr(0, gap);
    return (verb == "sends"   ? "sent"
            : verb == "calls" ? "called"
                              : "received") +
           action.substr(gap);
  }
  /// Returns " in " and the built-in that the message is part of; else nothing.
  std::string within() const {
    const std::uint32_t phase = now_[*at_.right].phase;
    if (!in_built_in(now_, phase)) return {};
    std::string path = phase_path(now_, phase);
    const auto from = path.find(kBuiltIn);
    if (from == std::string::npos) return {};
    path.erase(0, from + kBuiltIn.size());
    return " in " + path.substr(0, path.find(' '));
  }

  const Trace &then_, &now_;
  const bool failed_, fails_;
  const Difference& at_;
};

}  // namespace

namespace {

/// Returns "line 17", the first line of a source that changed; empty if none did, or the traces lack it.
std::string changed_line(const TraceMeta& before, const TraceMeta& now) {
  for (const auto& [name, text] : now.sources) {
    const auto then =
        ranges::find_if(before.sources, [&](const auto& one) { return one.first == name; });
    if (then == before.sources.end() || then->second == text) continue;
    const auto parts = std::ranges::mismatch(then->second, text);
    return fmt::format("line {}", 1 + std::count(text.begin(), parts.in2, '\n'));
  }
  return {};
}

}  // namespace

std::string edit_in_words(const TraceAnalysis& before, const TraceAnalysis& now,
                          const std::string& printed) {
  const std::string was = ending_of(before), is = ending_of(now);
  const std::string ends =
      was == is || was.empty() || is.empty() ? "" : fmt::format("; {} instead of {}", is, was);
  if (before.trace().world_size() != now.trace().world_size())
    return fmt::format("Now {} instead of {}{}",
                       counted(static_cast<std::uint64_t>(now.trace().world_size()), "rank"),
                       before.trace().world_size(), ends);
  if (before.large() || now.large())
    return fmt::format("Runs this long are not compared message by message: {} instead of {}{}",
                       counted(now.statistics().total.messages, "message"),
                       before.statistics().total.messages, ends);
  const auto difference = first_difference(before.trace(), now.trace(), Compared::messages);
  if (!difference) {
    const std::string line = changed_line(before.trace().meta(), now.trace().meta());
    if (printed.empty()) return "The same messages and values as before" + ends;
    return fmt::format("Now {}{}; the messages are the same as before{}", printed,
                       line.empty() ? "" : ", after a change of " + line, ends);
  }
  const std::string line = difference->right ? line_of(now.trace(), *difference->right)
                                             : line_of(before.trace(), *difference->left);
  return fmt::format("Now differs from before{}: {}{}",
                     line.empty()        ? ""
                     : difference->right ? " in " + line
                                         : fmt::format(" (in what was {})", line),
                     EditedStep(before, now, *difference).text(), ends);
}

}  // namespace rankscope
