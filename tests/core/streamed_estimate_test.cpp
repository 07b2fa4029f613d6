// Trace files without a summary: an estimate comes first, the count of all events is that of the file, and what is
// kept of it is never believed of another state of the file.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <random>

#include "engine/core/trace/event_codec.h"
#include "engine/core/trace/streamed_trace.h"
#include "engine/core/trace/summary_cache.h"
#include "tests/core/streamed_files.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

using namespace rankscope;
using test::ring_of_blocks;
using test::sends_in;
using test::TemporaryFile;

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kEvents = 60'000;  // in some 280 blocks

using RunPtr = std::shared_ptr<const StreamedTrace>;

std::uint64_t bytes_in(const TraceSummary& summary) {
  std::uint64_t bytes = 0;
  for (int from = 0; from < summary.groups(); ++from)
    for (int to = 0; to < summary.groups(); ++to) bytes += summary.flow(from, to).total().bytes;
  return bytes;
}

void check_same_sums(const StreamedTrace& a, const StreamedTrace& b) {
  CHECK(a.summary().blocks() == b.summary().blocks());
  CHECK(sends_in(a.summary()) == sends_in(b.summary()));
  CHECK(bytes_in(a.summary()) == bytes_in(b.summary()));
  const auto end = b.duration_ns();
  for (int group = 0; group < b.summary().groups(); ++group)
    for (int i = 0; i <= 10; ++i)
      CHECK(a.summary().sent(group).until(end / 10 * i).messages ==
            b.summary().sent(group).until(end / 10 * i).messages);
}

/// As if it had been written some time ago.
void age(const fs::path& file, int seconds = 10) {
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// Any field may have any value, more often a usual one.
std::vector<StepEvent> any_events(std::minstd_rand& random) {
  std::vector<StepEvent> events(1 + random() % 300);
  const bool odd = random() % 4 == 0;
  std::int64_t time = random();
  for (StepEvent& event : events) {
    event.rank = odd && random() % 200 == 0 ? static_cast<Rank>(random()) - 5 : 3;
    event.time_ns = time += static_cast<std::int64_t>(random() % 5000) - 1000;
    event.begin_ns = event.time_ns - static_cast<std::int64_t>(random() % 2 * 77);
    event.bytes = random() % 3 == 0 ? random() : 4096;
    event.peer = static_cast<Rank>(random() % 6) - 1;
    event.op = random() % 3;
    event.tag = -static_cast<std::int32_t>(random() % 3);
    const auto most = [&](int last) {
      return static_cast<int>(random() % (odd && random() % 100 == 0 ? 256 : last + 1));
    };
    event.kind = static_cast<EventKind>(most(kEventKindCount - 1));
    event.verb = static_cast<Verb>(most(kVerbCount - 1));
    event.mode = static_cast<SendMode>(most(1));
    event.origin = static_cast<Origin>(most(2));
    event.dtype = static_cast<DType>(most(4));
    event.reduce_op = static_cast<ReduceOp>(most(7));
  }
  return events;
}

}  // namespace

TEST_CASE("a digest says of events what the events say", "[core][trace]") {
  std::minstd_rand random(5);
  int sound = 0;
  for (int i = 0; i < 400; ++i) {
    const auto events = any_events(random);
    Bytes data;
    ByteWriter out(data);
    encode_events(events, out);
    ByteReader in(data);
    if (!is_sound(events)) {
      CHECK_THROWS_AS(decode_digest(in, events.size()), FormatError);
      continue;
    }
    ++sound;
    const EventDigest digest = decode_digest(in, events.size());
    CHECK(in.done());
    CHECK(digest.rank == events.front().rank);
    CHECK(digest.events == events.size());
    CHECK(digest.min_ns == std::ranges::min(events, {}, &StepEvent::time_ns).time_ns);
    CHECK(digest.max_ns == std::ranges::max(events, {}, &StepEvent::time_ns).time_ns);
    std::size_t sent = 0;
    for (const StepEvent& event : events) {
      if (event.kind != EventKind::posted || event.verb != Verb::send) continue;
      REQUIRE(sent < digest.sent.size());
      CHECK(digest.sent[sent].time_ns == event.time_ns);
      CHECK(digest.sent[sent].bytes == event.bytes);
      CHECK(digest.sent[sent++].peer == event.peer);
    }
    CHECK(sent == digest.sent.size());
    ByteReader cut{std::span(data).first(random() % data.size())};
    CHECK_THROWS_AS(decode_digest(cut, events.size()), FormatError);
  }
  CHECK(sound > 200);
  CHECK(sound < 400);
}

