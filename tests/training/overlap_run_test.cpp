// A step with and without overlap as a job: its trace, what is computed from it, and the command.
#include "engine/training/job/overlap_run.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/run/job/job.h"
#include "engine/training/job/training_program.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;
using namespace rankscope::training;
using nlohmann::json;

namespace {

namespace fs = std::filesystem;

/// Writes the stream of one rank by hand: times in nanoseconds.
class RankStream {
 public:
  explicit RankStream(Rank rank) { batch_.rank = rank, batch_.epoch = 1; }

  RankStream& phase(std::int64_t now, Verb verb, std::string_view name, std::uint16_t strand = 0) {
    StepEvent event = at(now, EventKind::phase, verb, strand);
    event.phase = id_of(name);
    return add(event);
  }
  RankStream& compute(std::int64_t begin, std::int64_t end, std::string_view name) {
    StepEvent event = at(end, EventKind::local, Verb::compute, 0);
    event.begin_ns = begin;
    event.phase = id_of(name);
    return add(event);
  }
  RankStream& message(std::int64_t begin, std::int64_t end, std::uint16_t strand) {
    for (const auto& [now, kind] :
         {std::pair{begin, EventKind::posted}, std::pair{end, EventKind::completed}}) {
      StepEvent event = at(now, kind, Verb::send, strand);
      event.op = make_op(batch_.rank, operations_ + 1);
      event.peer = 0;
      add(event);
    }
    ++operations_;
    return *this;
  }
  /// In the order of time.
  Trace trace() {
    std::ranges::stable_sort(batch_.events, {}, &StepEvent::time_ns);
    std::uint32_t seq = 0;
    for (StepEvent& event : batch_.events) event.seq = seq++;
    TraceMeta meta;
    meta.world_size = batch_.rank + 1;
    return make_trace({batch_}, meta);
  }

 private:
  StepEvent at(std::int64_t now, EventKind kind, Verb verb, std::uint16_t strand) const {
    StepEvent event;
    event.rank = batch_.rank;
    event.epoch = batch_.epoch;
    event.kind = kind;
    event.verb = verb;
    event.strand = strand;
    event.time_ns = event.begin_ns = now;
    return event;
  }
  RankStream& add(const StepEvent& event) {
    batch_.events.push_back(event);
    return *this;
  }
  std::uint32_t id_of(std::string_view name) {
    for (const Definition& one : batch_.definitions)
      if (one.name == name) return one.id;
    Definition phase;
    phase.kind = Definition::Kind::phase;
    phase.id = static_cast<std::uint32_t>(batch_.definitions.size()) + 1;
    phase.rank = batch_.rank;
    phase.name = name;
    batch_.definitions.push_back(phase);
    return phase.id;
  }

  EventBatch batch_;
  std::uint64_t operations_ = 0;
};

OverlapRun made_up(std::uint64_t bucket_bytes) {
  OverlapRun run;
  for (const std::uint64_t bytes : {400, 4000, 40000, 400}) run.stack.push_back({800, bytes});
  run.bucket_bytes = bucket_bytes;
  return run;
}

Trace trace_of(const OverlapRun& run, int ranks, double delay_us) {
  JobSpec spec = job_of(run, ranks);
  spec.transport.name = "inproc";
  spec.world.delays_us.assign(static_cast<std::size_t>(ranks), delay_us);
  RunnerOptions options;
  options.part = execute_training;
  InprocRunner runner(std::move(options));
  CollectingSink sink;
  const JobResult result = runner.run(spec, sink);
  INFO(result.message);
  REQUIRE(result.ok());
  return make_trace(sink.take(), meta_of(spec));
}

/// What must hold of any run, however slow the machine is.
void check_step(const StepFigures& step) {
  std::vector<std::int64_t> lasting;
  std::int64_t before = 0;
  for (std::size_t j = 0; j < step.allreduces.size(); ++j) {
    CHECK(step.allreduces[j].begin >= step.startable[j]);
    CHECK(step.allreduces[j].begin >= before);
    CHECK(step.startable[j] >= step.full[j]);
    before = step.allreduces[j].end;
    lasting.push_back(step.allreduces[j].length());
  }
  CHECK(step.closed_form == exposed_time(step.startable, lasting, step.computed));
  CHECK(step.slack >= 0);
  CHECK(std::abs(step.times.exposed - step.closed_form) <= step.slack);
  // The closed form cannot be later than what happened, and is earlier by no more than the slack.
  const std::int64_t behind = std::max<std::int64_t>(0, before - step.computed);
  CHECK(step.closed_form <= behind);
  CHECK(behind <= step.closed_form + step.slack);
  CHECK(step.times.hidden + step.times.exposed == step.times.communicating);
  CHECK(step.times.hidden <= step.times.computing);
  CHECK(step.times.computing + step.times.exposed <= step.times.total);
}

}  // namespace

