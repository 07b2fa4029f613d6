// Numbers that show whose data they are made of: inputs chosen for this, and functions that read sums of any inputs.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engine/account/promise.h"
#include "engine/core/trace/trace.h"

namespace rankscope::account {

/// Returns a rank's input for runs whose results should show what happened. For sums, element e of rank r is
/// chunk_weight(c) where e mod N = r, else 0 (c is the chunk of e), so that an element of the sum shows how often one
/// rank is in it, and to which chunk it belongs. For data that only moves it is 1 + r * count + e, so that each element
/// shows its rank and index.
std::vector<double> traceable_input(const Call& call, Rank rank);
/// Returns the weight of a chunk. No chunk's weight is a multiple of another's.
double chunk_weight(const Call& call, int chunk);

/// Returns how often rank `element` mod N is in an element of a sum of traceable inputs; nothing if the value is not a
/// multiple of that rank's input.
std::optional<int> traced_times(const Call& call, Count element, double value);

/// Returns a rank's input in which each contribution is a digit of its own, so that every number made of such inputs
/// shows all its shares. Exact in float64. Data that only moves has traceable_input().
std::vector<double> counted_input(const Call& call, Rank rank);
/// Returns the shares of a number made of counted inputs; unknown if no combination of contributions gives it.
Shares shares_in(const Call& call, double value);
/// Returns a rank's result as shares_in() reads it from a right run.
std::vector<Shares> counted_result(const Call& call, Rank rank);

/// Returns whether a number is a sum of these in which some are missing or repeated, as after one exchange too few or
/// too many, or if one buffer takes all that arrives.
bool is_miscounted_sum(double value, std::span<const double> numbers);

/// By rank, any inputs of the same length.
using Inputs = std::map<Rank, std::vector<double>>;
/// The shares of a sum of any inputs, which are those of its first element.
struct Makeup {
  Shares shares;
  bool certain =
      false;  ///< No other combination of the inputs, each up to three times, gives these numbers.
};
/// Reads elements [begin, end) of a sum to which each rank should give its elements from `input_begin` on. Returns
/// nothing if no combination gives these numbers, or if several do.
std::optional<Makeup> makeup_of(const std::vector<double>& sum, const Inputs& inputs,
                                std::size_t begin, std::size_t end, std::size_t input_begin);

/// Returns these samples of a watched buffer at a moment of its rank; empty if there are none or one is unknown.
std::vector<std::byte> known_samples(const Trace& trace, const Definition& buffer, Range samples,
                                     Cursor cursor);
/// The same as numbers.
std::vector<double> known_values(const Trace& trace, const Definition& buffer, Range samples,
                                 Cursor cursor);

}  // namespace rankscope::account
