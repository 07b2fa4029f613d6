// All to rank 0, which adds, and back.
#include <rankscope.hpp>

template <class T>
void my_allreduce(rankscope::Communicator& comm, std::span<T> data) {
  if (comm.rank() != 0) {
    comm.send(0, data);
    comm.recv(0, data);
    return;
  }
  std::vector<T> other(data.size());
  for (int peer = 1; peer < comm.size(); ++peer) {
    comm.recv(peer, std::span(other));
    for (std::size_t i = 0; i < data.size(); ++i) data[i] += other[i];
  }
  for (int peer = 1; peer < comm.size(); ++peer) comm.send(peer, data);
}
