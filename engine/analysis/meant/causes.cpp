// Explains a wrong result by data type, operator or position; sum_causes.cpp explains sums by what was added.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/meant/explanation.h"
#include "engine/core/base/partition.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope::meant {
namespace {

std::string number(double value) { return number_text(value); }

/// Returns the range of an integer type; nothing for other types, and for 64 bits, which a double cannot hold.
std::optional<std::pair<double, double>> limits_of(const std::string& dtype) {
  for (const auto& [name, bits] : {std::pair{"int8", 8}, {"int16", 16}, {"int32", 32}})
    if (dtype == name) return std::pair{-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1};
  for (const auto& [name, bits] : {std::pair{"uint8", 8}, {"uint16", 16}, {"uint32", 32}})
    if (dtype == name) return std::pair{0.0, std::ldexp(1.0, bits) - 1};
  return std::nullopt;
}

bool is_whole(const std::string& dtype) {
  return dtype.starts_with("int") || dtype.starts_with("uint");
}

}  // namespace

bool Explanation::sends_data() const {
  return ranges::any_of(wrong_.instance.calls, [](const auto& call) {
    return ranges::any_of(call.second->verbs,
                          [](const auto& verb) { return carries_data(verb.second); });
  });
}

int Explanation::line_of_last_send() const {
  for (auto verb = call_.verbs.rbegin(); verb != call_.verbs.rend(); ++verb)
    if (verb->second.find("end") != std::string::npos) return verb->first;  // send, Isend, sendrecv
  return outcome_.line;
}

/// Returns the line of the last change that is not on the line where the call ends.
int Explanation::line_before_end() const {
  for (auto change = call_.history.rbegin(); change != call_.history.rend(); ++change)
    if (change->line != call_.end) return change->line;
  return outcome_.line;
}

const Handed::Loop* Explanation::loop_of_messages() const {
  for (const Handed::Loop& loop : call_.loops)
    for (const auto& [line, name] : call_.verbs)
      if (line >= loop.first && line <= loop.last && loop.passes > 0) return &loop;
  return nullptr;
}

std::vector<double> Explanation::by(ReduceOp op) const {
  Meaning other = wrong_.meaning;
  other.op = op;
  return expected_values(other, wrong_.comparison.root, inputs_, rank_);
}

// The right result is in a local variable, which is lost when the function returns.
Explanation::Guess Explanation::left_in_a_variable() const {
  if (!is_given(call_, wrong_.name)) return std::nullopt;
  for (const Handed::Change& change : call_.history) {
    if (!same(change.values, expected_, dtype_)) continue;
    if (call_.returns) return std::nullopt;
    return says(
        fmt::format("the right result is in {}'s own variable {} and is dropped when {} returns",
                    call_.function, change.name, call_.function),
        change.name == wrong_.name
            ? fmt::format(
                  "The line rebinds {} to a new array, so the caller's array does not change.",
                  change.name)
            : "Nothing is returned, and the caller's array is unchanged.",
        fmt::format("Return the result and assign it at the call, or store it in place: "
                    "{}.copy_(...) for a tensor, {}[:] = ... for an array.",
                    wrong_.name, wrong_.name),
        change.line);
  }
  return std::nullopt;
}

Explanation::Guess Explanation::does_nothing() const {
  if (call_.function.empty() || !call_.history.empty() || call_.returns ||
      ranges::any_of(wrong_.instance.calls,
                     [](const auto& call) { return !call.second->verbs.empty(); }))
    return std::nullopt;
  return says(
      fmt::format("{} sends nothing and changes none of its arguments", call_.function),
      "A function without calls and assignments leaves the result's array as it was.",
      fmt::format("Write the algorithm in {}: send and receive, and store the result in place "
                  "(out[:] = ...) or return it.",
                  call_.function),
      call_.line);
}

