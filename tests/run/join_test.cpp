// Ranks that join over the network: who they are, who is refused, and what happens when they go.
#include <fstream>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.hpp>

#include "engine/run/conductor/control.h"
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

using Environment = std::vector<std::pair<std::string, std::string>>;

/// A conductor in a thread of its own, and the processes that join it.
class JoinedRun {
 public:
  explicit JoinedRun(JobSpec spec, const std::string& address = "tcp://127.0.0.1:0")
      : spec_(std::move(spec)) {
    RunnerOptions options;
    options.join = address;
    options.key_file = key();
    options.start_timeout_s = 120;
    options.notice = [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      notices_ += line + "\n";
    };
    runner = std::make_unique<ProcessRunner>(options);
    thread_ = std::thread([this] {
      try {
        result = runner->run(spec_, sink);
      } catch (const UserError& e) {
        result.message = e.what();
      }
      ended_ = true;
    });
    REQUIRE(eventually([&] { return std::filesystem::exists(key()) || ended_; }));
  }
  ~JoinedRun() { finish(); }

  const JobResult& finish() {
    if (thread_.joinable()) thread_.join();
    return result;
  }
  Child worker(const Environment& environment = {}, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(),
                     {rankscope_binary().string(), "worker", "--key-file", key()});
    return Child(arguments, environment, folder / fmt::format("worker{}", ++workers_));
  }
  void all_workers() {
    for (int r = 0; r < spec_.world.size; ++r) members.push_back(worker());
  }
  std::string key() const { return folder / "run.key"; }
  Rendezvous rendezvous() const {
    std::ifstream in(key());
    return Rendezvous::parse(std::string(std::istreambuf_iterator<char>(in), {}));
  }
  std::string notices() const {
    const std::lock_guard lock(mutex_);
    return notices_;
  }
  /// Waits until this rank has joined; returns false if the run ended without it, as where the rank gave up.
  bool joined(int rank) const {
    const auto text = fmt::format("rank {} joined", rank);
    eventually([&] { return ended_ || notices().find(text) != std::string::npos; });
    return notices().find(text) != std::string::npos;
  }

  TemporaryFolder folder;
  CollectingSink sink;
  JobResult result;
  std::vector<Child> members;
  std::unique_ptr<ProcessRunner> runner;

 private:
  JobSpec spec_;
  mutable std::mutex mutex_;
  std::string notices_;
  std::atomic<bool> ended_ = false;
  int workers_ = 0;
  std::thread thread_;
};

JobSpec four() {
  JobSpec spec;
  spec.transport.name = "tcp";
  return spec;
}

}  // namespace

