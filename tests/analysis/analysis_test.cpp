// Messages, rounds, statistics and differences of traces.
#include <map>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "engine/analysis/diff.h"
#include "engine/analysis/events/rounds.h"
#include "engine/analysis/export/export_chrome.h"
#include "engine/analysis/export/export_csv.h"
#include "engine/analysis/export/export_jsonl.h"
#include "engine/analysis/statistics.h"
#include "engine/analysis/trace_analysis.h"
#include "engine/core/base/json_text.h"
#include "tests/support/catch.h"
#include "tests/support/runs.h"

using namespace rankscope;
using nlohmann::json;
using test::trace_of;

namespace {

Buffer some_data(Count count = 4) {
  return Buffer::of(std::vector<std::int64_t>(static_cast<std::size_t>(count), 1));
}

void flat_broadcast(Communicator& comm) {
  Buffer data = some_data();
  if (comm.rank() == 0)
    for (Rank r = 1; r < comm.size(); ++r) comm.send(r, data);
  else comm.recv(0, data);
}

void binomial_broadcast(Communicator& comm) {
  Buffer data = some_data();
  for (int bit = 1; bit < comm.size(); bit *= 2) {
    if (comm.rank() < bit && comm.rank() + bit < comm.size()) comm.send(comm.rank() + bit, data);
    else if (comm.rank() >= bit && comm.rank() < 2 * bit) comm.recv(comm.rank() - bit, data);
  }
}

void chain(Communicator& comm) {
  Buffer data = some_data();
  if (comm.rank() > 0) comm.recv(comm.rank() - 1, data);
  if (comm.rank() + 1 < comm.size()) comm.send(comm.rank() + 1, data);
}

}  // namespace

TEST_CASE("a message to a rank that the world has not is none", "[analysis]") {
  std::vector<EventBatch> batches(2);
  for (Rank rank = 0; rank < 2; ++rank) {
    auto& batch = batches[static_cast<std::size_t>(rank)];
    batch.rank = rank;
    for (const Rank peer : {1 - rank, 2, -5, 1 << 20}) {
      StepEvent event;
      event.rank = rank;
      event.peer = peer;
      event.seq = static_cast<std::uint32_t>(batch.events.size());
      event.op = make_op(rank, 1 + batch.events.size());
      event.time_ns = event.begin_ns = 1;
      batch.events.push_back(event);
    }
  }
  TraceMeta meta;
  meta.world_size = 2;
  const auto found = messages(make_trace(batches, meta));
  REQUIRE(found.size() == 2);
  for (const auto& message : found) CHECK(message.to == 1 - message.from);
}

TEST_CASE("messages pair sends with their receives", "[analysis]") {
  const auto mode = GENERATE(SendMode::buffered, SendMode::rendezvous);
  const Trace trace = trace_of(4, test::ring_of(8), TraceLevel::light, mode);
  const auto found = messages(trace);
  CHECK(found.size() == 24);
  for (const auto& message : found) {
    CHECK(message.to == (message.from + 1) % 4);
    CHECK(message.bytes == 16);
    REQUIRE(message.received != kNoEvent);
    CHECK(message.sent < message.matched);
    CHECK(message.recv_posted < message.matched);
    CHECK(message.matched < message.received);
    CHECK(rank_of(message.recv) == message.to);
    CHECK(message.send_done != kNoEvent);
  }
}

TEST_CASE("rounds of known patterns", "[analysis]") {
  const auto mode = GENERATE(SendMode::buffered, SendMode::rendezvous);
  const int n = GENERATE(1, 2, 3, 4, 5, 8, 13);
  const auto count = [&](const test::Body& body) {
    return rounds(trace_of(n, body, TraceLevel::light, mode)).count;
  };
  CHECK(count(test::ring_of(20)) == 2 * (n - 1));
  CHECK(count(flat_broadcast) == n - 1);
  CHECK(count(binomial_broadcast) == ceil_log2(n));
  CHECK(count(chain) == n - 1);
}

TEST_CASE("rounds do not depend on time", "[analysis]") {
  // Every rank asks for its message before it sends its own: whether that message is there already
  // when the send is posted is a matter of luck.
  const auto body = [](Communicator& comm) {
    const int n = comm.size();
    Buffer out = some_data(), in = some_data();
    for (int i = 0; i < 20; ++i) {
      auto received = comm.irecv(wrap(comm.rank() - 1, n), in);
      if (comm.rank() == i % n) comm.compute(std::chrono::microseconds(300));
      auto sent = comm.isend(wrap(comm.rank() + 1, n), out);
      comm.wait(received);
      comm.wait(sent);
    }
  };
  CHECK(rounds(trace_of(3, body)).count == 20);
}

TEST_CASE("rounds leave out the machinery and survive swapped tags", "[analysis]") {
  CHECK(rounds(trace_of(4, [](Communicator& comm) { comm.split(comm.rank() % 2, 0); })).count == 0);
  const Trace swapped = trace_of(2, [](Communicator& comm) {
    Buffer a = some_data(), b = some_data();
    if (comm.rank() == 0) {
      comm.send(1, a, 1);
      comm.send(1, b, 2);
    } else {
      auto second = comm.irecv(0, b, 2);
      auto first = comm.irecv(0, a, 1);
      comm.wait(second);
      comm.wait(first);
    }
  });
  CHECK(rounds(swapped).count == 2);
  CHECK(rounds(Trace()).count == 0);
}

