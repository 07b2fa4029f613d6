#include <rankscope.hpp>

template <class T>
void ring_allreduce(rankscope::Communicator& comm, std::span<T> data) {
  const int size = comm.size(), rank = comm.rank();
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  std::vector<T> out(data.begin(), data.end()), in(data.size());
  for (int step = 0; step < size - 1; ++step) {
    comm.sendrecv(left, std::span(out), right, std::span(in));
    for (std::size_t i = 0; i < data.size(); ++i) data[i] += in[i];
    std::swap(out, in);
  }
}
