// Trace files that were cut, damaged or forged, and files that are none.
#include <cstring>
#include <filesystem>
#include <random>

#include "engine/core/trace_format.h"
#include "tests/core/trace_files.h"
#include "tests/support/catch.h"
#include "tests/support/runs.h"

using namespace rankscope;
using test::check_prefix;
using test::small_batches;
using test::TemporaryFile;
using test::write_trace;

namespace {

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