TEST_CASE("ranks join over tcp with keys, by number, by launcher, or as they come", "[run][join]") {
  const Leftovers before;
  {
    JoinedRun run(four());
    struct stat info {};
    REQUIRE(::stat(run.key().c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
    run.members.push_back(run.worker({{"RANK", "3"}, {"WORLD_SIZE", "4"}}));
    run.members.push_back(run.worker({{"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "4"}}));
    run.members.push_back(run.worker({{"OMPI_COMM_WORLD_RANK", "1"},
                                      {"OMPI_COMM_WORLD_SIZE", "4"},
                                      {"SLURM_PROCID", "0"},
                                      {"SLURM_NTASKS", "1"}}));
    run.members.push_back(run.worker({{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}}));
    INFO(run.notices());
    const JobResult& result = run.finish();
    INFO(result.message);
    REQUIRE(result.ok());
    CHECK(result.pids == std::vector<int>{run.members[3].pid(), run.members[2].pid(),
                                          run.members[1].pid(), run.members[0].pid()});
    CHECK(result.lost_events == 0);
    CHECK(run.runner->run(four(), run.sink).ok());  // and again
    run.runner.reset();
    for (auto& member : run.members) CHECK(member.wait() == 0);
    CHECK_FALSE(std::filesystem::exists(run.key()));
  }
  CHECK(before.found() == "");
}

TEST_CASE("who does not belong to a run is refused with the reason, and the run goes on",
          "[run][join]") {
  JoinedRun run(four());
  const auto refused = [&](Child child, const std::string& reason) {
    INFO(reason);
    CHECK(child.wait() == 2);
    CHECK_THAT(child.output(), Contains(reason));
  };
  refused(run.worker({{"RANK", "1"}, {"WORLD_SIZE", "8"}}), "8 ranks, this run has 4");
  refused(run.worker({{"RANK", "9"}}), "rank 9, which does not exist");
  refused(run.worker({{"RANK", "first"}}), "RANK should be a rank");
  run.members.push_back(run.worker({{"RANK", "1"}}));
  REQUIRE(run.joined(1));
  refused(run.worker({{"RANK", "1"}}), "rank 1, which is taken");

  const auto good = run.rendezvous();
  const auto worker_with = [&](const std::string& text, const std::string& name) {
    std::ofstream(run.folder / name) << text;
    return Child({rankscope_binary().string(), "worker", "--key-file", run.folder / name}, {},
                 run.folder / (name + ".out"));
  };
  auto wrong = good;
  wrong.secret = "0123456789abcdef";
  refused(worker_with(wrong.to_string(), "secret"), "wrong secret");
  wrong = good;
  wrong.keys = make_curve_keys();
  refused(worker_with(wrong.to_string(), "keys"), "does not take this key");
  wrong = good;
  wrong.keys->public_key = good.keys->public_key;
  wrong.keys->secret_key = make_curve_keys().secret_key;
  refused(worker_with(wrong.to_string(), "half"), "does not take this key");
  wrong = good;
  wrong.keys.reset();
  refused(worker_with(wrong.to_string(), "plain"), "does not take this key");
  refused(worker_with("tcp://127.0.0.1:1 123", "damaged"), "damaged");
  refused(worker_with("", "empty"), "damaged");
  refused(Child({rankscope_binary().string(), "worker", "--key-file", run.folder / "missing"}, {},
                run.folder / "missing.out"),
          "cannot read the key file");

  for (int r = 0; r < 3; ++r) run.members.push_back(run.worker());
  const JobResult& result = run.finish();
  INFO(run.notices());
  CHECK(result.ok());
  CHECK(run.runner->refused() >= 5);
  CHECK_THAT(run.notices(), Contains("refused a worker") && Contains("without the key"));
}

TEST_CASE("another protocol version, garbage and strangers' messages are dropped and counted",
          "[run][join][strangers]") {
  JoinedRun run(four());
  const auto good = run.rendezvous();
  zmq::context_t context;
  auto dealer = make_zmq_socket(context, zmq::socket_type::dealer);
  set_curve_client(dealer, *good.keys);
  dealer.connect(good.control);
  dealer.set(zmq::sockopt::rcvtimeo, 5'000);
  for (const int version : {kProtocolVersion - 1, 99}) {
    const ControlMessage hello{"hello",
                               {{"version", version}, {"secret", good.secret}, {"pid", 1}}};
    dealer.send(zmq::buffer(hello.encode()), zmq::send_flags::none);
    zmq::message_t answer;
    REQUIRE(dealer.recv(answer).has_value());
    const auto refusal = ControlMessage::decode(answer.to_string_view());
    REQUIRE(refusal.has_value());
    CHECK(refusal->type == "refuse");
    CHECK_THAT(
        refusal->body.at("reason").get<std::string>(),
        Contains(fmt::format("protocol {}, this is protocol {}", version, kProtocolVersion)) &&
            Contains("use the same version"));
  }
  const ControlMessage no_secret{
      "hello", {{"version", kProtocolVersion}, {"secret", nlohmann::json::array()}}};
  const std::vector<std::string> garbage{"",
                                         "{",
                                         "[]",
                                         R"({"type":5})",
                                         R"({"type":"hello","version":"x"})",
                                         R"({"type":"outcome"})",
                                         R"({"type":"heartbeat"})",
                                         no_secret.encode()};
  for (const auto& text : garbage) dealer.send(zmq::buffer(text), zmq::send_flags::none);
  dealer.send(zmq::buffer(std::string_view("two")), zmq::send_flags::sndmore);
  dealer.send(zmq::buffer(std::string_view("parts")), zmq::send_flags::none);
  run.all_workers();
  INFO(run.notices());
  CHECK(run.finish().ok());
  CHECK(run.runner->refused() >= 11);
}

TEST_CASE("a joined rank that is killed or stopped is reported by its silence",
          "[run][join][faults]") {
  const int signal = GENERATE(SIGKILL, SIGSTOP);
  JobSpec spec = slow_job(4, 20'000);
  spec.transport.name = "tcp";
  spec.recording.iterations = 200;
  JoinedRun run(spec);
  run.all_workers();
  REQUIRE(run.joined(3));
  REQUIRE(run.joined(0));
  std::this_thread::sleep_for(2s);  // so that rank 2 has said where it is, on a busy machine too
  run.members[2].signal(signal);
  const JobResult& result = run.finish();
  INFO(result.message);
  CHECK(result.status == JobResult::Status::failed);
  REQUIRE(!result.failures.empty());
  CHECK_THAT(result.failures.front().what, Contains("has not answered for"));
  CHECK_THAT(result.failures.front().where, Contains("engine/collectives/"));
  for (std::size_t i = 0; i < run.members.size(); ++i)
    if (i != 2) CHECK(run.members[i].wait() >= 0);
}

TEST_CASE("a port in use and an address of another machine are refused", "[run][join]") {
  JoinedRun first(four());
  const auto taken = first.rendezvous().control;
  JoinedRun second(four(), taken);
  CHECK_THAT(second.finish().message, Contains("in use"));
  JoinedRun third(four(), "tcp://192.0.2.1:5000");
  CHECK_THAT(third.finish().message, Contains("192.0.2.1"));
  JoinedRun fourth(four(), "nonsense");
  CHECK_THAT(fourth.finish().message, Contains("tcp://ADDRESS:PORT"));
  first.all_workers();
  CHECK(first.finish().ok());
}
