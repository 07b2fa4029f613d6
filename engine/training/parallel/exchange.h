// The collectives that a parallel form calls: an algorithm of the registry on flat numbers, within the phase of its line.
#pragma once

#include <span>
#include <string_view>

#include "engine/core/base/buffer.h"
#include "engine/training/parallel/parallel_form.h"

namespace rankscope::training {

/// values = the sum of all ranks' values.
template <class T>
void all_reduce(Communicator& comm, std::string_view algorithm, std::string_view line,
                std::span<T> values);
/// all = the ranks' `mine` after each other; as many on each rank.
template <class T>
void all_gather(Communicator& comm, std::string_view algorithm, std::string_view line,
                std::span<const T> mine, std::span<T> all);
/// mine = this rank's chunk (Partition) of the sum of the ranks' `all`.
template <class T>
void reduce_scatter(Communicator& comm, std::string_view algorithm, std::string_view line,
                    std::span<const T> all, std::span<T> mine);
/// As alltoall of engine/collectives/algorithm.h; `in` has the shape.
Buffer all_to_all(Communicator& comm, std::string_view algorithm, std::string_view line, Buffer in,
                  int scatter_dim, int gather_dim);

/// The line of a collective, each call with `shape` on each rank (as Args::in has it), with the algorithm's closed form.
CommunicationLine collective_line(const ParallelSettings& settings, std::string_view name,
                                  std::string_view algorithm, const Shape& shape, Count calls,
                                  int ranks, std::string_view formula, int scatter_dim = 0);

}  // namespace rankscope::training
