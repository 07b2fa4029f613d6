// Level by level, up and down the same edges.
#include <vector>

#include <rankscope.hpp>

namespace {

enum class Role { idle, child, parent };

struct Edge {
  Role role = Role::idle;
  int other = -1;
};

Edge edge_at(int rank, int size, int level) {
  const int span = 1 << level;
  if (rank % (2 * span) == span) return {Role::child, rank - span};
  if (rank % (2 * span) == 0 && rank + span < size) return {Role::parent, rank + span};
  return {};
}

}  // namespace

template <class T>
void tree_allreduce(rankscope::Communicator& comm, std::span<T> data) {
  std::vector<Edge> edges;
  for (int level = 0; (1 << level) < comm.size(); ++level)
    edges.push_back(edge_at(comm.rank(), comm.size(), level));
  std::vector<T> box(data.size());
  for (const auto& [role, other] : edges) {
    if (role == Role::child) comm.send(other, data);
    if (role != Role::parent) continue;
    comm.recv(other, std::span<T>(box));
    for (std::size_t i = 0; i != data.size(); ++i) data[i] += box[i];
  }
  while (!edges.empty()) {
    const auto [role, other] = edges.back();
    edges.pop_back();
    if (role == Role::child) comm.recv(other, data);
    else if (role == Role::parent) comm.send(other, data);
  }
}