TEST_CASE("statistics of a ring allreduce", "[analysis]") {
  const Trace trace = trace_of(4, test::ring_of(8));
  const Statistics found = TraceAnalysis(trace).statistics();
  CHECK(found.events == trace.size());
  CHECK(found.rounds == 6);
  CHECK(found.total == Traffic{24, 24 * 16});
  CHECK(found.unreceived == 0);
  REQUIRE(found.ranks.size() == 4);
  for (const auto& rank : found.ranks) {
    CHECK(rank.sent == Traffic{6, 96});
    CHECK(rank.received == Traffic{6, 96});
    CHECK(rank.reduced_bytes == 48);
    CHECK(rank.steps == 6);
  }
  CHECK(found.busiest == 0);
  CHECK(found.matrix.size() == 4);
  CHECK(found.matrix.at({3, 0}) == Traffic{6, 96});
  REQUIRE(found.phases.size() == 2);
  CHECK(found.phases[0].name == "reduce-scatter");
  CHECK(found.phases[0].sent.messages == 12);
  CHECK(found.phases[1].name == "allgather");
}

TEST_CASE("statistics know who was busy and what was not received", "[analysis]") {
  const Trace trace = trace_of(3, [](Communicator& comm) {
    auto outer = comm.phase("outer");
    auto inner = comm.phase("inner");
    Buffer data = some_data();
    if (comm.rank() == 2) {
      comm.send(0, data);
      comm.send(1, data, 5);
    } else if (comm.rank() == 0) {
      comm.compute(std::chrono::milliseconds(2));
      comm.recv(2, data);
    }
  });
  const Statistics found = TraceAnalysis(trace).statistics();
  CHECK(found.busiest == 2);
  CHECK(found.ranks[2].steps == 2);
  CHECK(found.ranks[0].steps == 1);
  CHECK(found.ranks[1].steps == 0);
  CHECK(found.unreceived == 1);
  CHECK(found.ranks[0].compute_ns >= 2000000);
  REQUIRE(found.phases.size() == 2);
  CHECK(found.phases[1].name == "outer / inner");
  CHECK(TraceAnalysis().statistics().busiest == -1);
}

TEST_CASE("two runs of the same code do not differ", "[analysis]") {
  const Trace a = trace_of(4, test::ring_of(10, 3)), b = trace_of(4, test::ring_of(10, 3));
  CHECK_FALSE(first_difference(a, b));
  CHECK_FALSE(first_difference(a, trace_of(4, test::ring_of(10, 3), TraceLevel::light)));
  CHECK_FALSE(first_difference(Trace(), Trace()));
}

TEST_CASE("the first difference of two runs is found", "[analysis]") {
  // As if rank 0 had been that much faster or slower: which of two ranks came first means nothing.
  const std::int64_t later_ns = GENERATE(-1'000'000'000, 0, 1'000'000'000);
  const auto run = [later_ns](int kind) {
    TraceMeta meta;
    meta.world_size = 3;
    meta.clock_offset_ns = {later_ns, 0, 0};
    const auto batches = test::record(3, [kind](Communicator& comm) {
      Buffer data = some_data();
      comm.watch("data", data);
      if (comm.rank() == 0) {
        if (kind == 4) data.as<std::int64_t>()[1] = 7;
        comm.send(kind == 1 ? 2 : 1, data, 3);
        if (kind == 2) comm.send(1, data, 4);
      } else if (comm.rank() == (kind == 1 ? 2 : 1)) {
        if (kind == 3) auto phase = comm.phase("extra");
        comm.recv(0, data, 3);
      }
    });
    return make_trace(batches, meta);
  };
  const Trace plain = run(0);
  auto found = first_difference(plain, run(1));
  REQUIRE(found);
  CHECK(found->rank == 0);
  CHECK(found->step == 1);
  CHECK(found->what == "peer: rank 1 on the left, rank 2 on the right");
  REQUIRE(found->left);
  CHECK(describe(plain, *found->left) == "send 32 bytes to rank 1");

  found = first_difference(plain, run(2));
  REQUIRE(found);
  CHECK(found->what == "the left run ends here");
  CHECK_FALSE(found->left);
  CHECK(found->right);

  found = first_difference(plain, run(3));
  REQUIRE(found);
  CHECK(found->rank == 1);
  CHECK(found->what == "recv on the left, phase_begin on the right");
  CHECK_FALSE(first_difference(plain, run(3), Compared::messages));

  found = first_difference(plain, run(4));
  REQUIRE(found);
  CHECK(found->rank == 1);
  CHECK(found->what == "the resulting contents differ");
  const auto message = first_difference(plain, run(4), Compared::messages);
  REQUIRE(message);
  REQUIRE(message->contents);
  CHECK_FALSE(plain.preview(message->contents->first).empty());
  CHECK(message->left_done);
}

