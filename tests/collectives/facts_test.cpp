// Facts that lessons state, found in the events of real runs: the homework's ring and tree, the
// tutorial's hierarchy, the all-to-all example, the flat running sums.
#include <algorithm>
#include <cstring>
#include <map>

#include "tests/collectives/counting.h"
#include "tests/collectives/harness.h"
#include "tests/support/catch.h"
#include "tests/support/runs.h"

using namespace rankscope;
using namespace rankscope::test;

namespace {

Args whole(std::vector<std::int64_t> values) {
  Args args;
  args.in = Buffer::of(values);
  args.out = Buffer::of(values);
  return args;
}

// The ring of the homework, on one element a chunk; every rank's out is watched, so that changes carry previews.
std::vector<EventBatch> homework_ring(int n) {
  return record(n, [&](Communicator& comm) {
    Args args = whole(std::vector<std::int64_t>(static_cast<std::size_t>(n), 1));
    args.left_ring = true;
    comm.watch("data", args.out);
    run_algorithm(comm, require_algorithm("allreduce.ring"), args);
  });
}

// What each reduce or receive left in the changed range of a watched int64 buffer, by rank.
std::map<Rank, std::vector<std::int64_t>> changes(const std::vector<EventBatch>& batches) {
  std::map<Rank, std::vector<std::int64_t>> found;
  for (const auto& batch : batches)
    for (const auto& event : batch.events) {
      const bool changed = event.kind == EventKind::completed ||
                           (event.kind == EventKind::local && event.verb == Verb::reduce);
      const auto preview = preview_of(event, batch.blobs);
      if (!changed || preview.size() < sizeof(std::int64_t)) continue;
      std::int64_t first = 0;
      std::memcpy(&first, preview.data(), sizeof first);
      found[event.rank].push_back(first);
    }
  return found;
}

}  // namespace

TEST_CASE("homework's ring: rank n sends chunk (n+i-2) mod N to its left at step i",
          "[collectives]") {
  for (const int n : {4, 8}) {
    const auto batches = homework_ring(n);
    const Traffic traffic = traffic_of(batches, n);
    for (Rank rank = 0; rank < n; ++rank) {
      const auto sent = traffic.sent_by(rank);
      REQUIRE(sent.size() == static_cast<std::size_t>(2 * (n - 1)));
      for (int i = 1; i <= 2 * (n - 1); ++i) {
        const Sent& message = sent[static_cast<std::size_t>(i - 1)];
        CAPTURE(n, rank, i);
        CHECK(message.to == wrap(rank - 1, n));
        CHECK(message.round == i);
        CHECK(message.in_offset / sizeof(std::int64_t) ==
              static_cast<std::uint64_t>(wrap(rank + i - 2, n)));
      }
    }
  }
}

TEST_CASE("homework's ring: after phase I rank n has chunk (n-2) mod N, not (n+2)",
          "[collectives]") {
  for (const int n : {4, 8}) {
    // The last value that a reduce wrote, with its chunk: complete where it is N.
    const auto batches = homework_ring(n);
    std::map<Rank, std::vector<int>> complete;
    for (const auto& batch : batches)
      for (const auto& event : batch.events) {
        if (event.kind != EventKind::local || event.verb != Verb::reduce) continue;
        std::int64_t value = 0;
        const auto preview = preview_of(event, batch.blobs);
        REQUIRE(preview.size() == sizeof value);
        std::memcpy(&value, preview.data(), sizeof value);
        if (value == n) complete[event.rank].push_back(static_cast<int>(event.out_offset / 8));
      }
    for (Rank rank = 0; rank < n; ++rank) {
      CAPTURE(n, rank);
      CHECK(complete[rank] == std::vector<int>{wrap(rank - 2, n)});
      CHECK((complete[rank].front() == wrap(rank + 2, n)) == (n == 4));  // true in the figure only
    }
  }
}

TEST_CASE("homework's tree: senders and distances of each step", "[collectives]") {
  for (const int n : {4, 6, 8}) {
    const auto batches = record(n, [&](Communicator& comm) {
      run_algorithm(comm, require_algorithm("allreduce.tree"), whole({1, 2, 3}));
    });
    const Traffic traffic = traffic_of(batches, n);
    int up = 0, down = 0;
    for (const auto& message : traffic.messages) {
      const int distance = message.from - message.to;
      CAPTURE(n, message.from, message.to);
      if (distance > 0) {
        ++up;
        CHECK(is_power_of_two(distance));
        CHECK(message.from % (2 * distance) == distance);
        CHECK(message.round <= ceil_log2(n));
      } else {
        ++down;
        CHECK(message.to % (-2 * distance) == -distance);
        CHECK(message.round > ceil_log2(n));
      }
      CHECK(message.bytes == 24);
    }
    CHECK(up == n - 1);
    CHECK(down == n - 1);
    CHECK(traffic.sent_by(1).front().to == 0);
  }
}

