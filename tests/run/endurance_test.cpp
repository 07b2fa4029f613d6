// Many jobs, many events, much payload: nothing leaks, nothing is lost, and the payload does not
// pass through the conductor.
#include <fstream>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "tests/run/real_run.h"
#include "tests/support/catch.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;
using namespace rankscope::test;
using namespace std::chrono_literals;

namespace {

/// Counts, checks the numbering, and stops reading once, in the middle.
class SlowSink : public EventSink {
 public:
  SlowSink(std::uint64_t at, std::chrono::milliseconds nap) : at_(at), nap_(nap) {}
  void deliver(EventBatch&& batch) override {
    for (const auto& event : batch.events) in_order_ &= event.seq == next_[event.rank]++;
    events += batch.events.size();
    if (events < at_ || slept_) return;
    slept_ = true;
    std::this_thread::sleep_for(nap_);
  }
  bool in_order() const { return in_order_; }
  bool slept() const { return slept_; }
  std::uint64_t events = 0;

 private:
  const std::uint64_t at_;
  const std::chrono::milliseconds nap_;
  std::map<Rank, std::uint32_t> next_;
  bool in_order_ = true, slept_ = false;
};

void flood(int iterations, std::uint64_t least, std::chrono::milliseconds nap) {
  ProcessRunner runner(real_workers());
  JobSpec spec;
  spec.recording.iterations = iterations;
  spec.recording.trace_every = true;
  spec.data.check = false;
  spec.recording.trace = TraceLevel::light;
  spec.recording.timeout_s = 300;
  SlowSink sink(least / 4, nap);
  const JobResult result = runner.run(spec, sink);
  INFO(result.message);
  REQUIRE(result.ok());
  CHECK(sink.slept());
  CHECK(sink.in_order());
  CHECK(sink.events == result.events);
  CHECK(sink.events >= least);
  CHECK(result.lost_events == 0);
}

std::map<std::string, std::uint64_t> io_counters() {
  std::ifstream in("/proc/self/io");
  std::map<std::string, std::uint64_t> counters;
  std::string name;
  for (std::uint64_t value = 0; in >> name >> value;) counters[name] = value;
  return counters;
}

std::uint64_t resident_kib(int pid) {
  std::ifstream in(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("VmRSS:")) return std::stoull(line.substr(6));
  return 0;
}

int descriptors_of(int pid) {
  int count = 0;
  std::error_code ignored;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", pid), ignored))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("a hundred thousand events arrive whole although the reader rests", "[run][endurance]") {
  flood(500, 100'000, 1s);
}

TEST_CASE("a million events arrive whole although the reader rests for ten seconds",
          "[run][endurance][full]") {
  flood(6'000, 1'000'000, 10s);
}

TEST_CASE("payload does not pass through the conductor", "[run][endurance]") {
  ProcessRunner runner(real_workers());
  JobSpec spec;
  spec.call.shape = {4 << 20};  // 16 MiB on each rank
  spec.transport.name = GENERATE("ipc", "tcp");
  spec.data.check = false;
  CollectingSink sink;
  REQUIRE(runner.run(JobSpec{spec}, sink).ok());
  auto before = io_counters();
  if (before.empty()) return;  // not permitted here
  const JobResult result = runner.run(spec, sink);
  auto after = io_counters();
  REQUIRE(result.ok());
  std::uint64_t payload = 0;
  for (const auto& rank : result.ranks) payload += rank.bytes_sent;
  CHECK(payload > (std::uint64_t{64} << 20));
  CHECK(after["rchar:"] - before["rchar:"] < payload / 50);
  CHECK(after["wchar:"] - before["wchar:"] < payload / 50);
}

TEST_CASE("two hundred jobs on the same workers leak nothing and start at once",
          "[run][endurance][serial]") {
  ProcessRunner runner(real_workers());
  JobSpec spec;
  spec.world.size = 3;
  std::vector<int> pids;
  std::vector<double> starts;
  std::uint64_t resident = 0;
  int descriptors = 0, own = 0;
  for (int i = 0; i < 200; ++i) {
    CollectingSink sink;
    const JobResult result = runner.run(spec, sink);
    REQUIRE(result.ok());
    if (i > 0) REQUIRE(result.pids == pids);
    pids = result.pids;
    if (i > 0) starts.push_back(result.start_s);
    if (i != 50) continue;
    resident = resident_kib(pids[0]);
    descriptors = descriptors_of(pids[0]);
    own = open_descriptors();
  }
  CHECK(descriptors_of(pids[0]) == descriptors);
  CHECK(open_descriptors() == own);
  CHECK(resident_kib(pids[0]) < resident + 4'096);
  std::ranges::sort(starts);
  WARN(fmt::format("start of a second run: median {:.2f} ms, 95th percentile {:.2f} ms",
                   starts[starts.size() / 2] * 1e3, starts[starts.size() * 95 / 100] * 1e3));
  CHECK(starts[starts.size() / 2] < 0.1);
}

TEST_CASE("another size, transport or mode gets the workers it needs", "[run][endurance]") {
  const Leftovers before;
  {
    ProcessRunner runner(real_workers());
    CollectingSink sink;
    const int own = open_descriptors();
    for (const auto& [n, transport] : {std::pair{2, "ipc"}, {5, "ipc"}, {5, "tcp"}, {1, "ipc"}}) {
      JobSpec spec;
      spec.world.size = n;
      spec.transport.name = transport;
      const JobResult result = runner.run(spec, sink);
      CHECK(result.ok());
      CHECK(children().size() == static_cast<std::size_t>(n));
    }
    CHECK(open_descriptors() < own + 40);
  }
  CHECK(before.found() == "");
}