TEST_CASE("the first difference is a cause, not an effect", "[analysis]") {
  // The origin is the highest rank, and each rank's clock may be far behind the others'.
  const auto late = GENERATE(0, 1, 2, 3);
  const auto run = [late](std::int64_t value) {
    TraceMeta meta;
    meta.world_size = 3;
    meta.clock_offset_ns = {0, 0, 0, 0};
    meta.clock_offset_ns[static_cast<std::size_t>(late)] = 1'000'000'000;
    const auto batches = test::record(3, [value](Communicator& comm) {
      Buffer data = some_data();
      comm.watch("data", data);
      if (comm.rank() == 2) {
        data.as<std::int64_t>()[0] = value;
        comm.touch(data);
      } else {
        auto pending = comm.irecv(comm.rank() + 1, data);
        comm.wait(pending);
      }
      if (comm.rank() > 0) comm.send(comm.rank() - 1, data);
    });
    return make_trace(batches, meta);
  };
  const auto found = first_difference(run(7), run(8));
  REQUIRE(found);
  CHECK(found->rank == 2);
  CHECK(found->step == 1);
  CHECK(found->what == "the resulting contents differ");
}

TEST_CASE("JSON Lines name everything", "[analysis]") {
  const Trace trace = trace_of(3, test::ring_of(6));
  std::stringstream out;
  export_jsonl(trace, out);
  std::string line;
  REQUIRE(std::getline(out, line));
  const auto run = parse_json(line);
  CHECK(run["type"] == "run");
  CHECK(run["ranks"] == 3);
  CHECK(run["events"] == trace.size());
  std::uint64_t k = 0;
  std::set<std::string> posted;
  bool has_values = false;
  for (; std::getline(out, line); ++k) {
    const auto event = parse_json(line);
    CHECK(event["type"] == "event");
    CHECK(event["index"] == k);
    CHECK(event["time_ns"] == trace.time_ns(k));
    if (event["kind"] == "posted") posted.insert(event["op"]);
    if (event["kind"] == "matched") CHECK(posted.count(event["cause"]) == 1);
    if (event["verb"] == "watch") {
      CHECK(event["out_buffer"] == "data");
      CHECK(event["values"].size() == 6);
      CHECK(event["values"][1] == 100 * event["rank"].get<int>() + 1);
      has_values = true;
    }
  }
  CHECK(k == trace.size());
  CHECK(has_values);
}

TEST_CASE("CSV has the same number of cells in all lines", "[analysis]") {
  const Trace trace = trace_of(2, [](Communicator& comm) {
    auto phase = comm.phase("a, \"quoted\" phase");
    Buffer data = some_data();
    comm.watch("data", data);
  });
  std::stringstream out;
  export_csv(trace, out);
  std::string line;
  std::uint64_t lines = 0;
  std::size_t cells = 0;
  while (std::getline(out, line)) {
    REQUIRE(line.ends_with('\r'));
    bool quoted = false;
    std::size_t count = 1;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == ',' && !quoted) ++count;
    }
    CHECK_FALSE(quoted);
    if (lines++ == 0) cells = count;
    CHECK(count == cells);
  }
  CHECK(lines == trace.size() + 1);
  CHECK(out.str().find("\"a, \"\"quoted\"\" phase\"") != std::string::npos);
}

TEST_CASE("the Chrome export has matched arrows and nested slices", "[analysis]") {
  const auto mode = GENERATE(SendMode::buffered, SendMode::rendezvous);
  const Trace trace = trace_of(4, test::ring_of(12, 5), TraceLevel::full, mode);
  std::stringstream out;
  export_chrome(trace, out);
  const auto document = parse_json(out.str());
  std::map<std::string, int> starts, ends;
  std::map<std::pair<int, int>, int> open;
  struct Slice {
    double begin, end;
  };
  std::map<std::pair<int, int>, std::vector<Slice>> slices;
  std::set<int> named;
  for (const auto& item : document["traceEvents"]) {
    const std::string phase = item["ph"];
    const std::pair<int, int> where{item["pid"], item["tid"]};
    if (phase == "s") ++starts[item["id"]];
    if (phase == "f") ++ends[item["id"]];
    if (phase == "B") ++open[where];
    if (phase == "E") CHECK(--open[where] >= 0);
    if (phase == "M" && item["name"] == "process_name") named.insert(where.first);
    if (phase == "X")
      slices[where].push_back({item["ts"], item["ts"].get<double>() + item["dur"].get<double>()});
  }
  CHECK(starts.size() == 2 * 3 * 4 * 5);
  CHECK(starts == ends);
  for (const auto& [id, count] : starts) CHECK(count == 1);
  for (const auto& [where, count] : open) CHECK(count == 0);
  CHECK(named.size() == 4);
  for (auto& [where, list] : slices) {
    std::ranges::sort(list, [](const Slice& a, const Slice& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<double> stack;
    for (const auto& slice : list) {
      while (!stack.empty() && stack.back() <= slice.begin + 1e-6) stack.pop_back();
      if (!stack.empty()) CHECK(slice.end <= stack.back() + 1e-6);
      stack.push_back(slice.end);
    }
  }
}
