// Inputs given element by element: text form, errors, and runs with them.
#include "engine/run/job/given_values.h"

#include "engine/core/base/error.h"
#include "engine/core/run/job_json.h"
#include "engine/run/conductor/process_runner.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;
using test::has;

namespace {

JobSpec with_values(std::string_view algorithm, int ranks, std::string_view values) {
  JobSpec spec;
  spec.call.algorithm = algorithm;
  spec.world.size = ranks;
  spec.call.dtype = DType::int32;
  give_values(spec, values);
  return spec;
}

std::string complaint(const JobSpec& spec) {
  try {
    validate(spec);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("values have a text form: one a rank, or rank by rank", "[run][job]") {
  JobSpec spec;
  give_values(spec, "5,3,7,2");
  CHECK(spec.data.input == InputPattern::given);
  CHECK(spec.data.values == std::vector<std::vector<double>>{{5}, {3}, {7}, {2}});
  CHECK(values_text(spec.data.values) == "5,3,7,2");
  CHECK(spec.call.shape == JobSpec{}.call.shape);
  give_values(spec, " 0, 10 ; 1,11;2,-1.5 ");
  CHECK(spec.data.values == std::vector<std::vector<double>>{{0, 10}, {1, 11}, {2, -1.5}});
  CHECK(values_text(spec.data.values) == "0,10;1,11;2,-1.5");
  CHECK(spec.call.shape == std::vector<Count>{2});
  spec.call.shape = {1, 2};  // counts as many: stays
  give_values(spec, "0,10;");
  CHECK(spec.data.values == std::vector<std::vector<double>>{{0, 10}});
  CHECK(values_text(spec.data.values) == "0,10;");
  CHECK(spec.call.shape == std::vector<Count>{1, 2});
  give_values(spec, "");
  CHECK(spec.data.values.empty());
  CHECK(spec.data.input == InputPattern::exact);
  for (const auto* text : {"5,,3", "five", "1,2;x", "1 2", "0x10"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(give_values(spec, text), UserError);
  }
}

TEST_CASE("given values that a job cannot have are refused", "[run][job]") {
  JobSpec spec = with_values("allreduce.ring", 4, "5,3,7,2");
  CHECK(complaint(spec).empty());
  spec.world.size = 5;
  CHECK(has(complaint(spec), "4 ranks, but there are 5"));
  spec = with_values("allreduce.ring", 2, "1,2,3;4,5");
  CHECK(has(complaint(spec), "rank 1 was given 2 values, but its input has 3 elements"));
  spec.data.input = InputPattern::exact;
  CHECK(has(complaint(spec), "the input is exact"));
  spec = with_values("allreduce.ring", 2, "1,2");
  spec.data.values.clear();
  CHECK(has(complaint(spec), "values are given for 0 ranks"));
  const auto refused = [](DType dtype, std::string_view values) {
    JobSpec job = with_values("allreduce.ring", 2, values);
    job.call.dtype = dtype;
    return has(complaint(job), "cannot hold the value");
  };
  CHECK(refused(DType::int32, "1,2.5"));
  CHECK(refused(DType::int32, "2147483648,1"));
  CHECK_FALSE(refused(DType::int32, "2147483647,-2147483648"));
  CHECK(refused(DType::uint8, "1,-1"));
  CHECK(refused(DType::uint8, "256,1"));
  CHECK_FALSE(refused(DType::uint8, "255,0"));
  CHECK(refused(DType::int64, "9223372036854775808,0"));
  CHECK_FALSE(refused(DType::int64, "-9223372036854775808,0"));
  CHECK(refused(DType::float32, "1e39,0"));
  CHECK_FALSE(refused(DType::float32, "1e38,0.1"));
  CHECK_FALSE(refused(DType::float64, "1e39,0"));
}

TEST_CASE("given values go through a job's JSON", "[run][job]") {
  const JobSpec spec = with_values("allgather.ring", 3, "0,10;1,11;2,12.5");
  const JobSpec again = job_from_json(to_json(spec));
  CHECK(again.data.values == spec.data.values);
  CHECK(again.data.input == InputPattern::given);
  CHECK(job_from_json(R"({"values": [[5],[3],[7],[2]], "input": "given"})").data.values.size() ==
        4);
  CHECK_FALSE(has(to_json(JobSpec{}), "values"));
  for (const auto* text : {R"({"values": 5})", R"({"values": [5,3]})", R"({"values": [["5"]]})",
                           R"({"values": [[null]]})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(job_from_json(text), UserError);
  }
}

// 5 + 3 + 7 + 2: the oracle has them too, so a right result is right.
TEST_CASE("the oracle computes from given values", "[run][job]") {
  const std::vector<std::vector<double>> values{{5}, {3}, {7}, {2}};
  OracleJob job{.shape = Shape::flat(3), .dtype = DType::int32, .n = 4};
  job.pattern = InputPattern::given;
  job.values = values;
  CHECK(expected_output(job, 2).to_vector<std::int32_t>() == std::vector<std::int32_t>{17, 17, 17});
  const std::vector<std::vector<double>> rows{{0, 10}, {1, 11}, {2, 12}};
  OracleJob gathered{.collective = Collective::allgather, .shape = Shape::flat(2), .n = 3};
  gathered.pattern = InputPattern::given;
  gathered.values = rows;
  CHECK(expected_output(gathered, 1).to_vector<float>() == std::vector<float>{0, 10, 1, 11, 2, 12});
}

TEST_CASE("jobs with given values run on threads and in processes", "[run][job]") {
  CollectingSink sink;
  const auto run = [&](Runner& runner, JobSpec spec) {
    const JobResult result = runner.run(spec, sink);
    INFO(to_json(result));
    CHECK(result.ok());
    for (const auto& rank : result.ranks) CHECK(rank.checked);
    return result.ranks.empty() ? 0 : result.ranks.front().digest;
  };
  JobSpec spec = with_values("allreduce.ring", 4, "5,3,7,2");
  JobSpec threads = spec;
  threads.transport.name = "inproc";
  InprocRunner inproc;
  RunnerOptions options;
  options.program = test::rankscope_binary().string();
  ProcessRunner processes(options);
  const auto sum = run(processes, spec);
  CHECK(run(inproc, threads) == sum);
  threads.data.values = {{17}, {0}, {0}, {0}};  // the same sum from other values
  CHECK(run(inproc, threads) == sum);
  threads.data.values = {{18}, {0}, {0}, {0}};
  CHECK(run(inproc, threads) != sum);
  run(processes, with_values("alltoall.pairwise", 3, "0,1,2;10,11,12;20,21,22"));
  run(processes, with_values("scatter.flat", 2, "1,2,3,4;;"));  // rank 1 brings nothing
}
