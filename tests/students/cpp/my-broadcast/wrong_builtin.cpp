#include <rankscope.hpp>

template <class T>
void my_broadcast(rankscope::Communicator& comm, std::span<T> data, int src) {
  comm.broadcast(data, src);
}
