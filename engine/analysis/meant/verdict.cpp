// Judges the calls of one function in turn, until one is wrong.
#include "engine/analysis/meant/verdict.h"

#include <fmt/format.h>

#include "engine/analysis/findings/trace_operations.h"
#include "engine/analysis/meant/causes.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope::meant {
namespace {

using Kind = Finding::Kind;

constexpr int kMostCalls = 8;

std::string article(const std::string& words) {
  const bool vowel = std::string("aeiou").find(words.front()) != std::string::npos;
  return (vowel ? "an " : "a ") + words;
}

Finding finding_of(Kind kind, Rank rank, const Handed::Call& call, int line) {
  Finding out(kind);
  out.ranks = {rank};
  out.events = {kNoEvent};
  out.site = call.site(line);
  return out;
}

/// Reports a changed argument, except where the function changed it on purpose: on all ranks, to the result.
std::optional<Finding> changed_input(const Instance& instance, const Meaning& meaning,
                                     const Comparison& comparison, const std::string& name) {
  if (has_root(meaning.collective)) return std::nullopt;
  const std::string dtype = dtype_of(instance, name);
  const Handed::Call* first = nullptr;
  std::vector<Rank> changed;
  bool in_place = true;
  for (const auto& [rank, call] : instance.calls) {
    if (!is_given(*call, name) || !call->returns) return std::nullopt;
    const auto before = call->begin.find(name), after = call->after.find(name);
    if (before == call->begin.end() || after == call->after.end()) return std::nullopt;
    const auto expected = expected_values(meaning, comparison.root, instance.inputs, rank);
    in_place = in_place && same(after->second.values, expected, dtype);
    if (before->second.values == after->second.values) continue;
    if (first == nullptr) first = call;
    changed.push_back(rank);
  }
  if (first == nullptr || in_place) return std::nullopt;
  const auto& before = first->begin.at(name).values;
  int line = first->end;
  for (const Handed::Change& change : first->history)
    if (change.name == name && change.values != before) {
      line = change.line;
      break;
    }
  Finding out = finding_of(Kind::input_changed, first->rank, *first, line);
  out.ranks = changed;
  out.events.assign(changed.size(), kNoEvent);
  out.what = fmt::format("{} changes its argument {} on {}: it is changed at {}", first->function,
                         name, rank_list(changed), out.site);
  out.why = fmt::format(
      "It returns the result, and its caller keeps {}; code that uses {} afterwards has other "
      "numbers {}.",
      name, name, changed.size() < instance.calls.size() ? "on these ranks only" : "than before");
  out.advice = fmt::format(
      "Work on a copy: {0} = {0}.clone() (in NumPy {0}.copy()), or write {0} = {0} + t, which "
      "makes a new array.",
      name);
  return out;
}

struct Judged {
  Comparison comparison;
  Instance instance;
  int number = 0;
};

/// Returns the first call with a wrong result, else the first call.
Judged first_wrong(const std::vector<Handed::Call>& calls, const Subject& subject,
                   const Meaning& meaning) {
  std::optional<Judged> first;
  for (int number = 0; number < kMostCalls; ++number) {
    Judged now{{}, instance_of(calls, subject, number), number};
    if (now.instance.calls.empty()) break;
    now.comparison = compare(now.instance, meaning, subject.name);
    if (!now.comparison.wrong.empty()) return now;
    if (!first) first = std::move(now);
  }
  if (!first) {
    first.emplace();
    first->comparison.problem = "no rank noted a call that came to its end";
  }
  return std::move(*first);
}

/// A rank's result, and what it should be.
struct Result {
  std::vector<double> got, expected;
};

Result result_of(const Judged& judged, const Subject& subject, const Meaning& meaning, Rank rank) {
  auto expected = expected_values(meaning, judged.comparison.root, judged.instance.inputs, rank);
  auto got = outcome_of(*judged.instance.calls.at(rank), subject.name, expected).values;
  return {std::move(got), std::move(expected)};
}

std::vector<WrongElement> wrong_elements(const Judged& judged, const Subject& subject,
                                         const Meaning& meaning) {
  std::vector<WrongElement> out;
  const std::string dtype = dtype_of(judged.instance, subject.name);
  for (const Rank rank : judged.comparison.wrong) {
    const auto [got, expected] = result_of(judged, subject, meaning, rank);
    if (got.size() != expected.size()) continue;
    const auto at = first_difference(got, expected, dtype);
    if (at < 0) continue;
    const auto e = static_cast<std::size_t>(at);
    out.push_back({rank, at, got[e], expected[e]});
  }
  return out;
}

/// "Element 2 of rank 1 is 3, it should be 10. ": the element that shows the cause, if it is wrong in these values.
std::string element_text(const std::vector<WrongElement>& wrong, const Judged& judged,
                         const Subject& subject, const Meaning& meaning, const Cause& cause,
                         bool telling) {
  if (wrong.empty() || (cause.shows_element && !telling)) return {};
  WrongElement shown = wrong.front();
  if (const auto same_rank = ranges::find(wrong, cause.rank, &WrongElement::rank);
      same_rank != wrong.end()) {
    shown = *same_rank;
    const auto [got, expected] = result_of(judged, subject, meaning, cause.rank);
    const auto e = static_cast<std::size_t>(cause.element);
    if (cause.element >= 0 && e < got.size() && e < expected.size() &&
        first_difference({got[e]}, {expected[e]}, dtype_of(judged.instance, subject.name)) == 0)
      shown = {cause.rank, cause.element, got[e], expected[e]};
  }
  return fmt::format("Element {} of rank {} is {}, it should be {}. ", shown.index, shown.rank,
                     number_text(shown.got), number_text(shown.expected));
}

/// Returns the reason for saying nothing of an array that the program may not have watched; else empty.
std::string unwatched(const Judged& judged, const Subject& subject, const Meaning& meaning) {
  bool blank = true;
  for (const auto& [rank, call] : judged.instance.calls) {
    if (!only_watched(*call)) return {};
    const auto begin = call->begin.find(subject.name);
    blank = blank && begin != call->begin.end() && is_blank(begin->second.values);
  }
  if (blank)
    return fmt::format(
        "{} holds zeros on all ranks before the first message: name the array that the ranks begin "
        "with in --data, and watch both",
        subject.name);
  for (const Rank rank : judged.comparison.wrong) {
    const Handed::Call& call = *judged.instance.calls.at(rank);
    const auto expected =
        expected_values(meaning, judged.comparison.root, judged.instance.inputs, rank);
    const auto fits = [&](const auto& one) { return one.second.values.size() == expected.size(); };
    if (ranges::none_of(call.begin, fits))
      return fmt::format(
          "{} of {} has {} elements on rank {}, and no array with so many is watched there: name "
          "the array that the ranks begin with in --data, and watch the result, too",
          article(meaning.words()), subject.name, expected.size(), rank);
  }
  return {};
}

/// Returns the first wrong call, else the first one, of the second run; without a comparison unless that run began with
/// other data.
Judged second_run(const Handed& observed, const Subject& subject, const Meaning& meaning) {
  Judged out;
  if (observed.telling.empty() || subject.name.empty()) return out;
  // Flags (0 or 1) may be combined by other operators that equal a maximum or a minimum for them alone.
  const bool ordered = meaning.op == ReduceOp::max || meaning.op == ReduceOp::min;
  const auto is_flag = [](double value) { return value == 0 || value == 1; };
  const Inputs own = instance_of(observed.calls, subject, 0).inputs;
  if (ordered &&
      ranges::all_of(own, [&](const auto& one) { return ranges::all_of(one.second, is_flag); }))
    return out;
  out = first_wrong(observed.telling, subject, meaning);
  const Instance first = instance_of(observed.calls, subject, out.number);
  if (!out.comparison.problem.empty() || out.instance.inputs == first.inputs) return {};
  // If the wrong result is the same again, it does not come from the data that were changed.
  const auto result = [&](const Instance& instance, Rank rank) {
    const auto call = instance.calls.find(rank);
    return call == instance.calls.end() ? std::vector<double>()
                                        : outcome_of(*call->second, subject.name,
                                                     expected_values(meaning, out.comparison.root,
                                                                     out.instance.inputs, rank))
                                              .values;
  };
  const Comparison before = compare(first, meaning, subject.name);
  const bool same_again = !before.wrong.empty() && ranges::all_of(before.judged, [&](Rank rank) {
    return result(first, rank) == result(out.instance, rank);
  });
  return same_again ? Judged{} : out;
}

/// Explains a sum that is off by the same amount in both runs, although their data differ: no rank's data are the cause.
/// Otherwise leaves `cause` as it is.
void explain_excess(const Judged& own, const Judged& telling, const Subject& subject,
                    const Meaning& meaning, Cause& cause) {
  const Rank rank = cause.rank;
  if (meaning.op != ReduceOp::sum || !reduces(meaning.collective) ||
      ranges::find(telling.comparison.wrong, rank) == telling.comparison.wrong.end())
    return;
  const std::string dtype = dtype_of(own.instance, subject.name);
  std::vector<std::vector<double>> excess;
  for (const Judged* const run : {&own, &telling}) {
    auto [got, expected] = result_of(*run, subject, meaning, rank);
    if (got.size() != expected.size() || first_difference(got, expected, dtype) < 0) return;
    for (std::size_t e = 0; e < got.size(); ++e)
      got[e] = same({got[e]}, {expected[e]}, dtype) ? 0 : got[e] - expected[e];
    excess.push_back(std::move(got));
  }
  if (!same(excess[1], excess[0], dtype)) return;
  const auto at = ranges::find_if(excess[0], [](double value) { return value != 0; });
  cause.what =
      fmt::format("element {} of rank {}'s result is off by {}, whatever the ranks' data are",
                  at - excess[0].begin(), rank, number_text(*at));
  cause.why =
      "In a second run, which began with other numbers, it is off by the same. So something is in "
      "the sum that is no rank's data, such as what its memory held before.";
  cause.advice =
      "Begin the sum with zeros (new double[n] does not, a std::vector does), and look for a "
      "constant that is added.";
  cause.shows_element = false;
}

Finding wrong_result(const Judged& judged, const Cause& cause, bool telling) {
  const Handed::Call& call = *judged.instance.calls.at(cause.rank);
  Finding out = finding_of(Kind::wrong_result, cause.rank, call, cause.line);
  out.ranks = judged.comparison.wrong;
  out.events.assign(out.ranks.size(), kNoEvent);
  const bool all = out.ranks.size() == judged.instance.calls.size();
  const bool in_another_way = cause.general && cause.ranks.size() < out.ranks.size();
  out.what = fmt::format("at {} on {}: {}{}", out.site,
                         in_another_way ? rank_list(cause.ranks)
                         : all          ? "all ranks"
                                        : rank_list(out.ranks),
                         cause.what, in_another_way ? "; others are wrong, too" : "");
  out.why = cause.why;
  if (telling)
    out.why =
        "A second run, in which each rank's data had numbers of its own, says why: " + out.why;
  out.advice = cause.advice;
  return out;
}

/// Returns whether a function sends and receives once in each of its calls, of which there are several, and is not
/// named as the collective: it moves a part, and its caller has the data.
bool is_helper(const Handed& observed, const Subject& subject, const Meaning& meaning) {
  const std::string wanted = letters(to_string(meaning.collective));
  if (subject.function.empty() || observed.ranks < 3 ||
      letters(subject.function).find(wanted) != std::string::npos ||
      instance_of(observed.calls, subject, 1).calls.empty())
    return false;
  return ranges::all_of(observed.calls, [&](const Handed::Call& call) {
    return call.function != subject.function || ranges::count_if(call.verbs, [](const auto& verb) {
                                                  return is_message(verb.second);
                                                }) <= 2;
  });
}

/// Returns why a wrong result proves nothing when nobody named the data: the variable found may be only a part of them,
/// or none of a rank's own. Empty if it proves something.
std::string undecided(const Handed& observed, const Judged& judged, const Subject& subject,
                      const Meaning& meaning) {
  if (is_helper(observed, subject, meaning))
    return fmt::format(
        "{} sends and receives once in each of its calls, so {} may be a part of the data: name "
        "the data with --data",
        subject.function, subject.name);
  if (!subject.function.empty()) return {};
  const Extent out = traits(meaning.collective).out;
  const auto& inputs = judged.instance.inputs;
  for (const Rank rank : judged.comparison.wrong) {
    const auto input = inputs.find(rank);
    const std::size_t own = input == inputs.end() ? 0 : input->second.size();
    const auto [got, expected] = result_of(judged, subject, meaning, rank);
    // An array that is filled piece by piece, as by a gather of rows.
    if (own > 1 && got.size() == own && own < expected.size() && is_blank(input->second))
      return fmt::format(
          "{} holds zeros on rank {} before the first message, so it may be filled part by part: "
          "name the data with --data",
          subject.name, rank);
    if (meaning.collective == Collective::gather && got.size() > 1 &&
        got.size() < expected.size() &&
        got.size() * judged.instance.calls.size() == expected.size())
      return fmt::format(
          "{} holds a single part on rank {}, and no array of the whole was found: name the data "
          "with --data",
          subject.name, rank);
    if ((out == Extent::regrouped || out == Extent::chunk) && own < judged.instance.calls.size())
      return fmt::format(
          "{} has fewer elements than there are ranks, so it may be a single block of the data: "
          "name the data with --data",
          subject.name);
  }
  if (meaning.collective == Collective::broadcast || meaning.collective == Collective::scatter)
    return {};
  for (const auto& [rank, call] : judged.instance.calls) {
    const auto first = ranges::find(call->history, subject.name, &Handed::Change::name);
    const auto begin = call->begin.find(subject.name);
    if (first != call->history.end() && begin != call->begin.end() &&
        begin->second.values == first->values && ranges::any_of(call->verbs, [&](const auto& verb) {
          return verb.first == first->line && verb.second.find("ecv") != std::string::npos;
        }))
      return fmt::format(
          "the first value of {} on rank {} came in a message, so it is not known which data are "
          "the rank's own: name them with --data",
          subject.name, rank);
  }
  return {};
}

/// Returns the reason for not trying a right result with other numbers; else empty.
std::string_view untried(const Handed& observed, const Verdict& verdict) {
  if (verdict.certain || observed.as.empty()) return "";
  return observed.telling.empty() ? ". A second run, with other numbers, did not come to its end "
                                    "(it waited for input, or could not work with them), so that "
                                    "a constant would look the same"
                                  : ". It could not be given other numbers in a second run, so "
                                    "that a constant would look the same";
}

}  // namespace

