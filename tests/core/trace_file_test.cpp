// Trace files: codec, round trip, write errors, and a killed recorder.
#include "engine/core/trace/trace_file.h"

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include <unistd.h>

#include "engine/core/trace/event_codec.h"
#include "tests/core/trace_files.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"
#include "tests/support/runs.h"

using namespace rankscope;
using test::check_prefix;
using test::small_batches;
using test::some_meta;
using test::TemporaryFile;
using test::write_trace;

namespace {

/// All except the padding at the end.
bool same_fields(const StepEvent& a, const StepEvent& b) {
  constexpr auto kUsed = offsetof(StepEvent, reduce_op) + 1;
  return std::memcmp(&a, &b, kUsed) == 0;
}

void check_same(const Trace& a, const Trace& b) {
  REQUIRE(a.size() == b.size());
  CHECK(a.world_size() == b.world_size());
  for (std::uint64_t k = 0; k < a.size(); ++k) {
    StepEvent x = a[k], y = b[k];
    x.preview = y.preview = 0;  // where the contents lie differs
    REQUIRE(same_fields(x, y));
    REQUIRE(a.time_ns(k) == b.time_ns(k));
    REQUIRE(std::ranges::equal(a.preview(k), b.preview(k)));
  }
  for (int kind = 0; kind < kDefinitionKinds; ++kind) {
    const auto of = static_cast<Definition::Kind>(kind);
    CHECK(std::ranges::equal(a.definitions(of), b.definitions(of)));
  }
}

}  // namespace

TEST_CASE("events survive the column codec, whatever their values", "[core][trace]") {
  std::mt19937_64 random(7);
  const auto count = GENERATE(1, 2, 100, 2048);
  const int wildness = GENERATE(0, 1, 2);
  std::vector<StepEvent> events(static_cast<std::size_t>(count));
  for (auto& event : events) {
    if (wildness == 2) {
      std::array<std::uint64_t, sizeof(StepEvent) / 8> words;
      for (auto& word : words) word = random() % 4 == 0 ? std::uint64_t{1} << 63 : random();
      std::memcpy(static_cast<void*>(&event), words.data(), sizeof(event));
    } else if (wildness == 1) {
      event.op = random() % 3 == 0 ? 0 : random() % 1000;
      event.time_ns = static_cast<std::int64_t>(random() % 100000);
      event.begin_ns = event.time_ns - 5;
      event.peer = static_cast<int>(random() % 5) - 1;
    }
  }
  Bytes data;
  ByteWriter out(data);
  encode_events(events, out);
  std::vector<StepEvent> back(events.size());
  ByteReader in(data);
  decode_events(in, back);
  CHECK(in.done());
  CHECK(std::ranges::equal(events, back, same_fields));
}

TEST_CASE("a trace file gives back what was recorded", "[core][trace]") {
  const int every = GENERATE(1, 3, 1000);
  const auto level = GENERATE(TraceLevel::light, TraceLevel::full);
  const auto batches = small_batches(test::record(3, test::ring_of(20, 5), level), 7);
  const TemporaryFile file;
  write_trace(file.path(), batches, every);
  const Trace trace = TraceReader::open(file.path());
  auto meta = some_meta();
  check_same(trace, make_trace(batches, meta));
  CHECK_FALSE(trace.issues().any());
  CHECK(trace.issues().to_string().empty());
  CHECK(trace.gaps().empty());
  CHECK(trace.meta().complete);
  REQUIRE(trace.meta().outcome);
  CHECK(trace.meta().outcome->ok());
  CHECK(trace.meta().job == meta.job);
  CHECK(trace.meta().hosts == meta.hosts);
  CHECK(trace.meta().network == meta.network);
  CHECK(trace.meta().clock_offset_ns == meta.clock_offset_ns);
  CHECK(trace.meta().started == meta.started);
  CHECK(trace.meta().algorithm == meta.algorithm);
  REQUIRE(trace.meta().sources.size() == 1);
  CHECK(trace.meta().sources[0].second.starts_with("int main() {}\n"));
}

TEST_CASE("a writer says why it cannot write", "[core][trace]") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(TraceWriter("/nonexistent/trace.rankscope", {}), Contains("Create the folder"));
  if (std::filesystem::exists("/dev/full")) {
    CHECK_THROWS_WITH(TraceWriter("/dev/full", {}), Contains("Free some space"));
  }
}

TEST_CASE("events of other jobs and after the end are not written", "[core][trace]") {
  auto batches = test::record(2, test::ring_of(3), TraceLevel::light);
  const TemporaryFile file;
  TraceWriter writer(file.path(), {}, batches[0].epoch);
  auto stale = batches[0];
  stale.epoch += 1;
  writer.deliver(std::move(stale));
  CHECK(writer.dropped() == batches[0].events.size());
  std::uint64_t written = 0;
  for (auto& batch : batches) {
    written += batch.events.size();
    writer.deliver(std::move(batch));
  }
  writer.close({});
  CHECK(writer.events() == written);
  writer.deliver(EventBatch{0, stale.epoch - 1, std::vector<StepEvent>(3), {}, {}});
  CHECK(TraceReader::open(file.path()).size() == written);
}

namespace {

std::string batch_file(const std::string& folder, std::size_t i) {
  return folder + "/batch" + std::to_string(i);
}

}  // namespace

// Run by the next test in a process of its own: hidden, it is in no list.
TEST_CASE("a recorder that kills itself", "[.recorder]") {
  const char* folder = std::getenv("RECORDER_FOLDER");
  const char* kill_at = std::getenv("RECORDER_KILL_AT");
  if (folder == nullptr || kill_at == nullptr) return;
  TraceWriter writer(folder + std::string("/killed.rankscope"), some_meta());
  for (std::size_t i = 0; std::filesystem::exists(batch_file(folder, i)); ++i) {
    std::ifstream in(batch_file(folder, i), std::ios::binary);
    const std::string data(std::istreambuf_iterator<char>(in), {});
    writer.deliver(decode_batch(std::as_bytes(std::span(data))));
    if (i % 3 == 2) writer.flush();
    if (std::to_string(i) == kill_at) ::kill(::getpid(), SIGKILL);
  }
}

TEST_CASE("a killed recorder leaves a trace that opens", "[core][trace]") {
  const auto batches = small_batches(test::record(3, test::ring_of(6, 20), TraceLevel::light), 25);
  const Trace whole = make_trace(batches);
  const test::TemporaryFolder folder;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const Bytes data = encode(batches[i]);
    std::ofstream(batch_file(folder.path(), i), std::ios::binary)
        .write(reinterpret_cast<const char*>(data.data()),
               static_cast<std::streamsize>(data.size()));
  }
  const auto own = std::filesystem::read_symlink("/proc/self/exe").string();
  std::mt19937 random(3);
  for (int round = 0; round < 8; ++round) {
    const auto kill_at = random() % batches.size();
    const auto recorder =
        test::run_process({own, "a recorder that kills itself"},
                          {.environment = {{"RECORDER_FOLDER", folder.path()},
                                           {"RECORDER_KILL_AT", std::to_string(kill_at)}}});
    INFO(recorder.out << recorder.err);
    REQUIRE(recorder.exit_code == 128 + SIGKILL);
    const Trace part = TraceReader::open(folder / "killed.rankscope");
    std::size_t flushed = 0;
    for (std::size_t i = 0; i < (kill_at + 1) / 3 * 3; ++i) flushed += batches[i].events.size();
    CHECK(part.size() == flushed);
    CHECK(part.issues().unclosed);
    CHECK(part.meta().algorithm == "allreduce.ring");
    check_prefix(part, whole);
  }
}