Explanation::Guess Explanation::other_size() const {
  if (outcome_.values.size() == expected_.size()) return std::nullopt;
  if (outcome_.values.empty())
    return says("no result was found", "The call returns and changes nothing numeric.",
                "Name the variable that is the collective's data with --data.");
  return says(fmt::format("the result has {} elements, {} were expected", outcome_.values.size(),
                          expected_.size()),
              fmt::format("{} is given {} elements on each of {} ranks.", wrong_.name, own().size(),
                          parts()),
              "Check the shapes of the arrays that are joined there.");
}

// Integers wrap around: past the largest value they continue at the smallest.
Explanation::Guess Explanation::too_large_for_type() const {
  const auto limits = limits_of(dtype_);
  if (!limits || outcome_.values.size() != expected_.size()) return std::nullopt;
  const double span = limits->second - limits->first + 1;
  std::optional<std::size_t> first;
  for (std::size_t e = 0; e < expected_.size(); ++e) {
    const double off = std::remainder(outcome_.values[e] - expected_[e], span);
    if (off != 0) return std::nullopt;
    if (outcome_.values[e] != expected_[e] && !first) first = e;
  }
  if (!first) return std::nullopt;
  Cause cause = says(
      fmt::format("element {} of rank {}'s result is {}: {} does not fit into {}, whose largest "
                  "value is {}",
                  *first, rank_, number(outcome_.values[*first]), number(expected_[*first]), dtype_,
                  number(limits->second)),
      "Integers wrap around: past the largest value they continue at the smallest.",
      "Use a type that holds the sum over all ranks: 64 bits, or a floating type.");
  cause.certain = cause.shows_element = true;
  return cause;
}

std::string Explanation::first_beside_mean() const {
  return fmt::format("Element 0 is {}, the mean is {}.", number(outcome_.values[0]),
                     number(expected_[0]));
}

Explanation::Guess Explanation::cut_off() const {
  if (wrong_.meaning.op != ReduceOp::avg || !is_whole(dtype_) ||
      outcome_.values.size() != expected_.size())
    return std::nullopt;
  for (std::size_t e = 0; e < expected_.size(); ++e)
    if (outcome_.values[e] != std::trunc(expected_[e])) return std::nullopt;
  Cause cause =
      general(says(fmt::format("the mean is truncated: {} has an integer type ({})",
                               outcome_.name.empty() ? wrong_.name : outcome_.name, dtype_),
                   first_beside_mean(), "Use a floating type for the data."));
  cause.certain = true;
  return cause;
}

// Part of the output (a separate array, or a broadcast's data) still has its values from before the call.
Explanation::Guess Explanation::never_written() const {
  const auto before = call_.begin.find(outcome_.name);
  if (before == call_.begin.end() || before->second.values.size() != expected_.size() ||
      outcome_.values.size() != expected_.size() ||
      (outcome_.name == wrong_.name && wrong_.meaning.collective != Collective::broadcast))
    return std::nullopt;
  std::vector<std::size_t> left;
  for (std::size_t e = 0; e < expected_.size(); ++e) {
    if (same({outcome_.values[e]}, {expected_[e]}, dtype_)) continue;
    if (outcome_.values[e] != before->second.values[e]) return std::nullopt;
    left.push_back(e);
  }
  if (left.empty() || left.size() == expected_.size() ||
      left.back() - left.front() + 1 != left.size())
    return std::nullopt;
  const std::string which =
      left.size() == 1
          ? fmt::format("element {} of {} is", left.front(), outcome_.name)
          : fmt::format("elements {} to {} of {} are", left.front(), left.back(), outcome_.name);
  const auto each = expected_.size() / static_cast<std::size_t>(parts());
  const bool own_block = !reduces(wrong_.meaning.collective) && each > 0 && left.size() == each &&
                         left.front() == each * static_cast<std::size_t>(place_of(rank_)) &&
                         (wrong_.meaning.collective == Collective::alltoall ||
                          wrong_.meaning.collective == Collective::allgather ||
                          wrong_.meaning.collective == Collective::gather);
  Cause cause = says(
      own_block
          ? fmt::format("{0} on rank {1} lacks rank {1}'s own block; its other blocks are right",
                        outcome_.name, rank_)
          : fmt::format("{} never written on rank {}; the others are right", which, rank_),
      fmt::format("{} there {} still {}, as before the first message.",
                  left.size() == 1 ? "The value" : "The values", left.size() == 1 ? "is" : "are",
                  number(outcome_.values[left.front()])),
      own_block ? "Copy it there: no message brings a rank its own block."
                : fmt::format("Write the whole of {} there: the range written is too short, or the "
                              "message into it is.",
                              outcome_.name));
  cause.element = static_cast<std::ptrdiff_t>(left.front());
  cause.certain = true;
  return cause;
}