Verdict judge(const Handed& observed, const Meaning& meaning, const std::string& data) {
  Verdict out;
  std::vector<Subject> subjects = subjects_of(observed.calls, meaning, data);
  for (Subject& one : subjects)
    one.in_place =
        (meaning.collective == Collective::allgather || meaning.collective == Collective::gather) &&
        begins_in_place(observed.calls, one);
  // Without named data, the result is right if it is that of one of the variables.
  const auto is_right_for = [&](const Subject& one) {
    const Comparison found = first_wrong(observed.calls, one, meaning).comparison;
    return found.problem.empty() && found.wrong.empty() &&
           second_run(observed, one, meaning).comparison.wrong.empty();
  };
  const auto right = ranges::find_if(subjects, is_right_for);
  const Subject& subject = right == subjects.end() ? subjects.front() : *right;
  const std::string wanted = article(meaning.words());
  out.data = subject.name;
  const auto unknown = [&](std::string_view why) {
    out.words = fmt::format("Whether the result is that of {} cannot be said: {}.", wanted, why);
    return out;
  };
  out.misnamed = subject.misnamed;
  if (subject.name.empty()) return unknown(subject.problem);
  const Judged judged = first_wrong(observed.calls, subject, meaning);
  const Comparison& found = judged.comparison;
  if (!found.problem.empty()) return unknown(found.problem);
  if (const std::string why = unwatched(judged, subject, meaning); !why.empty())
    return unknown(why);
  if (data.empty() && !found.wrong.empty())
    if (const std::string why = undecided(observed, judged, subject, meaning); !why.empty())
      return unknown(why);
  // A constant is right only by chance: it does not follow other inputs.
  const Judged telling = second_run(observed, subject, meaning);
  const bool tells = !telling.comparison.wrong.empty();
  if (found.wrong.empty() && !tells) {
    out.state = Verdict::State::right;
    // In C++ other numbers would not reach a copy that was made before the array was watched.
    out.certain = only_watched(*judged.instance.calls.begin()->second);
    out.words = fmt::format(
        "The result is that of {} of {} on {}{}.", wanted, subject.words(),
        std::ssize(found.judged) == observed.ranks ? fmt::format("all {} ranks", observed.ranks)
                                                   : rank_list(found.judged),
        telling.comparison.judged.empty() ? untried(observed, out)
                                          : ", also in a second run that began with other numbers");
    if (auto changed = changed_input(judged.instance, meaning, found, subject.name))
      out.findings.push_back(std::move(*changed));
    return out;
  }
  out.state = Verdict::State::wrong;
  out.words = fmt::format("The result is not that of {} of {}.", wanted, subject.words());
  const Judged* shown = tells ? &telling : &judged;
  Cause cause = cause_of({shown->instance, meaning, shown->comparison, subject.name});
  // The second run's numbers are shown only where they say more than the program's own.
  bool by_telling = tells;
  if (tells && !found.wrong.empty()) {
    const WrongCall own{judged.instance, meaning, found, subject.name};
    const Cause first = cause_of(own);
    if (cause.numbers_only || first.what == cause.what) {
      by_telling = false;
      shown = &judged;
      // A cause that fits the own numbers alone may fit by chance.
      cause = cause.numbers_only && !first.certain ? numbers_of(own) : first;
      if (cause.numbers_only) explain_excess(judged, telling, subject, meaning, cause);
    }
  }
  out.certain = cause.certain;
  out.function = subject.function;
  out.lacking = cause.lacking;
  out.repeated = cause.repeated;
  out.in_loop = cause.in_loop;
  out.unwritten = cause.unwritten;
  out.inputs = judged.instance.inputs;
  out.findings.push_back(wrong_result(*shown, cause, by_telling));
  out.wrong = wrong_elements(found.wrong.empty() ? telling : judged, subject, meaning);
  Finding& why = out.findings.back();
  why.why = element_text(out.wrong, found.wrong.empty() ? telling : judged, subject, meaning, cause,
                         by_telling) +
            why.why;
  return out;
}

std::optional<Verdict> judge(const TraceMeta& meta) {
  if (!meta.handed || meta.handed->as.empty()) return std::nullopt;
  return judge(*meta.handed, parse_meaning(meta.handed->as), meta.handed->data);
}

}  // namespace rankscope::meant
