// Going through a trace file block by block: it reports the damage that reading it whole reports.
#include <algorithm>
#include <map>
#include <mutex>

#include "tests/core/trace_files.h"
#include "tests/support/catch.h"
#include "tests/support/runs.h"

using namespace rankscope;
using test::TemporaryFile;

namespace {

using Events = std::map<std::pair<Rank, std::uint64_t>, int>;  // how often each came

struct Scanned {
  TraceIssues issues;
  Events events;
};

Scanned scan(const std::filesystem::path& path) {
  Scanned scanned;
  std::mutex mutex;
  scanned.issues = scan_trace(path, [&](int, std::span<const StepEvent> run) {
    const std::lock_guard lock(mutex);
    for (const StepEvent& event : run) ++scanned.events[{event.rank, event.seq}];
  });
  return scanned;
}

Events events_of(const Trace& trace) {
  Events events;
  for (std::uint64_t k = 0; k < trace.size(); ++k) ++events[{trace[k].rank, trace[k].seq}];
  return events;
}

// Returns a trace file of 3 ranks in many blocks.
std::string ring_file() {
  const TemporaryFile file;
  test::write_trace(file.path(), test::small_batches(test::record(3, test::ring_of(9, 4)), 20), 2);
  return file.read();
}

void check_same(const TemporaryFile& file) {
  const auto scanned = scan(file.path());
  const Trace trace = TraceReader::open(file.path());
  CHECK(scanned.issues == trace.issues());
  CHECK(scanned.events == events_of(trace));
}

std::string block_of(const std::string& data, const test::Blocks& blocks, std::size_t b) {
  const auto end = b + 1 < blocks.begin.size() ? blocks.begin[b + 1] : data.size();
  return data.substr(blocks.begin[b], end - blocks.begin[b]);
}

}  // namespace

TEST_CASE("a scan reports a cut file as the reader does", "[core][trace]") {
  const auto data = ring_file();
  const auto blocks = test::blocks_of(data);
  const TemporaryFile file;
  file.write(data);
  CHECK_FALSE(scan(file.path()).issues.any());
  for (std::size_t length = blocks.begin[1]; length < data.size(); length += 37) {
    file.write(std::string_view(data).substr(0, length));
    INFO("cut after " << length << " bytes");
    CHECK(scan(file.path()).issues.any());
    check_same(file);
  }
}

TEST_CASE("a scan reports damaged, lost and repeated blocks as the reader does", "[core][trace]") {
  const auto data = ring_file();
  const auto blocks = test::blocks_of(data);
  REQUIRE(blocks.begin.size() > 5);
  const TemporaryFile file;
  for (std::size_t b = 0; b < blocks.begin.size(); ++b) {
    INFO("block " << b << " of " << blocks.begin.size());
    const auto block = block_of(data, blocks, b);
    for (const std::size_t offset : {std::size_t{0}, std::size_t{40}, std::size_t{75}}) {
      auto bad = data;
      bad[blocks.begin[b] + offset] = static_cast<char>(bad[blocks.begin[b] + offset] ^ 0x10);
      file.write(bad);
      check_same(file);
      if (blocks.header[b].events > 0)
        CHECK(scan(file.path()).issues.lost_events == blocks.header[b].events);
      // The copy of a block takes the place of one that is damaged.
      bad.insert(blocks.begin[b] + block.size(), block);
      file.write(bad);
      check_same(file);
    }
    file.write(std::string(data).erase(blocks.begin[b], block.size()));
    check_same(file);
    auto twice = data;
    twice.insert(blocks.begin.back(), block);
    twice.insert(blocks.begin[b] + block.size(), block);
    file.write(twice);
    check_same(file);
    if (blocks.header[b].events > 0) CHECK(scan(file.path()).issues.damaged_blocks == 2);
  }
}

TEST_CASE("without its meta blocks, a file's events tell how many ranks there are",
          "[core][trace]") {
  auto data = ring_file();
  const auto blocks = test::blocks_of(data);
  const TemporaryFile file;
  file.write(data);
  CHECK(look_at_trace(file.path()).world_size == 3);
  for (std::size_t b = 0; b < blocks.begin.size(); ++b)
    if (blocks.header[b].type == trace_format::Type::meta) data[blocks.begin[b] + 75] ^= 1;
  file.write(data);
  const auto scope = look_at_trace(file.path());
  CHECK(scope.world_size == 3);
  CHECK(scope.meta.algorithm.empty());
  CHECK(scan(file.path()).issues.damaged_blocks == 2);
  check_same(file);
}

TEST_CASE("a scan of a file with nothing readable throws as the reader does", "[core][trace]") {
  auto data = ring_file();
  const auto blocks = test::blocks_of(data);
  const TemporaryFile file;
  for (const auto begin : blocks.begin) data[begin + 75] ^= 1;
  file.write(data);
  CHECK_THROWS_WITH(scan(file.path()), ContainsSubstring("nothing in"));
  CHECK_THROWS_AS(TraceReader::open(file.path()), FormatError);
}
