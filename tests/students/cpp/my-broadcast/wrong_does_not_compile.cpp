#include <rankscope.hpp>

template <class T>
void my_broadcast(rankscope::Communicator& comm, std::span<T> data, int src) {
  if (comm.rank() == source) comm.send(1, data);
  else comm.recv(src, data);
}
