// Follows contributions through real runs and through wrong programs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/account/follow_events.h"
#include "engine/account/pieces.h"
#include "engine/analysis/events/rounds.h"
#include "engine/analysis/trace_analysis.h"
#include "engine/collectives/algorithm.h"
#include "engine/core/trace/trace_file.h"
#include "tests/support/catch.h"
#include "tests/support/job_traces.h"
#include "tests/support/paths.h"
#include "tests/support/runs.h"

using namespace rankscope;
using test::trace_of;
using test::trace_of_job;

namespace {

std::vector<Cursor> after(const Trace& trace, int round) {
  std::vector<Cursor> cursors;
  for (const auto& cuts : round_cuts(trace, rounds(trace)).cut)
    cursors.push_back(cuts.at(static_cast<std::size_t>(round)));
  return cursors;
}

std::vector<Cursor> at_the_end(const Trace& trace) {
  return std::vector<Cursor>(static_cast<std::size_t>(trace.world_size()), trace.size());
}

/// "0-3 1100", "4-7 unknown", "8-11 2001", with the origin as " from 2@8".
std::string text(const account::Stretch& one, int world) {
  auto text = fmt::format("{}-{} ", one.elements.offset, one.elements.end() - 1);
  if (!one.shares.known()) return text + "unknown";
  if (one.shares.empty()) return text + "nothing";
  for (Rank rank = 0; rank < world; ++rank) text += static_cast<char>('0' + one.shares.times(rank));
  if (one.origin() >= 0) text += fmt::format(" from {}@{}", one.origin(), one.origin_element());
  return text;
}

std::string text(const account::Contents& contents, int world) {
  std::string all;
  for (const auto& one : contents) all += (all.empty() ? "" : ", ") + text(one, world);
  return all;
}

const Definition* data_of(const Trace& trace, Rank rank) { return Pieces(trace).data(rank); }

/// The contents of a rank's "data".
std::string held(const Trace& trace, const std::vector<Cursor>& cursors, Rank rank) {
  const auto* data = data_of(trace, rank);
  REQUIRE(data != nullptr);
  return text(TraceAnalysis(trace).contributions().at(cursors).at(data->id - 1),
              trace.world_size());
}

bool due_on(const Algorithm& algorithm, Rank rank, Rank root) {
  return !traits(algorithm.collective).result_at_root || rank == root;
}

}  // namespace

TEST_CASE("contributions: every reducing algorithm ends with each rank once", "[analysis]") {
  const int n = GENERATE(3, 4, 5, 8);
  for (const auto& algorithm : algorithms()) {
    if (!reduces(algorithm.collective)) continue;
    for (const auto mode : {SendMode::buffered, SendMode::rendezvous}) {
      JobSpec spec;
      spec.call.algorithm = algorithm.name;
      spec.world.size = n;
      spec.call.shape = {3 * n + 1};
      spec.call.dtype = DType::int64;
      spec.call.root = n / 2;
      spec.transport.mode = mode;
      spec.recording.trace = TraceLevel::light;
      if (algorithm.name == "allreduce.hierarchical") spec.call.group_size = 2;
      const Trace trace = trace_of_job(spec);
      const auto maps = TraceAnalysis(trace).contributions().at(at_the_end(trace));
      for (Rank rank = 0; rank < n; ++rank) {
        if (!due_on(algorithm, rank, spec.call.root)) continue;
        const auto* data = data_of(trace, rank);
        REQUIRE(data != nullptr);
        const auto& map = maps.at(data->id - 1);
        INFO(algorithm.name << " on " << n << " ranks, rank " << rank << ": " << text(map, n));
        REQUIRE(map.size() == 1);
        CHECK(map[0].elements == Range{0, count_of(*data)});
        CHECK(map[0].shares.complete(trace.world_size()));
        CHECK(map[0].shares.count() == n);
        CHECK(map[0].shares.most() == 1);
      }
    }
  }
}

