// Latency and throughput of the link beside plain ZeroMQ sockets of the same kind. Not a test:
// `test_transports "[.bench]"` runs it.
#include <numeric>
#include <thread>

#include <fmt/format.h>

#include "tests/support/catch.h"
#include "tests/transports/zeromq_world.h"
#include "transports/factory.h"
#include "transports/zeromq/zmq_util.h"

using namespace rankscope;
using namespace rankscope::test;

namespace {
double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}
int rounds_of(std::size_t size) {
  return static_cast<int>(std::clamp<std::size_t>((std::size_t{256} << 20) / (size + 1), 20, 5000));
}

/// Half a round trip in microseconds: `ping` and `pong` exchange one message each way.
template <class Ping, class Pong>
double half_trip(int rounds, Ping&& ping, Pong&& pong) {
  std::thread other([&] {
    for (int i = 0; i < rounds + 20; ++i) pong();
  });
  for (int i = 0; i < 20; ++i) ping();
  const auto begin = Clock::now();
  for (int i = 0; i < rounds; ++i) ping();
  const double spent = seconds_since(begin);
  other.join();
  return spent / rounds / 2 * 1e6;
}

double plain(const std::string& kind, std::size_t size) {
  TemporaryFolder dir;
  zmq::context_t contexts[] = {make_zmq_context(), make_zmq_context()};
  zmq::socket_t pull[2], push[2];
  std::string endpoints[2];
  for (int r = 0; r < 2; ++r) {
    pull[r] = make_zmq_socket(contexts[r], zmq::socket_type::pull);
    push[r] = make_zmq_socket(contexts[r], zmq::socket_type::push);
    endpoints[r] = kind == "ipc" ? bind_ipc(pull[r], dir / fmt::format("p{}", r))
                                 : bind_tcp(pull[r], "127.0.0.1", 0, false);
  }
  for (int r = 0; r < 2; ++r) push[r].connect(endpoints[1 - r]);
  std::vector<std::byte> payload(size);
  const auto send = [&](int r) {
    zmq::message_t message(payload.data(), size);
    push[r].send(message, zmq::send_flags::none);
  };
  const auto recv = [&](int r) {
    zmq::message_t message;
    receive_part(pull[r], message, zmq::recv_flags::none);
  };
  return half_trip(
      rounds_of(size), [&] { send(0), recv(0); }, [&] { recv(1), send(1); });
}

double linked(const std::string& kind, std::size_t size, bool lend) {
  TemporaryFolder dir;
  std::unique_ptr<NetworkLink> links[2];
  for (Rank r = 0; r < 2; ++r) links[r] = make_link(link_config(kind, r, 2, dir));
  for (auto& link : links) link->set_peers({links[0]->endpoint(), links[1]->endpoint()});
  std::vector<std::byte> payload(size);
  const auto send = [&](int r) {
    FrameHeader header;
    header.src = r;
    header.dst = 1 - r;
    header.bytes = size;
    Loan loan([](void*) noexcept {}, nullptr);
    links[r]->send(header, payload, lend ? &loan : nullptr);
    while (lend && !loan.released()) std::this_thread::yield();
  };
  const auto recv = [&](int r) {
    if (!links[r]->poll(Deadline::never())) throw std::runtime_error("nothing");
  };
  return half_trip(
      rounds_of(size), [&] { send(0), recv(0); }, [&] { recv(1), send(1); });
}

double verbs(const std::string& kind, std::size_t size) {
  ZeromqWorld world(kind, 2);
  double result = 0;
  world.run([&](Communicator& comm) {
    Buffer data = Buffer::allocate(DType::uint8, static_cast<Count>(size));
    const int rounds = rounds_of(size);
    Clock::time_point begin;
    for (int i = -20; i < rounds; ++i) {
      if (i == 0) begin = Clock::now();
      if (comm.rank() == 0) comm.send(1, data);
      comm.recv(1 - comm.rank(), data);
      if (comm.rank() == 1) comm.send(0, data);
    }
    if (comm.rank() == 0) result = seconds_since(begin) / rounds / 2 * 1e6;
  });
  return result;
}
}  // namespace

TEST_CASE("latency of the link and of plain ZeroMQ", "[.bench]") {
  const bool tuned = GENERATE(false, true);
  if (tuned) tune_allocator();
  fmt::print("\nhalf a round trip in us, {}\n{:>4} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
             tuned ? "allocator tuned" : "allocator as it is", "", "bytes", "plain", "copied",
             "lent", "verbs");
  for (const std::string kind : {"ipc", "tcp"})
    for (const std::size_t size :
         {8u, 1024u, 2048u, 4096u, 8192u, 16384u, 32768u, 65536u, 131072u, 1u << 20, 8u << 20})
      fmt::print("{:>4} {:>9} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f}\n", kind, size, plain(kind, size),
                 linked(kind, size, false), linked(kind, size, true), verbs(kind, size));
}

TEST_CASE("messages a second over the link", "[.bench]") {
  for (const std::string kind : {"ipc", "tcp"})
    for (const std::size_t size : {8u, 1024u, 65536u, 1u << 20}) {
      ZeromqWorld world(kind, 2);
      const int count = 4 * rounds_of(size);
      double spent = 0;
      world.run([&](Communicator& comm) {
        Buffer data = Buffer::allocate(DType::uint8, static_cast<Count>(size));
        Buffer done = Buffer::allocate(DType::uint8, 1);
        const auto begin = Clock::now();
        for (int i = 0; i < count; ++i) {
          if (comm.rank() == 0) comm.send(1, data);
          else comm.recv(0, data);
        }
        if (comm.rank() == 0) comm.recv(1, done);
        else comm.send(0, done);
        if (comm.rank() == 0) spent = seconds_since(begin);
      });
      fmt::print("{} {:>8} B: {:>9.0f} messages/s {:>8.3f} GB/s\n", kind, size, count / spent,
                 count * static_cast<double>(size) / spent / 1e9);
    }
}