TEST_CASE("a file without a summary is estimated from some of its blocks", "[core][trace]") {
  for (const std::int64_t apart_ns : {0, 700}) {
    for (const bool closed : {true, false}) {
      INFO("clocks " << apart_ns << " ns apart, closed: " << closed);
      const TemporaryFile file;
      file.write(ring_of_blocks(kEvents, false, apart_ns, closed));
      const Trace whole = TraceReader::open(file.path());
      const RunPtr run = StreamedTrace::open_soon(file.path());
      REQUIRE(run->is_estimated());
      CHECK_FALSE(run->rebuilt());
      CHECK(run->counted_share() < 0.5);
      // Times, events and damage are those of the file.
      CHECK(run->events() == whole.size());
      CHECK(run->issues() == whole.issues());
      CHECK(run->duration_ns() == whole.time_ns(whole.size() - 1));
      const auto middle = run->duration_ns() / 2;
      const Trace part = run->part_around(middle, 500);
      REQUIRE(part.size() > 100);
      const auto first = whole.at_time(part.part()->begin_ns);
      for (std::uint64_t k = 0; k < part.size(); ++k) {
        CHECK(part.time_ns(k) == whole.time_ns(first + k));
        CHECK(part[k].rank == whole[first + k].rank);
      }
      // All blocks of this run are alike, so that the estimate is about right.
      const auto sends = whole.size() / test::MadeUpRing::kEventsAStep;
      CHECK(sends_in(run->summary()) > sends * 95 / 100);
      CHECK(sends_in(run->summary()) < sends * 105 / 100);
      // The count is that of a file which is opened with a pass.
      const RunPtr counted = run->counted({});
      CHECK_FALSE(counted->is_estimated());
      CHECK(counted->number() == run->number());
      CHECK(counted->duration_ns() == run->duration_ns());
      CHECK(sends_in(counted->summary()) == sends);
      check_same_sums(*counted, *StreamedTrace::open(file.path()));
      CHECK_THROWS_AS(run->counted([](double) { return false; }), UserError);
    }
  }
}

