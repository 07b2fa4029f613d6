#include <vector>

#include <rankscope.hpp>

template <class T>
void my_reduce_scatter(rankscope::Communicator& comm, std::span<const T> data, std::span<T> mine) {
  const auto chunk = [&](int of) { return data.subspan(mine.size() * of, mine.size()); };
  std::copy_n(chunk(comm.rank()).begin(), mine.size(), mine.begin());
  std::vector<T> got(mine.size());
  for (int shift = 1; shift < comm.size(); ++shift) {
    const int to = (comm.rank() + shift) % comm.size();
    const int from = (comm.rank() - shift + comm.size()) % comm.size();
    const std::vector<T> out(chunk(to).begin(), chunk(to).end());
    comm.sendrecv(to, std::span(out), from, std::span(got));
    std::size_t i = 0;
    for (T& sum : mine) sum += got[i++];
  }
}