// A maximum of numbers below zero that is begun with zero, and the like.
Explanation::Guess Explanation::begins_with_zero() const {
  const ReduceOp op = wrong_.meaning.op;
  if (!reduces(wrong_.meaning.collective) || outcome_.values.size() != expected_.size() ||
      (op != ReduceOp::max && op != ReduceOp::min && op != ReduceOp::product))
    return std::nullopt;
  std::optional<std::size_t> first;
  for (std::size_t e = 0; e < expected_.size(); ++e) {
    if (outcome_.values[e] == expected_[e]) continue;
    const bool hidden = op == ReduceOp::max   ? expected_[e] < 0
                        : op == ReduceOp::min ? expected_[e] > 0
                                              : true;
    if (outcome_.values[e] != 0 || !hidden) return std::nullopt;
    if (!first) first = e;
  }
  // A zero may be another rank's, and then is no beginning.
  if (!first || ranges::any_of(inputs_, [&](const auto& one) {
        return ranges::find(one.second, 0.0) != one.second.end();
      }))
    return std::nullopt;
  const std::string noun = operator_noun(op);
  Cause cause = general(says(
      fmt::format("the result is 0, where the {} of the ranks' {} is {}", noun, wrong_.name,
                  number(expected_[*first])),
      fmt::format("Element {} is 0, and no rank began with a 0: the {} seems to begin with one.",
                  *first, noun),
      fmt::format("Begin the {} with the rank's own data.", noun)));
  cause.certain = true;
  return cause;
}

// A sum of numbers with fractions that is added up in a variable of whole numbers.
Explanation::Guess Explanation::without_fractions() const {
  const bool is_mean = wrong_.meaning.op == ReduceOp::avg;
  if (!reduces(wrong_.meaning.collective) || is_whole(dtype_) ||
      (wrong_.meaning.op != ReduceOp::sum && wrong_.meaning.op != ReduceOp::avg) ||
      outcome_.values.size() != expected_.size())
    return std::nullopt;
  std::optional<std::size_t> first;
  for (std::size_t e = 0; e < expected_.size(); ++e) {
    const double got = outcome_.values[e], off = std::abs(expected_[e] - got);
    if (got != std::trunc(got) || off >= (is_mean ? 1 : parts())) return std::nullopt;
    if (off != 0 && !first) first = e;
  }
  const auto has_fraction = [](double value) { return value != std::trunc(value); };
  const bool whole_data = ranges::none_of(
      inputs_, [&](const auto& one) { return ranges::any_of(one.second, has_fraction); });
  if (!first || (whole_data && !is_mean)) return std::nullopt;
  Cause cause = general(says(
      whole_data ? std::string("the mean has whole numbers only: its fractions are missing")
                 : fmt::format("the result has whole numbers only, although the ranks' {} has "
                               "fractions",
                               wrong_.name),
      fmt::format("Element {} is {}, it should be {}: fractions seem to be dropped on the way.",
                  *first, number(outcome_.values[*first]), number(expected_[*first])),
      "Is a part of the sum kept in a variable of whole numbers (an int), or divided as such? Use "
      "the type of the data."));
  cause.certain = true;
  return cause;
}

