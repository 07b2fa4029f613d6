// Traces too large to be drawn from memory: they are counted where they lie, damage included.
#include <cstring>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "engine/core/trace/trace_file.h"
#include "engine/core/trace/trace_format.h"
#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/made_up_ring.h"
#include "tests/support/process.h"

using namespace rankscope;
using test::check_refused;
using test::has;
using test::read;
using test::run_rankscope;

namespace {

constexpr int kRanks = 4;

// More than two million sends around a ring.
void write_large(const std::string& path) {
  TraceMeta meta;
  meta.world_size = kRanks;
  meta.algorithm = "allreduce.ring";
  TraceWriter writer(path, meta);
  constexpr std::uint32_t kAtOnce = 32 * 1024, kTimes = 16;
  for (std::uint32_t time = 0; time < kTimes; ++time)
    for (Rank rank = 0; rank < kRanks; ++rank) {
      EventBatch batch;
      batch.rank = rank;
      batch.events.resize(kAtOnce);
      for (std::uint32_t i = 0; i < kAtOnce; ++i) {
        StepEvent& event = batch.events[i];
        event.rank = rank;
        event.seq = time * kAtOnce + i;
        event.op = make_op(rank, event.seq + 1);
        event.peer = (rank + 1) % kRanks;
        event.bytes = 8;
        event.time_ns = event.begin_ns = static_cast<std::int64_t>(event.seq) * 1000;
      }
      writer.deliver(std::move(batch));
    }
  writer.close(meta);
}

void write_bytes(const std::string& path, std::string_view data) {
  std::ofstream(path, std::ios::binary) << data;
}

}  // namespace

TEST_CASE("cli: damage in a large trace is told like damage in a small one") {
  const test::TemporaryFolder folder;
  const auto file = folder / "large.rankscope", picture = folder / "large.svg";
  write_large(file);
  const auto whole = read(file);
  const auto exported = [&] { return run_rankscope({"export", file, "-o", picture}); };
  const auto check_damaged = [&](const char* says) {
    const auto run = exported();
    check_refused(run, "incomplete trace", says);
    // The same words as when all of it is read.
    const auto issues = TraceReader::open(file).issues().to_string();
    CHECK(has(run.err, issues));
    CHECK(has(read(picture), "4 ranks"));
  };
  const auto good = exported();
  CHECK(good.exit_code == cli::kOk);
  CHECK(good.err.empty());

  write_bytes(file, std::string_view(whole).substr(0, whole.size() - 500));
  check_damaged("cut");

  auto flipped = whole;
  flipped[whole.size() / 2] ^= 1;
  write_bytes(file, flipped);
  check_damaged("1 damaged block");

  // Without what they say of the run, the events still tell how many ranks it had.
  auto nameless = whole;
  for (std::size_t at = 0; at < whole.size();) {
    trace_format::BlockHeader header;
    std::memcpy(&header, whole.data() + at, sizeof(header));
    if (header.type == trace_format::Type::meta) nameless[at + sizeof(header)] ^= 1;
    at += sizeof(header) + header.stored_size;
  }
  write_bytes(file, nameless);
  check_damaged("2 damaged blocks");
}

