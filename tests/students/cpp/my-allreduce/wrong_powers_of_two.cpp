#include <rankscope.hpp>

template <class T>
void my_allreduce(rankscope::Communicator& comm, std::span<T> data) {
  std::vector<T> other(data.size());
  for (int bit = 1; bit < comm.size(); bit *= 2) {
    const int peer = comm.rank() ^ bit;
    if (peer >= comm.size()) continue;
    comm.sendrecv(peer, data, peer, std::span(other));
    for (std::size_t i = 0; i < data.size(); ++i) data[i] += other[i];
  }
}
