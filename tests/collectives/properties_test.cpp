// Random calls: sizes, roots, seeds, segments, groups, shapes; and calls on sub-communicators.
#include <cstring>
#include <random>

#include "tests/collectives/harness.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace rankscope::test;

namespace {

class RandomChoice {
 public:
  explicit RandomChoice(unsigned seed) : engine_(seed) {}
  int roll(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  template <class Range>
  auto pick(const Range& range) {
    return range[static_cast<std::size_t>(roll(0, static_cast<int>(std::size(range)) - 1))];
  }

 private:
  std::mt19937 engine_;
};

Case random_case(RandomChoice& choice, int n) {
  const auto all = algorithms();
  const Algorithm& algorithm = all[static_cast<std::size_t>(choice.roll(0, int(all.size()) - 1))];
  Case c{.algorithm = &algorithm, .job = {.collective = algorithm.collective, .n = n}};
  c.job.shape = Shape::flat(choice.roll(0, 3) == 0 ? choice.roll(0, 3 * n) : choice.roll(0, 5000));
  c.job.dtype = choice.pick(kAllDTypes);
  do c.job.op = choice.pick(kAllReduceOps);
  while (is_floating(c.job.dtype) && is_bitwise(c.job.op));
  c.job.root = choice.roll(0, n - 1);
  c.job.seed = static_cast<std::uint64_t>(choice.roll(0, 1 << 30));
  const InputPattern patterns[] = {InputPattern::exact, InputPattern::exact, InputPattern::real,
                                   InputPattern::index, InputPattern::rank};
  c.job.pattern = choice.pick(patterns);
  // A product of indices is soon infinite, and then its value depends on the order.
  if (c.job.op == ReduceOp::product && is_floating(c.job.dtype))
    c.job.pattern = InputPattern::exact;
  c.segment_bytes = static_cast<std::uint64_t>(choice.roll(0, 1) * choice.roll(1, 3000));
  // Every bucket is a thread: tiny segments of a long vector would be thousands.
  if (algorithm.name == "allreduce.bucketed" && c.segment_bytes > 0) c.segment_bytes += 2000;
  c.group_size = choice.roll(0, n + 1);
  c.radix = choice.roll(1, n + 2) % (n + 2);
  if (c.radix == 1) c.radix = 0;
  c.left_ring = choice.roll(0, 1) == 1;
  return c;
}

void expect_none(const std::vector<std::string>& wrong) {
  if (!wrong.empty()) FAIL_CHECK(wrong.front());
  else SUCCEED();
}

}  // namespace

TEST_CASE("random calls are right", "[collectives]") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    RandomChoice choice(seed);
    const int n = choice.roll(1, 17);
    std::vector<Case> cases;
    for (int i = 0; i < 60; ++i) cases.push_back(random_case(choice, n));
    InprocWorld world(n);
    for (const SendMode mode : {SendMode::buffered, SendMode::rendezvous})
      expect_none(failures(world, cases, mode));
  }
}

TEST_CASE("calls on sub-communicators are right", "[collectives]") {
  constexpr int kGroups = 3, kInGroup = 5;
  RandomChoice choice(99);
  std::vector<Case> cases;
  for (const auto& algorithm : algorithms())
    for (int i = 0; i < 3; ++i) {
      Case c = random_case(choice, kInGroup);
      c.algorithm = &algorithm;
      c.job.collective = algorithm.collective;
      c.job.shape = Shape::flat(choice.roll(0, 40));
      cases.push_back(c);
    }
  InprocWorld world(kGroups * kInGroup);
  // Every third rank, the last one first.
  const auto choose = [](Communicator& comm) {
    return std::move(*comm.split(comm.rank() % kGroups, -comm.rank()));
  };
  for (const SendMode mode : {SendMode::buffered, SendMode::rendezvous})
    expect_none(failures(world, cases, mode, choose));
}

TEST_CASE("all-to-all along any two dimensions of any shape is right", "[collectives]") {
  const auto shapes_for = [](Count n) {
    return std::vector<std::vector<Count>>{{n},          {2 * n + 1},      {n, n},
                                           {3, 2 * n},   {n + 1, 3},       {2, n + 2, 3},
                                           {2, 3, n, 2}, {n, 1, n - 1, 2}, {2, 0, 3}};
  };
  for (const int n : {1, 2, 3, 4, 6, 8}) {
    std::vector<Case> cases;
    for (const auto& algorithm : algorithms())
      for (const auto& extents : shapes_for(n)) {
        if (algorithm.collective != Collective::alltoall) continue;
        const Shape shape(extents);
        for (int scatter = 0; scatter < shape.dims(); ++scatter)
          for (int gather = 0; gather < shape.dims(); ++gather)
            cases.push_back({.algorithm = &algorithm,
                             .job = {.collective = Collective::alltoall,
                                     .shape = shape,
                                     .dtype = DType::int64,
                                     .n = n,
                                     .scatter_dim = scatter,
                                     .gather_dim = gather,
                                     .pattern = InputPattern::index}});
      }
    InprocWorld world(n);
    for (const SendMode mode : {SendMode::buffered, SendMode::rendezvous})
      expect_none(failures(world, cases, mode));
  }
}

