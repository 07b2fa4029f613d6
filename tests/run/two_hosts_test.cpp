// Two hosts, as two network namespaces with a cable between them, and a third that has no key.
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/core/trace/trace_builder.h"
#include "engine/run/conductor/control.h"
#include "tests/run/real_run.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace rankscope;
using namespace rankscope::test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

/// Two namespaces with addresses 10.213.N.1 and .2, removed with all that is in them.
class TwoHosts {
 public:
  TwoHosts()
      : a_(fmt::format("rankscope-a-{}", ::getpid())),
        b_(fmt::format("rankscope-b-{}", ::getpid())),
        net_(fmt::format("10.213.{}", ::getpid() % 250)) {
    const std::string cable = fmt::format("rsv{}", ::getpid());
    good_ =
        ip({"netns", "add", a_}) && ip({"netns", "add", b_}) &&
        ip({"-n", a_, "link", "add", cable, "type", "veth", "peer", "name", cable, "netns", b_}) &&
        ip({"-n", a_, "addr", "add", net_ + ".1/24", "dev", cable}) &&
        ip({"-n", b_, "addr", "add", net_ + ".2/24", "dev", cable}) &&
        ip({"-n", a_, "link", "set", cable, "up"}) && ip({"-n", b_, "link", "set", cable, "up"}) &&
        ip({"-n", a_, "link", "set", "lo", "up"}) && ip({"-n", b_, "link", "set", "lo", "up"});
  }
  ~TwoHosts() {
    ip({"netns", "del", a_});
    ip({"netns", "del", b_});
  }
  bool good() const { return good_; }
  /// Why there are none.
  const std::string& reason() const { return reason_; }
  std::string address() const { return net_ + ".1"; }
  std::vector<std::string> on(bool second, const std::vector<std::string>& command) const {
    std::vector<std::string> all{"ip", "netns", "exec", second ? b_ : a_};
    all.insert(all.end(), command.begin(), command.end());
    return all;
  }

 private:
  bool ip(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "ip");
    try {
      const Finished done = run_process(arguments);
      if (done.exit_code != 0) reason_ = done.err;
      return done.exit_code == 0;
    } catch (const std::exception& e) {
      reason_ = e.what();
      return false;
    }
  }
  const std::string a_, b_, net_;
  std::string reason_;
  bool good_ = false;
};

// Not a test: the conductor of the test below, inside the first namespace.
JobSpec spread_job() {
  JobSpec spec;
  spec.world.size = 8;
  spec.call.shape = {1'000};
  spec.transport.name = "tcp";
  return spec;
}

struct MergingSink : EventSink {
  void deliver(EventBatch&& batch) override { batches.push_back(std::move(batch)); }
  std::vector<EventBatch> batches;
};

}  // namespace

TEST_CASE("a conductor in a network namespace", "[.conductor]") {
  const char* const address = std::getenv("CONDUCTOR_ADDRESS");
  if (address == nullptr) return;  // run with all other tests
  RunnerOptions options;
  options.join = fmt::format("tcp://{}:0", address);
  options.key_file = std::getenv("CONDUCTOR_KEY");
  options.notice = [](const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  };
  ProcessRunner runner(options);
  MergingSink sink;
  const JobResult result = runner.run(spread_job(), sink);
  TraceMeta meta;
  meta.world_size = 8;
  runner.add_places(meta);
  const Trace trace = make_trace(std::move(sink.batches), meta);
  std::map<OpId, std::int64_t> sent;
  std::uint64_t arrows = 0, backwards = 0, clamped = 0;
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    const StepEvent& event = trace[k];
    if (event.kind == EventKind::posted && is_send(event.verb)) sent[event.op] = trace.time_ns(k);
    if (event.kind != EventKind::completed || !is_recv(event.verb)) continue;
    ++arrows;
    clamped += trace.clamped(k) ? 1 : 0;
    const auto from = sent.find(event.cause);
    backwards += from == sent.end() || from->second > trace.time_ns(k) ? 1 : 0;
  }
  fmt::print("status {} lost {} arrows {} backwards {} clamped {} digest {:x}\n",
             to_string(result.status), result.lost_events, arrows, backwards, clamped,
             result.ranks.empty() ? 0 : result.ranks.front().digest);
}

TEST_CASE("two hosts of four ranks give the same result, and strangers stay outside",
          "[run][join]") {
  const TwoHosts hosts;
  if (!hosts.good()) {
    WARN("skipped: network namespaces are not permitted here (" << hosts.reason() << ")");
    return;
  }
  const TemporaryFolder folder;
  const std::string key = folder / "run.key", program = rankscope_binary().string();
  const auto own = std::filesystem::read_symlink("/proc/self/exe").string();
  Child conductor(hosts.on(false, {own, "a conductor in a network namespace"}),
                  {{"CONDUCTOR_ADDRESS", hosts.address()}, {"CONDUCTOR_KEY", key}},
                  folder / "conductor");
  REQUIRE(eventually([&] { return std::filesystem::exists(key); }));

  std::ifstream in(key);
  const auto good = Rendezvous::parse(std::string(std::istreambuf_iterator<char>(in), {}));
  CHECK_THAT(good.control, Contains(hosts.address()));
  auto plain = good;
  plain.keys.reset();
  std::ofstream(folder / "plain.key") << plain.to_string() << "\n";
  Child stranger(hosts.on(true, {program, "worker", "--key-file", folder / "plain.key"}), {},
                 folder / "stranger");
  CHECK(stranger.wait() == 2);
  CHECK_THAT(stranger.output(), Contains("does not take this key"));

  std::vector<Child> workers;
  for (int r = 0; r < 8; ++r)
    workers.emplace_back(
        hosts.on(r >= 4, {program, "worker", "--key-file", key, "--rank", std::to_string(r)}),
        std::vector<std::pair<std::string, std::string>>{}, folder / fmt::format("worker{}", r));
  CHECK(conductor.wait() == 0);
  INFO(conductor.output());
  for (auto& worker : workers) CHECK(worker.wait() == 0);
  // The same on one host.
  JobSpec here = spread_job();
  ProcessRunner runner(real_workers());
  MergingSink sink;
  const JobResult local = runner.run(here, sink);
  REQUIRE(local.ok());
  CHECK_THAT(conductor.output(),
             Contains("status ok lost 0 arrows 112 backwards 0") &&
                 Contains(fmt::format("digest {:x}", local.ranks.front().digest)) &&
                 Contains("refused a peer without the key of this run from"));
}
