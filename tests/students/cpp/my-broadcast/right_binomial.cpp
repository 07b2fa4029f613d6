// A binomial tree, counted from the source.
#include <rankscope.hpp>

template <class T>
void my_broadcast(rankscope::Communicator& comm, std::span<T> data, int src) {
  const int size = comm.size();
  const int place = (comm.rank() - src + size) % size;
  int step = 1;
  for (; step < size; step *= 2) {
    if (place < step) {
      if (place + step < size) comm.send((place + step + src) % size, data);
    } else if (place < 2 * step) {
      comm.recv((place - step + src) % size, data);
    }
  }
}

int main() {
  auto comm = rankscope::join();
  std::vector<float> data(4, static_cast<float>(comm.rank()));
  my_broadcast(comm, std::span(data), 0);
}
