// Finds the allocation that holds an address, in programs in C++ that are linked against this library.
#pragma once

#include <cstddef>
#include <optional>

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

}  // namespace rankscope::capi