Explanation::Guess Explanation::not_divided() const {
  const std::vector<double> sum = by(ReduceOp::sum);
  if (wrong_.meaning.op != ReduceOp::avg) return std::nullopt;
  std::vector<double> again = expected_;
  for (double& value : again) value /= parts();
  if (parts() > 2 && is(again))
    return general(says(
        fmt::format("the mean is divided by the {} ranks twice", parts()), first_beside_mean(),
        "Divide in one place only: where the sum is complete, or after it has been handed on."));
  for (int by_number = 1; by_number <= 2 * parts(); ++by_number) {
    std::vector<double> divided = sum;
    for (double& value : divided) value /= by_number;
    if (by_number == parts() || !is(divided)) continue;
    return general(says(
        by_number == 1
            ? fmt::format(
                  "the result is {} times too large: it is the sum, not divided by the {} ranks",
                  parts(), parts())
            : fmt::format("the sum is divided by {}, not by the {} ranks", by_number, parts()),
        first_beside_mean(),
        fmt::format("Divide by the number of ranks after the sum: {} / {}.",
                    outcome_.name.empty() ? "the result" : outcome_.name, parts())));
  }
  return std::nullopt;
}

// The rank with the largest number ends with its own data; only other ranks show that this is the maximum.
Explanation::Guess Explanation::other_operator() const {
  for (const ReduceOp op :
       {ReduceOp::sum, ReduceOp::max, ReduceOp::min, ReduceOp::product, ReduceOp::avg}) {
    if (op == wrong_.meaning.op || !is(by(op))) continue;
    // One rank's maximum or minimum may as well be the data of a single rank that it received.
    if ((op == ReduceOp::max || op == ReduceOp::min) &&
        !ranges::all_of(wrong_.comparison.wrong, [&](Rank other) {
          const Explanation theirs(wrong_, other);
          return theirs.is(theirs.by(op));
        }))
      continue;
    if (!is(own())) return is_result_of(op);
    for (const Rank other : wrong_.comparison.wrong) {
      const Explanation theirs(wrong_, other);
      if (!theirs.is(theirs.own()) && theirs.is(theirs.by(op))) return theirs.is_result_of(op);
    }
  }
  return std::nullopt;
}

Cause Explanation::is_result_of(ReduceOp op) const {
  const std::string wanted = operator_noun(wrong_.meaning.op);
  return general(says(fmt::format("the result is the {} of the ranks' {}, where the {} was meant",
                                  operator_noun(op), wrong_.name, wanted),
                      fmt::format("Element 0 is {}; the {} is {}.", number(outcome_.values[0]),
                                  wanted, number(expected_[0])),
                      fmt::format("Use the operator {} there.", to_string(wrong_.meaning.op))));
}

// A maximum or a minimum is one of the ranks' values.
Explanation::Guess Explanation::combined_otherwise() const {
  const ReduceOp op = wrong_.meaning.op;
  if (!reduces(wrong_.meaning.collective) || (op != ReduceOp::max && op != ReduceOp::min) ||
      wrong_.meaning.collective == Collective::reduce_scatter ||
      outcome_.values.size() != expected_.size())
    return std::nullopt;
  constexpr std::size_t kMostNamed = 8;
  for (std::size_t e = 0; e < expected_.size(); ++e) {
    const double got = outcome_.values[e];
    std::vector<std::string> theirs;
    for (const auto& [rank, values] : inputs_)
      if (e < values.size() && !same({got}, {values[e]}, dtype_))
        theirs.push_back(number(values[e]));
    if (theirs.size() != inputs_.size()) continue;
    if (theirs.size() > kMostNamed) {
      theirs.resize(kMostNamed);
      theirs.back() = "...";
    }
    const std::string noun = operator_noun(op);
    Cause cause = says(
        fmt::format("element {} of rank {}'s result is {}, which is no rank's: the {} is {}", e,
                    rank_, number(got), noun, number(expected_[e])),
        fmt::format("The ranks have {} there, and a {} is one of these: they are combined in "
                    "another way, as by an addition.",
                    fmt::join(theirs, ", "), noun),
        fmt::format("Take the {} wherever two ranks' data are combined, also in the last step.",
                    noun));
    cause.shows_element = cause.certain = true;
    return cause;
  }
  return std::nullopt;
}

