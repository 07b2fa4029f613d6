// verdict: wrong
// mistake: the source is missing among the parameters
// tells: cannot be called as the exercise calls it
#include <rankscope.hpp>

template <class T>
void my_broadcast(rankscope::Communicator& comm, std::span<T> data) {
  if (comm.rank() == 0)
    for (int peer = 1; peer < comm.size(); ++peer) comm.send(peer, data);
  else comm.recv(0, data);
}
