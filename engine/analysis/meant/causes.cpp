// Explains a wrong result: a reduction's by its shares, data that only moves by its place.
#include "engine/analysis/meant/causes.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/account/fault.h"
#include "engine/analysis/findings/trace_operations.h"
#include "engine/core/base/partition.h"
#include "engine/core/base/ranges.h"

namespace rankscope::meant {
namespace {

using finder::rank_list;

std::string number(double value) { return fmt::format("{:.7g}", value); }

class Explanation {
 public:
  Explanation(const WrongCall& wrong, Rank rank)
      : wrong_(wrong),
        inputs_(wrong.instance.inputs),
        rank_(rank),
        call_(*wrong.instance.calls.at(rank_)),
        expected_(expected_of(rank_)),
        outcome_(outcome_of(call_, wrong.name, expected_)),
        dtype_(dtype_of(wrong.instance, wrong.name)) {}

  using Guess = std::optional<Cause>;
  Guess cause() const;
  Cause other_numbers() const;

 private:
  std::vector<double> expected_of(Rank rank) const {
    return expected_values(wrong_.meaning, wrong_.comparison.root, inputs_, rank);
  }
  int place_of(Rank rank) const {
    return static_cast<int>(std::distance(inputs_.begin(), inputs_.find(rank)));
  }
  int parts() const { return static_cast<int>(inputs_.size()); }
  bool is(const std::vector<double>& values) const { return same(outcome_.values, values, dtype_); }
  const std::vector<double>& own() const { return inputs_.at(rank_); }
  std::vector<double> by(ReduceOp op) const;
  Cause says(std::string what, std::string why, std::string advice, int line = 0) const {
    return {std::move(what), std::move(why), std::move(advice), line > 0 ? line : outcome_.line,
            rank_};
  }

  Guess left_in_a_variable() const;
  Guess other_size() const;
  Guess never_written() const;
  Guess not_divided() const;
  Guess other_operator() const;
  Cause is_result_of(ReduceOp op) const;
  Guess own_multiple() const;
  Guess half_of_a_ring() const;
  Guess other_sum() const;
  Guess other_place() const;

  // For sums.
  std::vector<Range> chunks() const;
  std::optional<account::Makeup> makeup(Rank rank, const std::vector<double>& values,
                                        Range chunk) const;
  std::size_t first_of(Rank rank, Range chunk) const;
  /// The data of all ranks, once.
  account::Shares all_data() const;
  std::vector<Rank> lacking_in(const account::Shares& shares) const;
  Cause wrong_chunk(const account::Share& share, int chunk) const;
  Cause counted_twice(const account::Shares& shares, const std::string& what) const;
  Cause missing(const std::vector<Rank>& ranks, const std::string& what) const;
  std::optional<std::set<int>> distances() const;
  const Handed::Loop* loop_of_messages() const;
  int line_of_last_send() const;
  int line_before_end() const;
  bool sends_data() const;

  const WrongCall wrong_;
  const Inputs& inputs_;
  const Rank rank_;
  const Handed::Call& call_;
  const std::vector<double> expected_;
  const Outcome outcome_;
  const std::string dtype_;
};

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

/// The last change before the line at which the call ends.
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

// The function leaves the right result in a variable of its own, which ends with it.
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
                  "The line gives the name {} to another array; that of the caller stays as it "
                  "was, since nothing is stored in place.",
                  change.name)
            : "Nothing is returned, and the caller's array stays as it was.",
        fmt::format("Return the result and assign it at the call, or store it in place: "
                    "{}.copy_(...) for a tensor, {}[:] = ... for an array.",
                    wrong_.name, wrong_.name),
        change.line);
  }
  return std::nullopt;
}

Explanation::Guess Explanation::other_size() const {
  if (outcome_.values.size() == expected_.size()) return std::nullopt;
  if (outcome_.values.empty())
    return says("no result was found", "Nothing that the call returns or changes has numbers.",
                "Name the variable that is the collective's data with --data.");
  return says(fmt::format("the result has {} elements, {} were expected", outcome_.values.size(),
                          expected_.size()),
              fmt::format("{} is given {} elements on each of {} ranks.", wrong_.name, own().size(),
                          parts()),
              "Look at the shape of what is put together there.");
}

