// Looks for the cause of one rank's wrong result: what the ranks began with, and what this one ended with.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/account/fault.h"
#include "engine/account/numbers.h"
#include "engine/analysis/meant/causes.h"
#include "engine/core/base/partition.h"

namespace rankscope::meant {

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

  /// Marks a cause whose words have no rank's number, but an element's.
  static Cause general(Cause cause) {
    cause.general = cause.shows_element = true;
    return cause;
  }

  Guess does_nothing() const;
  Guess left_in_a_variable() const;
  Guess other_size() const;
  Guess unwritten() const;
  Guess too_large_for_type() const;
  Guess cut_off() const;
  Guess never_written() const;
  Guess begins_with_zero() const;
  Guess without_fractions() const;
  Guess not_divided() const;
  Guess other_operator() const;
  Guess combined_otherwise() const;
  Guess rest_left_out() const;
  Guess at_root_only() const;
  Guess spread_from_one() const;
  std::vector<double> result_of(Rank rank) const {
    return outcome_of(*wrong_.instance.calls.at(rank), wrong_.name, expected_of(rank)).values;
  }
  const std::pair<int, std::string>* last_verb() const;
  Cause is_result_of(ReduceOp op) const;
  std::string first_beside_mean() const;
  Guess own_multiple() const;
  Guess chosen_not_added() const;
  Guess half_of_a_ring() const;
  Guess one_step_short() const;
  Guess other_sum() const;
  Guess misplaced_block(std::size_t each) const;
  Guess other_place() const;
  std::optional<std::string> place_of_block(std::size_t from, std::size_t count) const;

  // For sums.
  std::vector<Range> chunks() const;
  std::optional<std::vector<std::size_t>> wrong_chunks(Rank rank) const;
  std::optional<account::Makeup> makeup(Rank rank, const std::vector<double>& values,
                                        Range chunk) const;
  std::size_t first_of(Rank rank, Range chunk) const;
  /// Returns the sum of each rank's data, once.
  account::Shares all_data() const;
  std::vector<Rank> lacking_in(const account::Shares& shares) const;
  static std::vector<Rank> repeated_in(const account::Shares& shares);
  Cause wrong_chunk(const account::Share& share, int chunk) const;
  struct Multiple {
    int line = 0;
    std::string name;
    int times = 0;
  };
  std::optional<Multiple> added_multiple() const;
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

}  // namespace rankscope::meant
