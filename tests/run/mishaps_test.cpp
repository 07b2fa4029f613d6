// Conductors and workers that meet an odd partner, place or disk: one side of each talk is played here.
#include <condition_variable>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <zmq.hpp>

#include "engine/core/base/error.h"
#include "engine/core/run/job_json.h"
#include "engine/run/conductor/sockets.h"
#include "engine/run/step/step_controller.h"
#include "tests/run/real_run.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "transports/inproc/inproc_world.h"
#include "transports/zeromq/zmq_util.h"

using namespace rankscope;
using namespace rankscope::test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

/// A conductor's sockets without a conductor.
class FakeConductor {
 public:
  FakeConductor() {
    rendezvous.secret = "0123456789abcdef";
    for (auto* socket : {&control_, &events_}) socket->bind("tcp://127.0.0.1:*");
    rendezvous.control = control_.get(zmq::sockopt::last_endpoint);
  }
  std::string events() { return events_.get(zmq::sockopt::last_endpoint); }
  /// The next message of this type that is as wanted; others are skipped.
  ControlMessage await(
      const std::string& type,
      const std::function<bool(const ControlMessage&)>& wanted = [](const auto&) { return true; }) {
    for (const auto limit = Deadline::in(test::kWaitLimit); !limit.passed();) {
      poll_sockets({{&control_, -1}}, limit);
      const auto parts = receive_waiting(control_);
      if (parts.size() != 2) continue;
      worker_ = parts[0].to_string();
      auto message = ControlMessage::decode(parts[1].to_string_view());
      if (message && message->type == type && wanted(*message)) return *message;
    }
    FAIL("no " << type << " came");
    return {};
  }
  void send(const ControlMessage& message) {
    control_.send(zmq::buffer(worker_), zmq::send_flags::sndmore);
    send_text(control_, message.encode());
  }
  Rendezvous rendezvous;

 private:
  zmq::context_t zmq_;
  zmq::socket_t control_ = make_zmq_socket(zmq_, zmq::socket_type::router);
  zmq::socket_t events_ = make_zmq_socket(zmq_, zmq::socket_type::pull);
  std::string worker_;
};

/// Breaks when the first events come, or when they are to be written out.
class BrokenSink : public EventSink {
 public:
  explicit BrokenSink(bool early) : early_(early) {}
  void deliver(EventBatch&&) override {
    if (early_) throw std::runtime_error("a sink that breaks");
  }
  void flush() override {
    if (!early_) throw UserError("no space is left");
  }

 private:
  const bool early_;
};

}  // namespace

TEST_CASE("a rendezvous may lie in a folder with spaces", "[run]") {
  Rendezvous there{"ipc:///run/a user's files/x  y/control", "0123456789abcdef", {}};
  CHECK(Rendezvous::parse(there.to_string() + "\n").control == there.control);
  CHECK_FALSE(Rendezvous::parse(there.to_string()).keys);
  there.keys = make_curve_keys();
  const auto again = Rendezvous::parse(there.to_string());
  CHECK(again.control == there.control);
  REQUIRE(again.keys);
  CHECK(again.keys->secret_key == there.keys->secret_key);
  for (const char* wrong : {"", "0123456789abcdef", "0123456789abcdef ipx://", "short tcp://a:1",
                            "0123456789abcdef key key tcp://a:1", "tcp://a:1 0123456789abcdef"})
    CHECK_THROWS_WITH(Rendezvous::parse(wrong), Contains("damaged"));

  const TemporaryFolder folder;
  const auto place = std::filesystem::path("/tmp") / ("rs a b " + random_hex());
  std::filesystem::create_directory(place);
  Child run({rankscope_binary().string(), "run", "allreduce.ring", "-n", "2", "-o",
             folder / "out.rankscope"},
            {{"XDG_RUNTIME_DIR", place.string()}}, folder / "output");
  const int code = run.wait();
  INFO(run.output());
  CHECK(code == 0);
  std::filesystem::remove_all(place);
}

