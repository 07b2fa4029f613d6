// Collectives on flat numbers, named in the trace.
#include "engine/training/parallel/exchange.h"

#include <vector>

#include "engine/core/base/ranges.h"
#include "engine/core/message/communicator.h"

namespace rankscope::training {
namespace {

template <class T>
Buffer buffer_of(std::span<const T> values) {
  Buffer out = Buffer::allocate(dtype_of<T>(), static_cast<Count>(values.size()));
  ranges::copy(values, out.as<T>().begin());
  return out;
}

void call(Communicator& comm, std::string_view algorithm, std::string_view line, Args args) {
  const auto phase = comm.phase(line);
  if (args.out.bytes() > 0) comm.watch(line, args.out);
  run_algorithm(comm, require_algorithm(algorithm), args);
}

}  // namespace

template <class T>
void all_reduce(Communicator& comm, std::string_view algorithm, std::string_view line,
                std::span<T> values) {
  const Buffer in = buffer_of<T>(values), out = buffer_of<T>(values);
  call(comm, algorithm, line, {.in = in, .out = out});
  ranges::copy(out.as<T>(), values.begin());
}

template <class T>
void all_gather(Communicator& comm, std::string_view algorithm, std::string_view line,
                std::span<const T> mine, std::span<T> all) {
  const Buffer out = Buffer::allocate(dtype_of<T>(), static_cast<Count>(all.size()));
  call(comm, algorithm, line, {.in = buffer_of(mine), .out = out});
  ranges::copy(out.as<T>(), all.begin());
}

template <class T>
void reduce_scatter(Communicator& comm, std::string_view algorithm, std::string_view line,
                    std::span<const T> all, std::span<T> mine) {
  const Buffer out = Buffer::allocate(dtype_of<T>(), static_cast<Count>(mine.size()));
  call(comm, algorithm, line, {.in = buffer_of(all), .out = out});
  ranges::copy(out.as<T>(), mine.begin());
}

Buffer all_to_all(Communicator& comm, std::string_view algorithm, std::string_view line, Buffer in,
                  int scatter_dim, int gather_dim) {
  const Buffer out = Buffer::allocate(
      in.dtype(), alltoall_shape(in.shape(), scatter_dim, gather_dim, comm.size(), comm.rank()));
  call(comm, algorithm, line,
       {.in = in, .out = out, .scatter_dim = scatter_dim, .gather_dim = gather_dim});
  return out;
}

CommunicationLine collective_line(const ParallelSettings& settings, std::string_view name,
                                  std::string_view algorithm, const Shape& shape, Count calls,
                                  int ranks, std::string_view formula, int scatter_dim) {
  const std::uint64_t bytes = require_algorithm(algorithm).busiest_bytes(
      {.n = ranks,
       .shape = shape,
       .dtype = settings.float64 ? DType::float64 : DType::float32,
       .scatter_dim = scatter_dim});
  return {std::string(name),
          std::string(algorithm),
          shape.to_string(),
          calls,
          bytes * static_cast<std::uint64_t>(calls),
          std::string(formula)};
}

#define RANKSCOPE_EXCHANGE(T)                                                                     \
  template void all_reduce(Communicator&, std::string_view, std::string_view, std::span<T>);      \
  template void all_gather(Communicator&, std::string_view, std::string_view, std::span<const T>, \
                           std::span<T>);                                                         \
  template void reduce_scatter(Communicator&, std::string_view, std::string_view,                 \
                               std::span<const T>, std::span<T>);
RANKSCOPE_EXCHANGE(float)
RANKSCOPE_EXCHANGE(double)
#undef RANKSCOPE_EXCHANGE

}  // namespace rankscope::training
