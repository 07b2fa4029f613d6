// Trace files that are read in parts: the parts are those of the whole trace, and what an index says is
// never believed against the blocks.
#include "engine/core/trace/streamed_trace.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>

#include "engine/core/trace/trace_builder.h"
#include "tests/core/streamed_files.h"
#include "tests/core/trace_files.h"
#include "tests/support/catch.h"
#include "tests/support/made_up_ring.h"

using namespace rankscope;
using test::ring_of_blocks;
using test::StreamedFrom;
using test::TemporaryFile;

namespace {

void check_equal(const Trace& whole, std::uint64_t at, const Trace& part, std::uint64_t k) {
  const StepEvent &a = whole[at], &b = part[k];
  CHECK(a.rank == b.rank);
  CHECK(a.seq == b.seq);
  CHECK(whole.time_ns(at) == part.time_ns(k));
  const auto was = whole.preview(at), is = part.preview(k);
  CHECK(std::ranges::equal(was, is));
}

/// All parts in sequence are the whole.
void check_parts(const std::string& data, int parts) {
  const TemporaryFile file;
  file.write(data);
  const Trace whole = TraceReader::open(file.path());
  const auto streamed = StreamedTrace::open(file.path());
  REQUIRE(streamed->events() == whole.size());
  CHECK(streamed->world_size() == whole.world_size());
  REQUIRE(streamed->duration_ns() == whole.time_ns(whole.size() - 1));
  std::uint64_t seen = 0;
  const auto end = streamed->duration_ns() + 1;
  for (int i = 0; i < parts; ++i) {
    const Trace part = streamed->part({end * i / parts, end * (i + 1) / parts});
    REQUIRE(part.part() != nullptr);
    CHECK(part.gaps().empty());
    REQUIRE(seen + part.size() <= whole.size());
    for (std::uint64_t k = 0; k < part.size(); ++k) check_equal(whole, seen + k, part, k);
    seen += part.size();
  }
  CHECK(seen == whole.size());
}

/// The file with another summary in its end block.
std::string with_summary(const std::string& data, const Bytes& summary) {
  const auto blocks = test::blocks_of(data);
  const auto header = blocks.header.back();
  const Bytes end = trace_format::seal_end(header, header.first_event, summary);
  return data.substr(0, blocks.begin.back()) +
         std::string(reinterpret_cast<const char*>(end.data()), end.size());
}

Bytes summary_of(const std::string& data) {
  const auto blocks = test::blocks_of(data);
  const auto from = blocks.begin.back() + sizeof(trace_format::BlockHeader);
  const auto stored = std::as_bytes(std::span(data)).subspan(from);
  return trace_format::summary_in_end(blocks.header.back(), stored);
}

}  // namespace

TEST_CASE("parts of a streamed trace are the whole trace", "[core][trace]") {
  for (const bool summarised : {true, false}) {
    const auto data = ring_of_blocks(4000, summarised);
    INFO("with a summary: " << summarised);
    CHECK(summary_of(data).empty() == !summarised);
    check_parts(data, 1);
    check_parts(data, 13);
    const TemporaryFile file;
    file.write(data);
    const auto streamed = StreamedTrace::open(file.path());
    CHECK(streamed->rebuilt() == !summarised);
    CHECK_FALSE(streamed->issues().any());
    CHECK(test::sends_in(streamed->summary()) ==
          streamed->events() / test::MadeUpRing::kEventsAStep);
  }
}

