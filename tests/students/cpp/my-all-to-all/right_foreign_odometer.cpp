// Every element finds its rank and its place by its coordinates.
#include <vector>

#include <rankscope.hpp>

using Place = std::vector<std::int64_t>;

namespace {

bool advance(Place& at, const Place& shape) {
  for (auto d = shape.size(); d-- > 0;) {
    if (++at[d] < shape[d]) return true;
    at[d] = 0;
  }
  return false;
}

std::size_t offset(const Place& at, const Place& shape) {
  std::size_t out = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) out = out * shape[d] + at[d];
  return out;
}

}  // namespace

template <class T>
void my_all_to_all(rankscope::Communicator& comm, rankscope::Tensor<const T> in,
                   rankscope::Tensor<T> out, int scatter_dim, int gather_dim) {
  const int n = comm.size(), me = comm.rank();
  const int s = (scatter_dim + in.dims()) % in.dims(), g = (gather_dim + in.dims()) % in.dims();
  const Place whole(in.shape().begin(), in.shape().end());
  const Place result(out.shape().begin(), out.shape().end());
  Place part = whole;
  part[s] /= n;
  const auto from_whole = [&](int peer) {
    std::vector<T> box;
    Place at(whole.size());
    do {
      Place there = at;
      there[s] += peer * part[s];
      box.push_back(in[offset(there, whole)]);
    } while (advance(at, part));
    return box;
  };
  const auto to_result = [&](int peer, const std::vector<T>& box) {
    Place at(whole.size());
    std::size_t k = 0;
    do {
      Place there = at;
      there[g] += peer * part[g];
      out[offset(there, result)] = box[k++];
    } while (advance(at, part));
  };
  to_result(me, from_whole(me));
  for (int shift = 1; shift < n; ++shift) {
    const int to = (me + shift) % n, from = (me + n - shift) % n;
    const std::vector<T> give = from_whole(to);
    std::vector<T> get(give.size());
    comm.sendrecv(to, std::span(give), from, std::span(get));
    to_result(from, get);
  }
}
