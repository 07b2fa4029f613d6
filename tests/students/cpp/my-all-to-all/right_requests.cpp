// Chunks are packed, exchanged with requests, and joined.
#include <rankscope.hpp>

namespace {

/// The elements of part `part` of `parts` along `dim`: f(place in the whole, place in the part), row by row.
template <class Each>
void for_part(const std::vector<std::int64_t>& shape, int dim, int part, int parts, Each each) {
  std::int64_t outer = 1, inner = 1;
  for (int d = 0; d < dim; ++d) outer *= shape[d];
  for (int d = dim + 1; d < static_cast<int>(shape.size()); ++d) inner *= shape[d];
  const std::int64_t extent = shape[dim] / parts;
  std::size_t at = 0;
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t e = 0; e < extent; ++e)
      for (std::int64_t i = 0; i < inner; ++i)
        each((o * shape[dim] + part * extent + e) * inner + i, at++);
}

}  // namespace

template <class T>
void my_all_to_all(rankscope::Communicator& comm, rankscope::Tensor<const T> in,
                   rankscope::Tensor<T> out, int scatter_dim, int gather_dim) {
  const int size = comm.size(), rank = comm.rank();
  if (scatter_dim < 0) scatter_dim += in.dims();
  if (gather_dim < 0) gather_dim += in.dims();
  std::vector<std::vector<T>> give(size), get(size);
  std::vector<rankscope::Request> requests;
  for (int peer = 0; peer < size; ++peer) {
    give[peer].resize(in.size() / size);
    get[peer].resize(in.size() / size);
    for_part(in.shape(), scatter_dim, peer, size,
             [&](std::size_t from, std::size_t at) { give[peer][at] = in[from]; });
    if (peer == rank) continue;
    requests.push_back(comm.irecv(peer, std::span(get[peer])));
    requests.push_back(comm.isend(peer, std::span(give[peer])));
  }
  get[rank] = give[rank];
  for (auto& request : requests) request.wait();
  for (int peer = 0; peer < size; ++peer)
    for_part(out.shape(), gather_dim, peer, size,
             [&](std::size_t to, std::size_t at) { out[to] = get[peer][at]; });
}