TEST_CASE("cli: a trace that is not held in memory says the same in parts") {
  const test::TemporaryFolder folder;
  const auto file = folder / "ring.rankscope";
  const test::ProcessOptions parts{.environment = {{"RANKSCOPE_STREAM_EVENTS", "2000"}}};
  {
    TraceWriter writer(file, test::MadeUpRing::meta(4), 1);
    test::MadeUpRing ring(4);
    for (std::uint64_t next = 1500; ring.made() < 9000; next += 1500) {
      ring.run(writer, next);
      writer.flush();
    }
    writer.close(test::MadeUpRing::meta(4));
  }
  const auto same = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "trace");
    words.insert(words.begin() + 2, file);
    const auto whole = run_rankscope(words), in_parts = run_rankscope(words, parts);
    INFO(in_parts.err);
    CHECK(in_parts.exit_code == cli::kOk);
    CHECK_FALSE(whole.out.empty());
    CHECK(in_parts.out == whole.out);
  };
  same({"print"});
  same({"print", "--from", "4321", "--limit", "77"});
  same({"print", "--rank", "2", "--limit", "500"});
  same({"print", "--json"});
  same({"print", "--json", "--from", "8000"});

  const auto figures = [&](const test::ProcessOptions& options) {
    const auto run = run_rankscope({"trace", "stats", file, "--json"}, options);
    CHECK(run.exit_code == cli::kOk);
    return nlohmann::json::parse(run.out);
  };
  auto whole = figures({}), in_parts = figures(parts);
  CHECK(in_parts["rounds"].is_null());
  whole.erase("rounds");
  in_parts.erase("rounds");
  CHECK(in_parts == whole);
  const auto text = run_rankscope({"trace", "stats", file}, parts);
  CHECK(has(text.out, "rounds are not counted"));

  const auto facts = [&](const test::ProcessOptions& options) {
    return nlohmann::json::parse(run_rankscope({"trace", "info", file, "--json"}, options).out);
  };
  CHECK(facts(parts) == facts({}));
  check_refused(run_rankscope({"trace", "info", file},
                              {.environment = {{"RANKSCOPE_STREAM_EVENTS", "many"}}}),
                "RANKSCOPE_STREAM_EVENTS", "number of events");

  const auto bytes = read(file);
  write_bytes(file, std::string_view(bytes).substr(0, bytes.size() / 2));
  const auto cut = run_rankscope({"trace", "stats", file}, parts);
  check_refused(cut, "incomplete trace", "cut");
  CHECK(has(cut.out, "messages"));
}

TEST_CASE("cli: what needs all of a trace refuses one that is too large, and says what to do") {
  const test::TemporaryFolder folder;
  const auto file = folder / "ring.rankscope";
  {
    TraceWriter writer(file, test::MadeUpRing::meta(4), 1);
    test::MadeUpRing(4).run(writer, 5000);
    writer.close(test::MadeUpRing::meta(4));
  }
  const test::ProcessOptions parts{.environment = {{"RANKSCOPE_STREAM_EVENTS", "2000"}}};
  const auto check_large = [&](std::vector<std::string> words, const char* who) {
    check_refused(run_rankscope(std::move(words), parts), who, "2,000 are allowed",
                  "rankscope trace info|stats|print", "RANKSCOPE_STREAM_EVENTS=50");
  };
  const auto picture = folder / "ring.svg";
  check_large({"check", file}, "`rankscope check`");
  check_large({"replay", file}, "`rankscope replay`");
  check_large({"trace", "narrate", file}, "`rankscope trace narrate`");
  check_large({"trace", "diff", file, file}, "`rankscope trace diff`");
  check_large({"schedule", "from-trace", file, "-o", folder / "x.xml"}, "from-trace`");
  check_large({"export", file, "-o", folder / "x.json"}, "as chrome");
  check_large({"export", file, "--diagram", "stage", "-o", picture}, "--diagram stage`");
  CHECK_FALSE(std::filesystem::exists(picture));

  // Data is written part by part, and the same.
  for (const char* ending : {"csv", "jsonl"}) {
    const std::string whole = folder / (std::string("whole.") + ending),
                      in_parts = folder / (std::string("parts.") + ending);
    CHECK(run_rankscope({"export", file, "-o", whole}).exit_code == cli::kOk);
    const auto run = run_rankscope({"export", file, "-o", in_parts}, parts);
    INFO(run.err);
    CHECK(run.exit_code == cli::kOk);
    CHECK(has(run.out, "events as"));
    CHECK(read(whole) == read(in_parts));
    CHECK(run_rankscope({"export", file, "--format", ending, "-o", "-"}, parts).out == read(whole));
  }
  check_refused(run_rankscope({"export", file, "--format", "csv", "-o", file}, parts),
                "that is the trace itself");
}