// Blocks of count / N elements leave a rest over.
Explanation::Guess Explanation::rest_left_out() const {
  const auto count = expected_.size(), ranks = static_cast<std::size_t>(parts());
  if (wrong_.meaning.collective != Collective::allreduce || count <= ranks || count % ranks == 0)
    return std::nullopt;
  const std::size_t rest = count % ranks, whole = count - rest;
  for (const Rank rank : wrong_.comparison.judged) {
    const std::vector<double> got = result_of(rank), expected = expected_of(rank);
    if (got.size() != count || first_difference(got, expected, dtype_) != std::ptrdiff_t(whole))
      return std::nullopt;
    for (std::size_t e = whole; e < count; ++e)
      if (got[e] != inputs_.at(rank)[e] || same({got[e]}, {expected[e]}, dtype_))
        return std::nullopt;
  }
  const auto first =
      ranges::find_if(call_.verbs, [](const auto& verb) { return carries_data(verb.second); });
  const std::string last = rest == 1 ? "element" : fmt::format("{} elements", rest);
  Cause cause = says(
      fmt::format("the last {} of {} {} as before on every rank; the others are right", last, count,
                  rest == 1 ? "is" : "are"),
      fmt::format("{} elements are no multiple of {} ranks: {} blocks of {} leave the last {} out.",
                  count, ranks, ranks, count / ranks, last),
      "Let the last block take the rest, or begin block r at r * count / ranks.",
      first == call_.verbs.end() ? 0 : first->first);
  cause.certain = true;
  cause.element = static_cast<std::ptrdiff_t>(whole);
  return cause;
}

const std::pair<int, std::string>* Explanation::last_verb() const {
  const auto last = std::find_if(call_.verbs.rbegin(), call_.verbs.rend(),
                                 [](const auto& verb) { return carries_data(verb.second); });
  return last == call_.verbs.rend() ? nullptr : &*last;
}

Explanation::Guess Explanation::at_root_only() const {
  const auto* const verb = last_verb();
  const auto& [wrong, judged, root, problem] = wrong_.comparison;
  if (wrong_.meaning.collective != Collective::allreduce || verb == nullptr ||
      ascii_lower(verb->second) != to_string(Collective::reduce) ||
      judged.size() != wrong.size() + 1)
    return std::nullopt;
  const auto right =
      ranges::find_if(judged, [&](Rank rank) { return ranges::find(wrong, rank) == wrong.end(); });
  return says(fmt::format("only rank {} has the {}", *right, operator_noun(wrong_.meaning.op)),
              fmt::format("The reduce at {} gives its result to the root alone; on the other ranks "
                          "the memory holds no result.",
                          call_.site(verb->first)),
              fmt::format("Call an allreduce there, or broadcast the result from rank {}.", *right),
              verb->first);
}

Explanation::Guess Explanation::spread_from_one() const {
  const auto* const verb = last_verb();
  const bool all_lack = wrong_.comparison.wrong.size() == wrong_.comparison.judged.size(),
             spreads = wrong_.meaning.collective == Collective::broadcast && all_lack;
  if ((wrong_.meaning.collective != Collective::allreduce && !spreads) || verb == nullptr ||
      sends_itself(call_) || !is_broadcast(verb->second))
    return std::nullopt;
  std::optional<Rank> source;
  for (const auto& [rank, values] : inputs_)
    if (ranges::all_of(wrong_.comparison.wrong,
                       [&](Rank other) { return same(result_of(other), values, dtype_); })) {
      if (source) return std::nullopt;
      source = rank;
    }
  if (!source) return std::nullopt;
  return says(fmt::format("the result is rank {}'s own data", *source),
              fmt::format("The broadcast at {} spreads them.", call_.site(verb->first)),
              spreads ? fmt::format("Broadcast from rank {}, whose data are meant: give the call "
                                    "that root.",
                                    wrong_.comparison.root)
                      : "Broadcast from the rank that has the result: is the root of the broadcast "
                        "the root of the reduce before it?",
              verb->first);
}

// ---- Data that only moves ----

