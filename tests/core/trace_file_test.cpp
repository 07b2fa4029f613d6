#include "engine/core/trace_file.h"

#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include <sys/wait.h>
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

namespace {

/// Sequence numbers per rank are a beginning of what was recorded; nothing is invented.
void check_prefix(const Trace& part, const Trace& whole) {
  std::vector<std::vector<const StepEvent*>> recorded(static_cast<std::size_t>(whole.world_size()));
  for (std::uint64_t k = 0; k < whole.size(); ++k)
    recorded[static_cast<std::size_t>(whole[k].rank)].push_back(&whole[k]);
  for (std::uint64_t k = 0; k < part.size(); ++k) {
    const auto& of_rank = recorded.at(static_cast<std::size_t>(part[k].rank));
    REQUIRE(part[k].seq < of_rank.size());
    REQUIRE(part[k].op == of_rank[part[k].seq]->op);
    REQUIRE(part[k].time_ns == of_rank[part[k].seq]->time_ns);
  }
}

struct Blocks {
  std::vector<std::size_t> begin;
  std::vector<trace_format::BlockHeader> header;
};

Blocks blocks_of(std::string_view data) {
  Blocks blocks;
  for (std::size_t at = 0; at < data.size();) {
    trace_format::BlockHeader header;
    std::memcpy(&header, data.data() + at, sizeof(header));
    blocks.begin.push_back(at);
    blocks.header.push_back(header);
    at += sizeof(header) + static_cast<std::size_t>(header.stored_size);
  }
  return blocks;
}

std::string message_of(const std::filesystem::path& path) {
  try {
    TraceReader::open(path);
  } catch (const UserError& e) {
    return e.what();
  }
  return "opened";
}

}  // namespace

TEST_CASE("a trace file cut anywhere opens with all whole blocks", "[core][trace]") {
  const auto batches = small_batches(test::record(2, test::ring_of(4), TraceLevel::light), 9);
  const TemporaryFile file, cut;
  write_trace(file.path(), batches, 2);
  const Trace whole = TraceReader::open(file.path());
  const auto data = file.read();
  const auto blocks = blocks_of(data);
  REQUIRE(blocks.begin.size() > 4);
  for (std::size_t length = 0; length < data.size(); ++length) {
    cut.write(std::string_view(data).substr(0, length));
    INFO("cut after " << length << " bytes");
    const bool has_block = length >= (blocks.begin[1]);
    if (!has_block) {
      REQUIRE_THROWS_AS(TraceReader::open(cut.path()), FormatError);
      continue;
    }
    const Trace part = TraceReader::open(cut.path());
    std::uint64_t events = 0;
    for (std::size_t b = 0; b + 1 < blocks.begin.size(); ++b)
      if (blocks.begin[b + 1] <= length) events += blocks.header[b].events;
    REQUIRE(part.size() == events);
    REQUIRE(part.issues().unclosed);
    REQUIRE_FALSE(part.meta().complete);
    REQUIRE_FALSE(part.issues().to_string().empty());
    const bool between = std::ranges::find(blocks.begin, length) != blocks.begin.end();
    REQUIRE(part.issues().cut == !between);
    check_prefix(part, whole);
  }
}

TEST_CASE("damage costs the block that it is in", "[core][trace]") {
  const auto batches = small_batches(test::record(3, test::ring_of(9, 4)), 20);
  const TemporaryFile file, damaged;
  write_trace(file.path(), batches, 2);
  const auto data = file.read();
  const auto blocks = blocks_of(data);
  const Trace whole = TraceReader::open(file.path());
  for (std::size_t b = 0; b < blocks.begin.size(); ++b) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{40}, std::size_t{75}}) {
      auto copy = data;
      copy[blocks.begin[b] + offset] = static_cast<char>(copy[blocks.begin[b] + offset] ^ 0x10);
      damaged.write(copy);
      INFO("block " << b << " offset " << offset);
      const Trace part = TraceReader::open(damaged.path());
      CHECK(part.size() == whole.size() - blocks.header[b].events);
      CHECK(part.issues().any());
      if (blocks.header[b].events > 0) {
        CHECK(part.issues().lost_events == blocks.header[b].events);
        CHECK_FALSE(part.issues().cut);
      }
      check_prefix(part, whole);
      part.seek(part.size());
    }
  }
}

