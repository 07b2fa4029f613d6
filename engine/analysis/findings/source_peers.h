// The rank that a program's text computes: "(rank + 1) % size", or a name whose assignment the text has.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/analysis/findings/source_calls.h"

namespace rankscope::finder {

/// The value of an expression on a rank of `size`: of whole numbers, + - * / // % ^, brackets, and names that are the rank
/// or the size, or that the text always assigns alike. Nothing for any other.
std::optional<int> value_of(const SourceText& text, std::string_view expression, Rank rank,
                            int size);

/// Its value where only rank() and size() of a communicator, and names declared as whole numbers, are taken for them.
std::optional<int> known_value_of(const SourceText& text, std::string_view expression, Rank rank,
                                  int size);

/// A division of whole numbers in C++.
struct Division {
  std::string_view dividend, divisor;
  int total = 0, parts = 0;
};
/// The first division of the expression that a text begins with, of values as those of known_value_of().
std::optional<Division> division_in(const SourceText& text, std::string_view expression, Rank rank,
                                    int size);

/// A send or a receive that a rank is blocked in.
struct BlockedCall {
  std::uint32_t site = 0;
  bool send = false;
  Rank rank = -1, peer = -1;
};

/// The peer of the receive (of a receive: the send) that comes next in the same block, with no other message verb of its
/// kind before it. Nothing where the text leaves it open, or gives the blocked call another peer than it has.
std::optional<Rank> next_peer(const Trace& trace, const BlockedCall& blocked);

}  // namespace rankscope::finder
