// The link alone: flushing, waking, giving up, addresses.
#include "transports/zeromq/zeromq_link.h"

#include <deque>
#include <filesystem>
#include <fstream>
#include <thread>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/core/base/fd.h"
#include "tests/support/catch.h"
#include "tests/transports/zeromq_world.h"
#include "transports/factory.h"
#include "transports/zeromq/zmq_util.h"

using namespace rankscope;
using namespace rankscope::test;
using namespace std::chrono_literals;

namespace {
/// Links without ranks on top.
struct Pair {
  explicit Pair(const std::string& kind) {
    const auto keys = kind == "tcp+curve" ? std::optional(make_curve_keys()) : std::nullopt;
    for (Rank r = 0; r < 2; ++r) {
      auto config = link_config(kind, r, 2, dir);
      config.keys = keys;
      links.push_back(make_link(config));
    }
    for (auto& link : links) link->set_peers({links[0]->endpoint(), links[1]->endpoint()});
  }
  TemporaryFolder dir;
  std::vector<std::unique_ptr<NetworkLink>> links;
};

FrameHeader eager(Rank src, Rank dst, std::size_t bytes, OpId op = 1) {
  FrameHeader header;
  header.src = src;
  header.dst = dst;
  header.op = op;
  header.bytes = bytes;
  return header;
}

std::vector<std::byte> bytes_of(std::size_t size) {
  std::vector<std::byte> out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(i * 7 + size);
  return out;
}

void no_waker(void*) noexcept {}

template <class F>
auto seconds_of(F&& f) {
  const auto begin = Clock::now();
  f();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// A PULL socket made by hand: it greets as ZMTP 3.0 wants, and then never reads.
class SilentPeer {
 public:
  SilentPeer() : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_.get(), generic, size) != 0 || ::listen(listener_.get(), 8) != 0 ||
        ::getsockname(listener_.get(), generic, &size) != 0)
      throw std::runtime_error("silent peer");
    endpoint_ = "tcp://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  void greet() {
    connection_ = Fd(::accept(listener_.get(), nullptr, nullptr));
    std::string greeting("\xff\0\0\0\0\0\0\0\1\x7f\3\0NULL", 16);
    greeting.resize(64, '\0');
    greeting += std::string("\4\x1a\5READY\xbSocket-Type\0\0\0\4PULL", 28);
    if (::send(connection_.get(), greeting.data(), greeting.size(), 0) < 0)
      throw std::runtime_error("greeting");
  }
  const std::string& endpoint() const { return endpoint_; }

 private:
  Fd listener_, connection_;
  std::string endpoint_;
};
}  // namespace

TEST_CASE("frames arrive as they were sent, in all three layouts", "[transports]") {
  const std::string kind = GENERATE("ipc", "tcp", "tcp+curve");
  Pair pair(kind);
  auto& to = *pair.links[1];
  for (const std::size_t size : {0, 1, 8191, 8192, 8193, 32'767, 32'768, 1'000'000}) {
    const auto payload = bytes_of(size);
    for (const bool lend : {false, true}) {
      if (lend && size == 0) continue;
      Loan loan(&no_waker, nullptr);
      auto header = eager(0, 1, size, make_op(0, size + 1));
      header.tag = 17;
      pair.links[0]->send(header, payload, lend ? &loan : nullptr);
      const auto got = to.poll(Deadline::in(test::kWaitLimit));
      REQUIRE(got.has_value());
      CHECK(got->header.op == header.op);
      CHECK(got->header.tag == 17);
      REQUIRE(got->payload.size() == size);
      CHECK(std::equal(payload.begin(), payload.end(), got->payload.data()));
      const auto limit = Deadline::in(test::kWaitLimit);
      while (lend && !loan.released() && !limit.passed()) std::this_thread::yield();
      CHECK(loan.released() == lend);
    }
  }
  CHECK(to.counters().frames_received == 15);
  CHECK(to.counters().bytes_received == pair.links[0]->counters().bytes_sent);
}

