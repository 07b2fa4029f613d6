// Compares the ranks' results with those of the collective on their initial data.
#include "engine/analysis/meant/outcome.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope::meant {
namespace {

/// The rounding error allowed for a type, relative to the largest result.
double tolerance_of(const std::string& dtype) {
  if (dtype.find("16") != std::string::npos) return 1e-2;
  if (dtype == "float64" || dtype == "float") return 1e-9;
  return dtype == "float32" ? 1e-5 : 1e-12;
}

/// Returns whether a printed number, rounded to some digits, is the expected one.
bool as_printed(double printed, double expected) {
  return std::abs(printed - expected) <= 5e-4 * std::max(1.0, std::abs(expected));
}

bool was_printed(const Handed::Call& call, const std::vector<double>& expected) {
  return ranges::any_of(call.printed, [&](const auto& line) {
    return !std::ranges::search(line.second, expected, as_printed).empty();
  });
}

bool is_loop_variable(const Handed::Call& call, const Handed::Change& change) {
  return ranges::any_of(call.loops,
                        [&](const Handed::Loop& loop) { return loop.first == change.line; });
}

/// Returns the line of the last change that produced these values.
int line_of(const Handed::Call& call, const std::vector<double>& values, int otherwise) {
  for (auto change = call.history.rbegin(); change != call.history.rend(); ++change)
    if (change->values == values && !is_loop_variable(call, *change)) return change->line;
  return otherwise;
}

bool is_changed(const Handed::Call& call, const std::string& name) {
  const auto before = call.begin.find(name), after = call.after.find(name);
  return after != call.after.end() &&
         (before == call.begin.end() || before->second.values != after->second.values);
}

/// The argument in which a call leaves its result: its data or, if these stay as they are, another of that length.
std::string filled_argument(const Handed::Call& call, const std::string& name,
                            std::size_t elements) {
  if (call.result || is_changed(call, name)) return name;
  for (const auto& [other, value] : call.after)
    if (value.values.size() == elements && is_changed(call, other)) return other;
  return name;
}

/// Returns whether the platform's own collective is called in this line.
bool is_built_in(const Handed::Call& call, int line) {
  return ranges::any_of(call.verbs, [&](const auto& verb) {
    return verb.first == line && carries_data(verb.second) && !is_message(verb.second);
  });
}

/// Returns whether a change is only a reference value: a built-in collective made it in a program that sends its own
/// messages, and these had not changed the variable.
bool is_reference(const Handed::Call& call, const Handed::Change& change, const std::string& data) {
  if (!sends_itself(call) || !is_built_in(call, change.line)) return false;
  // A broadcast at the end gives all ranks what the messages have made on one of them.
  const bool spread = ranges::any_of(call.verbs, [&](const auto& verb) {
    return verb.first == change.line && is_broadcast(verb.second);
  });
  if ((spread || only_watched(call)) &&
      ranges::find(call.exchanged, change.name) != call.exchanged.end())
    return false;
  int first = change.line;
  for (const auto& [line, verb] : call.verbs)
    if (is_message(verb)) first = std::min(first, line);
  const auto begin = call.begin.find(data);
  for (const Handed::Change* one = call.history.data(); one != &change; ++one)
    if (one->name == change.name && one->line >= first && !is_built_in(call, one->line) &&
        (begin == call.begin.end() || one->values != begin->second.values) &&
        ranges::any_of(one->values, [](double value) { return value != 0; }))
      return false;
  return true;
}

Outcome of_given(const Handed::Call& call, const std::string& data, std::size_t elements) {
  const std::string name = filled_argument(call, data, elements);
  const auto after = call.after.find(name);
  const bool in_place = after != call.after.end() && after->second.values.size() == elements;
  const bool returned = call.result.has_value();
  if (returned && (call.result->values.size() == elements || !in_place))
    return {call.result->values, line_of(call, call.result->values, call.end), {}};
  if (after == call.after.end()) return {{}, call.end, {}};
  return {after->second.values, line_of(call, after->second.values, call.end), name};
}

/// The distance of a value from the expected one: the number of elements that differ, then by how much.
std::pair<std::size_t, double> distance(const std::vector<double>& got,
                                        const std::vector<double>& expected) {
  std::pair<std::size_t, double> out{0, 0};
  for (std::size_t e = 0; e < expected.size(); ++e) {
    const double off = std::abs(got[e] - expected[e]);
    out.first += off != 0 ? 1 : 0;
    out.second += off;
  }
  return out;
}

/// Returns the variable that ends closest to the expected values. Variables that are only received, or only a
/// reference, are a last resort.
Outcome of_variables(const Handed::Call& call, const std::string& name,
                     const std::vector<double>& expected) {
  const int first = call.verbs.empty() ? 0 : call.verbs.front().first;
  std::map<std::string, const Handed::Change*> last;
  const Handed::Change* any = nullptr;
  // A line that also sends is a call of one of the program's functions, so the change is that function's result.
  const auto is_received = [&](const Handed::Change& change) {
    bool received = false;
    for (const auto& [line, verb] : call.verbs) {
      if (line != change.line || !is_message(verb)) continue;
      if (ascii_lower(verb).find("recv") == std::string::npos) return false;
      received = true;
    }
    return received;
  };
  for (const Handed::Change& change : call.history) {
    if (change.values.size() != expected.size() || is_loop_variable(call, change)) continue;
    any = &change;
    if (change.line >= first || !call.loops.empty()) last[change.name] = &change;
  }
  // An input changes neither after the first message nor inside a loop with messages.
  const auto is_input = [&](const Handed::Change& change) {
    const auto inside = [](const Handed::Loop& loop, int line) {
      return loop.first <= line && line <= loop.last;
    };
    return change.line < first && ranges::none_of(call.loops, [&](const Handed::Loop& loop) {
             return inside(loop, change.line) && ranges::any_of(call.verbs, [&](const auto& verb) {
                      return inside(loop, verb.first);
                    });
           });
  };
  const auto rank_of = [&](const Handed::Change& change) {
    return std::tuple(is_reference(call, change, name), is_received(change) || is_input(change),
                      distance(change.values, expected), -(&change - call.history.data()));
  };
  const Handed::Change* best = nullptr;
  for (const auto& [variable, change] : last)
    if (best == nullptr || rank_of(*change) < rank_of(*best)) best = change;
  if (best == nullptr) best = any;
  if (best != nullptr) return {best->values, best->line, best->name};
  const auto begin = call.begin.find(name);
  return {begin == call.begin.end() ? std::vector<double>() : begin->second.values, call.end, name};
}

/// Returns whether a rank's result is defined.
bool is_judged(const Meaning& meaning, Rank rank, Rank root) {
  return !traits(meaning.collective).result_at_root || rank == root;
}

/// Returns whether an all-to-all is given counts that may make its blocks unequal, so that the right result is unknown.
/// Equal counts on all ranks do not.
bool has_own_counts(const Instance& instance) {
  std::set<double> counts;
  bool given = false, lists = false;
  for (const auto& [rank, call] : instance.calls) {
    const auto verb = ranges::find_if(call->verbs, takes_counts);
    if (verb == call->verbs.end()) continue;
    given |= verb->second != "all_to_all_single";
    for (const std::string& name : call->carried) {
      const auto at = call->begin.find(name);
      if (at == call->begin.end() || !at->second.dtype.starts_with("int") ||
          at->second.values.size() != instance.calls.size())
        continue;
      lists = true;
      const std::set<double> now(at->second.values.begin(), at->second.values.end());
      if (now.size() == 1) counts.insert(*now.begin());
    }
  }
  return lists ? counts.size() != 1 : given;
}

}  // namespace

