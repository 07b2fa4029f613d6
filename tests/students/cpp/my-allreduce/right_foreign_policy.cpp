// A fold whose operation is a policy, and a fan-out with requests.
#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include <rankscope.hpp>

namespace mine {

template <template <class> class Op>
struct Fold {
  template <class T>
  static void into(std::span<T> all, const std::vector<T>& part) {
    std::transform(all.begin(), all.end(), part.begin(), all.begin(), Op<T>{});
  }
};

}  // namespace mine

template <class T>
void my_allreduce(rankscope::Communicator& comm, std::span<T> data) {
  constexpr int root = 0;
  if (comm.rank() != root) {
    comm.send(root, data);
    comm.recv(root, data);
    return;
  }
  std::vector<int> peers(static_cast<std::size_t>(comm.size()) - 1);
  std::iota(peers.begin(), peers.end(), 1);
  std::vector<T> part(data.size());
  for (auto peer = peers.rbegin(); peer != peers.rend(); ++peer) {
    comm.recv(*peer, std::span(part));
    mine::Fold<std::plus>::into(data, part);
  }
  std::vector<rankscope::Request> requests;
  std::transform(peers.begin(), peers.end(), std::back_inserter(requests),
                 [&](int peer) { return comm.isend(peer, data); });
  for (auto& request : requests) request.wait();
}