TEST_CASE("training: exposed communication is what no computing covers", "[training]") {
  const Trace trace = RankStream(0)
                          .phase(0, Verb::phase_begin, "step")
                          .compute(0, 100, "backward b")
                          .compute(100, 300, "backward a")
                          .phase(110, Verb::phase_begin, "bucket 1", 1)
                          .phase(120, Verb::phase_begin, "ring", 1)
                          .message(120, 180, 1)
                          .phase(190, Verb::phase_end, "ring", 1)
                          .phase(200, Verb::phase_end, "bucket 1", 1)
                          .phase(250, Verb::phase_begin, "bucket 2", 1)
                          .message(250, 380, 1)
                          .phase(390, Verb::phase_end, "bucket 2", 1)
                          .phase(400, Verb::phase_end, "step")
                          .phase(500, Verb::phase_begin, "other")
                          .message(510, 520, 0)
                          .phase(530, Verb::phase_end, "other")
                          .message(540, 545, 0)
                          .trace();
  const auto step = work_of_ranks(trace, "step");
  REQUIRE(step.size() == 1);
  CHECK(step[0].time == Interval{0, 400});
  REQUIRE(step[0].communicating.size() == 2);
  CHECK(step[0].communicating[0].name == "bucket 1");
  CHECK(step[0].communicating[0].time == Interval{110, 200});
  CHECK(step[0].communicating[1].time == Interval{250, 390});
  CHECK(step[0].communicating[1].strand == 1);
  REQUIRE(step[0].computing.size() == 2);
  CHECK(step[0].computing[1].name == "backward a");
  CHECK(step[0].computing[1].time == Interval{100, 300});
  const OverlapTimes times = overlap_times(step[0]);
  CHECK(times.total == 400);
  CHECK(times.computing == 300);
  CHECK(times.communicating == 230);
  CHECK(times.exposed == 90);  // 300 to 390
  CHECK(times.hidden == 140);
  CHECK(phases_that_compute(trace) == std::vector<std::string>{"step"});
  // Of the whole run: also what comes later, in a phase and outside of all.
  const auto all = work_of_ranks(trace);
  REQUIRE(all[0].communicating.size() == 4);
  CHECK(all[0].communicating[2].time == Interval{500, 530});
  CHECK(all[0].communicating[3].time == Interval{540, 545});
  CHECK(overlap_times(all[0]).exposed == 90 + 30 + 5);
  CHECK(work_of_ranks(trace, "nothing").empty());
  CHECK(work_of_ranks(Trace()).empty());
}

TEST_CASE("training: intervals are covered once, and cut by others", "[training]") {
  CHECK(covered({{0, 10}, {5, 15}, {20, 30}, {40, 40}}) == 25);
  CHECK(without({{0, 10}, {5, 30}}, {{2, 4}, {8, 12}, {29, 40}}) ==
        std::vector<Interval>{{0, 2}, {4, 8}, {12, 29}});
  CHECK(without({{0, 10}}, {}) == std::vector<Interval>{{0, 10}});
  CHECK(without({{0, 10}}, {{0, 10}}).empty());
  CHECK(without({}, {{0, 10}}).empty());
}

TEST_CASE("training: a run's exposed communication is that of the closed form", "[training]") {
  for (const int ranks : {1, 2, 4})
    for (const std::uint64_t bucket : {1, 4000, 1 << 20})
      for (const double delay_us : {0.0, 60.0}) {
        INFO(ranks << " ranks, buckets of " << bucket << ", delay " << delay_us);
        const OverlapMeasured measured =
            overlap_measured(trace_of(made_up(bucket), ranks, delay_us));
        CHECK(measured.different == 0);
        CHECK(measured.ranks_agree);
        REQUIRE(measured.overlapped.size() == static_cast<std::size_t>(ranks));
        REQUIRE(measured.apart.size() == static_cast<std::size_t>(ranks));
        for (const StepFigures& one : measured.overlapped) check_step(one);
        for (const StepFigures& one : measured.apart) {
          check_step(one);
          CHECK(one.times.hidden == 0);
          CHECK(one.times.exposed == one.times.communicating);
        }
        const std::size_t buckets = bucket == 1 ? 4 : bucket == 4000 ? 3 : 1;
        CHECK(measured.overlapped[0].allreduces.size() == buckets);
        CHECK(measured.expected_exposed() >= 0);
      }
}