TEST_CASE("a worker tells how far it is in which job, and leaves when it is refused late",
          "[run][join]") {
  FakeConductor conductor;
  const TemporaryFolder folder;
  std::ofstream(folder / "key") << conductor.rendezvous.to_string() << "\n";
  Child worker({rankscope_binary().string(), "worker", "--key-file", folder / "key"}, {},
               folder / "worker");
  conductor.await("hello");
  conductor.send(
      {"welcome",
       {{"rank", 0}, {"world_size", 1}, {"transport", "tcp"}, {"events", conductor.events()}}});
  const auto ready = conductor.await("ready");
  conductor.send({"peers", {{"endpoints", {ready.body.at("endpoint")}}}});
  JobSpec spec;
  spec.world.size = 1;
  spec.transport.name = "tcp";
  conductor.send({"job", {{"epoch", 7}, {"spec", json_of(spec)}, {"gate", GateOrders{}}}});
  const auto outcome = conductor.await("outcome");
  const auto events = outcome.body.at("outcome").at("events").get<std::uint64_t>();
  CHECK(events > 0);
  const auto heartbeat = conductor.await("heartbeat");
  CHECK(heartbeat.body.value("epoch", 0) == 7);
  CHECK(heartbeat.body.at("events").get<std::uint64_t>() == events);
  conductor.send({"refuse", {{"reason", "its seat is taken after all"}}});
  CHECK(worker.wait() == 2);
  CHECK_THAT(worker.output(), Contains("refused: its seat is taken after all"));
}

