// What is to be found in the programs of engine/collectives/exercises, and that it is so. Not beside
// the programs: students have those.
#include <algorithm>
#include <cstring>
#include <set>

#include "engine/collectives/embedded_sources.h"
#include "engine/core/run/job_json.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/run/job/given_values.h"
#include "tests/support/catch.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;

namespace {

enum class End { right, wrong, hangs };
using Outputs = std::vector<std::vector<double>>;  // by rank

// Where the mistake can be seen.
struct Exercise {
  std::string_view name;
  std::string_view fault;
  std::string_view line;    // of the source: the one that is to be pointed at
  std::string_view values;  // see give_values(); their number is the number of ranks
  Count count = 0;          // 0: as the values say
  End buffered = End::wrong, rendezvous = End::wrong;
  std::string_view got = {};        // where buffered ends wrong
  std::string_view hidden_by = {};  // values with which the result is right all the same
  ReduceOp op = ReduceOp::sum;
  Rank root = 0;
};
constexpr auto kRight = End::right, kWrong = End::wrong, kHangs = End::hangs;

// Inputs of the courses: arange(4) + 4 r, and arange(8) + 100 r.
constexpr std::string_view kFours = "0,1,2,3;4,5,6,7;8,9,10,11;12,13,14,15";
constexpr std::string_view kHundreds =
    "0,1,2,3,4,5,6,7;100,101,102,103,104,105,106,107;200,201,202,203,204,205,206,207;"
    "300,301,302,303,304,305,306,307";

const std::vector<Exercise> kTable{
    {"pair_a", "receives into the message buffer, not into the output",
     "else comm.recv(0, message);", "5,3", 2, kWrong, kWrong, "5,5;3,3", "4,4"},
    {"pair_b", "both ranks send, nobody receives", "comm.send(other, args.out);", "5,3", 2, kWrong,
     kHangs, "5,5;3,3"},
    {"pair_c", "every rank receives first, so nobody ever sends",
     "comm.recv(ring.prev(), args.out);", "5,3", 2, kHangs, kHangs},
    {"pair_d", "every rank sends first: right only where sends are buffered",
     "comm.send(ring.next(), args.in);", "5,3", 2, kRight, kHangs},
    {"broadcast_a", "counts the root from 1", "const Rank source = wrap(args.root - 1, n);",
     "10,20,30,40", 1, kWrong, kWrong, "10;10;10;10", "10,10,30,40", ReduceOp::sum, 1},
    {"allgather_a", "blocks in the order of their arrival, not of their ranks",
     "args.out[blocks[step]]);", "0,1,2,3", 1, kWrong, kWrong, "0,3,2,1;1,0,3,2;2,1,0,3;3,2,1,0"},
    {"allgather_b", "rank 0 sends everything to everybody: N D from the root to each",
     "for (Rank r = 1; r < n; ++r) comm.send(r, args.out);", "0,10;1,11;2,12;3,13", 0, kRight,
     kRight},
    {"reduce_scatter_a", "sends the chunk of the rank that it receives from",
     "auto sent = comm.isend(to, args.in[part[from]]);", kFours, 0, kWrong, kWrong, "28;32;28;32",
     "1,1,1,1"},
    {"reduce_scatter_b", "a rank's own chunk is not in its sum",
     "if (step == 1) comm.recv(from, args.out);", kFours, 0, kWrong, kWrong, "24;23;22;21"},
    {"ring_a",
     "as in the tutorial: partners change with the step (at first the rank itself), and nobody "
     "sends to whom it listens",
     "exchange(wrap(rank - step, n), wrap(rank - step - 1, n));", "1,2,3,4", 4, kHangs, kHangs},
    {"ring_b", "passes on running sums, so that data comes in several times (1, 3, 3, 1)",
     "comm.sendrecv(ring.next(), data, ring.prev(), received);", "1,2,3,4", 1, kWrong, kWrong,
     "24;20;16;20"},
    {"ring_c", "chunks go the wrong way round: what has just come is not what is sent next",
     "return data[part[wrap(rank + step, n)]];", "1,2,3,4", 4, kWrong, kWrong,
     "7,4,7,5;3,5,1,5;3,5,3,2;3,5,7,5"},
    {"ring_d", "passes on whole data: (N-1) D bytes a rank, not 2 D (N-1)/N",
     "comm.sendrecv(ring.next(), passing, ring.prev(), received);", "1,2,3,4", 4, kRight, kRight},
    {"ring_e", "every rank sends first: right only where sends are buffered",
     "comm.send(ring.next(), data[part[ring.chunk(step)]]);", "1,2,3,4", 4, kRight, kHangs},
    {"ring_f", "elements beyond N equal chunks are never reduced",
     "const Count length = data.count() / comm.size();", "1,2,3,4", 6, kWrong, kWrong,
     "10,10,10,10,1,1;10,10,10,10,2,2;10,10,10,10,3,3;10,10,10,10,4,4", "1,2,3,4,5,6;1,2,3,4,5,6"},
    {"hierarchical_a", "only the leaders call split, which is a call of all ranks",
     "auto leaders = comm.split(0, comm.rank());", "1,2,3,4", 1, kHangs, kHangs},
    {"hierarchical_b", "an allreduce in each group where a reduce to the leader is enough",
     "allreduce_bde(*group, from_leader);", "1,2,3,4", 1, kRight, kRight},
    {"bucket_a", "a last bucket that is not full is dropped", "bucket < data.count() / kLength",
     "1,2,3,4", 6, kWrong, kWrong,
     "10,10,10,10,1,1;10,10,10,10,2,2;10,10,10,10,3,3;10,10,10,10,4,4", "1,2,3,4;5,6,7,8"},
    {"bucket_b", "buckets one after the other, by blocking calls: no overlap",
     "ring_reduce_scatter(comm, bucket, chunks, args.op);", "1,2,3,4", 16, kRight, kRight},
    {"repeat_a", "in place: each trial adds up what the one before has left, N times as much",
     "allreduce_ring(comm, args);", "1,2,3,4", 1, kWrong, kWrong, "160;160;160;160"},
    {"average_a", "adds the averages up once more: N times the average",
     "const auto phase = comm.phase(\"gradients\");", "1,2,3,6", 1, kWrong, kWrong, "12;12;12;12",
     "0,0,0,0", ReduceOp::avg},
    {"average_b", "a sum that is not divided by N", "reduce_binomial(comm, to_server);", "1,2,3,6",
     1, kWrong, kWrong, "12;12;12;12", "0,0,0,0", ReduceOp::avg},
    {"async_a", "uses the result before wait()", "comm.copy(args.out, gradient);", "1,2,3,4", 2,
     kWrong, kWrong, "1,1;2,2;3,3;4,4"},
    {"sum_a", "counts rank 0 twice and leaves rank 1 out",
     "for (int i : steps(n - 1)) comm.reduce(args.out, all[slots[i]], args.op);", "1,2,3,4", 1,
     kWrong, kWrong, "9;9;9;9", "1,1,1,1"},
    {"sum_b", "adds a rank's own data each time: N times its own",
     "comm.reduce(sum, args.in, args.op);", "1,2,3,4", 1, kWrong, kWrong, "4;8;12;16", "1,1,1,1"},
    {"tree_a", "every rank sends to its partner in every round, not once in the phase",
     "if (partner < size) comm.send(partner, data);", "1,2,3,4", 1, kWrong, kHangs, "10;1;3;3"},
    {"tree_b", "no tree: everybody sends to rank 0, 2(N-1) rounds",
     "if (n % (2 * distance) == distance) comm.send(0, data);", "1,2,3,4,5,6,7,8", 1, kRight,
     kRight},
    {"flat_a", "rank 0's own data is overwritten", "comm.recv(1, data);", "1,2,3,4", 1, kWrong,
     kWrong, "9;9;9;9", "0,2,3,4"},
    {"bde_a", "only powers of two: a rank without a partner misses the others' data",
     "if (partner >= comm.size()) continue;", "1,2,3", 1, kWrong, kWrong, "6;3;6", "1,2,3,4"},
    {"alltoall_a", "joins along dimension 0, whatever the gather dimension is",
     "comm.sendrecv(to, outgoing(to), from, args.out[places[from]]);",
     "0,1,2,3,4,5,6,7;10,11,12,13,14,15,16,17", 0, kWrong, kWrong,
     "0,1,2,3,10,11,12,13;4,5,6,7,14,15,16,17"},
    {"alltoall_b", "the chunk that a rank keeps is dropped",
     "for (int step = 1; step < n; ++step) {", kHundreds, 0, kWrong, kWrong,
     "0,0,100,101,200,201,300,301;2,3,0,0,202,203,302,303;4,5,104,105,0,0,304,305;6,7,106,107,206,"
     "207,0,0"},
    {"alltoall_c", "blocking sends in a circle: right only where sends are buffered",
     "comm.send(to, args.in[part[to]]);", kHundreds, 0, kRight, kHangs},
};

JobSpec job_of(const Exercise& exercise, std::string_view values, SendMode mode) {
  JobSpec spec;
  spec.call.algorithm = "exercise." + std::string(exercise.name);
  spec.transport.name = "inproc";
  spec.call.dtype = DType::int32;
  give_values(spec, values);
  spec.world.size = static_cast<int>(spec.data.values.size());
  if (exercise.count > 0 && spec.data.values.front().size() == 1)
    spec.call.shape = {exercise.count};
  if (exercise.name == "alltoall_a") {
    spec.call.shape = {4, 2};
    spec.call.gather_dim = 1;
  }
  spec.call.op = exercise.op;
  spec.call.root = exercise.root;
  spec.transport.mode = mode;
  spec.recording.timeout_s = 30;
  return spec;
}

JobResult run(const JobSpec& spec) {
  CollectingSink sink;
  return InprocRunner().run(spec, sink);
}

// What the ranks hold at the end: a job's result tells only the first element that is wrong.
Outputs outputs_of(const JobSpec& spec) {
  Outputs outputs(static_cast<std::size_t>(spec.world.size));
  InprocWorld world(spec.world.size);
  world.run([&](Communicator& comm) {
    const auto& algorithm = require_algorithm(spec.call.algorithm);
    const Extents extents =
        extents_of(algorithm.collective, spec.input_shape(), comm.size(), comm.rank(),
                   spec.call.root, spec.call.scatter_dim, spec.call.gather_dim);
    Args args;
    args.in = Buffer::allocate(spec.call.dtype, extents.in);
    args.out = Buffer::allocate(spec.call.dtype, extents.out);
    fill_input(args.in, spec.data.input, spec.data.seed, comm.rank(), comm.size(), spec.call.op,
               spec.data.values);
    if (args.in.bytes() == args.out.bytes())
      std::memcpy(args.out.data(), args.in.data(), args.in.bytes());
    args.op = spec.call.op;
    args.root = spec.call.root;
    args.scatter_dim = spec.call.scatter_dim;
    args.gather_dim = spec.call.gather_dim;
    run_algorithm(comm, algorithm, args);
    const auto values = args.out.to_vector<std::int32_t>();
    outputs[static_cast<std::size_t>(comm.rank())].assign(values.begin(), values.end());
  });
  return outputs;
}

Outputs written(std::string_view values) {
  JobSpec spec;
  give_values(spec, values);
  return spec.data.values;
}

bool is_data_race(const Exercise& exercise) {
#if defined(__SANITIZE_THREAD__)
  return exercise.name == "async_a";  // that is the mistake
#else
  return exercise.name.empty();
#endif
}

void check_end(const Exercise& exercise, SendMode mode, End end) {
  JobSpec spec = job_of(exercise, exercise.values, mode);
  if (end == End::hangs) spec.recording.timeout_s = 1;
  const JobResult result = run(spec);
  INFO(to_json(result));
  if (end == End::right) CHECK(result.ok());
  if (end == End::wrong) {
    CHECK(result.status == JobResult::Status::wrong_result);
    CHECK(outputs_of(spec) == written(exercise.got));
  }
  if (end != End::hangs) return;
  const auto status = to_string(result.status);
  CHECK((status == "timeout" || status == "deadlock"));
  // Some rank waits for ever, or it was just slow.
  CHECK(std::ranges::any_of(result.failures, [](const RankFailure& failure) {
    return failure.where.find("blocked in") != std::string::npos;
  }));
}

}  // namespace

