#include <algorithm>

#include <rankscope.hpp>

template <class T>
void ring_allreduce(rankscope::Communicator& comm, std::span<T> data) {
  const int size = comm.size(), rank = comm.rank();
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  const std::size_t each = (data.size() + size - 1) / size;
  const auto chunk = [&](int c) {
    const std::size_t from = std::min(data.size(), each * (c % size));
    return data.subspan(from, std::min(each, data.size() - from));
  };
  std::vector<T> buffer(each);
  for (int i = 1; i <= 2 * size - 2; ++i) {
    const auto out = chunk(rank + i - 2 + size), in = chunk(rank + i - 1 + size);
    const auto got = std::span(buffer).first(in.size());
    comm.send(left, out);
    comm.recv(right, got);
    for (std::size_t k = 0; k < in.size(); ++k) in[k] = i < size ? in[k] + got[k] : got[k];
  }
}
