// Trace files that were cut, damaged or forged, and files that are not trace files.
#include <cstring>
#include <filesystem>
#include <functional>
#include <random>

#include "engine/core/trace/trace_format.h"
#include "tests/core/trace_files.h"
#include "tests/support/catch.h"
#include "tests/support/runs.h"

using namespace rankscope;
using test::Blocks;
using test::blocks_of;
using test::check_prefix;
using test::small_batches;
using test::TemporaryFile;
using test::write_trace;

namespace {

/// A trace file as bytes, to be damaged.
struct SmallTrace {
  explicit SmallTrace(const std::vector<EventBatch>& batches, int every) {
    const TemporaryFile file;
    write_trace(file.path(), batches, every);
    data = file.read();
    blocks = blocks_of(data);
  }
  std::string data;
  Blocks blocks;
};

/// Opens 3000 damaged copies and counts those that open.
int opened_of(std::uint64_t seed,
              const std::function<std::string(int round, std::mt19937_64& random)>& damaged) {
  const TemporaryFile file;
  std::mt19937_64 random(seed);
  int opened = 0;
  for (int round = 0; round < 3000; ++round) {
    file.write(damaged(round, random));
    try {
      const Trace trace = TraceReader::open(file.path());
      trace.seek(trace.size() / 2);
      trace.seek(trace.size());
      trace.issues().to_string();
    } catch (const UserError&) {
      continue;
    }
    ++opened;
  }
  return opened;
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
  const TemporaryFile cut;
  const auto [data, blocks] = SmallTrace(batches, 2);
  cut.write(data);
  const Trace whole = TraceReader::open(cut.path());
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
  const TemporaryFile damaged;
  const auto [data, blocks] = SmallTrace(batches, 2);
  damaged.write(data);
  const Trace whole = TraceReader::open(damaged.path());
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
  const SmallTrace small(small_batches(test::record(2, test::ring_of(5, 2)), 30), 3);
  const int opened = opened_of(11, [&](int round, std::mt19937_64& random) {
    auto copy = small.data;
    const auto flips = 1 + random() % 8;
    for (std::uint64_t i = 0; i < flips; ++i)
      copy[random() % copy.size()] ^= static_cast<char>(1U << (random() % 8));
    if (round % 3 == 0) copy.resize(random() % copy.size());
    // As a forger would: with checksums that fit.
    if (round % 2 == 0)
      for (const auto at : small.blocks.begin) {
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
    return copy;
  });
  CHECK(opened > 1000);
}

TEST_CASE("forged events do not make the reader crash", "[core][trace]") {
  // Beneath compression and checksums: the bytes that the decoders see.
  const SmallTrace small(small_batches(test::record(2, test::ring_of(5, 2)), 30), 3);
  const int opened = opened_of(12, [&](int, std::mt19937_64& random) {
    std::string copy;
    for (std::size_t b = 0; b < small.blocks.begin.size(); ++b) {
      const auto& header = small.blocks.header[b];
      const auto stored =
          std::as_bytes(std::span(small.data)
                            .subspan(small.blocks.begin[b] + sizeof(header), header.stored_size));
      auto raw = trace_format::unseal(header, stored);
      const auto flips = random() % 4;
      for (std::uint64_t i = 0; i < flips; ++i)
        raw[random() % raw.size()] ^= static_cast<std::byte>(1U << (random() % 8));
      auto again = header;
      if (random() % 16 == 0) again.events = static_cast<std::uint32_t>(random() % 5000);
      const auto block = trace_format::seal(again, raw);
      copy.append(reinterpret_cast<const char*>(block.data()), block.size());
    }
    return copy;
  });
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
