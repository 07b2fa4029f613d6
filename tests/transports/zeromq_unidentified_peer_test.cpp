// Hostile input: whatever a stranger sends is dropped and counted, and the run stays right.
#include <cstring>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "tests/support/catch.h"
#include "tests/transports/zeromq_world.h"
#include "transports/factory.h"
#include "transports/zeromq/zmq_util.h"

using namespace rankscope;
using namespace rankscope::test;
using namespace std::chrono_literals;

namespace {
zmq::message_t part(const FrameHeader& header, std::size_t extra = 0) {
  zmq::message_t out(sizeof header + extra);
  std::memset(out.data(), 0x5a, out.size());
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

void send(zmq::socket_t& socket, std::vector<zmq::message_t>&& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i)
    socket.send(parts[i], i + 1 < parts.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
}

FrameHeader valid() {
  FrameHeader header;
  header.src = 0;
  header.dst = 1;
  header.secret = kSecret;
  header.context = 0xbad;  // a communicator that nobody has
  return header;
}

/// A frame that must be dropped; nothing that could be a message of the run.
std::vector<zmq::message_t> garbage(std::mt19937_64& random) {
  std::vector<zmq::message_t> parts;
  FrameHeader header = valid();
  switch (random() % 9) {
    case 0:  // noise
      for (auto n = 1 + random() % 5; n > 0; --n) {
        parts.emplace_back(random() % 6000);
        auto* bytes = parts.back().data<unsigned char>();
        for (std::size_t i = 0; i < parts.back().size(); ++i)
          bytes[i] = static_cast<unsigned char>(random());
      }
      return parts;
    case 1: parts.emplace_back(&header, random() % sizeof header); return parts;  // cut short
    case 2: header.bytes = 10 + random(); break;
    case 3: header.src = static_cast<Rank>(2 + random() % 1000); break;
    case 4: header.src = -1; break;
    case 5: header.dst = 0; break;
    case 6: header.kind = static_cast<FrameKind>(5 + random() % 250); break;
    case 7:  // too many parts
      header.bytes = 6000;
      parts.push_back(part(header));
      parts.emplace_back(6000);
      parts.emplace_back(1);
      return parts;
    default:  // parts that do not agree
      header.bytes = 6000;
      parts.push_back(part(header, random() % 10));
      parts.emplace_back(5000);
      return parts;
  }
  parts.push_back(part(header, random() % 10));
  return parts;
}
}  // namespace

TEST_CASE("malformed frames are dropped and counted, and the run stays right", "[transports]") {
  const std::string kind = GENERATE("ipc", "tcp");
  ZeromqWorld world(kind, 2);
  zmq::context_t context = make_zmq_context();
  auto socket = make_zmq_socket(context, zmq::socket_type::push);
  socket.connect(world.link(1).endpoint());
  std::mt19937_64 random(7);
  constexpr std::uint64_t kBad = 2000, kWrong = 50;
  std::thread stranger([&] {
    for (std::uint64_t i = 0; i < kBad; ++i) send(socket, garbage(random));
    FrameHeader wrong = valid();
    for (std::uint64_t i = 0; i < kWrong; ++i) {
      wrong.secret = kSecret ^ (1 + random());
      std::vector<zmq::message_t> parts;
      parts.push_back(part(wrong));
      send(socket, std::move(parts));
    }
  });
  const auto exchange = [](Communicator& comm) {
    Buffer mine = Buffer::of(std::vector<std::int64_t>(3000, comm.rank()));
    Buffer got = Buffer::allocate(DType::int64, 3000);
    for (int i = 0; i < 200; ++i) {
      comm.sendrecv(1 - comm.rank(), mine, 1 - comm.rank(), got);
      if (got.as<std::int64_t>()[2999] != 1 - comm.rank()) throw std::runtime_error("wrong data");
    }
  };
  world.run(exchange);
  stranger.join();
  const auto limit = Deadline::in(test::kWaitLimit);
  LinkCounters counters;
  while (!limit.passed()) {
    world.run(exchange);  // who waits for a message also drops what is none
    counters = world.link(1).counters();
    if (counters.malformed + counters.wrong_secret >= kBad + kWrong) break;
  }
  CHECK(counters.malformed == kBad);
  CHECK(counters.wrong_secret == kWrong);
  CHECK(world.link(0).counters().malformed == 0);
}

TEST_CASE("frames of another epoch do not reach the job", "[transports]") {
  ZeromqWorld world("ipc", 2);
  RankContext rank(1, 2, world.link(1), nullptr, nullptr, nullptr);
  rank.begin_job(5, {});
  FrameHeader old = valid();
  old.epoch = 4;
  for (int i = 0; i < 10; ++i) world.link(0).send(old, {}, nullptr);
  const auto limit = Deadline::in(test::kWaitLimit);
  while (rank.progress().stale_frames() < 10 && !limit.passed())
    rank.progress().probe(1, 0, kAnyTag);
  CHECK(rank.progress().stale_frames() == 10);
  CHECK(rank.progress().unexpected() == 0);
}

TEST_CASE("a CURVE socket refuses and names strangers", "[transports]") {
  TemporaryFolder dir;
  const std::string transport = GENERATE("tcp", "ipc");
  auto config = link_config(transport, 1, 2, dir);
  const CurveKeys keys = make_curve_keys();
  config.keys = keys;
  const auto link = make_link(config);

  zmq::context_t context = make_zmq_context();
  auto socket = make_zmq_socket(context, zmq::socket_type::push);
  const std::string who = GENERATE("own keys", "another server's key", "no keys");
  CAPTURE(transport, who);
  if (who != "no keys") {
    set_curve_client(socket, make_curve_keys());
    if (who == "own keys") socket.set(zmq::sockopt::curve_serverkey, keys.public_key);
  }
  socket.connect(link->endpoint());
  const FrameHeader header = valid();
  for (int i = 0; i < 10; ++i)
    socket.send(zmq::const_buffer(&header, sizeof header), zmq::send_flags::dontwait);
  const auto limit = Deadline::in(test::kWaitLimit);
  while (link->refused() == 0 && !limit.passed()) CHECK(!link->poll(Deadline::in(20ms)));
  CHECK(link->refused() > 0);
  const auto check_names = [&] {
    const auto names = link->refused_peers();
    CHECK_FALSE(names.empty());
    for (const auto& name : names) {
      // Only ZAP learns the address; of the others the connection may be gone already.
      if (who != "own keys" && name == "an unknown address") continue;
      // So may be the socket that tells whose it was.
      if (transport == "ipc" && name == "a process of this host") continue;
      CHECK(name == (transport == "tcp" ? "127.0.0.1"
                                        : fmt::format("process {} of this host", ::getpid())));
    }
  };
  check_names();
  CHECK(link->counters().frames_received == 0);
  link->close(Deadline::in(1s));
  check_names();
}

TEST_CASE("a frame to a run with other keys fails or waits, and is never delivered",
          "[transports]") {
  TemporaryFolder dir;
  std::vector<std::unique_ptr<NetworkLink>> links;
  for (Rank r = 0; r < 2; ++r) {
    auto config = link_config("tcp", r, 2, dir);
    config.keys = make_curve_keys();
    links.push_back(make_link(config));
  }
  links[0]->set_peers({links[0]->endpoint(), links[1]->endpoint()});
  CHECK_NOTHROW(links[0]->send(valid(), {}, nullptr));
  CHECK(!links[1]->poll(Deadline::in(100ms)));
  CHECK(links[1]->counters().frames_received == 0);
}
