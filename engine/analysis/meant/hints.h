// Signs of mistakes that need no statement of what was meant: nothing sent, only zeros, elements for bytes.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/analysis/findings/trace_operations.h"
#include "engine/analysis/meant/verdict.h"
#include "engine/core/run/trace_meta.h"

namespace rankscope::meant {

/// Adds hints, and a warning for numbers of bytes that are numbers of elements.
void add_hints(const finder::TraceOperations& facts, const Handed* observed,
               finder::Report& report);

/// The contents of a message; empty where they are not known.
std::vector<std::byte> content_of(const Trace& trace, const finder::Operation& send);

/// Adds hints on numbers that a program in C++ most likely does not mean.
void add_doubtful_numbers(const finder::TraceOperations& facts, finder::Report& report);

/// Adds the ranks' own remarks on calls that their platform carries out differently than intended.
void add_remarks(const finder::TraceOperations& facts, const Handed& observed,
                 finder::Report& report);

/// Moves the finding on a wrong result to where a rank whose data are missing sends only zeros, or would have to send and
/// does not, if the trace shows that.
void name_silent_send(const finder::TraceOperations& facts, const Verdict& verdict,
                      Finding& finding);

}  // namespace rankscope::meant