/// Returns the source of these elements of the result: "block 2 of rank 0's data".
std::optional<std::string> Explanation::place_of_block(std::size_t from, std::size_t count) const {
  if (count == 0 || from + count > outcome_.values.size()) return std::nullopt;
  const std::span<const double> block(outcome_.values.data() + from, count);
  std::optional<std::string> out;
  for (const auto& [rank, values] : inputs_)
    for (std::size_t at = 0; at + count <= values.size(); at += count)
      if (std::ranges::equal(block, std::span(values.data() + at, count))) {
        if (out) return std::nullopt;  // it may be either's
        out = values.size() == count ? fmt::format("the data of rank {}", rank)
                                     : fmt::format("block {} of rank {}'s data", at / count, rank);
      }
  return out;
}

// The data of one rank, which no other rank's equal, lie in the result once, and not in that rank's place.
Explanation::Guess Explanation::misplaced_block(std::size_t each) const {
  if (wrong_.meaning.collective == Collective::alltoall || each == 0) return std::nullopt;
  const auto& values = outcome_.values;
  for (const auto& [rank, block] : inputs_) {
    const std::size_t place = each * static_cast<std::size_t>(place_of(rank));
    if (block.size() != each || is_blank(block) || rank == rank_ || place + each > values.size() ||
        ranges::count(inputs_, block, &Inputs::value_type::second) > 1)
      continue;
    std::vector<std::size_t> found;
    for (std::size_t at = 0; at + each <= values.size(); ++at)
      if (std::ranges::equal(block, std::span(values.data() + at, each))) found.push_back(at);
    if (found.size() != 1 || found.front() == place) continue;
    const auto elements = [&](std::size_t from) {
      return each == 1 ? fmt::format("element {}", from)
                       : fmt::format("elements {} to {}", from, from + each - 1);
    };
    Cause cause = says(
        fmt::format("the data of rank {} lie in {} of rank {}'s result, and belong in {}", rank,
                    elements(found.front()), rank_, elements(place)),
        fmt::format("Element {} is {}, it should be {}. The block of rank s begins at s * {}.",
                    place, number(values[place]), number(expected_[place]), each),
        fmt::format("Correct the index at which a received block is stored: here it is {} too {}.",
                    found.front() < place ? place - found.front() : found.front() - place,
                    found.front() < place ? "small" : "large"));
    cause.shows_element = true;
    return cause;
  }
  return std::nullopt;
}

