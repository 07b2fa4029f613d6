// Gloo as a baseline of the profiler. Contract: baseline.h.
//
//   rankscope-baseline-gloo [--np 8] [--algorithm ring|bcube|default]
//
// The process that is started is rank 0. It spawns itself for the other ranks and forwards each
// request to their standard inputs, so that idle ranks sleep in read() and every rank ends when
// rank 0 does, however it ends. The ranks talk TCP over the loopback interface.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/math.h>
#include <gloo/reduce.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include "engine/run/baselines/baseline.h"
#include "engine/run/baselines/family.h"

namespace rankscope::baseline {
namespace {

using Algorithm = gloo::AllreduceOptions::Algorithm;
using GlooContext = std::shared_ptr<gloo::Context>;

struct Options {
  int ranks = 8;
  std::string algorithm = "ring";
  int rank = 0;         // the others are for rank 0's children
  std::string meeting;  // the directory in which the ranks exchange addresses
};

constexpr int kMaxRanks = 128;

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::runtime_error(name + " needs a value");
    const std::string value = argv[i + 1];
    if (name == "--np") {
      options.ranks = std::atoi(value.c_str());
    } else if (name == "--algorithm") {
      options.algorithm = value;
    } else if (name == "--rank") {
      options.rank = std::atoi(value.c_str());
    } else if (name == "--meeting") {
      options.meeting = value;
    } else {
      throw std::runtime_error("unknown option " + name);
    }
  }
  if (options.ranks < 1 || options.ranks > kMaxRanks)
    throw std::runtime_error("--np must be 1 to 128");
  return options;
}

Algorithm algorithm_named(const std::string& name) {
  if (name == "ring") return Algorithm::RING;
  if (name == "bcube") return Algorithm::BCUBE;
  if (name == "default") return Algorithm::UNSPECIFIED;
  throw std::runtime_error("--algorithm must be ring, bcube or default");
}

GlooContext connect(const Options& options, const std::string& meeting) {
  gloo::transport::tcp::attr address("127.0.0.1");
  auto device = gloo::transport::tcp::CreateDevice(address);
  gloo::rendezvous::FileStore store(meeting);
  auto context = std::make_shared<gloo::rendezvous::Context>(options.rank, options.ranks);
  context->connectFullMesh(store, device);
  gloo::BarrierOptions all_met(context);
  gloo::barrier(all_met);
  return context;
}

void reduce_max(const GlooContext& context, std::vector<double>& values) {
  gloo::AllreduceOptions options(context);
  options.setOutput(values.data(), values.size());
  options.setReduceFunction(
      [](void* c, const void* a, const void* b, std::size_t n) { gloo::max<double>(c, a, b, n); });
  gloo::allreduce(options);
}

void add(void* c, const void* a, const void* b, std::size_t n) { gloo::sum<float>(c, a, b, n); }

void run_once(const GlooContext& context, Algorithm algorithm, Collective collective, Data& data) {
  const auto set_both = [&data](auto& options) {
    options.setInput(data.in.data(), data.in.size());
    options.setOutput(data.out.data(), data.out.size());
  };
  if (collective == Collective::kAllreduce) {
    gloo::AllreduceOptions options(context);
    options.setAlgorithm(algorithm);
    options.setOutput(data.out.data(), data.out.size());  // in place
    options.setReduceFunction(add);
    gloo::allreduce(options);
  } else if (collective == Collective::kBcast) {
    gloo::BroadcastOptions options(context);
    options.setOutput(data.out.data(), data.out.size());
    options.setRoot(0);
    gloo::broadcast(options);
  } else if (collective == Collective::kReduce) {
    gloo::ReduceOptions options(context);
    set_both(options);
    options.setRoot(0);
    options.setReduceFunction(add);
    gloo::reduce(options);
  } else if (collective == Collective::kAllgather) {
    gloo::AllgatherOptions options(context);
    set_both(options);
    gloo::allgather(options);
  } else {
    gloo::AlltoallOptions options(context);
    set_both(options);
    gloo::alltoall(options);
  }
}

// Every rank calls it; rank 0 answers.
void measure(const GlooContext& context, Algorithm algorithm, const Batch& batch) {
  using Clock = std::chrono::steady_clock;
  Data data(batch, context->rank, context->size);
  std::vector<double> times(static_cast<std::size_t>(batch.iterations));
  for (int i = -batch.warmup; i < batch.iterations; ++i) {
    data.prepare();
    gloo::BarrierOptions barrier(context);
    gloo::barrier(barrier);
    const auto start = Clock::now();
    run_once(context, algorithm, batch.collective, data);
    const std::chrono::duration<double> taken = Clock::now() - start;
    if (i >= 0) times[static_cast<std::size_t>(i)] = taken.count();
  }
  std::vector<double> wrong = {data.is_right() ? 0.0 : 1.0};
  reduce_max(context, times);
  reduce_max(context, wrong);
  if (context->rank != 0) return;
  if (wrong[0] == 0) {
    answer(batch, times);
  } else {
    answer_error("Gloo gave wrong values");
  }
}

void serve(const Options& options, const GlooContext& context, Family* family) {
  const Algorithm algorithm = algorithm_named(options.algorithm);
  std::string line, error;
  while (std::getline(std::cin, line) && line != "quit") {
    auto batch = parse_batch(line, options.ranks, error);
    if (batch && batch->collective == Collective::kReduceScatter) {
      error = "Gloo has no reduce_scatter of its present interface";
      batch.reset();
    }
    if (!batch) {
      answer_error(error);
      continue;
    }
    if (family != nullptr) family->forward(line);
    measure(context, algorithm, *batch);
  }
}

void run_rank_0(const Options& options) {
  algorithm_named(options.algorithm);  // a wrong name is reported once, before anything is started
  with_family(options.ranks,
              {"rankscope-baseline-gloo", "--np", std::to_string(options.ranks), "--algorithm",
               options.algorithm},
              [&](Family& family) {
                const auto context = connect(options, family.meeting());
                family.forget_meeting();
                serve(options, context, &family);
              });
}

}  // namespace
}  // namespace rankscope::baseline

int main(int argc, char** argv) {
  using namespace rankscope::baseline;
  Options options;
  try {
    options = parse_options(argc, argv);
    if (options.rank == 0) {
      run_rank_0(options);
      return 0;
    }
    serve(options, connect(options, options.meeting), nullptr);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "rankscope-baseline-gloo: rank " << options.rank << ": " << error.what() << "\n";
    return 1;
  }
}
