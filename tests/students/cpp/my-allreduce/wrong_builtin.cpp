#include <rankscope.hpp>

template <class T>
void my_allreduce(rankscope::Communicator& comm, std::span<T> data) {
  comm.reduce(data, 0);
  if (comm.rank() != 0) {
    comm.recv(0, data);
    return;
  }
  for (int peer = 1; peer < comm.size(); ++peer) comm.send(peer, data);
}