TEST_CASE("contributions: a ring allreduce of 4 ranks, step by step", "[analysis]") {
  const Trace trace = trace_of_job("allreduce.ring", 4, 8);
  CHECK(held(trace, after(trace, 0), 1) == "0-7 0100 from 1@0");
  CHECK(held(trace, after(trace, 1), 1) == "0-1 1100, 2-7 0100 from 1@2");
  CHECK(held(trace, after(trace, 2), 1) == "0-1 1100, 2-5 0100 from 1@2, 6-7 1101");
  CHECK(held(trace, after(trace, 3), 1) == "0-1 1100, 2-3 0100 from 1@2, 4-5 1111, 6-7 1101");
  CHECK(held(trace, after(trace, 4), 1) == "0-1 1100, 2-5 1111, 6-7 1101");
  CHECK(held(trace, after(trace, 5), 1) == "0-5 1111, 6-7 1101");
  CHECK(held(trace, after(trace, 6), 1) == "0-7 1111");
  CHECK(held(trace, after(trace, 3), 0) == "0-1 1000 from 0@0, 2-3 1111, 4-5 1011, 6-7 1001");
}

TEST_CASE("contributions: what moved without being added keeps where it came from", "[analysis]") {
  const int n = GENERATE(3, 4, 8);
  for (const auto& algorithm : algorithms()) {
    const auto collective = algorithm.collective;
    const bool moves = collective == Collective::gather || collective == Collective::scatter ||
                       collective == Collective::allgather || collective == Collective::alltoall ||
                       collective == Collective::broadcast;
    if (!moves) continue;
    const Trace trace = trace_of_job(std::string(algorithm.name), n, 2 * n);
    const auto maps = TraceAnalysis(trace).contributions().at(at_the_end(trace));
    const Count each = traits(collective).counts_all_ranks() ? 2 * n : 2;
    for (Rank rank = 0; rank < n; ++rank) {
      const auto* data = data_of(trace, rank);
      if (data == nullptr) continue;
      INFO(algorithm.name << " on " << n << " ranks, rank " << rank << ": "
                          << text(maps.at(data->id - 1), n));
      for (const auto& one : maps.at(data->id - 1)) {
        REQUIRE(one.origin() >= 0);
        CHECK(one.shares.count() == 1);
        const auto begin = one.elements.offset;
        switch (collective) {
          case Collective::broadcast:
            CHECK(one.origin() == 0);
            CHECK(one.origin_element() == begin);
            break;
          case Collective::scatter:
            CHECK(one.origin() == 0);
            CHECK(one.origin_element() == 2 * rank + begin);
            break;
          case Collective::alltoall:
            CHECK(one.origin() == static_cast<Rank>(begin / each));
            CHECK(one.origin_element() == 2 * rank);
            break;
          default:
            CHECK(one.origin() == static_cast<Rank>(begin / each));
            CHECK(one.origin_element() == begin);
        }
      }
    }
  }
}

TEST_CASE("contributions: a program that adds twice shows it", "[analysis]") {
  // Rank 0 adds rank 1's data a second time where rank 2's is due.
  const Trace trace = trace_of(3, [](Communicator& comm) {
    Buffer data = Buffer::of(std::vector<std::int64_t>(6, comm.rank()));
    comm.watch("data", data);
    if (comm.rank() == 1) {
      comm.send(0, data);
      comm.send(0, data[{0, 3}]);
    } else if (comm.rank() == 0) {
      comm.recv_reduce(1, data, ReduceOp::sum);
      comm.recv_reduce(1, data[{0, 3}], ReduceOp::sum);
    }
  });
  CHECK(held(trace, at_the_end(trace), 0) == "0-2 120, 3-5 110");
  const auto* data = data_of(trace, 0);
  const auto map = TraceAnalysis(trace).contributions().of(data->id, trace.size());
  CHECK(map[0].shares.most() == 2);
  CHECK(map[0].shares.count() == 2);
  CHECK_FALSE(map[0].shares.complete(trace.world_size()));
}