TEST_CASE("what cannot be estimated is counted at once", "[core][trace]") {
  const TemporaryFile file;
  const auto check_counted = [&](const std::string& data) {
    file.write(data);
    const RunPtr run = StreamedTrace::open_soon(file.path());
    CHECK_FALSE(run->is_estimated());
    CHECK(run->rebuilt());
    const Trace whole = TraceReader::open(file.path());
    CHECK(run->world_size() == whole.world_size());
    CHECK(run->duration_ns() == whole.time_ns(whole.size() - 1));
  };
  check_counted(ring_of_blocks(3000, false));                    // few blocks
  check_counted(ring_of_blocks(kEvents, false, 1'000'000'000));  // clocks far apart
  auto nameless = ring_of_blocks(kEvents, false);                // nobody knows how many ranks
  const auto blocks = test::blocks_of(nameless);
  for (std::size_t i = 0; i < blocks.begin.size(); ++i)
    if (blocks.header[i].type == trace_format::Type::meta)
      nameless[blocks.begin[i] + sizeof(trace_format::BlockHeader)] ^= 1;
  check_counted(nameless);
}

TEST_CASE("damage that an estimate did not see is found by the count", "[core][trace]") {
  auto data = ring_of_blocks(kEvents, false);
  const auto blocks = test::blocks_of(data);
  data[blocks.begin[2] + 100] ^= 1;  // no sample
  data[blocks.begin[1] + 100] ^= 1;  // the first sample
  const TemporaryFile file;
  file.write(data.substr(0, blocks.begin[blocks.begin.size() * 3 / 4] + 50));
  const RunPtr run = StreamedTrace::open_soon(file.path());
  REQUIRE(run->is_estimated());
  CHECK(run->issues().cut);
  CHECK(run->issues().damaged_blocks == 0);
  const RunPtr counted = run->counted({});
  const Trace whole = TraceReader::open(file.path());
  CHECK(counted->issues() == whole.issues());
  CHECK(counted->issues().damaged_blocks == 2);
  CHECK(counted->duration_ns() == whole.time_ns(whole.size() - 1));
}

namespace {

struct Keeping {
  test::TemporaryFolder folder;
  fs::path place = folder / "kept/summaries";
  SummaryCache kept{place, 0};
  TemporaryFile file;
  std::string data = ring_of_blocks(kEvents, false);

  RunPtr open() const { return StreamedTrace::open(file.path(), {}, &kept); }
  /// Opening it takes a pass; its sums are right in any case.
  bool passes() const {
    int steps = 0;
    const RunPtr run = StreamedTrace::open(
        file.path(), [&](double) { return ++steps > 0; }, &kept);
    check_same_sums(*run, *StreamedTrace::open(file.path()));
    return steps > 0;
  }
  /// As if it had been written some time ago.
  void write(const std::string& bytes, int seconds_ago = 10) const {
    file.write(bytes);
    age(file.path(), seconds_ago);
  }
};

}  // namespace

TEST_CASE("a summary that was made is kept for the next opening of the same file",
          "[core][trace]") {
  const Keeping it;
  it.write(it.data, -60);  // a busy machine may open it late
  CHECK(it.passes());
  CHECK_FALSE(fs::exists(it.place));  // written only just now: its time says nothing yet
  it.write(it.data);
  CHECK(it.passes());
  CHECK(files_in(it.place) == 1);
  CHECK_FALSE(it.passes());
  const RunPtr run = StreamedTrace::open_soon(it.file.path(), {}, &it.kept);
  CHECK_FALSE(run->is_estimated());
  CHECK(run->rebuilt());
  // Another state of the file is another one.
  it.write(it.data, 20);
  CHECK(it.passes());
  auto longer = ring_of_blocks(kEvents + 1000, false);
  it.write(longer, 20);
  CHECK(it.passes());
  longer[longer.size() / 2] ^= 1;
  it.write(longer, 30);
  CHECK(it.passes());
  CHECK_FALSE(it.passes());
  CHECK(it.open()->issues() == TraceReader::open(it.file.path()).issues());
}

TEST_CASE("a damaged summary is not believed", "[core][trace]") {
  const Keeping it;
  it.write(it.data);
  const auto sends = sends_in(it.open()->summary());
  const fs::path stored = fs::directory_iterator(it.place)->path();
  std::ifstream in(stored, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  std::minstd_rand random(11);
  for (int i = 0; i < 60; ++i) {
    auto lie = whole;
    const auto at = i < 20 ? static_cast<std::size_t>(i) : random() % lie.size();
    if (i % 3 == 0) lie.resize(random() % lie.size());
    else lie[at] = static_cast<char>(lie[at] ^ (1 << random() % 8));
    std::ofstream(stored, std::ios::binary) << lie;
    CHECK(sends_in(it.open()->summary()) == sends);
  }
  CHECK_FALSE(it.passes());  // it was written again
}

TEST_CASE("of the summaries that are kept the oldest go, and a folder is not needed",
          "[core][trace]") {
  const Keeping it;
  it.write(it.data);
  (void)it.open();
  const auto bytes = fs::file_size(fs::directory_iterator(it.place)->path());
  const SummaryCache small(it.place, 0, bytes * 3 + bytes / 2);
  for (int i = 1; i <= 6; ++i) {
    it.write(ring_of_blocks(kEvents + static_cast<std::uint64_t>(i) * 210, false));
    (void)StreamedTrace::open(it.file.path(), {}, &small);
  }
  CHECK(files_in(it.place) == 3);
  CHECK_FALSE(it.passes());  // the newest stays
  const SummaryCache nowhere("/proc/1/rankscope", 0), none{fs::path()};
  for (const SummaryCache* cache : {&nowhere, &none}) {
    int steps = 0;
    CHECK(StreamedTrace::open(
              it.file.path(), [&](double) { return ++steps > 0; }, cache)
              ->rebuilt());
    CHECK(steps > 0);
  }
}
