// The oracle against numbers worked out by hand.
#include "engine/collectives/oracle.h"

#include <chrono>
#include <cmath>
#include <limits>

#include "tests/support/catch.h"

using namespace rankscope;

namespace {

std::vector<std::int64_t> expected(OracleJob job, Rank rank) {
  job.dtype = DType::int64;
  return expected_output(job, rank).to_vector<std::int64_t>();
}
using Values = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("expected outputs of small calls", "[collectives]") {
  OracleJob job{.shape = Shape::flat(4), .n = 4, .pattern = InputPattern::index};
  job.collective = Collective::reduce_scatter;  // arange(4) + 4r
  CHECK(expected(job, 0) == Values{24});
  CHECK(expected(job, 3) == Values{36});
  job.collective = Collective::allreduce;
  CHECK(expected(job, 2) == Values{24, 28, 32, 36});
  job.op = ReduceOp::max;
  CHECK(expected(job, 2) == Values{12, 13, 14, 15});
  job.op = ReduceOp::avg;
  CHECK(expected(job, 1) == Values{6, 7, 8, 9});
  job.collective = Collective::broadcast;
  job.root = 2;
  CHECK(expected(job, 0) == Values{8, 9, 10, 11});
  job.collective = Collective::scatter;
  job.shape = Shape::flat(6);
  CHECK(expected(job, 0) == Values{12, 13});
  CHECK(expected(job, 3) == Values{17});
  job.shape = Shape::flat(2);
  job.collective = Collective::gather;
  CHECK(expected(job, 2) == Values{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(expected(job, 1).empty());
  job.collective = Collective::allgather;
  CHECK(expected(job, 1) == Values{0, 1, 2, 3, 4, 5, 6, 7});
  job.collective = Collective::p2p;
  CHECK(expected(job, 1) == Values{0, 1});
  CHECK(expected(job, 2) == Values{4, 5});
  job.collective = Collective::p2p_shift;
  CHECK(expected(job, 0) == Values{6, 7});
}

TEST_CASE("reductions of 1, 2, 3, 4 by every operator", "[collectives]") {
  const auto result = [](ReduceOp op) {
    return expected({.shape = Shape::flat(1), .op = op, .n = 4, .pattern = InputPattern::rank},
                    0)[0];
  };
  CHECK(result(ReduceOp::sum) == 10);
  CHECK(result(ReduceOp::product) == 24);
  CHECK(result(ReduceOp::min) == 1);
  CHECK(result(ReduceOp::max) == 4);
  CHECK(result(ReduceOp::avg) == 2);
  CHECK(result(ReduceOp::band) == 0);
  CHECK(result(ReduceOp::bor) == 7);
  CHECK(result(ReduceOp::bxor) == 4);
}

TEST_CASE("all-to-all across dimensions", "[collectives]") {
  // in is [2, 4] on 2 ranks, r * 8 + i; scatter columns, gather rows: [4, 2].
  OracleJob job{.collective = Collective::alltoall,
                .shape = Shape({2, 4}),
                .n = 2,
                .scatter_dim = 1,
                .gather_dim = 0,
                .pattern = InputPattern::index};
  CHECK(expected(job, 0) == Values{0, 1, 4, 5, 8, 9, 12, 13});
  CHECK(expected(job, 1) == Values{2, 3, 6, 7, 10, 11, 14, 15});
  job.scatter_dim = 0;  // scatter rows, gather columns: [1, 8]
  job.gather_dim = 1;
  CHECK(expected(job, 0) == Values{0, 1, 2, 3, 8, 9, 10, 11});
}

TEST_CASE("exact inputs: float results are exact, and differ by element and rank",
          "[collectives]") {
  for (const ReduceOp op : {ReduceOp::sum, ReduceOp::product, ReduceOp::avg}) {
    OracleJob job{.shape = Shape::flat(3000), .dtype = DType::float32, .op = op, .n = 64};
    const auto single = expected_output(job, 0).to_vector<float>();
    job.dtype = DType::float64;
    const auto twice = expected_output(job, 0).to_vector<double>();
    for (std::size_t i = 0; i < single.size(); ++i)
      REQUIRE(static_cast<double>(single[i]) == twice[i]);
  }
  Buffer a = Buffer::allocate(DType::int32, 1000), b = Buffer::allocate(DType::int32, 1000);
  fill_input(a, InputPattern::exact, 1, 0, 4, ReduceOp::sum);
  fill_input(b, InputPattern::exact, 1, 1, 4, ReduceOp::sum);
  int equal = 0;
  for (std::size_t i = 0; i < 1000; ++i)
    equal += a.as<std::int32_t>()[i] == b.as<std::int32_t>()[i] ? 1 : 0;
  CHECK(equal < 30);  // one in 256 by chance
}

TEST_CASE("a check says which element is wrong", "[collectives]") {
  OracleJob job{.shape = Shape::flat(40000), .dtype = DType::float32, .n = 3};
  Buffer out = expected_output(job, 1);
  CHECK(check_output(job, 1, out).ok());
  out.as<float>()[33333] += 1;
  const auto found = check_output(job, 1, out);
  CHECK(found.index == 33333);
  CHECK(found.expected != found.got);
  CHECK_FALSE(check_output(job, 1, out[{0, 10}]).ok());
  job.collective = Collective::reduce;
  CHECK(check_output(job, 1, out).ok());  // unspecified there
  CHECK_FALSE(check_output(job, 0, out).ok());
}

TEST_CASE("reals may differ by rounding, and by nothing more", "[collectives]") {
  OracleJob job{.shape = Shape::flat(5000), .n = 9, .pattern = InputPattern::real};
  for (const ReduceOp op : {ReduceOp::sum, ReduceOp::product, ReduceOp::avg}) {
    job.op = op;
    Buffer out = expected_output(job, 0);
    auto& value = out.as<float>()[1234];
    const float right = value;
    value = std::nextafter(right, 2.0F);
    CHECK(check_output(job, 0, out).ok());
    value = right * 1.001F + 1e-4F;
    CHECK(check_output(job, 0, out).index == 1234);
    value = std::numeric_limits<float>::quiet_NaN();
    CHECK(check_output(job, 0, out).index == 1234);
  }
  job.op = ReduceOp::max;  // nothing is rounded
  Buffer out = expected_output(job, 0);
  out.as<float>()[7] = std::nextafter(out.as<float>()[7], 2.0F);
  CHECK(check_output(job, 0, out).index == 7);
}

TEST_CASE("names of input patterns", "[collectives]") {
  for (const auto pattern :
       {InputPattern::exact, InputPattern::index, InputPattern::rank, InputPattern::real})
    CHECK(parse_input_pattern(to_string(pattern)) == pattern);
  CHECK(parse_input_pattern("INDEX") == InputPattern::index);
  CHECK_FALSE(parse_input_pattern("random"));
}

TEST_CASE("checking 32 MiB of 8 ranks' sum takes about a second in all", "[collectives][serial]") {
  const OracleJob job{.shape = Shape::flat(8 << 20), .n = 8};
  const Buffer out = expected_output(job, 0);
  const auto start = std::chrono::steady_clock::now();
  CHECK(check_output(job, 5, out).ok());
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  INFO(elapsed.count() << " s for one rank");
  CHECK(elapsed.count() < 1);  // generous: 0.1 s on a quiet machine
}