// Some elements of a result that has a place of its own are as they were before the call.
Explanation::Guess Explanation::never_written() const {
  const auto before = call_.begin.find(outcome_.name);
  if (outcome_.name == wrong_.name || before == call_.begin.end() ||
      before->second.values.size() != expected_.size())
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
  return says(
      fmt::format("{} never written on rank {}; the others are right", which, rank_),
      fmt::format("It is {} there, as before the call.", number(outcome_.values[left.front()])),
      fmt::format("Write the whole of {} there: the range that is written ends too soon or "
                  "begins too late.",
                  outcome_.name));
}

Explanation::Guess Explanation::not_divided() const {
  if (wrong_.meaning.op != ReduceOp::avg || !is(by(ReduceOp::sum))) return std::nullopt;
  return says(
      fmt::format("the result is {} times too large: it is the sum, not divided by the {} ranks",
                  parts(), parts()),
      fmt::format("Element 0 is {}, the mean is {}.", number(outcome_.values[0]),
                  number(expected_[0])),
      fmt::format("Divide by the number of ranks after the sum: {} / {}.",
                  outcome_.name.empty() ? "the result" : outcome_.name, parts()));
}

// A rank whose own number is the largest ends with its own data: only other ranks show that it is the maximum.
Explanation::Guess Explanation::other_operator() const {
  for (const ReduceOp op :
       {ReduceOp::sum, ReduceOp::max, ReduceOp::min, ReduceOp::product, ReduceOp::avg}) {
    if (op == wrong_.meaning.op || !is(by(op))) continue;
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
  return says(fmt::format("the result is the {} of the ranks' {}, where the {} was meant",
                          operator_noun(op), wrong_.name, wanted),
              fmt::format("Element 0 is {}; the {} is {}.", number(outcome_.values[0]), wanted,
                          number(expected_[0])),
              fmt::format("Use the operator {} there.", to_string(wrong_.meaning.op)));
}

// ---- Sums ----

// A multiple of a rank's own data is the sum only where all ranks hold the same.
Explanation::Guess Explanation::own_multiple() const {
  if (!reduces(wrong_.meaning.collective) || own().size() != expected_.size() ||
      ranges::all_of(own(), [](double value) { return value == 0; }))
    return std::nullopt;
  for (int times = 2; times <= parts(); ++times) {
    std::vector<double> product = own();
    for (double& value : product) value *= times;
    if (!is(product)) continue;
    Cause cause = says(
        fmt::format("rank {}'s result is {} times its own data; no other rank's data are in it",
                    rank_, times),
        "That is the sum only where all ranks hold the same numbers.",
        "Add what the other ranks send, instead of multiplying.");
    cause.certain = true;
    return cause;
  }
  return std::nullopt;
}

std::vector<Range> Explanation::chunks() const {
  const auto count = static_cast<Count>(outcome_.values.size());
  std::vector<Range> out;
  if (wrong_.meaning.collective == Collective::reduce_scatter || count < parts())
    return {{0, count}};
  const Partition cut(count, parts());
  for (int chunk = 0; chunk < parts(); ++chunk) out.push_back(cut[chunk]);
  return out;
}

/// The first element of the ranks' data that belongs into a chunk of a rank's result.
std::size_t Explanation::first_of(Rank rank, Range chunk) const {
  if (wrong_.meaning.collective != Collective::reduce_scatter)
    return static_cast<std::size_t>(chunk.offset);
  return static_cast<std::size_t>(
      Partition(static_cast<Count>(own().size()), parts())[place_of(rank)].offset);
}

account::Shares Explanation::all_data() const {
  std::vector<account::Share> all;
  for (const auto& [rank, values] : inputs_) all.emplace_back(rank);
  return account::Shares(std::move(all));
}

std::vector<Rank> Explanation::lacking_in(const account::Shares& shares) const {
  std::vector<Rank> out;
  for (const auto& [rank, values] : inputs_)
    if (shares.times(rank) == 0) out.push_back(rank);
  return out;
}

std::optional<account::Makeup> Explanation::makeup(Rank rank, const std::vector<double>& values,
                                                   Range chunk) const {
  std::vector<double> sum = values;
  const std::size_t from = first_of(rank, chunk);
  const auto begin = static_cast<std::size_t>(chunk.offset),
             end = static_cast<std::size_t>(chunk.end());
  if (wrong_.meaning.op != ReduceOp::avg) return account::makeup_of(sum, inputs_, begin, end, from);
  for (double& value : sum) value *= parts();
  if (auto found = account::makeup_of(sum, inputs_, begin, end, from)) return found;
  return account::makeup_of(values, inputs_, begin, end, from);
}

Cause Explanation::wrong_chunk(const account::Share& share, int chunk) const {
  const Partition chunks(static_cast<Count>(own().size()), parts());
  return says(
      fmt::format(
          "rank {}'s result has the wrong chunk: chunk {} of rank {}'s data is added to chunk {}",
          rank_, chunks.chunk_of(share.element), share.rank, chunk),
      "The index of the chunk that is sent does not fit the one where it is put.",
      "Check the index of the chunk in this send: it is off, compared with the chunk that the "
      "receiver adds it to.",
      line_of_last_send());
}

Cause Explanation::counted_twice(const account::Shares& shares, const std::string& what) const {
  std::vector<Rank> ranks;
  for (const account::Share& share : shares)
    if (share.times > 1) ranks.push_back(share.rank);
  const bool is_own = ranks == std::vector<Rank>{rank_};
  return says(what,
              is_own ? "The sum begins with the rank's own data, and they are added once more."
                     : "They come to the sum by several ways.",
              "Add each rank's data once: begin with zeros, or leave the addition out that brings "
              "them again.");
}

/// The distances of the ranks that each result lacks; nothing where they differ from rank to rank.
std::optional<std::set<int>> Explanation::distances() const {
  std::optional<std::set<int>> all;
  for (const Rank rank : wrong_.comparison.judged) {
    const auto values =
        outcome_of(*wrong_.instance.calls.at(rank), wrong_.name, expected_of(rank)).values;
    if (values.empty()) return std::nullopt;
    const auto found = makeup(rank, values, chunks().front());
    if (!found) return std::nullopt;
    std::set<int> now;
    for (const Rank lacking : lacking_in(found->shares)) now.insert(wrap(rank - lacking, parts()));
    if (all && *all != now) return std::nullopt;
    all = std::move(now);
  }
  return all;
}

// A ring allreduce's first half leaves each rank with one chunk of the sum; the second half hands these chunks on.
Explanation::Guess Explanation::half_of_a_ring() const {
  if (wrong_.meaning.collective != Collective::allreduce) return std::nullopt;
  const auto all = chunks();
  if (std::ssize(all) != parts()) return std::nullopt;
  std::set<std::size_t> done;
  std::size_t ours = 0;
  for (const auto& [rank, call] : wrong_.instance.calls) {
    const auto expected = expected_of(rank);
    const auto values = outcome_of(*call, wrong_.name, expected).values;
    if (values.size() != expected.size()) return std::nullopt;
    std::optional<std::size_t> whole;
    for (std::size_t c = 0; c < all.size(); ++c) {
      const auto from = all[c].offset, to = all[c].end();
      if (!same({values.begin() + from, values.begin() + to},
                {expected.begin() + from, expected.begin() + to}, dtype_))
        continue;
      if (whole) return std::nullopt;
      whole = c;
    }
    if (!whole || !done.insert(*whole).second) return std::nullopt;
    if (rank == rank_) ours = *whole;
  }
  if (std::ssize(done) != parts()) return std::nullopt;
  // Where more steps are made, the second half is there, and something else is wrong with it.
  int steps = 0;
  for (const Handed::Loop& each : call_.loops)
    if (ranges::any_of(call_.verbs, [&](const auto& verb) {
          return verb.first >= each.first && verb.first <= each.last;
        }))
      steps += each.passes;
  if (steps >= parts()) return std::nullopt;
  const Handed::Loop* const loop = loop_of_messages();
  Cause cause = says(
      fmt::format("too few steps: the result is that of a reduce-scatter: each rank has one chunk "
                  "of the {}, rank {} chunk {}, and the others are partial",
                  operator_noun(wrong_.meaning.op), rank_, ours),
      loop != nullptr
          ? fmt::format("The loop makes {} steps; a ring allreduce of {} ranks has 2 (N - 1) = {}: "
                        "the second half passes the finished chunks on (an all-gather).",
                        loop->passes, parts(), 2 * (parts() - 1))
          : "The second half of an allreduce is missing: it passes the finished chunks on (an "
            "all-gather).",
      "Add the second half: N - 1 more steps, in which each rank sends the chunk that is finished, "
      "and stores (does not add) the one that it receives.",
      loop != nullptr ? loop->first : line_of_last_send());
  cause.certain = true;
  return cause;
}

Cause Explanation::missing(const std::vector<Rank>& ranks, const std::string& what) const {
  const Handed::Loop* const loop = loop_of_messages();
  const auto behind = distances();
  const auto count = static_cast<int>(ranks.size());
  // Without a loop, the steps are those that are written one after another.
  const auto sends = ranges::count_if(
      call_.verbs, [](const auto& verb) { return verb.second.find("end") != std::string::npos; });
  const int steps = loop != nullptr ? loop->passes : static_cast<int>(sends);
  const bool fits =
      loop != nullptr ? count + 1 < parts() : sends > 0 && steps + count + 1 == parts();
  if (fits && behind && std::ssize(*behind) == count &&
      *behind->rbegin() - *behind->begin() == count - 1)
    return says(
        fmt::format("too few steps: {}; on every rank the same distance away", what),
        fmt::format("{} {}; with {} more each rank's data would come all the way round.",
                    loop != nullptr ? "The loop over the steps makes" : "The data are passed on in",
                    steps == 1 ? "1 step" : fmt::format("{} steps", steps), count),
        fmt::format("{} {} steps: with N ranks a ring needs N - 1.",
                    loop != nullptr ? "Let the loop make" : "Make", steps + count),
        loop != nullptr ? loop->first : line_of_last_send());
  if (!sends_data())
    return says(what,
                "No rank sends its data to another: whatever is in the result comes from the rank "
                "that has it.",
                "Send the data, or call a collective (an allreduce, an all-gather) instead of "
                "filling in one rank's part.",
                line_before_end());
  return says(what, "Their data never come into this rank's sum.",
              "Look which rank should send them, and add what comes from there.");
}

Explanation::Guess Explanation::other_sum() const {
  if (!reduces(wrong_.meaning.collective)) return std::nullopt;
  if (wrong_.meaning.op != ReduceOp::sum && wrong_.meaning.op != ReduceOp::avg) return std::nullopt;
  const auto all = chunks();
  for (std::size_t c = 0; c < all.size(); ++c) {
    const auto begin = outcome_.values.begin() + all[c].offset,
               end = outcome_.values.begin() + all[c].end();
    const auto right = expected_.begin() + all[c].offset;
    if (same({begin, end}, {right, right + all[c].count}, dtype_)) continue;
    const auto found = makeup(rank_, outcome_.values, all[c]);
    if (!found) continue;
    const account::Shares whose = account::without_elements(found->shares);
    const bool whole = all.size() == 1 || ranges::all_of(all, [&](const Range& other) {
                         const auto others = makeup(rank_, outcome_.values, other);
                         return others && account::without_elements(others->shares) == whose;
                       });
    for (const account::Share& share : found->shares)
      if (share.element != static_cast<Count>(first_of(rank_, all[c])))
        return wrong_chunk(share, wrong_.meaning.collective == Collective::reduce_scatter
                                      ? place_of(rank_)
                                      : static_cast<int>(c));
    const std::string faults = account::fault_words(whose, all_data());
    if (faults.empty()) continue;
    const std::string what = whole
                                 ? fmt::format("rank {}'s result {}", rank_, faults)
                                 : fmt::format("chunk {} of rank {}'s result {}", c, rank_, faults);
    Cause cause = whose.most() > 1 ? counted_twice(whose, what) : missing(lacking_in(whose), what);
    if (whose.most() < 2 && !whole && sends_data() && loop_of_messages() != nullptr)
      cause.line = line_of_last_send();
    if (whose.most() < 2) cause.lacking = lacking_in(whose);
    cause.certain = found->certain;
    return cause;
  }
  return std::nullopt;
}

// ---- Data that only moves ----

Explanation::Guess Explanation::other_place() const {
  if (reduces(wrong_.meaning.collective)) return std::nullopt;
  const auto owner = [&](const std::vector<double>& values) -> std::optional<Rank> {
    const auto at = ranges::find(inputs_, values, &Inputs::value_type::second);
    return at == inputs_.end() ? std::nullopt : std::optional(at->first);
  };
  if (wrong_.meaning.collective == Collective::broadcast) {
    const auto whose = owner(outcome_.values);
    if (!whose) return std::nullopt;
    return says(
        *whose == rank_
            ? fmt::format("rank {} still has its own data: it lacks the root's, rank {}'s", rank_,
                          wrong_.comparison.root)
            : fmt::format("rank {} has the data of rank {}; it lacks those of the root, rank {}",
                          rank_, *whose, wrong_.comparison.root),
        "A broadcast gives every rank the root's data.", "Send the root's data to this rank.");
  }
  std::vector<double> have = outcome_.values, want = expected_;
  ranges::sort(have);
  ranges::sort(want);
  const bool same_numbers = same(have, want, dtype_);
  const auto each = expected_.size() / static_cast<std::size_t>(parts());
  std::size_t e = 0;
  while (e < expected_.size() && outcome_.values[e] == expected_[e]) ++e;
  const std::size_t block = each > 0 ? e / each : 0;
  if (same_numbers) {
    std::vector<Rank> order;
    for (std::size_t b = 0; each > 0 && (b + 1) * each <= have.size(); ++b)
      if (const auto whose =
              owner({outcome_.values.begin() + static_cast<std::ptrdiff_t>(b * each),
                     outcome_.values.begin() + static_cast<std::ptrdiff_t>((b + 1) * each)}))
        order.push_back(*whose);
    return says(fmt::format("rank {}'s result has all ranks' data in the wrong order{}", rank_,
                            std::ssize(order) == parts()
                                ? fmt::format(": those of ranks {}", fmt::join(order, ", "))
                                : ""),
                "What a rank gives belongs at the place of its rank, whenever it comes.",
                "Store what comes from rank r at place r: in a ring the data that come in step i "
                "are of rank (r - i) % N.");
  }
  if (e >= outcome_.values.size()) return std::nullopt;
  std::string what =
      fmt::format("block {} of rank {}'s result lacks the data that belongs there", block, rank_);
  if (outcome_.values[e] == 0) what += "; it was never written";
  return says(what,
              fmt::format("Element {} is {}, it should be {}.", e, number(outcome_.values[e]),
                          number(expected_[e])),
              "Look which rank should send this block, and where it is stored.");
}

Cause Explanation::other_numbers() const {
  std::size_t e = 0;
  while (e + 1 < expected_.size() && outcome_.values[e] == expected_[e]) ++e;
  return says(fmt::format("element {} of rank {}'s result is {}, it should be {}", e, rank_,
                          number(outcome_.values[e]), number(expected_[e])),
              fmt::format("That is the {} of what the ranks began with.", wrong_.meaning.words()),
              "Compare the steps of this rank with what should be in its data after each: "
              "rankscope-gui shows them.");
}

Explanation::Guess Explanation::cause() const {
  for (const auto guess :
       {&Explanation::left_in_a_variable, &Explanation::other_size, &Explanation::never_written,
        &Explanation::not_divided, &Explanation::other_operator, &Explanation::own_multiple,
        &Explanation::half_of_a_ring, &Explanation::other_sum, &Explanation::other_place})
    if (auto cause = (this->*guess)()) return cause;
  return std::nullopt;
}

}  // namespace

Cause cause_of(const WrongCall& wrong) {
  for (const Rank rank : wrong.comparison.wrong)
    if (auto cause = Explanation(wrong, rank).cause()) return std::move(*cause);
  return Explanation(wrong, wrong.comparison.wrong.front()).other_numbers();
}

}  // namespace rankscope::meant