TEST_CASE("ranks on other clocks are put on one in a streamed trace", "[core][trace]") {
  check_parts(ring_of_blocks(3000, true, 1'000'000'000), 7);
  check_parts(ring_of_blocks(3000, false, -77'777'777'777), 7);
}

TEST_CASE("a part around a moment has about as many events as wanted", "[core][trace]") {
  const TemporaryFile file;
  file.write(ring_of_blocks(9000, true));
  const auto streamed = StreamedTrace::open(file.path());
  for (const std::int64_t at : {std::int64_t{0}, streamed->duration_ns() / 2,
                                streamed->duration_ns(), streamed->duration_ns() * 3}) {
    const Trace part = streamed->part_around(at, 500);
    INFO("at " << at << " ns: " << part.size());
    CHECK(part.size() >= 250);
    CHECK(part.size() <= 1000);
    CHECK(part.part()->begin_ns <= std::min(at, streamed->duration_ns()));
    CHECK(part.part()->end_ns > std::min(at, streamed->duration_ns()));
  }
  CHECK_THROWS_AS(streamed->part({0, streamed->duration_ns() + 1}, 100), UserError);
}

TEST_CASE("older readers find an end block as before", "[core][trace]") {
  const auto data = ring_of_blocks(2000, true);
  const auto blocks = test::blocks_of(data);
  const auto& header = blocks.header.back();
  REQUIRE(trace_format::has_valid_sizes(header));
  const auto stored = std::as_bytes(std::span(data)).subspan(blocks.begin.back() + sizeof(header));
  const Bytes raw = trace_format::unseal(header, stored);  // as version 0.1 does it
  REQUIRE(raw.size() == sizeof(std::uint64_t));
  std::uint64_t events = 0;
  std::memcpy(&events, raw.data(), sizeof(events));
  CHECK(events == header.first_event);
}

TEST_CASE("a cut or damaged file is streamed up to its damage", "[core][trace]") {
  const auto data = ring_of_blocks(3000, true);
  const auto blocks = test::blocks_of(data);
  const auto check = [&](const std::string& bytes) {
    const TemporaryFile file;
    file.write(bytes);
    const Trace whole = TraceReader::open(file.path());
    const auto streamed = StreamedTrace::open(file.path());
    CHECK(streamed->rebuilt());
    CHECK(streamed->issues() == whole.issues());
    const Trace part = streamed->part({0, streamed->duration_ns() + 1});
    CHECK(part.size() == whole.size());
    CHECK(part.issues() == whole.issues());
  };
  for (const std::size_t kept : {data.size() - 1, blocks.begin.back() + 30, blocks.begin.back(),
                                 blocks.begin[blocks.begin.size() / 2] + 100})
    check(data.substr(0, kept));
  auto flipped = data;  // in the end block: the summary fails its checksum
  flipped[data.size() - 20] ^= 1;
  check(flipped);
  // Damage that no pass has gone through is found when its part is read.
  flipped = data;
  flipped[blocks.begin[3] + 100] ^= 1;
  const TemporaryFile file;
  file.write(flipped);
  const auto streamed = StreamedTrace::open(file.path());
  CHECK_FALSE(streamed->rebuilt());
  CHECK(streamed->part({0, streamed->duration_ns() + 1}).issues().damaged_blocks == 1);
}

TEST_CASE("an index that lies is made again, or is harmless", "[core][trace]") {
  const auto data = ring_of_blocks(2000, true);
  const Bytes honest = summary_of(data);
  REQUIRE_FALSE(honest.empty());
  const TemporaryFile file;
  file.write(data);
  const auto right = StreamedTrace::open(file.path());
  std::minstd_rand random(7);
  int rebuilt = 0;
  for (int i = 0; i < 400; ++i) {
    Bytes lie = honest;
    const auto at = random() % lie.size();
    if (i % 4 == 0) lie.resize(at);
    else if (i % 4 == 1) lie[at] ^= std::byte{1} << (random() % 8);
    else
      for (std::size_t b = at; b < std::min(at + 8, lie.size()); ++b)  // a huge number
        lie[b] = i % 4 == 2 ? std::byte{0xff} : static_cast<std::byte>(random());
    file.write(with_summary(data, lie));
    const auto streamed = StreamedTrace::open(file.path());
    rebuilt += streamed->rebuilt() ? 1 : 0;
    CHECK(streamed->events() == right->events());
    const auto half = streamed->duration_ns() / 2;
    CHECK(streamed->events_in(0, streamed->duration_ns() + 1) >= 0);
    (void)streamed->span_around(half, 100);
    (void)streamed->part({0, half});
    for (int group = 0; group < streamed->summary().groups(); ++group)
      (void)streamed->summary().sent(group).until(half);
  }
  CHECK(rebuilt > 200);  // the others lie about sums, which nothing else depends on
  // The summary of another file.
  file.write(with_summary(data, summary_of(ring_of_blocks(2100, true))));
  CHECK(StreamedTrace::open(file.path())->rebuilt());
}

TEST_CASE("making an index can be watched and stopped", "[core][trace]") {
  const TemporaryFile file;
  file.write(ring_of_blocks(3000, false));
  double last = 0;
  (void)StreamedTrace::open(file.path(), [&](double share) {
    CHECK(share >= last);
    last = share;
    return true;
  });
  CHECK(last > 0);
  CHECK(last <= 1);
  CHECK_THROWS_AS(StreamedTrace::open(file.path(), [](double) { return false; }), UserError);
}

TEST_CASE("a curve of messages keeps its sums in bounded memory", "[core][trace]") {
  TrafficCurve curve(64), early(64);
  std::minstd_rand random(3);
  std::uint64_t sent = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto time = static_cast<std::int64_t>(random()) * (i % 100 == 0 ? 100'000 : 1);
    (i % 2 == 0 ? curve : early).add(i % 3 == 0 ? -time : time, {1, random() % 100});
    ++sent;
  }
  const auto both = curve.total().bytes + early.total().bytes;
  curve.add(early);
  CHECK(curve.buckets().size() <= 64);
  CHECK(curve.total().messages == sent);
  CHECK(curve.total().bytes == both);
  std::uint64_t before = 0;
  for (std::int64_t time = -(std::int64_t{1} << 60); time < std::int64_t{1} << 60;
       time += std::int64_t{1} << 54) {
    const auto now = curve.until(time).messages;
    CHECK(now >= before);
    before = now;
  }
  CHECK(before == sent);
}

TEST_CASE("the limit of what is streamed must be a number", "[core][trace]") {
  const StreamedFrom wrong("lots");
  CHECK_THROWS_WITH(most_events_held(), ContainsSubstring("RANKSCOPE_STREAM_EVENTS"));
}
