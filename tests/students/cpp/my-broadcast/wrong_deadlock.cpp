#include <rankscope.hpp>

template <class T>
void my_broadcast(rankscope::Communicator& comm, std::span<T> data, int) {
  const int size = comm.size(), rank = comm.rank();
  if (size == 1) return;
  comm.recv((rank + size - 1) % size, data);
  comm.send((rank + 1) % size, data);
}
