// Names, lookup and argument checks of the registered algorithms.
#include <algorithm>
#include <set>

#include "engine/collectives/algorithm.h"
#include "engine/collectives/embedded_sources.h"
#include "engine/core/base/error.h"
#include "tests/support/catch.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;

TEST_CASE("an algorithm's name, file and collective agree", "[collectives]") {
  std::set<std::string_view> names;
  for (const auto& algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    CHECK(names.insert(algorithm.name).second);
    CHECK(find_algorithm(algorithm.name) == &algorithm);
    const auto collective = to_string(algorithm.collective);
    CHECK(algorithm.name.starts_with(std::string(collective) + "."));
    std::string stem(algorithm.name);
    std::ranges::replace(stem, '.', '_');
    const auto* source = find_embedded_source(stem);
    REQUIRE(source != nullptr);
    CHECK(source->text.find("void " + stem + "(Communicator& comm") != std::string_view::npos);
    CHECK_FALSE(algorithm.title.empty());
    CHECK_FALSE(algorithm.best_use.empty());
  }
}

TEST_CASE("an unknown algorithm's error names the nearest ones", "[collectives]") {
  const auto message = [](std::string_view name) -> std::string {
    try {
      require_algorithm(name);
    } catch (const UserError& e) {
      return e.what();
    }
    return "";
  };
  CHECK(message("allreduce.ring").empty());
  CHECK(message("allreduce.rign").find("did you mean allreduce.ring?") != std::string::npos);
  CHECK(message("allreduce").find("allreduce.flat, allreduce.mst") != std::string::npos);
  CHECK(message("bruck").find("allgather.bruck or alltoall.bruck") != std::string::npos);
  CHECK(message("").find("rankscope list") != std::string::npos);
  CHECK(message("frobnicate").find("rankscope list") != std::string::npos);
}

TEST_CASE("a call that cannot be is refused before anything is sent", "[collectives]") {
  InprocWorld world(3);
  const auto run = [&](std::string_view name, Args args) {
    args.in = Buffer::allocate(DType::float32, 4);
    args.out = Buffer::allocate(DType::float32, 4);
    world.run([&](Communicator& comm) { run_algorithm(comm, require_algorithm(name), args); });
  };
  CHECK_THROWS_AS(run("broadcast.flat", {.root = 3}), UserError);
  CHECK_THROWS_AS(run("reduce.flat", {.root = -1}), UserError);
  CHECK_THROWS_AS(run("allreduce.ring", {.op = ReduceOp::bxor}), UserError);
  CHECK_THROWS_AS(run("allreduce.hierarchical", {.group_size = -2}), UserError);
  CHECK_THROWS_AS(run("broadcast.knomial", {.radix = 1}), UserError);
  CHECK_NOTHROW(run("broadcast.flat", {.op = ReduceOp::bxor}));
}

TEST_CASE("shapes of inputs and outputs", "[collectives]") {
  const Shape in({2, 8, 6});
  CHECK(alltoall_shape(in, 2, 1, 4, 0) == Shape({2, 32, 2}));
  CHECK(alltoall_shape(in, 2, 1, 4, 3) == Shape({2, 32, 1}));
  CHECK(alltoall_shape(Shape::flat(8), 0, 0, 4, 1) == Shape::flat(8));
  CHECK_THROWS_AS(alltoall_shape(in, 3, 0, 4, 0), UserError);
  CHECK_THROWS_AS(alltoall_shape(in, 0, -1, 4, 0), UserError);
  const auto out = [](Collective collective, Rank rank) {
    return extents_of(collective, Shape::flat(10), 4, rank, 1, 0, 0);
  };
  CHECK(out(Collective::gather, 1).out.count() == 40);
  CHECK(out(Collective::gather, 0).out.count() == 0);
  CHECK(out(Collective::allgather, 3).out.count() == 40);
  CHECK(out(Collective::scatter, 1).in.count() == 10);
  CHECK(out(Collective::scatter, 0).in.count() == 0);
  CHECK(out(Collective::scatter, 0).out.count() == 3);
  CHECK(out(Collective::reduce_scatter, 2).out.count() == 2);
  CHECK(out(Collective::barrier, 2).out.count() == 0);
}
