// Frames and texts of nobody: dropped, counted, and the run is right all the same.
#include <fstream>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <zmq.hpp>

#include "engine/core/base/error.h"
#include "engine/core/run/job_json.h"
#include "engine/run/conductor/control.h"
#include "tests/run/real_run.h"
#include "tests/support/catch.h"
#include "transports/inproc/inproc_world.h"
#include "transports/zeromq/zmq_util.h"

using namespace rankscope;
using namespace rankscope::test;
using namespace std::chrono_literals;

namespace {

/// Sends random multipart messages to an endpoint until it is destroyed.
class HostilePeer {
 public:
  HostilePeer(zmq::socket_type type, const std::string& endpoint, unsigned seed)
      : thread_([this, type, endpoint, seed] {
          zmq::context_t context;
          auto socket = make_zmq_socket(context, type);
          socket.connect(endpoint);
          std::mt19937 random(seed);
          while (!stop_) {
            const int parts = 1 + static_cast<int>(random() % 4);
            for (int p = 0; p < parts; ++p) {
              zmq::message_t part(random() % 200);
              auto* bytes = static_cast<std::uint8_t*>(part.data());
              for (std::size_t i = 0; i < part.size(); ++i)
                bytes[i] = static_cast<std::uint8_t>(random());
              if (part.size() >= 4 && random() % 2 == 0) {  // the beginning of a frame's header
                bytes[0] = 0x52, bytes[1] = 0x53, bytes[2] = 1;
                bytes[3] = static_cast<std::uint8_t>(random() % 6);
              }
              socket.send(part, p + 1 < parts ? zmq::send_flags::sndmore : zmq::send_flags::none);
            }
            ++sent_;
            std::this_thread::sleep_for(1ms);
          }
        }) {}
  ~HostilePeer() {
    stop_ = true;
    thread_.join();
  }
  int sent() const { return sent_; }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<int> sent_ = 0;
  std::thread thread_;
};

/// Ports of loopback at which one of these processes listens.
std::vector<int> listening_ports(const std::vector<int>& pids) {
  std::set<std::string> inodes;
  for (const int pid : pids) {
    std::error_code ignored;
    for (const auto& entry :
         std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", pid), ignored)) {
      const auto target = std::filesystem::read_symlink(entry.path(), ignored).string();
      if (target.starts_with("socket:[")) inodes.insert(target.substr(8, target.size() - 9));
    }
  }
  std::vector<int> ports;
  std::ifstream in("/proc/net/tcp");
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string slot, local, remote, state, skip, inode;
    fields >> slot >> local >> remote >> state;
    for (int i = 0; i < 5; ++i) fields >> skip;
    fields >> inode;
    if (state == "0A" && inodes.contains(inode))
      ports.push_back(std::stoi(local.substr(local.find(':') + 1), nullptr, 16));
  }
  return ports;
}

std::string mutated(std::string text, std::mt19937& random) {
  for (int changes = 1 + static_cast<int>(random() % 4); changes > 0 && !text.empty(); --changes) {
    const auto at = random() % text.size();
    switch (random() % 4) {
      case 0: text[at] = static_cast<char>(random()); break;
      case 1: text.erase(at, 1 + random() % 8); break;
      case 2: text.insert(at, text.substr(random() % text.size(), random() % 16)); break;
      default: text.resize(at); break;
    }
  }
  return text;
}

}  // namespace

TEST_CASE("garbage on all sockets of a live run is dropped and counted", "[run][strangers]") {
  const std::string transport = GENERATE("ipc", "tcp");
  ProcessRunner runner(real_workers());
  JobSpec spec = slow_job(4, 2'000);
  spec.transport.name = transport;
  spec.recording.iterations = 20;
  spec.recording.trace_every = true;
  CollectingSink sink;
  const JobResult quiet = runner.run(spec, sink);
  REQUIRE(quiet.ok());
  std::vector<std::string> data;
  const auto directory = run_directories(::getpid()).back().string();
  if (transport == "ipc")
    for (int r = 0; r < 4; ++r) data.push_back(fmt::format("ipc://{}/r{}.data", directory, r));
  else
    for (const int port : listening_ports(quiet.pids))
      data.push_back(fmt::format("tcp://127.0.0.1:{}", port));
  REQUIRE(data.size() == 4);
  JobResult result;
  int sent = 0;
  {
    std::vector<std::unique_ptr<HostilePeer>> crowd;
    unsigned seed = 1;
    for (const auto& endpoint : data)
      crowd.push_back(std::make_unique<HostilePeer>(zmq::socket_type::push, endpoint, ++seed));
    const auto plane = [&](const char* name) { return "ipc://" + directory + "/" + name; };
    crowd.push_back(
        std::make_unique<HostilePeer>(zmq::socket_type::dealer, plane("control"), ++seed));
    crowd.push_back(std::make_unique<HostilePeer>(zmq::socket_type::push, plane("events"), ++seed));
    result = runner.run(spec, sink);
    for (const auto& one : crowd) sent += one->sent();
  }
  INFO(fmt::format("{} sent; {}", sent, to_json(result)));
  CHECK(result.ok());
  CHECK(result.lost_events == 0);
  CHECK(result.refused > 0);
  for (const auto& rank : result.ranks) CHECK(rank.malformed + rank.wrong_secret > 0);
}

TEST_CASE("damaged texts and batches are refused, never obeyed or crashed on",
          "[run][strangers][fuzz]") {
  std::mt19937 random(42);
  JobSpec spec;
  spec.world.delays_us = {1, 2.5};
  const std::string job = to_json(spec);
  Rendezvous keys{"tcp://127.0.0.1:5000", "0123456789abcdef", make_curve_keys()};
  const std::string rendezvous = keys.to_string();
  const std::string message =
      ControlMessage{"held", {{"verb", "send"}, {"completed", {1, 2, 3}}}}.encode();
  EventBatch batch;
  batch.rank = 1;
  batch.epoch = 3;
  batch.events.resize(20);
  batch.blobs.resize(64);
  batch.definitions.resize(3);
  const Bytes bytes = encode(batch);
  const std::string data(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    try {
      job_from_json(mutated(job, random));
    } catch (const UserError&) {
      ++refused;
    }
    try {
      Rendezvous::parse(mutated(rendezvous, random));
    } catch (const UserError&) {
      ++refused;
    }
    if (!ControlMessage::decode(mutated(message, random))) ++refused;
    const auto bad = mutated(data, random);
    try {
      decode_batch(std::as_bytes(std::span(bad.data(), bad.size())));
    } catch (const FormatError&) {
      ++refused;
    }
  }
  CHECK(refused > 20'000);
  for (const char* wrong : {R"({"world_size":2.5})", R"({"world_size":1e300})", R"({"root":-1e9})",
                            R"({"shape":[1.5]})", R"({"shape":4})", R"({"seed":-1})",
                            R"({"iterations":99999999999})", R"({"check":1})"})
    CHECK_THROWS_AS(job_from_json(wrong), UserError);
}
