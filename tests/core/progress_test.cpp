// Tests verbs under irregular conditions: wildcards, unfinished requests, stops, strands.
#include <functional>

#include "engine/core/message/communicator.h"
#include "engine/core/message/rank_context.h"
#include "tests/support/catch.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;

namespace {
void expect(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(what);
}

// In both send modes, one after the other.
void run_in_each_mode(int ranks, const std::function<void(Communicator&)>& body) {
  RankSettings settings;
  settings.mode = GENERATE(SendMode::buffered, SendMode::rendezvous);
  InprocWorld(ranks).run(body, settings);
}
}  // namespace

TEST_CASE("wait_any and probe find what has arrived", "[core]") {
  run_in_each_mode(3, [](Communicator& comm) {
    Buffer mine = Buffer::of(std::vector<std::int32_t>{comm.rank()});
    if (comm.rank() != 0) return comm.send(0, mine, comm.rank());
    while (!comm.probe(kAnyRank, 2)) {
    }
    expect(comm.probe(2)->bytes == 4, "probe tells the size");
    Buffer got = Buffer::allocate(DType::int32, 2);
    std::vector<Request> requests;
    requests.push_back(comm.irecv(1, got[{0, 1}], 1));
    requests.push_back(comm.irecv(kAnyRank, got[{1, 1}], 2));
    std::vector<bool> seen(2, false);
    for (int i = 0; i < 2; ++i) {
      Received received;
      const auto done = comm.wait_any(requests, &received);
      expect(done < 2 && !seen[done], "each request once");
      seen[done] = true;
      expect(received.source == static_cast<Rank>(done) + 1, "its source");
    }
    expect(comm.wait_any(requests) == 2, "none is pending");
    expect(got.as<std::int32_t>()[0] == 1 && got.as<std::int32_t>()[1] == 2, "the values");
  });
}

TEST_CASE("a wildcard receive does not take the messages of split", "[core]") {
  InprocWorld world(3);
  world.run([](Communicator& comm) {
    Buffer got = Buffer::allocate(DType::int32, 1);
    auto pending = comm.irecv(kAnyRank, got, kAnyTag);
    auto half = comm.split(0, comm.rank());
    expect(half && half->size() == 3, "the group");
    Buffer mine = Buffer::of(std::vector<std::int32_t>{comm.rank()});
    comm.send((comm.rank() + 1) % 3, mine);
    comm.wait(pending);
    expect(got.as<std::int32_t>()[0] == (comm.rank() + 2) % 3, "the neighbour's value");
  });
}

TEST_CASE("requests that are given up leave nothing that writes to their memory", "[core]") {
  run_in_each_mode(2, [](Communicator& comm) {
    Buffer data = Buffer::of(std::vector<std::int32_t>{7});
    if (comm.rank() == 1) {
      {
        auto never = comm.irecv(0, data, 5);
      }  // given up before anything was sent
      Buffer go = Buffer::allocate(DType::int32, 1);
      comm.send(0, go, 1);
      comm.recv(0, go, 2);
      expect(data.as<std::int32_t>()[0] == 7, "the memory of the cancelled receive");
    } else {
      Buffer go = Buffer::allocate(DType::int32, 1);
      comm.recv(1, go, 1);
      { auto ignored = comm.isend(1, data, 5); }
      comm.send(1, go, 2);
    }
  });
}

TEST_CASE("a stop that comes before its job begins still stops it", "[core]") {
  InprocHub hub(2);
  InprocLink link(0, hub);
  RankContext rank(0, 2, link, nullptr, nullptr, nullptr);
  rank.begin_job(1, {});
  rank.progress().stop("not wanted", 3);
  rank.progress().stop("an old one", 1);
  rank.begin_job(3, {});
  Communicator comm(rank);
  Buffer data = Buffer::allocate(DType::int32, 1);
  CHECK_THROWS_AS(comm.recv(1, data), CommError);
  rank.begin_job(4, {});
  CHECK_FALSE(rank.progress().stopped());
}

TEST_CASE("a Work that is replaced is waited for, and keeps throwing its error", "[core]") {
  InprocWorld world(2);
  world.run([](Communicator& comm) {
    int first = 0;
    Work work = comm.start([&](Communicator&) { first = 1; });
    work = comm.start([](Communicator&) { throw std::runtime_error("on a strand"); });
    expect(first == 1, "the first has ended");
    for (int i = 0; i < 2; ++i) {
      bool thrown = false;
      try {
        work.wait();
      } catch (const std::runtime_error&) {
        thrown = true;
      }
      expect(thrown, "wait throws each time");
    }
  });
}

TEST_CASE("beyond the limit of unreceived bytes a send waits instead of failing", "[core]") {
  struct IgnoringObserver : Endpoint::Observer {
    void on_matched(const Operation&) override {}
    void on_completed(const Operation&) override {}
  } ignoring;
  InprocHub hub(2);
  InprocLink left(0, hub), right(1, hub);
  Endpoint::Limits limits;
  limits.unreceived_bytes = 100;
  Endpoint sender(0, left, ignoring, limits), receiver(1, right, ignoring, limits);
  sender.begin_job(1);
  receiver.begin_job(1);
  Buffer data = Buffer::allocate(DType::uint8, 60);
  const auto operation = [&](OpId id, Rank peer, bool recv) {
    auto op = std::make_shared<Operation>([](void*) noexcept {}, nullptr);
    op->id = id;
    op->peer = peer;
    op->data = data;
    op->capacity = recv ? data.bytes() : 0;
    return op;
  };
  const auto first = operation(1, 1, false), second = operation(2, 1, false);
  sender.post_send(first);
  sender.post_send(second);
  CHECK(first->done());
  CHECK_FALSE(second->done());
  const auto pump = [](InprocLink& link, Endpoint& endpoint) {
    while (auto frame = link.poll(Deadline::now())) endpoint.on_frame(std::move(*frame));
  };
  const auto in1 = operation(11, 0, true), in2 = operation(12, 0, true);
  receiver.post_recv(in1);
  receiver.post_recv(in2);
  pump(right, receiver);
  pump(left, sender);
  pump(right, receiver);
  CHECK(second->done());
  CHECK(in1->done());
  CHECK(in2->done());
}