Explanation::Guess Explanation::other_place() const {
  if (reduces(wrong_.meaning.collective)) return std::nullopt;
  const auto owner = [&](const std::vector<double>& values) -> std::optional<Rank> {
    const auto at = ranges::find(inputs_, values, &Inputs::value_type::second);
    return at == inputs_.end() ? std::nullopt : std::optional(at->first);
  };
  if (wrong_.meaning.collective == Collective::broadcast) {
    const auto whose = owner(outcome_.values);
    if (!whose) return std::nullopt;
    const auto came = ranges::find_if(call_.verbs, [](auto& verb) {
      return receives(verb.second) && (is_message(verb.second) || is_broadcast(verb.second));
    });
    if (*whose == rank_ && came != call_.verbs.end())
      return says(
          fmt::format("rank {}'s {} stays as it was, although rank {} receives at {}", rank_,
                      wrong_.name, rank_, call_.site(came->first)),
          "The data went into another array, or into a call of another kind.",
          fmt::format("Receive into {} itself. Data received into a copy (in C++ also a by-value "
                      "parameter) is lost when the function returns.",
                      wrong_.name),
          came->first);
    return says(
        *whose == rank_
            ? fmt::format(
                  "rank {} still has its own data; it should have the data of the root, rank {}",
                  rank_, wrong_.comparison.root)
            : fmt::format(
                  "rank {} has the data of rank {}; it should have the data of the root, rank {}",
                  rank_, *whose, wrong_.comparison.root),
        "A broadcast gives every rank the root's data.", "Send the root's data to this rank.");
  }
  std::vector<double> have = outcome_.values, want = expected_;
  ranges::sort(have);
  ranges::sort(want);
  const bool same_numbers = same(have, want, dtype_);
  const bool one_block = wrong_.meaning.collective == Collective::scatter;
  const auto each =
      one_block ? expected_.size() : expected_.size() / static_cast<std::size_t>(parts());
  const auto first = first_difference(outcome_.values, expected_, dtype_);
  const std::size_t e = first < 0 ? expected_.size() : static_cast<std::size_t>(first);
  const std::size_t block = each > 0 ? e / each : 0;
  if (same_numbers) {
    std::vector<Rank> order;
    for (std::size_t b = 0; each > 0 && (b + 1) * each <= have.size(); ++b)
      if (const auto whose =
              owner({outcome_.values.begin() + static_cast<std::ptrdiff_t>(b * each),
                     outcome_.values.begin() + static_cast<std::ptrdiff_t>((b + 1) * each)}))
        order.push_back(*whose);
    return says(
        fmt::format(
            "rank {}'s result has all ranks' data in the wrong order{}", rank_,
            std::ssize(order) == parts() ? fmt::format(": ranks {}", fmt::join(order, ", ")) : ""),
        "Each rank's data belongs at that rank's position, whenever it arrives.",
        "Store the data of rank s at position s. In a ring, rank r receives the data of "
        "rank (r - i) % N in step i, counted from 1.");
  }
  if (e >= outcome_.values.size()) return std::nullopt;
  if (auto found = one_block ? std::nullopt : misplaced_block(each)) return found;
  std::string what =
      one_block ? fmt::format("rank {}'s result is not block {} of the root's data", rank_, rank_)
                : fmt::format("block {} of rank {}'s result lacks the data that belongs there",
                              block, rank_);
  if (outcome_.values[e] == 0) what += "; it was never written";
  if (const auto other = place_of_block(block * each, each)) what += "; it has " + *other;
  Cause cause = says(what,
                     fmt::format("Element {} is {}, it should be {}.", e,
                                 number(outcome_.values[e]), number(expected_[e])),
                     "Check which rank should send this block, and where it is stored.");
  cause.shows_element = true;
  return cause;
}

Cause Explanation::other_numbers() const {
  const auto e = static_cast<std::size_t>(
      std::max<std::ptrdiff_t>(0, first_difference(outcome_.values, expected_, dtype_)));
  Cause cause = says(
      fmt::format("element {} of rank {}'s result is {}, it should be {}", e, rank_,
                  number(outcome_.values[e]), number(expected_[e])),
      fmt::format("The right value is the {} of the ranks' initial data.", wrong_.meaning.words()),
      "Step through this rank in rankscope-gui and compare its data after each step with "
      "what you expect.");
  cause.shows_element = cause.numbers_only = true;
  return cause;
}

Explanation::Guess Explanation::cause() const {
  for (const auto guess : {&Explanation::does_nothing,       &Explanation::left_in_a_variable,
                           &Explanation::other_size,         &Explanation::unwritten,
                           &Explanation::too_large_for_type, &Explanation::cut_off,
                           &Explanation::never_written,      &Explanation::begins_with_zero,
                           &Explanation::without_fractions,  &Explanation::not_divided,
                           &Explanation::other_operator,     &Explanation::combined_otherwise,
                           &Explanation::rest_left_out,      &Explanation::at_root_only,
                           &Explanation::spread_from_one,    &Explanation::own_multiple,
                           &Explanation::chosen_not_added,   &Explanation::half_of_a_ring,
                           &Explanation::one_step_short,     &Explanation::other_sum,
                           &Explanation::other_place})
    if (auto cause = (this->*guess)()) return cause;
  return std::nullopt;
}

Cause cause_of(const WrongCall& wrong) {
  std::optional<Cause> first;
  for (const Rank rank : wrong.comparison.wrong) {
    auto cause = Explanation(wrong, rank).cause();
    if (!cause || (first && cause->what != first->what)) continue;
    if (!first) first = std::move(*cause);
    first->ranks.push_back(rank);
    if (!first->general) break;
  }
  if (first) return std::move(*first);
  return numbers_of(wrong);
}

Cause numbers_of(const WrongCall& wrong) {
  return Explanation(wrong, wrong.comparison.wrong.front()).other_numbers();
}

}  // namespace rankscope::meant
