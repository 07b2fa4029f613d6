#include <rankscope.hpp>

template <class T>
void my_broadcast(rankscope::Communicator& comm, std::span<T> data, int src) {
  if (comm.rank() == src)
    for (int peer = 0; peer < comm.size(); ++peer) {
      if (peer != src) comm.send(peer, data);
    }
  else comm.recv(src, data);
  for (std::size_t i = 0; i <= data.size(); ++i) data[i] += T{0};
}