TEST_CASE("training: LeNet-5 is averaged alike with and without overlap", "[training]") {
  OverlapRun run;
  run.batch = 2;
  run.bucket_bytes = 16384;
  const OverlapMeasured measured = overlap_measured(trace_of(run, 3, 0));
  CHECK(measured.different == 0);
  CHECK(measured.ranks_agree);
  for (const StepFigures& one : measured.overlapped) {
    check_step(one);
    CHECK(one.allreduces.size() == 3);
  }
}

TEST_CASE("training: settings of a step with overlap come back, and wrong ones are refused",
          "[training]") {
  OverlapRun run = made_up(4096);
  run.compute_scale = 2.5;
  CHECK(to_json(overlap_run_from_json(to_json(run))) == to_json(run));
  CHECK_THROWS_AS(overlap_run_from_json("{}"), UserError);
  run.allreduce = "broadcast.flat";
  CHECK_THROWS_WITH(run.validate(), ContainsSubstring("broadcast.flat is no allreduce"));
  run.allreduce = "allreduce.ring";
  run.compute_scale = 0.5;
  CHECK_THROWS_WITH(run.validate(), ContainsSubstring("--compute-scale"));
  run.compute_scale = 1;
  run.stack[1].bytes = 0;
  CHECK_THROWS_WITH(run.validate(), ContainsSubstring("4 bytes"));
  const Trace other = trace_of(made_up(1), 1, 0);
  TraceMeta meta = other.meta();
  CHECK_NOTHROW(overlap_measured(other));
  meta.job = JobSpec();
  CHECK_THROWS_WITH(overlap_measured(make_trace({}, meta)),
                    ContainsSubstring("rankscope overlap -o FILE"));
  meta.job = other.meta().job;
  CHECK_THROWS_WITH(overlap_measured(make_trace({}, meta)), ContainsSubstring("Record it again"));
}

TEST_CASE("training: the command measures overlap in worker processes, and reads its traces",
          "[training]") {
  const ScratchFolder folder("overlap");
  const auto file = [&](const char* name) { return (folder.path() / name).string(); };
  const std::vector<std::string> words{
      "overlap",   "--np",           "2",       "--layers", "2x1ms:4KiB,1ms:100",
      "--bucket",  "4KiB,1MiB",      "--delay", "50",       "--compute-scale",
      "1",         "--repeat",       "1",       "-o",       file("step.rankscope"),
      "--picture", file("step.svg"), "--json"};
  const test::Finished done = test::run_rankscope(words);
  INFO(done.err);
  REQUIRE(done.exit_code == 0);
  const json printed = parse_json(done.out);
  REQUIRE(printed["sizes"].size() == 2);
  CHECK(printed["sizes"][0]["bucket_bytes"] == 4096);
  CHECK(printed["sizes"][0]["overlapped"][1]["buckets"].size() == 2);
  CHECK(printed["sizes"][1]["overlapped"][0]["buckets"].size() == 1);
  CHECK(printed["sizes"][1]["overlapped"][0]["hidden_ns"] == 0);  // one bucket is full at the end
  for (const json& one : printed["sizes"]) {
    CHECK(one["same_bits"] == true);
    CHECK(one["ranks_agree"] == true);
  }
  CHECK(fs::file_size(file("step.svg")) > 1000);
  const test::Finished again = test::run_rankscope(
      {"overlap", "--read", file("step-4KiB.rankscope"), file("step-1MiB.rankscope"), "--json"});
  INFO(again.err);
  CHECK(parse_json(again.out) == printed);
  const test::Finished text =
      test::run_rankscope({"overlap", "--read", file("step-4KiB.rankscope"), "--per-rank"});
  CHECK_THAT(text.out, ContainsSubstring("closed form") && ContainsSubstring("4 KiB") &&
                           ContainsSubstring("yes"));
  CHECK_THAT(text.err, ContainsSubstring("max_j(r_j"));
}

