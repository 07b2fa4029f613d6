// Open MPI as a baseline of the profiler. Contract: baseline.h. All ranks on one host.
//
//   mpirun --oversubscribe -np 8 [--mca btl tcp,self] rankscope-baseline-openmpi
//   (as root also --allow-run-as-root)
//
// mpirun gives standard input to rank 0. Open MPI waits by spinning, which would disturb whatever
// is measured between our batches, so idle ranks never wait inside MPI: rank 0 blocks in read() and
// the others on a semaphore in a shared window, beside which rank 0 leaves the next batch.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

#include <mpi.h>
#include <semaphore.h>
#include <sys/prctl.h>

#include "engine/run/baselines/baseline.h"

namespace rankscope::baseline {
namespace {

[[noreturn]] void fail(const char* message) {
  std::fprintf(stderr, "rankscope-baseline-openmpi: %s\n", message);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::exit(1);  // not reached: MPI_Abort ends the process
}

// Hands rank 0's next batch to the sleeping ranks, each with its own semaphore.
class Mailbox {
 public:
  Mailbox(int rank, int ranks) : rank_(rank), ranks_(ranks) {
    MPI_Comm host;
    int on_host = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &on_host);
    if (on_host != ranks) fail("all ranks must be on one host");
    const auto bytes = static_cast<MPI_Aint>(sizeof(Page) + sizeof(sem_t) * ranks);
    MPI_Aint size = 0;
    int unit = 0;
    void* base = nullptr;
    MPI_Win_allocate_shared(rank == 0 ? bytes : 0, 1, MPI_INFO_NULL, host, &base, &window_);
    MPI_Win_shared_query(window_, 0, &size, &unit, &base);
    MPI_Comm_free(&host);
    page_ = static_cast<Page*>(base);
    wake_ = reinterpret_cast<sem_t*>(page_ + 1);
    if (rank == 0) {
      new (page_) Page;
      for (int r = 0; r < ranks; ++r)
        if (sem_init(&wake_[r], 1, 0) != 0) fail("cannot make a shared semaphore");
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  ~Mailbox() { MPI_Win_free(&window_); }

  // Called by rank 0. No rank reads the previous batch any more, because it ended with a reduction to rank 0. nullopt
  // ends the ranks.
  void post(const std::optional<Batch>& batch) {
    page_->batch = batch.value_or(Batch{});
    page_->end = !batch;
    for (int r = 1; r < ranks_; ++r) sem_post(&wake_[r]);
  }

  std::optional<Batch> wait() {
    while (sem_wait(&wake_[rank_]) != 0)
      if (errno != EINTR) fail("cannot wait for the next batch");
    if (page_->end) return std::nullopt;
    return page_->batch;
  }

 private:
  struct alignas(64) Page {
    Batch batch;
    bool end = false;
  };

  int rank_;
  int ranks_;
  MPI_Win window_ = MPI_WIN_NULL;
  Page* page_ = nullptr;
  sem_t* wake_ = nullptr;
};

void run_once(const Batch& batch, Data& data, int ranks) {
  const auto world = MPI_COMM_WORLD;
  const int count = static_cast<int>(batch.count());
  const int part = count / ranks;
  float* out = data.out.data();
  const float* in = data.in.data();
  switch (batch.collective) {
    case Collective::kAllreduce:
      MPI_Allreduce(MPI_IN_PLACE, out, count, MPI_FLOAT, MPI_SUM, world);
      break;
    case Collective::kBcast: MPI_Bcast(out, count, MPI_FLOAT, 0, world); break;
    case Collective::kReduce: MPI_Reduce(in, out, count, MPI_FLOAT, MPI_SUM, 0, world); break;
    case Collective::kAllgather:
      MPI_Allgather(in, part, MPI_FLOAT, out, part, MPI_FLOAT, world);
      break;
    case Collective::kReduceScatter:
      MPI_Reduce_scatter_block(in, out, part, MPI_FLOAT, MPI_SUM, world);
      break;
    case Collective::kAlltoall:
      MPI_Alltoall(in, part, MPI_FLOAT, out, part, MPI_FLOAT, world);
      break;
  }
}

// Every rank calls it; rank 0 answers.
void measure(const Batch& batch, int rank, int ranks) {
  Data data(batch, rank, ranks);
  const std::vector<double> times = timed(
      batch, data, [] { MPI_Barrier(MPI_COMM_WORLD); }, [&] { run_once(batch, data, ranks); });
  int right = data.is_right() ? 1 : 0;
  int all_right = 0;
  std::vector<double> slowest(times.size());
  MPI_Reduce(times.data(), slowest.data(), batch.iterations, MPI_DOUBLE, MPI_MAX, 0,
             MPI_COMM_WORLD);
  MPI_Reduce(&right, &all_right, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  if (all_right != 0) {
    answer(batch, slowest);
  } else {
    answer_error("Open MPI gave wrong values");
  }
}

void serve(Mailbox& mailbox, int ranks) {
  std::string line, error;
  while (std::getline(std::cin, line) && line != "quit") {
    const auto batch = parse_batch(line, ranks, error);
    if (!batch) {
      answer_error(error);
      continue;
    }
    mailbox.post(batch);
    measure(*batch, 0, ranks);
  }
  mailbox.post(std::nullopt);
}

}  // namespace
}  // namespace rankscope::baseline

int main(int argc, char** argv) {
  using namespace rankscope::baseline;
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // mpirun, our parent, may be killed while we are within MPI
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  {
    Mailbox mailbox(rank, ranks);
    if (rank == 0) {
      serve(mailbox, ranks);
    } else {
      while (const auto batch = mailbox.wait()) measure(*batch, rank, ranks);
    }
  }
  MPI_Finalize();
}