TEST_CASE("contributions: a message brings what its memory held when it was sent", "[analysis]") {
  // Rank 1 sends its data on before it gets rank 0's, and is asked about long before it sends.
  const Trace trace = trace_of(3, [](Communicator& comm) {
    Buffer data = Buffer::of(std::vector<std::int64_t>(4, comm.rank()));
    comm.watch("data", data);
    if (comm.rank() == 0) {
      comm.send(1, data);
    } else if (comm.rank() == 1) {
      comm.send(2, data);
      comm.recv(0, data);
    } else {
      comm.recv_reduce(1, data, ReduceOp::sum);
    }
  });
  auto cursors = at_the_end(trace);
  CHECK(held(trace, cursors, 1) == "0-3 100 from 0@0");
  CHECK(held(trace, cursors, 2) == "0-3 011");
  cursors[1] = 0;
  CHECK(held(trace, cursors, 1) == "0-3 unknown");
  CHECK(held(trace, cursors, 2) == "0-3 011");
}

TEST_CASE("contributions: a result in an array that no message names, by what its rank noted",
          "[analysis]") {
  // tensor += carried before carried = incoming: each rank's own data twice, and never the next rank's.
  const TraceAnalysis analysis(
      TraceReader::open(test::source_root() / "tests/compat/files/traces/exec-as-wrong.rankscope"));
  const Trace& trace = analysis.trace();
  const auto result = [&](Rank rank, int round) {
    const auto* const noted = analysis.contributions().result_of(rank);
    REQUIRE(noted != nullptr);
    CHECK(noted->name == "tensor");
    const Cursor cursor = after(trace, round)[static_cast<std::size_t>(rank)];
    return fmt::format("{} = {}", text(analysis.contributions().of(noted->buffer, cursor), 4),
                       fmt::join(noted->at(cursor), " "));
  };
  CHECK(analysis.contributions().explains_sums());
  CHECK(result(0, 0) == "0-3 1000 from 0@0 = 0 1 2 3");
  CHECK(result(0, 1) == "0-3 2000 = 0 2 4 6");
  CHECK(result(0, 2) == "0-3 2001 = 30 33 36 39");
  CHECK(result(0, 3) == "0-3 2011 = 50 54 58 62");
  CHECK(result(3, 3) == "0-3 0112 = 90 94 98 102");
  // Messages carry what their array held, though it was made again for each.
  for (const MessageRecord& message : analysis.messages())
    CHECK(analysis.pieces().of(message).whole);
}

TEST_CASE("contributions: a chunk that is added up in an array that no message names",
          "[analysis]") {
  // result += got, of three ranks, noted line by line, or at the end alone. A counter equals what a message brings.
  const bool by_line = GENERATE(true, false);
  const auto input = [](Rank rank, Rank chunk) { return 10.0 * rank + chunk + 1; };
  TraceMeta meta;
  meta.world_size = 3;
  meta.handed.emplace().as = "reduce_scatter";
  for (Rank rank = 0; rank < 3; ++rank) {
    Handed::Call call;
    call.rank = rank;
    double sum = input(rank, rank);
    call.begin["data"].values = {input(rank, 0), input(rank, 1), input(rank, 2)};
    call.begin["result"].values = {sum};
    call.begin["counter"] = {{0}, "int", std::vector<Count>{}};
    if (by_line) call.history.push_back({1, "result", {sum}});
    for (int step = 1; step < 3; ++step) {
      const double came = input(wrap(rank - step, 3), rank);
      if (by_line) call.history.push_back({1, "counter", {came}});
      if (by_line) call.history.push_back({2, "got", {came}});
      sum += came;
      if (by_line || step == 2) call.history.push_back({3, "result", {sum}});
    }
    meta.handed->calls.push_back(call);
  }
  const Trace trace =
      make_trace(test::record(3,
                              [&](Communicator& comm) {
                                const Rank rank = comm.rank();
                                Buffer data = Buffer::of(std::vector<double>{
                                    input(rank, 0), input(rank, 1), input(rank, 2)});
                                Buffer got = Buffer::of(std::vector<double>(1, 0));
                                comm.watch("data", data);
                                comm.watch("got", got);
                                for (int step = 1; step < 3; ++step) {
                                  const Rank to = wrap(rank + step, 3);
                                  comm.sendrecv(to, data[{to, 1}], wrap(rank - step, 3), got);
                                }
                              }),
                 meta);
  const TraceAnalysis analysis(trace);
  CHECK(analysis.contributions().explains_sums());
  const auto told = [&](int round) {
    const auto* const noted = analysis.contributions().result_of(1);
    REQUIRE(noted != nullptr);
    const Cursor cursor = after(trace, round)[1];
    return fmt::format("{} = {}", text(analysis.contributions().of(noted->buffer, cursor), 3),
                       fmt::join(noted->at(cursor), " "));
  };
  CHECK(told(0) == "0-2 010 from 1@0 = 11 12 13");
  CHECK(told(1) == "0-0 010 from 1@0, 1-1 110, 2-2 010 from 1@2 = 11 14 13");
  CHECK(told(2) == "0-0 010 from 1@0, 1-1 111, 2-2 010 from 1@2 = 11 36 13");
}