std::vector<double> expected_values(const Meaning& meaning, Rank root, const Inputs& inputs,
                                    Rank rank) {
  const CollectiveTraits& row = traits(meaning.collective);
  const bool whole = row.out != Extent::chunk && row.out != Extent::regrouped;
  if (inputs.empty() || !account::shares_data(row) || (row.result_at_root && rank != root) ||
      (row.rooted && !row.result_at_root && !inputs.contains(root)) ||
      (!whole && !inputs.contains(rank)))
    return {};
  const auto place = [&](Rank one) {
    const auto at = inputs.find(one);
    return at == inputs.end() ? 0 : static_cast<Rank>(std::distance(inputs.begin(), at));
  };
  account::Call call{.collective = meaning.collective,
                     .ranks = static_cast<int>(inputs.size()),
                     .root = place(root)};
  std::vector<std::vector<double>> values;
  for (const auto& [source, input] : inputs) {
    values.push_back(input);
    call.counts.push_back(std::ssize(input));
    if (row.reduces && input.size() != values.front().size()) return {};
  }
  return account::promised_values(account::promised(call, place(rank)), values, meaning.op);
}

std::ptrdiff_t first_difference(const std::vector<double>& got, const std::vector<double>& expected,
                                const std::string& dtype) {
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  const double off = largest * tolerance_of(dtype);
  for (std::size_t e = 0; e < got.size(); ++e) {
    if (std::isnan(got[e]) && std::isnan(expected[e])) continue;
    if (!(std::abs(got[e] - expected[e]) <= off)) return static_cast<std::ptrdiff_t>(e);
  }
  return -1;
}