TEST_CASE("a rank that exits right after sending loses nothing", "[transports]") {
  const std::string kind = GENERATE("ipc", "tcp", "tcp+curve");
  Pair pair(kind);
  constexpr int kFrames = 300;
  const auto payload = bytes_of(100'000);
  std::deque<Loan> loans;
  for (int i = 0; i < kFrames; ++i) {
    const std::size_t size = i % 3 == 0 ? payload.size() : i % 3 == 1 ? 100 : 10'000;
    Loan* loan = size == payload.size() ? &loans.emplace_back(&no_waker, nullptr) : nullptr;
    pair.links[0]->send(eager(0, 1, size, static_cast<OpId>(i)), {payload.data(), size}, loan);
  }
  CHECK(pair.links[0]->close(Deadline::in(test::kWaitLimit)));
  for (auto& loan : loans) CHECK(loan.released());
  pair.links[0].reset();
  for (int i = 0; i < kFrames; ++i) {
    const auto got = pair.links[1]->poll(Deadline::in(test::kWaitLimit));
    REQUIRE(got.has_value());
    REQUIRE(got->header.op == static_cast<OpId>(i));
  }
}

TEST_CASE("poll ends at its deadline and when it is woken", "[transports]") {
  Pair pair("ipc");
  auto& link = *pair.links[0];
  CHECK(seconds_of([&] { CHECK(!link.poll(Deadline::in(50ms))); }) >= 0.05);
  CHECK(!link.poll(Deadline::now()));
  link.wake();
  link.wake();
  CHECK(seconds_of([&] { CHECK(!link.poll(Deadline::in(60s))); }) < 30);
  CHECK(seconds_of([&] { CHECK(!link.poll(Deadline::in(50ms))); }) >= 0.05);  // once is enough
  for (int i = 0; i < 200; ++i) {
    std::thread other([&] { link.wake(); });
    CHECK(!link.poll(Deadline::never()));
    other.join();
  }
}

TEST_CASE("a peer that never reads does not hold up a rank that gives up", "[transports]") {
  const bool greets = GENERATE(false, true);
  TemporaryFolder dir;
  SilentPeer silent;
  ZeromqLink link(link_config("tcp", 0, 2, dir));
  link.set_peers({link.endpoint(), silent.endpoint()});
  const auto payload = bytes_of(std::size_t{32} << 20);
  std::deque<Loan> loans;
  for (int i = 0; i < 4; ++i)
    link.send(eager(0, 1, payload.size()), payload, &loans.emplace_back(&no_waker, nullptr));
  if (greets) silent.greet();
  std::this_thread::sleep_for(100ms);
  CHECK_FALSE(loans.back().released());
  SECTION("by abandon, in spite of a thread that polls") {
    bool threw = false;  // Catch2's assertions are for one thread
    std::thread poller([&] {
      try {
        link.poll(Deadline::never());
      } catch (const CommError& e) {
        threw = e.reason() == CommError::Reason::stopped;
      }
    });
    std::this_thread::sleep_for(20ms);
    CHECK(seconds_of([&] { link.abandon(); }) < 5);
    poller.join();
    CHECK(threw);
  }
  SECTION("by a close with a deadline") {
    CHECK(seconds_of([&] { CHECK_FALSE(link.close(Deadline::in(200ms))); }) < 10);
  }
  for (auto& loan : loans) CHECK(loan.released());
  Loan late(&no_waker, nullptr);
  CHECK_THROWS_AS(link.send(eager(0, 1, payload.size()), payload, &late), CommError);
  CHECK(late.released());
  CHECK_THROWS_AS(link.poll(Deadline::now()), CommError);
  link.abandon();
}

TEST_CASE("a send to nobody is an error and frees its loan", "[transports]") {
  TemporaryFolder dir;
  ZeromqLink link(link_config("ipc", 0, 2, dir));
  const auto payload = bytes_of(50'000);
  Loan before(&no_waker, nullptr), outside(&no_waker, nullptr);
  CHECK_THROWS_AS(link.send(eager(0, 1, payload.size()), payload, &before), CommError);
  CHECK(before.released());
  link.set_peers({link.endpoint(), link.endpoint()});
  CHECK_THROWS_AS(link.send(eager(0, 2, payload.size()), payload, &outside), CommError);
  CHECK(outside.released());
}

TEST_CASE("an ipc path that cannot be had is refused with a reason", "[transports]") {
  TemporaryFolder dir;
  auto config = link_config("ipc", 0, 1, dir);
  SECTION("somebody lives there") {
    ZeromqLink first(config);
    CHECK_THROWS_WITH(ZeromqLink(config), ContainsSubstring("in use"));
    first.set_peers({first.endpoint()});
    first.send(eager(0, 0, 0), {}, nullptr);
    CHECK(first.poll(Deadline::in(test::kWaitLimit)));  // and is still reached there
  }
  SECTION("a file of another kind lies there") {
    std::ofstream(dir / "r0.data") << "precious";
    CHECK_THROWS_WITH(ZeromqLink(config), ContainsSubstring("in use"));
    CHECK(std::filesystem::file_size(dir / "r0.data") == 8);
  }
  SECTION("the path is too long") {
    config.directory += "/" + std::string(120, 'x');
    CHECK_THROWS_WITH(ZeromqLink(config), ContainsSubstring("107") || ContainsSubstring("103"));
  }
  SECTION("the directory does not exist") {
    config.directory += "/none";
    CHECK_THROWS_WITH(ZeromqLink(config), ContainsSubstring("No such file"));
  }
  SECTION("the file of a dead process is replaced, and ours is removed") {
    const int dead = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = dir / "r0.data";
    path.copy(address.sun_path, path.size());
    REQUIRE(::bind(dead, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    ::close(dead);
    REQUIRE(std::filesystem::exists(path));
    { ZeromqLink link(config); }
    CHECK_FALSE(std::filesystem::exists(path));
  }
}

TEST_CASE("a tcp address that cannot be had is refused with a reason", "[transports]") {
  TemporaryFolder dir;
  auto config = link_config("tcp", 0, 2, dir);
  SECTION("the port is in use") {
    ZeromqLink first(config);
    config.port = std::stoi(first.endpoint().substr(first.endpoint().rfind(':') + 1));
    CHECK_THROWS_WITH(ZeromqLink(config), ContainsSubstring("is in use"));
  }
  SECTION("an open network needs keys") {
    config.host = GENERATE("0.0.0.0", "*", "192.0.2.1", "::");
    CHECK_THROWS_WITH(ZeromqLink(config), ContainsSubstring("encryption"));
  }
  SECTION("so do its peers") {
    ZeromqLink link(config);
    const std::string there =
        GENERATE("tcp://192.0.2.1:99", "tcp://127.0.0.1.example.org:99", "tcp://[2001:db8::1]:99");
    CHECK_THROWS_WITH(link.set_peers({link.endpoint(), there}), ContainsSubstring("encryption"));
  }
  SECTION("all addresses need a name to be reached by") {
    config.keys = make_curve_keys();
    config.host = "0.0.0.0";
    CHECK_THROWS_WITH(ZeromqLink(config), ContainsSubstring("by which name"));
    config.advertise = "node7";
    CHECK(ZeromqLink(config).endpoint().starts_with("tcp://node7:"));
  }
  SECTION("nonsense") {
    ZeromqLink link(config);
    const std::string there = GENERATE("", "tcp://", "tcp://127.0.0.1", "tcp://127.0.0.1:x",
                                       "udp://127.0.0.1:1", "ipc://relative", "inproc://a");
    CHECK_THROWS_AS(link.set_peers({link.endpoint(), there}), UserError);
    CHECK_THROWS_AS(link.set_peers({link.endpoint()}), UserError);
  }
  SECTION("an unknown transport names the known ones") {
    config.transport = "pigeon";
    CHECK_THROWS_WITH(make_link(config), ContainsSubstring("ipc, tcp"));
  }
}