// Joins as rank 0, says nine things that no rank can say, and stays until the run is over.
void play_worker_of_nonsense(const Rendezvous& key, const std::function<void()>& wait_for_end) {
  zmq::context_t zmq;
  auto socket = make_plane_socket(zmq, zmq::socket_type::dealer, key, Side::client);
  socket.set(zmq::sockopt::rcvtimeo, 10'000);
  socket.connect(key.control);
  const auto say = [&](const ControlMessage& message) { send_text(socket, message.encode()); };
  const auto hear = [&](const std::string& type) {
    zmq::message_t text;
    while (socket.recv(text).has_value())
      if (const auto m = ControlMessage::decode(text.to_string_view()); m && m->type == type)
        return *m;
    return ControlMessage{};
  };
  say({"hello", {{"version", kProtocolVersion}, {"secret", key.secret}, {"pid", 1}}});
  CHECK(hear("welcome").type == "welcome");
  say({"ready", {{"endpoint", "tcp://127.0.0.1:1"}}});
  const auto job = hear("job");
  REQUIRE(job.type == "job");
  const auto tell = [&](nlohmann::json strand) {
    say({"standing",
         {{"orders", job.body.at("gate").at("number")}, {"strands", {std::move(strand)}}}});
  };
  for (const auto& [peer, op] : {std::pair<int, OpId>{99, make_op(0, 1)},
                                 {-1, make_op(0, 1)},
                                 {-7, make_op(0, 1)},
                                 {0, make_op(5, 1)}}) {
    nlohmann::json strand{{"strand", 0}, {"verb", "send"}, {"peer", peer}, {"op", op}};
    strand["state"] = "held";
    tell(strand);
    strand["state"] = "blocked";
    if (peer != 0) tell(strand);
  }
  tell({{"strand", 0}, {"state", "dreaming"}});
  tell({{"strand", 70'000}, {"state", 1}});
  RankOutcome outcome;
  outcome.ok = true;
  say({"outcome", {{"epoch", job.body.at("epoch")}, {"outcome", json_of(outcome)}}});
  wait_for_end();
  say({"bye", {}});
}

TEST_CASE("numbers of a worker that cannot be are dropped and counted", "[run][join][strangers]") {
  const TemporaryFolder folder;
  StepController step;
  RunnerOptions options;
  options.join = "tcp://127.0.0.1:0";
  options.key_file = folder / "key";
  options.start_timeout_s = 20;
  options.step = &step;
  ProcessRunner runner(options);
  JobSpec spec;
  spec.world.size = 1;
  spec.transport.name = "tcp";
  spec.recording.timeout_s = 20;
  CollectingSink sink;
  JobResult result;
  std::thread thread([&] { result = runner.run(spec, sink); });
  const bool there =
      eventually([&] { return std::filesystem::exists(options.key_file) || step.finished(); });
  if (there) {
    std::ifstream in(options.key_file);
    const auto key = Rendezvous::parse(std::string(std::istreambuf_iterator<char>(in), {}));
    play_worker_of_nonsense(key, [&] { thread.join(); });
    CHECK(result.ok());
    CHECK(result.refused == 9);
  }
  if (thread.joinable()) thread.join();
  CHECK(there);
}

TEST_CASE("a sink that breaks in the middle ends the run, and the next one is well",
          "[run][faults]") {
  const Leftovers before;
  {
    StepController step;
    step.start_closed(false);
    RunnerOptions options = real_workers();
    options.step = &step;
    ProcessRunner runner(options);
    JobSpec spec = slow_job(4, 5'000);
    spec.recording.iterations = 10'000;
    spec.recording.trace_every = true;
    BrokenSink early(true), late(false);
    CHECK_THROWS_WITH(runner.run(spec, early), "a sink that breaks");
    CHECK(step.finished());
    CHECK(step.round() == "the run is over");
    const auto began = Clock::now();
    const JobResult result = runner.run(spec, late);
    CHECK(Clock::now() - began < 50s);
    CHECK(result.status == JobResult::Status::failed);
    CHECK_THAT(result.message, Contains("no space is left"));
    CollectingSink good;
    CHECK(runner.run(slow_job(4, 0), good).ok());
  }
  CHECK(before.found() == "");
}

TEST_CASE("Ctrl-C that kills the ranks before they have started is an interrupt", "[run][faults]") {
  const TemporaryFolder folder;
  const std::string program = folder / "struck", signals = folder / "signals";
  REQUIRE(::mkfifo(signals.c_str(), 0600) == 0);
  const Fd interrupts(::open(signals.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  // It dies of the signal, and the conductor detects that a moment later.
  std::ofstream(program) << "#!/bin/sh\n(echo ! > '" << signals << "') & kill -INT $$\n";
  REQUIRE(::chmod(program.c_str(), 0700) == 0);
  RunnerOptions options;
  options.program = program;
  options.interrupt_fd = interrupts.get();
  CollectingSink sink;
  const JobResult result = ProcessRunner(options).run(slow_job(4, 0), sink);
  INFO(result.message);
  CHECK(result.status == JobResult::Status::interrupted);
  CHECK(result.failures.empty());
}

TEST_CASE("threads end at the time-out as processes do", "[run]") {
  JobSpec spec = slow_job(3, 0);
  spec.transport.name = "inproc";
  spec.world.delays_us[1] = 30e6;
  spec.recording.timeout_s = 0.2;
  CollectingSink sink;
  const auto began = Clock::now();
  const JobResult result = InprocRunner().run(spec, sink);
  CHECK(Clock::now() - began < 25s);
  CHECK(result.status == JobResult::Status::timeout);
  CHECK_THAT(result.message, Contains("longer than 0.2 s"));
  REQUIRE(result.failures.size() == 3);
  CHECK_THAT(result.failures[1].where, Contains("held"));
  CHECK_THAT(result.failures[2].where, Contains("recv"));
}

TEST_CASE("after messages passed open gates, rounds have no number", "[run][step]") {
  StepController step;
  RunnerOptions options = real_workers();
  options.step = &step;
  ProcessRunner runner(options);
  JobSpec spec;
  spec.recording.timeout_s = 20;
  CollectingSink sink;
  JobResult result;
  std::thread thread([&] { result = runner.run(spec, sink); });
  CHECK(step.wait_still(Deadline::in(test::kWaitLimit)));
  CHECK_THAT(step.round(), Catch::Matchers::StartsWith("round 1: 4 message(s)"));
  step.add_breakpoint({"", 0, "allgather", -1});
  CHECK_THAT(step.resume(), Contains("breakpoint"));
  const auto answer = step.round();
  CHECK_THAT(answer, Contains("message(s) released") && !Contains("round"));
  for (const auto& view : step.ranks()) CHECK(view.round == 0);
  step.clear_breakpoints();
  step.resume();
  thread.join();
  CHECK(result.ok());
}
