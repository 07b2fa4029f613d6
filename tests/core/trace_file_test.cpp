#include "engine/core/trace_file.h"

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include <unistd.h>

#include "engine/core/event_codec.h"
#include "engine/core/trace_format.h"
#include "tests/support/catch.h"
#include "tests/support/runs.h"

using namespace rankscope;

namespace {

/// A file name of one test, removed at its end.
class TemporaryFile {
 public:
  TemporaryFile()
      : path_(std::filesystem::temp_directory_path() /
              ("rankscope-test-" + std::to_string(::getpid()) + "-" +
               std::to_string(std::random_device()()) + ".rankscope")) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }
  std::string read() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(std::string_view data) const { std::ofstream(path_, std::ios::binary) << data; }

 private:
  std::filesystem::path path_;
};

/// All but the padding at the end.
bool same_fields(const StepEvent& a, const StepEvent& b) {
  constexpr auto kUsed = offsetof(StepEvent, reduce_op) + 1;
  return std::memcmp(&a, &b, kUsed) == 0;
}

TraceMeta some_meta() {
  TraceMeta meta;
  meta.job_json = R"({"algorithm":"ring"})";
  meta.program = "rankscope test";
  meta.started = "2024-01-01T00:00:00Z";
  meta.algorithm = "allreduce.ring";
  meta.world_size = 3;
  meta.hosts = {"a", "b", "a"};
  meta.clock_offset_ns = {0, 5, -3};
  meta.sources = {{"ring.cpp", "int main() {}\n\xff"}};
  return meta;
}

/// One block after each `every` batches.
void write_trace(const std::filesystem::path& path, std::vector<EventBatch> batches, int every) {
  TraceWriter writer(path, some_meta());
  int count = 0;
  for (auto& batch : batches) {
    writer.deliver(std::move(batch));
    if (++count % every == 0) writer.flush();
  }
  auto meta = some_meta();
  meta.result_json = R"({"status":"ok"})";
  writer.close(meta);
}

std::vector<EventBatch> small_batches(const std::vector<EventBatch>& batches, std::size_t size) {
  std::vector<EventBatch> small;
  for (const auto& batch : batches)
    for (std::size_t at = 0; at < batch.events.size(); at += size) {
      EventBatch part;
      part.rank = batch.rank;
      part.epoch = batch.epoch;
      part.blobs = batch.blobs;
      if (at == 0) part.definitions = batch.definitions;
      const auto end = std::min(at + size, batch.events.size());
      part.events.assign(batch.events.begin() + static_cast<std::ptrdiff_t>(at),
                         batch.events.begin() + static_cast<std::ptrdiff_t>(end));
      small.push_back(std::move(part));
    }
  return small;
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
  CHECK(trace.meta().result_json == R"({"status":"ok"})");
  CHECK(trace.meta().job_json == meta.job_json);
  CHECK(trace.meta().hosts == meta.hosts);
  CHECK(trace.meta().clock_offset_ns == meta.clock_offset_ns);
  CHECK(trace.meta().started == meta.started);
  CHECK(trace.meta().algorithm == meta.algorithm);
  REQUIRE(trace.meta().sources.size() == 1);
  CHECK(trace.meta().sources[0].second.starts_with("int main() {}\n"));
}
