// Signs of mistakes that need no statement of what was meant: nothing sent, only zeros, elements for bytes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/analysis/findings/trace_operations.h"

namespace rankscope::meant {

/// A finding on these ranks that no event shows.
Finding hint_at(Finding::Kind kind, std::vector<Rank> ranks, std::string site);

/// The contents of a message; empty where they are not known.
std::vector<std::byte> content_of(const Trace& trace, const finder::Operation& send);

/// Adds hints on numbers that a program in C++ most likely does not mean.
void add_doubtful_numbers(const finder::TraceOperations& facts, finder::Report& report);

}  // namespace rankscope::meant
