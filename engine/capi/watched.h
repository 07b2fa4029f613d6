// A program's watched arrays and allocations: the memory in which messages are found, and what `rankscope exec --as` compares.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "engine/capi/rankscope.h"
#include "engine/core/base/site.h"

namespace rankscope::capi {

struct Allocation {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

/// Returns the living allocation of operator new that holds the memory. Nothing for memory of another kind, and in
/// programs that load this library at run time (Python).
std::optional<Allocation> allocation_of(const void* data, std::size_t bytes) noexcept;

/// Has `freeing` called before an allocation in which something is watched is freed.
void on_free(void (*freeing)(const Allocation&)) noexcept;

/// Returns the memory with the array that holds it, if it names none: a watched one, or its allocation.
rs_memory located(const rs_memory& memory) noexcept;
/// Remembers an array under its name.
void watch_memory(const rs_memory& memory);
/// See rs_watch_values(). In the second run of `exec --as`, the array that is its data gets numbers that tell whose they are.
void watch_values(const rs_memory& memory, const std::string& type, const Site& where, int rank);
/// Notes a call of a message or a collective for `rankscope exec --as`. `given` is sent and `taken` is written; either may be null.
void note_verb(const char* name, const Site& where, const rs_memory* given, const rs_memory* taken);
/// Writes what the watched arrays held first and last to the run's notes: the rank leaves.
void write_watched(int rank, int size);

/// Notes advice for the run's report on a rank's error, or on why it left, beyond the error's own words.
void note_advice(int rank, int size, const std::string& what, const std::string& why,
                 const std::string& advice);
/// Notes what a rank found at a line of the program, and what may be meant so.
void note_hint(int rank, int size, const std::string& file, unsigned line, const std::string& what,
               const std::string& why, const std::string& advice);

}  // namespace rankscope::capi
