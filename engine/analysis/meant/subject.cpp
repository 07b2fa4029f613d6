// Chooses a collective's data among the variables that ranks noted.
#include "engine/analysis/meant/subject.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/ranges.h"

namespace rankscope::meant {
namespace {

constexpr std::size_t kMostNames = 8;

bool is_array(const Handed::Values& values) { return !values.scalar(); }

/// The first argument that is an array; else an attribute of the function's object that its messages carry.
std::string array_of(const Handed::Call& call) {
  for (const std::string& name : call.arguments)
    if (const auto at = call.begin.find(name); at != call.begin.end() && is_array(at->second))
      return name;
  if (call.function.empty()) return {};
  for (const std::string& name : call.carried)
    if (const auto at = call.begin.find(name);
        name.starts_with("self.") && at != call.begin.end() && is_array(at->second))
      return name;
  return {};
}

Subject in_call(const Handed::Call& call, std::string name) {
  return {call.function, call.file, call.line, std::move(name), {}};
}

Subject nothing(std::string problem) {
  Subject out;
  out.problem = std::move(problem);
  return out;
}

/// Returns whether a function's argument is a setting, such as a rank, a size or a count: a whole number that is the
/// same on all ranks, or the rank.
bool is_setting(const std::vector<Handed::Call>& calls, const std::string& function,
                const std::string& name) {
  std::optional<double> all;
  bool is_same = true, is_rank = true;
  for (const Handed::Call& call : calls) {
    if (call.function != function || call.number != 0) continue;
    const auto at = call.begin.find(name);
    if (at == call.begin.end()) continue;
    if (!at->second.scalar() || at->second.dtype != "int" || at->second.values.size() != 1)
      return false;
    const double value = at->second.values.front();
    is_same = is_same && (!all || *all == value);
    is_rank = is_rank && value == call.rank;
    all = value;
  }
  return is_same || is_rank;
}

/// The data of a function that is named: an array that it is given, else one of its own that its messages carry, else a
/// number that may be data.
Subject in_function(const std::vector<Handed::Call>& calls, const std::string& function) {
  std::vector<const Handed::Call*> ours;
  for (const Handed::Call& call : calls)
    if (call.function == function) ours.push_back(&call);
  for (const Handed::Call* call : ours)
    if (std::string name = array_of(*call); !name.empty()) return in_call(*call, name);
  for (const Handed::Call* call : ours)
    for (const std::string& name : call->carried)
      if (const auto at = call->begin.find(name);
          at != call->begin.end() && is_array(at->second) && !is_blank(at->second.values))
        return in_call(*call, name);
  for (const bool carried : {true, false})
    for (const Handed::Call* call : ours)
      for (const std::string& name : call->arguments)
        if ((!carried || ranges::find(call->carried, name) != call->carried.end()) &&
            !is_setting(calls, function, name))
          return in_call(*call, name);
  return nothing(fmt::format("the function {} is given no data: name the variable", function));
}

Subject named(const std::vector<Handed::Call>& calls, const std::string& data) {
  std::set<std::string> names;
  for (const Handed::Call& call : calls) {
    for (const auto& [name, value] : call.begin) names.insert(name);
    if (call.function == data && !call.function.empty()) return in_function(calls, data);
  }
  const Handed::Call* best = nullptr;
  const auto worth = [&](const Handed::Call& call) {
    return (is_given(call, data) ? 8 : 0) + (call.function.empty() ? 4 : 0) +
           (call.verbs.empty() ? 0 : 2);
  };
  for (const Handed::Call& call : calls)
    if (call.begin.contains(data) && (best == nullptr || worth(call) > worth(*best))) best = &call;
  if (best != nullptr) return in_call(*best, data);
  if (names.empty())
    return nothing(fmt::format("no function that communicates has a variable '{}'", data));
  std::vector<std::string> some(names.begin(), names.end());
  if (some.size() > kMostNames) some.resize(kMostNames);
  Subject out =
      nothing(fmt::format("no variable or function that takes part is called '{}'; there are {}",
                          data, fmt::join(some, ", ")));
  out.misnamed = true;
  return out;
}

/// Returns whether a function only passes its data on to the built-in of its own name.
bool is_wrapper(const Handed::Call& call) {
  return !call.verbs.empty() && ranges::all_of(call.verbs, [&](const auto& verb) {
    return letters(verb.second) == letters(call.function);
  });
}

/// A function whose name contains the collective's, one of the program's own rather than a wrapper; else the outermost
/// that is given an array.
Subject by_function(const std::vector<Handed::Call>& calls, const Meaning& meaning) {
  const std::string wanted = letters(to_string(meaning.collective));
  const Handed::Call* best = nullptr;
  for (const Handed::Call& call : calls) {
    if (call.function.empty() || array_of(call).empty()) continue;
    if (best == nullptr) best = &call;
    const auto worth = [&](const Handed::Call& one) {
      return letters(one.function).find(wanted) == std::string::npos ? 0 : is_wrapper(one) ? 1 : 2;
    };
    const int fits = worth(call), best_fits = worth(*best);
    if (fits != best_fits ? fits > best_fits : fits == 0 && call.rank == best->rank) best = &call;
  }
  return best == nullptr ? Subject{} : in_call(*best, array_of(*best));
}

/// Returns whether a variable is a list of counts in a call with counts (Alltoallv, Gatherv): whole numbers, one for
/// each rank.
bool is_count_list(const std::vector<Handed::Call>& calls, const std::string& name) {
  bool found = false;
  for (const Handed::Call& call : calls) {
    const auto at = call.begin.find(name);
    if (at == call.begin.end() || !ranges::any_of(call.verbs, takes_counts)) continue;
    if (!at->second.dtype.starts_with("int") || std::ssize(at->second.values) != call.size)
      return false;
    found = true;
  }
  return found;
}

/// The variables that messages carry, those of most ranks first.
std::vector<Subject> by_messages(const std::vector<Handed::Call>& calls) {
  std::map<std::string, int> votes;
  std::vector<Subject> out;
  std::set<std::string> filled;
  // A rank's own number is data only where nothing else is sent.
  const auto names_place = [](const std::string& name) { return name == "rank" || name == "size"; };
  const bool sends_more = ranges::any_of(calls, [&](const Handed::Call& call) {
    return ranges::any_of(call.carried, [&](const std::string& name) {
      const auto at = call.begin.find(name);
      return !names_place(name) && at != call.begin.end() && !is_blank(at->second.values);
    });
  });
  for (const Handed::Call& call : calls)
    for (const std::string& name : call.carried) {
      const auto at = call.begin.find(name);
      if (at == call.begin.end() || (sends_more && names_place(name))) continue;
      const bool number = at->second.scalar() && at->second.dtype == "int";
      if (number && name.starts_with("self.")) continue;
      votes[name] += number ? 1 : 1'000;
      if (!is_blank(at->second.values)) filled.insert(name);
      if (ranges::find(out, name, &Subject::name) == out.end()) out.push_back(in_call(call, name));
    }
  std::erase_if(out, [&](const Subject& one) { return !filled.contains(one.name); });
  // Counts and displacements stand beside the data.
  const auto is_count = [&](const Subject& one) { return is_count_list(calls, one.name); };
  if (!ranges::all_of(out, is_count)) std::erase_if(out, is_count);
  ranges::stable_sort(out, std::ranges::greater(),
                      [&](const Subject& one) { return votes[one.name]; });
  if (out.empty() && only_watched(calls.front()))  // a message may carry a copy
    for (const Handed::Call& call : calls)
      for (const auto& [name, values] : call.begin)
        if (!is_blank(values.values) && ranges::find(out, name, &Subject::name) == out.end())
          out.push_back(in_call(call, name));
  if (out.empty())
    out.push_back(nothing(
        only_watched(calls.front())
            ? "no watched array holds data that a message carries: before the first message, call "
              "comm.watch(\"x\", x) with the array that the ranks begin with"
            : "no variable that the messages carry was found: name it with --data"));
  return out;
}

bool is_of(const Handed::Call& call, const Subject& subject) {
  return call.function == subject.function && call.file == subject.file &&
         call.line == subject.line;
}

/// The calls of a subject's function.
std::vector<Handed::Call> of_call(const std::vector<Handed::Call>& calls, const Subject& subject) {
  std::vector<Handed::Call> out;
  for (const Handed::Call& call : calls)
    if (is_of(call, subject)) out.push_back(call);
  return out;
}

bool is_blank_everywhere(const std::vector<Handed::Call>& calls, const Subject& subject) {
  return ranges::all_of(of_call(calls, subject), [&](const Handed::Call& call) {
    const auto at = call.begin.find(subject.name);
    return !is_given(call, subject.name) && !only_watched(call) &&
           (at == call.begin.end() || is_blank(at->second.values));
  });
}

}  // namespace

bool takes_counts(const std::pair<int, std::string>& verb) {
  const std::string& name = verb.second;
  return name == "all_to_all_single" ||
         ((name.ends_with("v") || name.ends_with("w")) && !letters(name).ends_with("recv"));
}

bool is_blank(const std::vector<double>& values) {
  return ranges::all_of(values, [](double value) { return value == 0; });
}

bool only_watched(const Handed::Call& call) {
  constexpr std::string_view kEndings[] = {".cpp", ".cc", ".cxx", ".hpp", ".h"};
  return ranges::any_of(kEndings, [&](auto ending) { return call.file.ends_with(ending); });
}

std::string Subject::words() const {
  return function.empty() ? name : fmt::format("{} in {}", name, function);
}

bool is_given(const Handed::Call& call, const std::string& name) {
  return !call.function.empty() &&
         (name.starts_with("self.") || ranges::find(call.arguments, name) != call.arguments.end());
}

std::vector<Subject> subjects_of(const std::vector<Handed::Call>& calls, const Meaning& meaning,
                                 const std::string& data) {
  if (calls.empty())
    return {
        nothing("no rank noted what it began and ended with (in C++: call comm.watch(\"x\", x) "
                "before the first message)")};
  if (!data.empty()) {
    Subject found = named(calls, data);
    // A sum that begins with zeros is a result: the data are what the same call's messages carry.
    if (found.name == data && is_blank_everywhere(calls, found)) {
      auto carried = by_messages(of_call(calls, found));
      std::erase_if(carried, [](const Subject& one) { return one.name.empty(); });
      if (carried.empty())
        return {nothing(fmt::format(
            "{} holds zeros on all ranks before the first message: name what the ranks begin with",
            data))};
      return carried;
    }
    return {std::move(found)};
  }
  if (Subject found = by_function(calls, meaning); !found.name.empty()) return {std::move(found)};
  return by_messages(calls);
}

bool begins_in_place(const std::vector<Handed::Call>& calls, const Subject& subject) {
  const Inputs inputs = instance_of(calls, subject, 0).inputs;
  if (inputs.size() < 2) return false;
  const auto ranks = inputs.size(), count = inputs.begin()->second.size(), part = count / ranks;
  std::size_t place = 0;
  for (const auto& [rank, values] : inputs) {
    if (values.size() != count || part == 0 || count % ranks != 0) return false;
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(place++ * part);
    const auto end = begin + static_cast<std::ptrdiff_t>(part);
    const double blank = begin == values.begin() ? values.back() : values.front();
    const auto fills = [&](double value) { return value == blank; };
    if (!std::all_of(values.begin(), begin, fills) || !std::all_of(end, values.end(), fills) ||
        std::all_of(begin, end, fills))
      return false;
  }
  return true;
}

Instance instance_of(const std::vector<Handed::Call>& calls, const Subject& subject, int number) {
  Instance out;
  for (const Handed::Call& call : calls) {
    if (call.number != number || !is_of(call, subject)) continue;
    out.calls.emplace(call.rank, &call);
    if (const auto at = call.begin.find(subject.name); at != call.begin.end())
      out.inputs.emplace(call.rank, at->second.values);
  }
  if (!subject.in_place) return out;
  std::size_t place = 0;
  for (auto& [rank, values] : out.inputs) {
    const auto part = static_cast<std::ptrdiff_t>(values.size() / out.inputs.size());
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(place++) * part;
    values = std::vector<double>(begin, begin + part);
  }
  return out;
}

}  // namespace rankscope::meant
