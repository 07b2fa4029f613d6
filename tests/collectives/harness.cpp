// Runs an algorithm with many arguments and compares each output with the oracle's.
#include "tests/collectives/harness.h"

#include <cstring>
#include <mutex>

#include <fmt/format.h>

#include "tests/support/catch.h"

namespace rankscope::test {
namespace {

std::uint64_t digest(const Buffer& buffer) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;  // FNV-1a
  for (const std::byte b : buffer.all().raw())
    hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001B3ULL;
  return hash;
}

// What one rank finds.
struct Finding {
  std::string wrong;
  std::uint64_t digest = 0;
};

Finding run_case(Communicator& comm, const Case& c) {
  const Args args = make_args(c, comm.rank());
  const auto before = digest(args.in);
  run_algorithm(comm, *c.algorithm, args);
  Finding finding;
  if (const auto m = check_output(c.job, comm.rank(), args.out); !m.ok())
    finding.wrong =
        fmt::format("rank {}: element {} is {}, not {}", comm.rank(), m.index, m.got, m.expected);
  if (digest(args.in) != before)
    finding.wrong += fmt::format("rank {}: changed its input", comm.rank());
  if (same_everywhere(c.job.collective)) finding.digest = digest(args.out);
  return finding;
}

std::vector<Case> cases_of(const Algorithm& algorithm, int n) {
  std::vector<Case> cases;
  const auto add = [&](Count count, DType dtype, ReduceOp op, Rank root) {
    Case c{.algorithm = &algorithm,
           .job = {.collective = algorithm.collective,
                   .shape = Shape::flat(count),
                   .dtype = dtype,
                   .op = op,
                   .root = root,
                   .n = n}};
    c.job.seed = cases.size() + 1;
    cases.push_back(c);
  };
  for (const Count count : counts_for(n)) {
    for (const DType dtype : kAllDTypes) {
      if (!reduces(algorithm.collective)) {
        add(count, dtype, ReduceOp::sum, 0);
        continue;
      }
      for (const ReduceOp op : kAllReduceOps)
        if (!is_floating(dtype) || !is_bitwise(op)) add(count, dtype, op, n - 1);
    }
    if (has_root(algorithm.collective))
      for (Rank root = 0; root < n; ++root) add(count, DType::int32, ReduceOp::sum, root);
  }
  // Reals: every rank must end with the same bits, near the serial sum.
  for (const DType dtype : {DType::float32, DType::float64}) {
    add(1000, dtype, ReduceOp::sum, n / 2);
    cases.back().job.pattern = InputPattern::real;
  }
  return cases;
}

}  // namespace

std::vector<Count> counts_for(int n) {
  std::vector<Count> counts;
  for (const Count count : {0, 1, n - 1, n, n + 1, 1000})
    if (std::ranges::find(counts, count) == counts.end()) counts.push_back(count);
  return counts;
}

std::string describe(const Case& c, SendMode mode) {
  const auto& job = c.job;
  return fmt::format(
      "{} on {} ranks, shape {}, {}, {}, root {}, {} sends, input {} seed {}, dims ({},{}), "
      "segment {}, group {}, radix {}, left {}",
      c.algorithm->name, job.n, job.shape.to_string(), to_string(job.dtype), to_string(job.op),
      job.root, to_string(mode), to_string(job.pattern), job.seed, job.scatter_dim, job.gather_dim,
      c.segment_bytes, c.group_size, c.radix, c.left_ring);
}

Args make_args(const Case& c, Rank rank) {
  const auto& job = c.job;
  const Extents extents =
      extents_of(job.collective, job.shape, job.n, rank, job.root, job.scatter_dim, job.gather_dim);
  Args args;
  args.in = Buffer::allocate(job.dtype, extents.in);
  args.out = Buffer::allocate(job.dtype, extents.out);
  fill_input(args.in, job.pattern, job.seed, rank, job.n, job.op);
  if (extents.in == extents.out && args.in.bytes() > 0)
    std::memcpy(args.out.data(), args.in.data(), args.in.bytes());
  args.op = job.op;
  args.root = job.root;
  args.scatter_dim = job.scatter_dim;
  args.gather_dim = job.gather_dim;
  args.segment_bytes = c.segment_bytes;
  args.group_size = c.group_size;
  args.radix = c.radix;
  args.left_ring = c.left_ring;
  return args;
}

std::vector<std::string> failures(InprocWorld& world, const std::vector<Case>& cases,
                                  SendMode mode) {
  return failures(world, cases, mode, [](Communicator& comm) { return std::move(comm); });
}

std::vector<std::string> failures(InprocWorld& world, const std::vector<Case>& cases, SendMode mode,
                                  const ChooseCommunicator& choose,
                                  std::chrono::milliseconds wait_limit) {
  RankSettings settings;
  settings.mode = mode;
  settings.wait_limit = wait_limit;
  std::vector<std::string> wrong;
  std::mutex mutex;
  struct Digest {
    std::uint64_t value = 0;
    int ranks = 0;  // 0: nobody yet
  };
  // Sub-communicators with the same number of ranks compute the same, so one table does.
  std::vector<Digest> digests(cases.size());
  const auto note = [&](const Case& c, const std::string& what) {
    wrong.push_back(fmt::format("{}: {}", describe(c, mode), what));
  };
  const auto body = [&](Communicator& all) {
    Communicator comm = choose(all);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      Finding finding;
      try {
        finding = run_case(comm, cases[i]);
      } catch (const CommError& e) {
        const std::lock_guard lock(mutex);
        if (e.reason() != CommError::Reason::stopped) note(cases[i], e.what());
        throw;
      }
      const std::lock_guard lock(mutex);
      if (!finding.wrong.empty()) note(cases[i], finding.wrong);
      if (digests[i].ranks++ == 0) digests[i].value = finding.digest;
      else if (digests[i].value != finding.digest) note(cases[i], "ranks have different bits");
    }
  };
  try {
    world.run(body, settings);
  } catch (const std::exception& e) {
    if (wrong.empty()) wrong.emplace_back(e.what());
  }
  return wrong;
}

void check_algorithm(const Algorithm& algorithm) {
  for (const int n : kWorldSizes) {
    InprocWorld world(n);
    for (const SendMode mode : {SendMode::buffered, SendMode::rendezvous}) {
      const auto wrong = failures(world, cases_of(algorithm, n), mode);
      if (wrong.empty()) continue;
      FAIL_CHECK(fmt::format("{} failures, the first: {}", wrong.size(), wrong.front()));
      return;
    }
  }
  SUCCEED();
}

}  // namespace rankscope::test