TEST_CASE("every exercise has its mistake, and only there where it is said",
          "[collectives][exercises]") {
  for (const auto& exercise : kTable) {
    if (is_data_race(exercise)) continue;
    CAPTURE(exercise.name, exercise.fault);
    check_end(exercise, SendMode::buffered, exercise.buffered);
    check_end(exercise, SendMode::rendezvous, exercise.rendezvous);
    if (exercise.hidden_by.empty()) continue;
    JobSpec spec = job_of(exercise, exercise.hidden_by, SendMode::buffered);
    CAPTURE(exercise.hidden_by);
    CHECK(run(spec).ok());
  }
}

TEST_CASE("the table of exercises is that of the program", "[collectives][exercises]") {
  std::set<std::string> names;
  for (const auto& exercise : kTable) names.insert("exercise." + std::string(exercise.name));
  CHECK(names.size() == exercises().size());
  for (const auto& algorithm : exercises()) {
    CAPTURE(algorithm.name);
    CHECK(names.contains(std::string(algorithm.name)));
    CHECK(find_algorithm(algorithm.name) == &algorithm);
    CHECK(std::ranges::find(algorithms(), algorithm.name, &Algorithm::name) == algorithms().end());
  }
}

TEST_CASE("an exercise's source is at hand, short, and does not give it away",
          "[collectives][exercises]") {
  for (const auto& exercise : kTable) {
    CAPTURE(exercise.name, exercise.line);
    const auto* source = find_embedded_source("exercise_" + std::string(exercise.name));
    REQUIRE(source != nullptr);
    CHECK(source->file.starts_with("engine/collectives/exercises/"));
    const auto at = source->text.find(exercise.line);
    CHECK(at != std::string_view::npos);
    CHECK(source->text.rfind(exercise.line) == at);
    CHECK(source->text.find("void exercise_" + std::string(exercise.name) +
                            "(Communicator& comm") != std::string_view::npos);
    CHECK(std::ranges::count(source->text, '\n') < 40);
    // With a blank: "exchange" holds "hang".
    for (const auto* word : {"fault", "bug", "mistake", "wrong", "forgot", "missing", "deadlock",
                             " hang", "twice", "waste", "buggy", "naive"})
      CHECK(source->text.find(word) == std::string_view::npos);
  }
}