TEST_CASE("contributions: a program that moves data, by both of its arrays", "[analysis]") {
  using test::mover;
  // Rank 1 of three, before its first message and after each round.
  const auto told = [](const char* as) {
    const Trace trace = mover(as);
    std::string all = held(trace, after(trace, 0), 1);
    for (int round = 1; round <= rounds(trace).count; ++round)
      all += " | " + held(trace, after(trace, round), 1);
    return all;
  };
  CHECK(told("alltoall") ==
        "0-1 nothing, 2-3 010 from 1@2, 4-5 nothing | "
        "0-1 100 from 0@2, 2-3 010 from 1@2, 4-5 nothing | "
        "0-1 100 from 0@2, 2-3 010 from 1@2, 4-5 001 from 2@2");
  CHECK(told("allgather") ==
        "0-1 nothing, 2-3 010 from 1@2, 4-5 nothing | "
        "0-1 100 from 0@0, 2-3 010 from 1@2, 4-5 nothing | "
        "0-1 100 from 0@0, 2-3 010 from 1@2, 4-5 001 from 2@4");
  CHECK(told("scatter:0") == "0-1 nothing | 0-1 100 from 0@2 | 0-1 100 from 0@2");
  // A gather's root has its own part only, until others' come.
  const Trace gather = mover("gather:0");
  CHECK(held(gather, after(gather, 0), 0) == "0-1 100 from 0@0, 2-5 nothing");
  CHECK(held(gather, at_the_end(gather), 0) ==
        "0-1 100 from 0@0, 2-3 010 from 1@2, 4-5 001 from 2@4");
  // Without the arrays of all parts, the program's data are what they were.
  CHECK(Pieces(mover("alltoall")).collective() == find_collective("alltoall"));
  CHECK(Pieces(mover("allreduce")).collective() == nullptr);
}

TEST_CASE("contributions: what the trace does not show is unknown", "[analysis]") {
  const Trace trace = trace_of(2, [](Communicator& comm) {
    Buffer data = Buffer::of(std::vector<std::int64_t>(6, 1)),
           hidden = Buffer::of(data.to_vector<std::int64_t>());
    comm.watch("data", data);
    Buffer work = comm.scratch(DType::int64, 6, "work");
    if (comm.rank() == 0) comm.send(1, hidden[{0, 2}]);
    else comm.recv(0, data[{0, 2}]);
    comm.touch(data[{4, 2}]);
    comm.copy(work[{0, 3}], data[{3, 3}]);
    comm.reduce(work[{0, 2}], hidden[{0, 2}], ReduceOp::sum);
  });
  CHECK(held(trace, at_the_end(trace), 0) == "0-3 10 from 0@0, 4-5 unknown");
  CHECK(held(trace, at_the_end(trace), 1) == "0-1 unknown, 2-3 01 from 1@2, 4-5 unknown");
  const account::Contributions all(trace, Pieces(trace));
  for (const auto& buffer : trace.definitions(Definition::Kind::buffer)) {
    if (buffer.name == "work") {
      CHECK(text(all.of(buffer.id, trace.size()), 2) == "0-2 unknown, 3-5 nothing");
    }
  }
  CHECK(TraceAnalysis().contributions().at({}).empty());
}