TEST_CASE("no damage makes the reader crash", "[core][trace]") {
  const auto batches = small_batches(test::record(2, test::ring_of(5, 2)), 30);
  const TemporaryFile file, damaged;
  write_trace(file.path(), batches, 3);
  const auto data = file.read();
  const auto blocks = blocks_of(data);
  std::mt19937_64 random(11);
  int opened = 0;
  for (int round = 0; round < 3000; ++round) {
    auto copy = data;
    const auto flips = 1 + random() % 8;
    for (std::uint64_t i = 0; i < flips; ++i)
      copy[random() % copy.size()] ^= static_cast<char>(1U << (random() % 8));
    if (round % 3 == 0) copy.resize(random() % copy.size());
    // As a forger would: with checksums that fit.
    if (round % 2 == 0)
      for (std::size_t b = 0; b < blocks.begin.size(); ++b) {
        const auto at = blocks.begin[b];
        trace_format::BlockHeader header;
        if (at + sizeof(header) > copy.size()) break;
        std::memcpy(&header, copy.data() + at, sizeof(header));
        const auto left = copy.size() - at - sizeof(header);
        if (header.stored_size > left) continue;
        header.checksum = trace_format::checksum(std::as_bytes(std::span(
            copy.data() + at + sizeof(header), static_cast<std::size_t>(header.stored_size))));
        header.header_check = trace_format::header_check(header);
        std::memcpy(copy.data() + at, &header, sizeof(header));
      }
    damaged.write(copy);
    try {
      const Trace trace = TraceReader::open(damaged.path());
      trace.seek(trace.size() / 2);
      trace.issues().to_string();
      ++opened;
    } catch (const UserError&) {
    }
  }
  CHECK(opened > 1000);
}

TEST_CASE("forged events do not make the reader crash", "[core][trace]") {
  // Beneath compression and checksums: the bytes that the decoders see.
  const auto batches = small_batches(test::record(2, test::ring_of(5, 2)), 30);
  const TemporaryFile file, forged;
  write_trace(file.path(), batches, 3);
  const auto data = file.read();
  const auto blocks = blocks_of(data);
  std::mt19937_64 random(12);
  int opened = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string copy;
    for (std::size_t b = 0; b < blocks.begin.size(); ++b) {
      const auto& header = blocks.header[b];
      const auto stored = std::as_bytes(
          std::span(data).subspan(blocks.begin[b] + sizeof(header), header.stored_size));
      auto raw = trace_format::unseal(header, stored);
      const auto flips = random() % 4;
      for (std::uint64_t i = 0; i < flips; ++i)
        raw[random() % raw.size()] ^= static_cast<std::byte>(1U << (random() % 8));
      auto again = header;
      if (random() % 16 == 0) again.events = static_cast<std::uint32_t>(random() % 5000);
      const auto block = trace_format::seal(again, raw);
      copy.append(reinterpret_cast<const char*>(block.data()), block.size());
    }
    forged.write(copy);
    try {
      const Trace trace = TraceReader::open(forged.path());
      trace.seek(trace.size());
      ++opened;
    } catch (const UserError&) {
    }
  }
  CHECK(opened > 1000);
}

TEST_CASE("files that are no traces are refused with a reason", "[core][trace]") {
  using Catch::Matchers::Contains;
  const TemporaryFile file;
  CHECK_THAT(message_of(file.path()), Contains("cannot open"));
  file.write("");
  CHECK_THAT(message_of(file.path()), Contains("is empty"));
  file.write("hello, this is a text that goes on for much longer than a header of a block does...");
  CHECK_THAT(message_of(file.path()), Contains("is not a rankscope trace"));
  CHECK_THAT(message_of(std::filesystem::temp_directory_path()), Contains("is not a file"));
  trace_format::BlockHeader newer;
  newer.version = 9;
  const auto block = trace_format::seal(newer, {});
  file.write({reinterpret_cast<const char*>(block.data()), block.size()});
  CHECK_THAT(message_of(file.path()), Contains("newer rankscope (format 9"));
  CHECK_THROWS_AS(TraceReader::open(file.path()), FormatError);
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

TEST_CASE("a killed recorder leaves a trace that opens", "[core][trace]") {
  const auto batches = small_batches(test::record(3, test::ring_of(6, 20), TraceLevel::light), 25);
  const Trace whole = make_trace(batches);
  const TemporaryFile file;
  std::mt19937 random(3);
  for (int round = 0; round < 8; ++round) {
    const auto kill_at = random() % batches.size();
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {  // only what may be called after a fork: this process has no other threads
      TraceWriter writer(file.path(), some_meta());
      for (std::size_t i = 0; i < batches.size(); ++i) {
        writer.deliver(EventBatch(batches[i]));
        if (i % 3 == 2) writer.flush();
        if (i == kill_at) ::kill(::getpid(), SIGKILL);
      }
      ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    const Trace part = TraceReader::open(file.path());
    std::size_t flushed = 0;
    for (std::size_t i = 0; i < (kill_at + 1) / 3 * 3; ++i) flushed += batches[i].events.size();
    CHECK(part.size() == flushed);
    CHECK(part.issues().unclosed);
    CHECK(part.meta().algorithm == "allreduce.ring");
    check_prefix(part, whole);
  }
}
