// Signs of mistakes that need no statement of what was meant: nothing sent, only zeros, elements for bytes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/analysis/findings/trace_operations.h"
#include "engine/analysis/meant/verdict.h"

namespace rankscope::meant {

inline constexpr std::size_t kMostLooked = 400;  // messages whose contents are read
/// The events of a trace that is replayed to read contents.
inline constexpr std::uint64_t kMostEvents = 100'000;

/// A finding on these ranks that no event shows.
Finding hint_at(Finding::Kind kind, std::vector<Rank> ranks, std::string site);

/// The contents of a message; empty where they are not known.
std::vector<std::byte> content_of(const Trace& trace, const finder::Operation& send);

/// The second send of a rank where every rank keeps sending the same data to one peer, although it also receives; else null.
const finder::Operation* sent_again(const finder::TraceOperations& facts);

/// Adds what the ranks of a run (0: there is none), and the driver of actors, have noted of calls that their platform carries
/// out differently than intended.
void add_remarks(const std::vector<Handed::Remark>& remarks, Rank ranks, bool compiled,
                 finder::Report& report);

/// Adds hints on numbers that a program in C++ most likely does not mean.
void add_doubtful_numbers(const finder::TraceOperations& facts, finder::Report& report);

}  // namespace rankscope::meant
