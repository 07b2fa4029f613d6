// The one who has the data gives it to the middle of the ranks behind it, and so do both halves.
#include <functional>

#include <rankscope.hpp>

template <class T>
void my_broadcast(rankscope::Communicator& comm, std::span<T> data, int src) {
  const auto world = comm.size();
  const auto place = (comm.rank() - src + world) % world;
  const auto rank_at = [=](int at) { return (at + src) % world; };
  const std::function<void(int, int)> spread = [&](int begin, int end) {
    if (end - begin < 2) return;
    const int middle = begin + (end - begin + 1) / 2;
    if (place == begin) comm.send(rank_at(middle), data);
    if (place == middle) comm.recv(rank_at(begin), data);
    place < middle ? spread(begin, middle) : spread(middle, end);
  };
  spread(0, world);
}
