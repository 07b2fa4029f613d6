// Compares the promises of collectives with the oracle, whose arithmetic is its own.
#include "engine/account/promise.h"

#include "engine/account/fault.h"
#include "engine/collectives/oracle.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {

std::vector<std::vector<double>> some_inputs(const account::Call& call) {
  std::vector<std::vector<double>> inputs(static_cast<std::size_t>(call.ranks));
  double next = 1;
  for (auto& input : inputs)
    for (Count e = 0; e < call.shape.count(); ++e) input.push_back(next++);
  return inputs;
}

void check_promise(const account::Call& call, ReduceOp op) {
  const auto inputs = some_inputs(call);
  OracleJob job{.collective = call.collective,
                .shape = call.shape,
                .dtype = DType::float64,
                .op = op,
                .root = call.root,
                .n = call.ranks,
                .scatter_dim = call.scatter_dim,
                .gather_dim = call.gather_dim,
                .pattern = InputPattern::given,
                .values = inputs};
  for (Rank rank = 0; rank < call.ranks; ++rank) {
    INFO(traits(call.collective).key << " of " << call.shape.to_string() << " on rank " << rank
                                     << " of " << call.ranks << ", root " << call.root << ", "
                                     << call.scatter_dim << " to " << call.gather_dim);
    const account::Contents owed = account::promised(call, rank);
    const auto got = account::promised_values(owed, inputs, op);
    const bool defined = !traits(call.collective).result_at_root || rank == call.root;
    const auto want = expected_output(job, rank).to_vector<double>();
    CHECK(got == (defined ? want : std::vector<double>()));
    if (defined) CHECK(account::promised_shape(call, rank).count() == std::ssize(want));
    Count next = 0;
    for (const account::Stretch& one : owed) {
      CHECK(one.elements.offset == next);
      CHECK(one.elements.count > 0);
      CHECK(one.shares.known());
      next = one.elements.end();
    }
  }
}

}  // namespace

TEST_CASE("what is promised is what the oracle expects, for every collective", "[account]") {
  for (const CollectiveTraits& row : collectives())
    for (const int ranks : {1, 2, 3, 4, 7})
      for (const Count count : {0, 1, 3, 8, 13, 28})
        for (Rank root = 0; root < (row.rooted ? ranks : 1); ++root)
          check_promise({row.collective, ranks, Shape::flat(count), root}, ReduceOp::sum);
}

TEST_CASE("what is promised of arrays is what the oracle expects, along every dimension",
          "[account]") {
  for (const int ranks : {1, 2, 3, 5})
    for (const Shape& shape : {Shape({4, 6}), Shape({2, 5, 3}), Shape({6, 1, 6}), Shape({0, 3})}) {
      for (int cut = 0; cut < shape.dims(); ++cut)
        for (int join = 0; join < shape.dims(); ++join)
          check_promise({Collective::alltoall, ranks, shape, 0, cut, join}, ReduceOp::sum);
      for (const Collective one : {Collective::allgather, Collective::reduce_scatter})
        check_promise({one, ranks, shape}, ReduceOp::sum);
    }
}

TEST_CASE("promised values are reduced by each operator", "[account]") {
  for (const ReduceOp op :
       {ReduceOp::sum, ReduceOp::avg, ReduceOp::product, ReduceOp::min, ReduceOp::max})
    for (const Collective one :
         {Collective::reduce, Collective::allreduce, Collective::reduce_scatter})
      check_promise({one, 3, Shape::flat(4), 1}, op);
}

TEST_CASE("a promise says whose data an element is, and how often", "[account]") {
  using account::Share;
  using account::Shares;
  const auto sum = account::promised({Collective::reduce_scatter, 2, Shape::flat(4)}, 1);
  REQUIRE(sum.size() == 1);
  CHECK(sum[0].elements == Range{0, 2});
  CHECK(sum[0].shares == Shares({Share{0, 2}, Share{1, 2}}));
  CHECK(sum[0].shares.complete(2));
  const auto all = account::promised({Collective::allgather, 3, Shape::flat(2)}, 0);
  REQUIRE(all.size() == 3);
  CHECK(all[2].elements == Range{4, 2});
  CHECK(*all[2].shares.origin() == Share{2, 0});
  // Inputs of different lengths.
  account::Call uneven{Collective::alltoall, 2, Shape::flat(0)};
  uneven.counts = {3, 2};
  const auto regrouped = account::promised(uneven, 0);
  REQUIRE(regrouped.size() == 2);
  CHECK(regrouped[0] == account::Stretch{{0, 2}, Share{0, 0}});
  CHECK(regrouped[1] == account::Stretch{{2, 1}, Share{1, 0}});
}

TEST_CASE("faults say what is missing, doubled and foreign", "[account]") {
  using account::Share;
  using account::Shares;
  using enum account::Fault::Kind;
  const Shares wanted = Shares::of_all(3), held({Share(1, -1, 2), Share(2), Share(4)});
  const auto faults = faults_in(held, wanted);
  REQUIRE(faults.size() == 3);
  CHECK(faults[0].kind == missing);
  CHECK(faults[0].shares.at(0) == Share(0, -1, 0));
  CHECK(faults[1].kind == doubled);
  CHECK(faults[1].shares.at(0) == Share(1, -1, 2));
  CHECK(faults[2].kind == foreign);
  CHECK(faults[2].shares.at(0).rank == 4);
  CHECK(faults_in(wanted, wanted).empty());
  CHECK(fault_words(held, wanted) ==
        "has rank 1 twice and lacks rank 0 and has rank 4, which does not belong there");
  CHECK(fault_words(Share(0, -1, 3), Shares::of_all(3)) ==
        "has rank 0 three times and lacks ranks 1 and 2");
  CHECK(fault_words({}, Shares::of_all(3)) == "has no rank's data");
  CHECK(fault_words(Share(1, 2), Share(1, 3), "chunk") ==
        "lacks rank 1's chunk 3 and has rank 1's chunk 2, which does not belong there");
  CHECK(fault_words(wanted, wanted).empty());
}

TEST_CASE("shares add up, follow their elements, and say what they are", "[account]") {
  using account::Share;
  using account::Shares;
  const Shares once = Share{1, 4}, more = sum(once, sum(Share{0, 4}, once));
  CHECK(more.text() == "r0[4]+2·r1[4]");
  CHECK(more.text(4) == "r0+2·r1");
  CHECK(more.times(1) == 2);
  CHECK(more.times(1, 3) == 0);
  CHECK(more.most() == 2);
  CHECK_FALSE(more.complete(2));
  CHECK(Shares::of_all(2).complete(2));
  CHECK(more.origin() == nullptr);
  CHECK(once.further(2).origin()->element == 6);
  CHECK(more.further(1).text() == "r0[5]+2·r1[5]");
  CHECK(without_elements(more).text() == "r0+2·r1");
  CHECK(Shares().text() == "–");
  CHECK(Shares().empty());
  CHECK(Shares::unknown().text() == "?");
  CHECK_FALSE(Shares::unknown().known());
  CHECK_FALSE(sum(once, Shares::unknown()).known());
  CHECK(sum(once, Shares()) == once);
  CHECK(Shares() != Shares::unknown());
  account::Contents contents;
  append(contents, 2, Share{0, 0});
  append(contents, 1, Share{0, 2});
  append(contents, 2, Share{0, 9});
  REQUIRE(contents.size() == 2);
  const auto part = part_of(contents, {2, 2});
  REQUIRE(part.size() == 2);
  CHECK(part[0].shares == Share{0, 2});
  CHECK(part[1] == account::Stretch{{1, 1}, Share{0, 9}});
}