TEST_CASE("exchange: partner is rank XOR 2^k in round k", "[collectives]") {
  const Traffic traffic = traffic_of(
      record(8,
             [](Communicator& comm) {
               run_algorithm(comm, require_algorithm("allreduce.bde"), whole({comm.rank()}));
             }),
      8);
  CHECK(traffic.messages.size() == 24);
  for (const auto& message : traffic.messages)
    CHECK((message.from ^ message.to) == 1 << (message.round - 1));
}

TEST_CASE("flat allreduce of r+1 on 4 ranks: the root's running sums are 3, 6, 10",
          "[collectives]") {
  const auto found = changes(record(4, [](Communicator& comm) {
    Args args = whole({comm.rank() + 1});
    comm.watch("data", args.out);
    run_algorithm(comm, require_algorithm("allreduce.flat"), args);
  }));
  CHECK(found.at(0) == std::vector<std::int64_t>{3, 6, 10});
  for (Rank rank = 1; rank < 4; ++rank) CHECK(found.at(rank) == std::vector<std::int64_t>{10});
}

TEST_CASE("hierarchical allreduce of r+1 on 2 groups of 2: leaders 3 and 7, then 10",
          "[collectives]") {
  const auto found = changes(record(4, [](Communicator& comm) {
    Args args = whole({comm.rank() + 1});
    args.group_size = 2;
    comm.watch("data", args.out);
    run_algorithm(comm, require_algorithm("allreduce.hierarchical"), args);
    if (args.out.as<std::int64_t>()[0] != 10) throw std::runtime_error("not 10");
  }));
  const auto has = [&](Rank rank, std::int64_t value) {
    return std::ranges::find(found.at(rank), value) != found.at(rank).end();
  };
  CHECK(found.at(0).front() == 3);
  CHECK(found.at(2).front() == 7);
  CHECK(has(0, 10));
  CHECK(has(2, 10));
  CHECK(found.at(1) == std::vector<std::int64_t>{10});
  CHECK(found.at(3) == std::vector<std::int64_t>{10});
}

TEST_CASE("the tutorial's hierarchy, with an allreduce in each group: 3 3 7 7, then 10 3 10 7",
          "[collectives]") {
  std::vector<std::vector<std::int64_t>> values(4);
  InprocWorld(4).run([&](Communicator& comm) {
    auto group = *comm.split(comm.rank() / 2, comm.rank());
    auto leaders = comm.split(group.rank() == 0 ? 0 : -1, comm.rank());
    const Args args = whole({comm.rank() + 1});
    auto& mine = values[static_cast<std::size_t>(comm.rank())];
    run_algorithm(group, require_algorithm("allreduce.ring"), args);
    mine.push_back(args.out.as<std::int64_t>()[0]);
    if (leaders) run_algorithm(*leaders, require_algorithm("allreduce.ring"), args);
    mine.push_back(args.out.as<std::int64_t>()[0]);
    run_algorithm(group, require_algorithm("broadcast.flat"), args);
    mine.push_back(args.out.as<std::int64_t>()[0]);
  });
  const std::vector<std::vector<std::int64_t>> expected{
      {3, 10, 10}, {3, 3, 10}, {7, 10, 10}, {7, 7, 10}};
  CHECK(values == expected);
}

TEST_CASE("all-to-all of arange(8) + 100 r on 4 ranks", "[collectives]") {
  for (const auto* name : {"alltoall.linear", "alltoall.pairwise", "alltoall.bruck"})
    InprocWorld(4).run([&](Communicator& comm) {
      std::vector<std::int64_t> in(8), expected;
      for (int i = 0; i < 8; ++i) in[static_cast<std::size_t>(i)] = i + 100 * comm.rank();
      for (const int value : {0, 1, 100, 101, 200, 201, 300, 301})
        expected.push_back(value + 2 * comm.rank());
      const Args args = whole(in);
      run_algorithm(comm, require_algorithm(name), args);
      if (args.out.to_vector<std::int64_t>() != expected) throw std::runtime_error("wrong blocks");
    });
  SUCCEED();
}