TEST_CASE("training: the command says what is wrong with a step's options", "[training]") {
  const auto error_of = [](std::vector<std::string> words) {
    words.insert(words.begin(), "overlap");
    const test::Finished done = test::run_rankscope(words);
    CHECK(done.exit_code == 2);
    return done.err;
  };
  CHECK_THAT(error_of({"--layers", "5ms"}), ContainsSubstring("such as 5ms:64KiB"));
  CHECK_THAT(error_of({"--layers", "5:64KiB"}), ContainsSubstring("'5' is not a time"));
  CHECK_THAT(error_of({"--allreduce", "broadcast.flat"}), ContainsSubstring("is no allreduce"));
  CHECK_THAT(error_of({"--bucket", "0"}), ContainsSubstring("1 byte or more"));
  CHECK_THAT(error_of({"--picture", "step.xyz"}), ContainsSubstring(".svg"));
  CHECK_THAT(error_of({"--np", "0"}), ContainsSubstring("world size"));
  CHECK_THAT(error_of({"--delay", "-1"}), ContainsSubstring("delay"));
  CHECK_THAT(error_of({"--read", "nowhere.rankscope"}), ContainsSubstring("nowhere.rankscope"));
}

TEST_CASE("training: a modelled step has the times of the closed form", "[training]") {
  OverlapRun run;
  for (const double us : {10.0, 20.0, 30.0}) run.stack.push_back({us, 8000});
  run.bucket_bytes = 8000;
  // 4 ranks: 6 messages of 2000 bytes, each 1 us + 2 us.
  const NetworkModel network{.alpha_us = 1, .bytes_per_s = 1e9};
  CHECK(ring_allreduce_ns(network, 4, 8000) == 18000);
  CHECK(ring_allreduce_ns(network, 1, 8000) == 0);
  const RankWork apart = modelled_step(run, network, 4, false),
                 with = modelled_step(run, network, 4, true);
  CHECK(apart.time == Interval{0, 60000 + 3 * 18000});
  CHECK(overlap_times(apart).exposed == 3 * 18000);
  // Full at 30, 50 and 60: 30 to 48, 50 to 68, 68 to 86.
  REQUIRE(with.communicating.size() == 3);
  CHECK(with.communicating[0].time == Interval{30000, 48000});
  CHECK(with.communicating[1].time == Interval{50000, 68000});
  CHECK(with.communicating[2].time == Interval{68000, 86000});
  CHECK(overlap_times(with).exposed == 26000);
  CHECK(overlap_times(with).hidden == 18000 + 10000);
  run.bucket_bytes = 1 << 20;
  CHECK(overlap_times(modelled_step(run, network, 4, true)).hidden == 0);
  run.stack.clear();
  CHECK_THROWS_WITH(modelled_step(run, network, 4, true), ContainsSubstring("--layers"));
}

TEST_CASE("training: the command tells by the closed form what sizes of buckets would do",
          "[training]") {
  const ScratchFolder folder("forecast");
  const std::string picture = (folder.path() / "model.svg").string();
  const test::Finished done = test::run_rankscope(
      {"overlap", "--np", "4", "--layers", "3x10us:8000", "--bucket", "8000,1MiB",
       "--compute-scale", "1", "--model", "1us,1GB", "--picture", picture, "--json"});
  INFO(done.err);
  REQUIRE(done.exit_code == 0);
  const json sizes = parse_json(done.out)["model"];
  REQUIRE(sizes.size() == 2);
  CHECK(sizes[0]["step_apart_ns"] == 30000 + 3 * 18000);
  CHECK(sizes[0]["exposed_ns"] == 10000 + 3 * 18000 - 30000);
  CHECK(sizes[1]["buckets"] == 1);
  CHECK(fs::file_size(picture) > 1000);
  const test::Finished wrong = test::run_rankscope({"overlap", "--model", "5"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, ContainsSubstring("such as 100us,1GiB"));
  const test::Finished lenet = test::run_rankscope({"overlap", "--model", "1us,1GB"});
  CHECK(lenet.exit_code == 2);
  CHECK_THAT(lenet.err, ContainsSubstring("--layers"));
}
