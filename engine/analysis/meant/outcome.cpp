// Compares the ranks' results with those that follow from their beginning.
#include "engine/analysis/meant/outcome.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"

namespace rankscope::meant {
namespace {

/// The rounding error allowed for a type, relative to the largest result.
double tolerance_of(const std::string& dtype) {
  if (dtype.find("16") != std::string::npos) return 1e-2;
  if (dtype == "float64" || dtype == "float") return 1e-9;
  return dtype == "float32" ? 1e-5 : 1e-12;
}

/// Whether a printed number, rounded to some digits, is the expected one.
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

/// The last change that left these values.
int line_of(const Handed::Call& call, const std::vector<double>& values, int otherwise) {
  for (auto change = call.history.rbegin(); change != call.history.rend(); ++change)
    if (change->values == values && !is_loop_variable(call, *change)) return change->line;
  return otherwise;
}

Outcome of_given(const Handed::Call& call, const std::string& name, std::size_t elements) {
  const auto after = call.after.find(name);
  const bool in_place = after != call.after.end() && after->second.values.size() == elements;
  const bool returned = call.result.has_value();
  if (returned && (call.result->values.size() == elements || !in_place))
    return {call.result->values, line_of(call, call.result->values, call.end), {}};
  if (after == call.after.end()) return {{}, call.end, {}};
  return {after->second.values, line_of(call, after->second.values, call.end), name};
}

Outcome of_variables(const Handed::Call& call, const std::string& name, std::size_t elements) {
  const int first = call.verbs.empty() ? 0 : call.verbs.front().first;
  const Handed::Change *best = nullptr, *any = nullptr;
  for (const Handed::Change& change : call.history) {
    if (change.values.size() != elements || is_loop_variable(call, change)) continue;
    any = &change;
    if (change.line >= first || !call.loops.empty()) best = &change;
  }
  if (best == nullptr) best = any;
  if (best != nullptr) return {best->values, best->line, best->name};
  const auto begin = call.begin.find(name);
  return {begin == call.begin.end() ? std::vector<double>() : begin->second.values, call.end, name};
}

/// Whether a rank's result is defined.
bool is_judged(const Meaning& meaning, Rank rank, Rank root) {
  return !traits(meaning.collective).result_at_root || rank == root;
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

bool carries_data(const std::string& verb) {
  constexpr std::string_view kOthers[] = {"barrier", "wait", "split", "init", "test", "probe"};
  std::string low;
  for (const char c : verb) low += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ranges::none_of(kOthers, [&](auto other) { return low.find(other) != std::string::npos; });
}

bool is_right(const Handed::Call& call, const std::string& name,
              const std::vector<double>& expected, const std::string& dtype) {
  if (call.result && same(call.result->values, expected, dtype)) return true;
  for (const auto& [other, value] : call.after)
    if (same(value.values, expected, dtype)) return true;
  if (is_given(call, name)) return false;
  if (const auto at = call.begin.find(name);
      at != call.begin.end() && same(at->second.values, expected, dtype))
    return true;
  return ranges::any_of(
             call.history,
             [&](const Handed::Change& change) { return same(change.values, expected, dtype); }) ||
         was_printed(call, expected);
}

Outcome outcome_of(const Handed::Call& call, const std::string& name, std::size_t elements) {
  return is_given(call, name) ? of_given(call, name, elements) : of_variables(call, name, elements);
}

std::string dtype_of(const Instance& instance, const std::string& name) {
  for (const auto& [rank, call] : instance.calls)
    if (const auto at = call->begin.find(name); at != call->begin.end()) return at->second.dtype;
  return {};
}

Comparison compare(const Instance& instance, const Meaning& meaning, const std::string& name) {
  Comparison best;
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
