// Runs rankscope's collectives, written with MPI point to point, on SimGrid's SMPI, and measures their virtual and wall
// time. Compiled by smpicxx, started by smpirun (engine/run/profile/smpi_peer.h):
//     rankscope-baseline-smpi <algorithm>:<bytes>[:<repeats>] ...
// prints a line for each: <algorithm> <bytes> <virtual seconds> <wall seconds>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <mpi.h>
#include <simgrid/s4u.hpp>

namespace {

/// The same chunks as engine/core/base/partition.h: the first ones are an element longer.
struct Part {
  long count;
  int parts;
  long base() const { return count / parts; }
  long longer() const { return count % parts; }
  long offset(int i) const { return i * base() + std::min<long>(i, longer()); }
  int size(int i) const { return static_cast<int>(base() + (i < longer() ? 1 : 0)); }
};

/// SMPI (3.32, smpi_request.cpp) adds 16 bytes to every message, so each sends four floats fewer than ours. Where
/// messages share links, these bytes can decide which is first.
int floats_of(int floats) { return std::max(0, floats - 4); }

struct Rank {
  int rank = 0, size = 1;
  std::vector<float> data, other;
  int wrap(int i) const { return ((i % size) + size) % size; }
};

/// Sends chunk `sent` to rank `to`, and receives chunk `into` from rank `from`.
void exchange(const Part& part, std::vector<float>& data, int to, int sent, int from, int into) {
  MPI_Sendrecv(data.data() + part.offset(sent), floats_of(part.size(sent)), MPI_FLOAT, to, 0,
               data.data() + part.offset(into), floats_of(part.size(into)), MPI_FLOAT, from, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// allreduce_ring.cpp
void ring(Rank& r) {
  const Part part{static_cast<long>(r.data.size()), r.size};
  const int next = r.wrap(r.rank + 1), prev = r.wrap(r.rank - 1);
  for (int step = 0; step < 2 * (r.size - 1); ++step)
    exchange(part, r.data, next, r.wrap(r.rank - step), prev, r.wrap(r.rank - step - 1));
}

// allreduce_bde.cpp, for a power of two of ranks.
void doubling(Rank& r) {
  const int count = floats_of(static_cast<int>(r.data.size()));
  for (int distance = 1; distance < r.size; distance *= 2)
    MPI_Sendrecv(r.data.data(), count, MPI_FLOAT, r.rank ^ distance, 0, r.other.data(), count,
                 MPI_FLOAT, r.rank ^ distance, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// broadcast_binomial.cpp: a range is cut at the largest power of two below its length, the farthest child is first.
void binomial(Rank& r) {
  const int count = floats_of(static_cast<int>(r.data.size()));
  int first = 0, last = r.size;
  std::vector<int> children;
  int parent = -1;
  while (last - first > 1) {
    int half = 1;
    while (2 * half < last - first) half *= 2;
    const int middle = first + half;
    if (r.rank < middle) {
      if (r.rank == first) children.push_back(middle);
      last = middle;
    } else {
      if (r.rank == middle) parent = first;
      first = middle;
    }
  }
  if (parent >= 0)
    MPI_Recv(r.data.data(), count, MPI_FLOAT, parent, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (const int child : children)
    MPI_Send(r.data.data(), count, MPI_FLOAT, child, 0, MPI_COMM_WORLD);
}

// alltoall_pairwise.cpp
void pairwise(Rank& r) {
  const Part part{static_cast<long>(r.data.size()), r.size};
  const bool power = (r.size & (r.size - 1)) == 0;
  const int mine = part.size(r.rank);
  for (int round = 1; round < r.size; ++round) {
    const int to = power ? r.rank ^ round : r.wrap(r.rank + round);
    const int from = power ? r.rank ^ round : r.wrap(r.rank - round);
    MPI_Sendrecv(r.data.data() + part.offset(to), floats_of(part.size(to)), MPI_FLOAT, to, 0,
                 r.other.data() + static_cast<long>(from) * mine, floats_of(mine), MPI_FLOAT, from,
                 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

struct Algorithm {
  const char* name;
  void (*run)(Rank&);
};
constexpr Algorithm kAlgorithms[] = {{"allreduce.ring", ring},
                                     {"allreduce.bde", doubling},
                                     {"broadcast.binomial", binomial},
                                     {"alltoall.pairwise", pairwise}};

double agreed_latest(double mine) {
  double latest = 0;
  MPI_Allreduce(&mine, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return latest;
}

double wall() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Returns the virtual time at which all ranks begin, long after earlier work is over.
double begin_together() {
  using simgrid::s4u::Engine;
  const double at = agreed_latest(Engine::get_clock()) + 1000;
  simgrid::s4u::this_actor::sleep_until(at);
  return at;
}

bool measure(Rank& r, const std::string& what) {
  const auto first = what.find(':'), second = what.find(':', first + 1);
  const std::string name = what.substr(0, first);
  const long bytes = std::atol(what.c_str() + first + 1);
  const int repeats = second == std::string::npos ? 1 : std::atoi(what.c_str() + second + 1);
  const auto* const found = std::find_if(std::begin(kAlgorithms), std::end(kAlgorithms),
                                         [&](const Algorithm& one) { return name == one.name; });
  if (first == std::string::npos || found == std::end(kAlgorithms) || bytes < 4 || repeats < 1) {
    if (r.rank == 0) std::fprintf(stderr, "not understood: %s\n", what.c_str());
    return false;
  }
  r.data.assign(static_cast<std::size_t>(bytes) / sizeof(float), 1);
  r.other.assign(r.data.size() + static_cast<std::size_t>(r.size), 0);
  const double begin = begin_together(), wall_begin = wall();
  for (int i = 0; i < repeats; ++i) found->run(r);
  const double took = agreed_latest(simgrid::s4u::Engine::get_clock()) - begin;
  if (r.rank == 0)
    std::printf("%s %ld %.17g %.6g\n", name.c_str(), bytes, took, wall() - wall_begin);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Rank r;
  MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &r.size);
  bool ok = true;
  for (int i = 1; i < argc && ok; ++i) ok = measure(r, argv[i]);
  MPI_Finalize();
  return ok ? 0 : 2;
}
