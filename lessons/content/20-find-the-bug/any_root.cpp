// From rank src to all ranks, down a binomial tree: in each round, whoever has the data sends it on.
#include <rankscope.hpp>

template <class T>
void my_broadcast(rankscope::Communicator& comm, std::span<T> data, int src) {
  const int size = comm.size();
  const int place = (comm.rank() - src + size) % size;  // in the tree: the source is at 0
  for (int distance = 1; distance < size; distance *= 2) {
    if (place < distance && place + distance < size) comm.send((place + distance) % size, data);
    else if (place >= distance && place < 2 * distance) comm.recv((place - distance) % size, data);
  }
}
