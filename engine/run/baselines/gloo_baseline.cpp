// Gloo as a baseline of the profiler. Contract: baseline.h.
//
//   rankscope-baseline-gloo [--np 8] [--algorithm ring|bcube|default]
//
// The process that is started is rank 0. It spawns itself for the other ranks and forwards each
// request to their standard inputs, so that idle ranks sleep in read() and every rank ends when
// rank 0 does, however it ends. The ranks talk TCP over the loopback interface.
#include <memory>

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

#include "engine/run/baselines/family.h"

namespace rankscope::baseline {
namespace {

using Algorithm = gloo::AllreduceOptions::Algorithm;
using GlooContext = std::shared_ptr<gloo::Context>;

Algorithm algorithm_named(const std::string& name) {
  if (name == "ring") return Algorithm::RING;
  return name == "bcube" ? Algorithm::BCUBE : Algorithm::UNSPECIFIED;
}

GlooContext connect(const Options& options) {
  gloo::transport::tcp::attr address("127.0.0.1");
  auto device = gloo::transport::tcp::CreateDevice(address);
  gloo::rendezvous::FileStore store(options.meeting);
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
  Data data(batch, context->rank, context->size);
  std::vector<double> times = timed(
      batch, data,
      [&] {
        gloo::BarrierOptions barrier(context);
        gloo::barrier(barrier);
      },
      [&] { run_once(context, algorithm, batch.collective, data); });
  std::vector<double> wrong = {data.is_right() ? 0.0 : 1.0};
  reduce_max(context, times);
  reduce_max(context, wrong);
  if (context->rank != 0) return;
  if (wrong[0] == 0) answer(batch, times);
  else answer_error("Gloo gave wrong values");
}

std::string refusal(Collective collective) {
  if (collective != Collective::kReduceScatter) return "";
  return "Gloo has no reduce_scatter of its present interface";
}

}  // namespace
}  // namespace rankscope::baseline

int main(int argc, char** argv) {
  using namespace rankscope::baseline;
  return run_ranks("rankscope-baseline-gloo", argc, argv, {"ring", "bcube", "default"},
                   [](const Options& options, Family* family) {
                     const auto context = connect(options);
                     if (family != nullptr) family->forget_meeting();
                     serve(options.ranks, family, refusal, [&](const Batch& batch) {
                       measure(context, algorithm_named(options.algorithm), batch);
                     });
                   });
}