TEST_CASE("floats have the same bits on all ranks, whatever their signs of zero", "[collectives]") {
  for (const auto& algorithm : algorithms()) {
    if (algorithm.collective != Collective::allreduce) continue;
    const int n = 6;
    std::vector<std::vector<float>> results(n);
    InprocWorld world(n);
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::min, ReduceOp::max, ReduceOp::avg}) {
      world.run([&](Communicator& comm) {
        std::vector<float> values(200);
        for (std::size_t i = 0; i < values.size(); ++i)
          values[i] = (static_cast<int>(i) + comm.rank()) % 3 == 0 ? -0.0F : 0.0F;
        for (std::size_t i = 100; i < 200; ++i)
          values[i] = 1.0F / static_cast<float>(static_cast<int>(i) * 7 + comm.rank() * 3 + 1);
        Args args;
        args.in = Buffer::of(values);
        args.out = Buffer::of(values);
        args.op = op;
        run_algorithm(comm, algorithm, args);
        results[static_cast<std::size_t>(comm.rank())] = args.out.to_vector<float>();
      });
      CAPTURE(algorithm.name, to_string(op));
      for (const auto& result : results)
        CHECK(std::memcmp(result.data(), results[0].data(), 200 * sizeof(float)) == 0);
    }
  }
}

namespace {

// A ring whose allgather is off by one chunk; and one that forgets a contribution.
void off_by_one_ring(Communicator& comm, const Args& args) {
  const int n = comm.size();
  const Partition part(args.out.count(), n);
  const auto chunk = [&](int step) { return args.out[part[wrap(comm.rank() - step, n)]]; };
  const Rank next = wrap(comm.rank() + 1, n), prev = wrap(comm.rank() - 1, n);
  for (int step : steps(n - 1)) {
    auto sent = comm.isend(next, chunk(step));
    comm.recv_reduce(prev, chunk(step + 1), args.op);
    comm.wait(sent);
  }
  for (int step : steps(n - 1)) comm.sendrecv(next, chunk(step), prev, chunk(step + 1));
}

void forgetful_flat(Communicator& comm, const Args& args) {
  if (comm.rank() != 0) {
    comm.send(0, args.out);
    comm.recv(0, args.out);
    return;
  }
  const Buffer ignored = comm.scratch(args.out.dtype(), args.out.count());
  for (Rank r = 1; r < comm.size(); ++r) {
    if (r == 2) comm.recv(r, ignored);
    else comm.recv_reduce(r, args.out, args.op);
  }
  for (Rank r = 1; r < comm.size(); ++r) comm.send(r, args.out);
}

// Adds its neighbour's data first: right values, other bits than the other ranks have.
void different_order(Communicator& comm, const Args& args) {
  const int n = comm.size();
  const Buffer all = comm.scratch(args.in.dtype(), args.in.count() * n);
  Args gathered = args;
  gathered.out = all;
  require_algorithm("allgather.ring").run(comm, gathered);
  const Partition part = Partition::uniform(args.in.count(), n);
  comm.copy(args.out, args.in);
  for (int i = 1; i < n; ++i) comm.reduce(args.out, all[part[wrap(comm.rank() + i, n)]], args.op);
}

// Both send first: works only where sends are buffered.
void unsafe_exchange(Communicator& comm, const Args& args) {
  const Buffer other = comm.scratch(args.out.dtype(), args.out.count());
  comm.send(1 - comm.rank(), args.out);
  comm.recv(1 - comm.rank(), other);
  comm.reduce(args.out, other, args.op);
}

std::vector<std::string> run_wrong(void (*run)(Communicator&, const Args&), int n, SendMode mode,
                                   InputPattern pattern = InputPattern::exact,
                                   std::chrono::milliseconds limit = test::kWaitLimit) {
  const Algorithm wrong{
      "allreduce.wrong", Collective::allreduce, run, "", "", "", nullptr, nullptr};
  InprocWorld world(n);
  return failures(
      world,
      {{.algorithm = &wrong,
        .job = {.collective = Collective::allreduce,
                .shape = Shape::flat(1000),
                .n = n,
                .pattern = pattern}}},
      mode, [](Communicator& comm) { return std::move(comm); }, limit);
}

}  // namespace

TEST_CASE("the harness finds wrong algorithms", "[collectives]") {
  const auto buffered = SendMode::buffered;
  CHECK(run_wrong(off_by_one_ring, 2, buffered).front().find("element") != std::string::npos);
  CHECK_FALSE(run_wrong(off_by_one_ring, 5, buffered).empty());
  CHECK_FALSE(run_wrong(forgetful_flat, 4, buffered).empty());
  CHECK(run_wrong(different_order, 4, buffered).empty());  // right for exact inputs
  const auto bits = run_wrong(different_order, 4, buffered, InputPattern::real);
  REQUIRE_FALSE(bits.empty());
  CHECK(bits.front().find("different bits") != std::string::npos);
  CHECK(run_wrong(unsafe_exchange, 2, buffered).empty());
  CHECK_FALSE(run_wrong(unsafe_exchange, 2, SendMode::rendezvous, InputPattern::exact,
                        std::chrono::milliseconds(200))
                  .empty());
}
