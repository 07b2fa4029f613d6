#include <array>
#include <optional>

#include <rankscope.hpp>

std::int64_t pass_it_on(rankscope::Communicator& comm, std::int64_t value) {
  const auto neighbour = [&](int by) -> std::optional<int> {
    const int there = comm.rank() + by;
    return there < 0 || there >= comm.size() ? std::nullopt : std::optional(there);
  };
  std::array<std::int64_t, 1> held{value};
  if (const auto before = neighbour(-1)) {
    comm.recv(*before, std::span<std::int64_t>(held));
    held[0] += comm.rank();
  }
  if (const auto after = neighbour(+1)) comm.send(*after, std::span<std::int64_t>(held));
  return held.front();
}