bool same(const std::vector<double>& got, const std::vector<double>& expected,
          const std::string& dtype) {
  return got.size() == expected.size() && !expected.empty() &&
         first_difference(got, expected, dtype) < 0;
}

bool is_message(const std::string& verb) {
  const std::string low = ascii_lower(verb);
  return low.find("send") != std::string::npos || low.find("recv") != std::string::npos;
}

bool sends_itself(const Handed::Call& call) {
  return ranges::any_of(call.verbs, [](const auto& verb) { return is_message(verb.second); });
}

bool is_broadcast(const std::string& verb) {
  const std::string low = ascii_lower(verb);
  return low.find("bcast") != std::string::npos ||
         low.find(to_string(Collective::broadcast)) != std::string::npos;
}

bool carries_data(const std::string& verb) {
  constexpr std::string_view kOthers[] = {"barrier", "wait", "split", "init", "test", "probe"};
  const std::string low = ascii_lower(verb);
  return ranges::none_of(kOthers, [&](auto other) { return low.find(other) != std::string::npos; });
}

std::string number_text(double value) {
  constexpr double kExact = 9e15;
  if (std::nearbyint(value) == value && std::abs(value) < kExact)
    return fmt::format("{:.0f}", value);
  return fmt::format("{:.7g}", value);
}

bool receives(const std::string& verb) {
  const bool sends_only = ascii_lower(verb).find("send") != std::string::npos &&
                          ascii_lower(verb).find("recv") == std::string::npos;
  return carries_data(verb) && !sends_only;
}

bool is_right(const Handed::Call& call, const std::string& name,
              const std::vector<double>& expected, const std::string& dtype) {
  if (call.result && same(call.result->values, expected, dtype)) return true;
  for (const auto& [other, value] : call.after)
    if ((other == name || is_changed(call, other)) && same(value.values, expected, dtype))
      return true;
  if (is_given(call, name)) return false;
  // A watched array ends with what it was changed to, whatever it began with.
  const bool ends_otherwise =
      only_watched(call) &&
      ranges::find(call.history, name, &Handed::Change::name) != call.history.end();
  if (const auto at = call.begin.find(name);
      !ends_otherwise && at != call.begin.end() && same(at->second.values, expected, dtype))
    return true;
  bool compared = false;
  for (const Handed::Change& change : call.history) {
    if (!same(change.values, expected, dtype)) continue;
    if (!is_reference(call, change, name)) return true;
    compared = true;
  }
  return !compared && was_printed(call, expected);
}

Outcome outcome_of(const Handed::Call& call, const std::string& name,
                   const std::vector<double>& expected) {
  return is_given(call, name) ? of_given(call, name, expected.size())
                              : of_variables(call, name, expected);
}

std::string dtype_of(const Instance& instance, const std::string& name) {
  for (const auto& [rank, call] : instance.calls)
    if (const auto at = call->begin.find(name); at != call->begin.end()) return at->second.dtype;
  return {};
}

Comparison compare(const Instance& instance, const Meaning& meaning, const std::string& name) {
  Comparison best;
  if (meaning.collective == Collective::alltoall && has_own_counts(instance)) {
    best.problem = "its counts decide which data go where, and they may differ from block to block";
    return best;
  }
  std::vector<Rank> roots;
  if (meaning.root) roots.push_back(*meaning.root);
  else if (has_root(meaning.collective))
    for (const auto& [rank, call] : instance.calls) roots.push_back(rank);
  else roots.push_back(0);
  const std::string dtype = dtype_of(instance, name);
  bool first = true;
  for (const Rank root : roots) {
    Comparison now;
    now.root = root;
    for (const auto& [rank, call] : instance.calls) {
      if (!is_judged(meaning, rank, root)) continue;
      const auto expected = expected_values(meaning, root, instance.inputs, rank);
      if (expected.empty()) continue;
      now.judged.push_back(rank);
      if (!is_right(*call, name, expected, dtype)) now.wrong.push_back(rank);
    }
    if (now.judged.empty()) continue;
    if (first || now.wrong.size() < best.wrong.size()) best = now;
    first = false;
  }
  if (first)
    best.problem =
        instance.inputs.size() < 2
            ? fmt::format("only {} of the ranks noted '{}'", instance.inputs.size(), name)
            : fmt::format("the ranks' '{}' do not have the same number of elements", name);
  return best;
}

}  // namespace rankscope::meant
